// Permanent links: headings and rows that have an id show a link to themselves, on pages whose addresses name places.
"use strict";
(() => {
  const { t, make } = toolgauge;
  const PLACES = "main h2, main h3, main tr[id] > th, main li[id] > h3, main dl > div[id] > dt";
  if (document.querySelector("#filters, #task, #task-list, #pair")) return; // their addresses name what is chosen
  for (const place of document.querySelectorAll(PLACES)) {
    const id = place.id || place.closest("[id]").id;
    if (id === "content" || place.closest("dialog")) continue;
    const label = t("Link to {name}", { name: place.textContent.trim() });
    place.classList.add("anchored");
    place.append(make("a", { class: "anchor", href: `#${id.replace(/-heading$/, "")}`, "aria-label": label }, "#"));
  }
})();
