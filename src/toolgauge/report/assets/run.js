// The page of a run: one of its parts at a time, named in the address: "#failures". Other scorings have other pages.
"use strict";
(() => {
  const tabs = [...document.querySelectorAll("section.tab")];
  const links = [...document.querySelectorAll(".parts-of-page a")];
  const scorings = [...document.querySelectorAll("a.choice[data-scoring]")];

  // The address names a part of the page, or any place in one.
  function show() {
    const place = document.getElementById(location.hash.slice(1).split("&", 1)[0]);
    const tab = place?.closest("section.tab") ?? tabs[0];
    for (const one of tabs) one.hidden = one !== tab;
    for (const link of links) {
      if (link.hash === `#${tab.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    for (const link of scorings) link.hash = tab === tabs[0] ? "" : tab.id;
    if (place && place !== tab) {
      for (let folded = place.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
      place.scrollIntoView();
    }
  }

  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      if (link.hash !== location.hash) history.pushState(null, "", link.hash);
      show();
    });
  }
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  show();
  document.documentElement.classList.add("ready"); // until now no part was shown (run.css)
})();
