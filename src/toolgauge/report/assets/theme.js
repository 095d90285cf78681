// Before anything is drawn: the theme that was chosen here before, if any.
"use strict";
(() => {
  const known = new Set(["light", "dark"]);
  let chosen = null;
  try {
    chosen = localStorage.getItem("toolgauge-theme");
  } catch {
    // a browser may forbid storage to local files
  }
  if (known.has(chosen)) document.documentElement.dataset.theme = chosen;
})();
