// Comparisons: the page of two runs opens that of two others; that of all pairs opens the one that its address names,
// "#a=<run>&b=<run>&scoring=<scoring>", in either order.
"use strict";
(() => {
  const menus = document.getElementById("pick");
  const config = JSON.parse(document.getElementById("comparison-config")?.textContent ?? "null");

  // Whoever chooses for one what is the other already, gets them exchanged.
  menus?.addEventListener("change", ({ target }) => {
    const [a, b] = menus.querySelectorAll("select");
    const other = target === a ? b : a;
    if (a.value === b.value) other.value = target.querySelector("[selected]").value;
    location.href = `${menus.dataset.page}#${new URLSearchParams({ a: a.value, b: b.value, scoring: menus.dataset.scoring })}`;
  });

  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const [a, b, scoring] = ["a", "b", "scoring"].map((name) => wanted.get(name));
    const key = config.runs.indexOf(a) > config.runs.indexOf(b) ? `${b}--${a}` : `${a}--${b}`;
    if (!Object.hasOwn(config.pages, key)) return;
    const pages = config.pages[key];
    const page = [scoring, config.headline].find((name) => Object.hasOwn(pages, name)) ?? Object.keys(pages)[0];
    location.replace(pages[page] + (wanted.has("at") ? `#${wanted.get("at")}` : ""));
  }

  if (config) {
    addEventListener("hashchange", follow);
    follow();
  }
})();
