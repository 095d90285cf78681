// The page of a run or of a comparison: one reading at a time, kept in the address; what a cell says, in words.
"use strict";
(() => {
  const parts = [...document.querySelectorAll("section.reading")];
  const buttons = [...document.querySelectorAll("button[data-choose]")];

  function show(reading) {
    const known = parts.some((part) => part.dataset.reading === reading);
    const chosen = known ? reading : parts[0]?.dataset.reading;
    for (const part of parts) part.hidden = part.dataset.reading !== chosen;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.choose === chosen));
  }

  const readAddress = () => show(new URLSearchParams(location.hash.slice(1)).get("reading"));
  for (const button of buttons) {
    button.addEventListener("click", () => {
      history.replaceState(null, "", `#reading=${encodeURIComponent(button.dataset.choose)}`);
      readAddress();
    });
  }
  addEventListener("hashchange", readAddress);
  readAddress();

  // A cell of the chart of routes leads to the tasks of its route.
  for (const block of document.querySelectorAll("[data-routes]")) {
    block.addEventListener("drawn", ({ detail: view }) => {
      view.addEventListener("click", (event, item) => {
        const route = item?.datum?.route;
        if (route) location.href = `${block.dataset.routes}#reading=${encodeURIComponent(block.dataset.reading)}&route=${encodeURIComponent(route)}`;
      });
    });
  }

  for (const block of document.querySelectorAll("[data-readout]")) {
    const readout = block.querySelector(".readout");
    const tell = (event) => {
      readout.textContent = event.target.closest("td")?.querySelector("a[title]")?.title || readout.dataset.empty;
    };
    for (const name of ["mouseover", "focusin", "mouseleave", "focusout"]) block.addEventListener(name, tell);
  }
})();
