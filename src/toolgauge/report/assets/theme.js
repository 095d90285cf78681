// Before anything is drawn: the theme that was chosen here before, if any; styles learn that there are scripts.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const known = new Set(["light", "dark"]);
  let chosen = null;
  try {
    chosen = localStorage.getItem("toolgauge-theme");
  } catch {
    // a browser may forbid storage to local files
  }
  if (known.has(chosen)) document.documentElement.dataset.theme = chosen;
})();
