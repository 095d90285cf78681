// Permanent links: every heading, table and folded part that has an id shows a link to itself; a click copies it too.
// Where the address says what the page shows (a task, a pair, filters), the place stands behind that: "#...&at=<id>".
"use strict";
(() => {
  const { t, make } = toolgauge;
  const PLACES = "h1, h2:not(.unseen), h3, details[id]:not(.menu, .more) > summary, table[id] > caption, table[id] > thead th:first-of-type, tr[id] > th, dl > div[id] > dt";
  const main = document.querySelector("main");
  const status = make("p", { class: "unseen", role: "status" });
  const shown = document.body.matches(".task, .tasks"); // pages whose address says what they show
  const COPIED = 1500; // milliseconds for which a link says so
  let wanted = shown ? new URLSearchParams(location.hash.slice(1)).get("at") : location.hash.slice(1);

  // What the page shows now, without a place; scripts of pages that choose by themselves say it in full.
  toolgauge.shown = () => location.hash.split("&").filter((part) => !/^#?at=/.test(part)).join("&");
  const address = (id) => (shown ? `${toolgauge.shown() || "#"}${id && `&at=${id}`}`.replace("#&", "#") : `#${id}`);

  function copy(event, link) {
    if (shown) {
      event.preventDefault();
      history.replaceState(null, "", link.hash);
    }
    navigator.clipboard?.writeText(link.href).then(() => {
      status.textContent = t("Link copied");
      link.classList.add("copied");
      setTimeout(() => link.classList.remove("copied"), COPIED);
    }, () => {}); // the address bar has it
  }

  function anchor(place) {
    const id = place.tagName === "H1" ? "" : (place.id || place.closest("[id]").id).replace(/-heading$/, "");
    if (id === "content" || (!id && !shown) || place.closest("dialog, [hidden]:not(section)") || main.querySelector(`a.anchor[data-to="${CSS.escape(id)}"]`)) return;
    const label = t("Link to {name}", { name: place.textContent.trim() });
    const link = make("a", { class: "anchor", "data-to": id, href: address(id), "aria-label": label, title: t("Copy the link") });
    for (const kind of ["pointerenter", "focus"]) link.addEventListener(kind, () => (link.hash = address(id)));
    link.addEventListener("click", (event) => copy(event, link));
    if (place.tagName === "SUMMARY") return place.parentElement.before(link); // nothing to click stands in a summary
    place.classList.add("anchored");
    place.append(link);
  }

  // To be called when a page that loads its data has changed; brings the place of the address into view once.
  function anchored() {
    for (const place of main.querySelectorAll(PLACES)) anchor(place);
    const place = wanted && document.getElementById(wanted);
    if (!place) return;
    wanted = null;
    for (let folded = place.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    place.scrollIntoView();
  }

  document.body.append(status);
  toolgauge.anchored = anchored;
  if (!shown) anchored();
})();
