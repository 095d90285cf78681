// Terms and their tips: where a tip opens, and terms in what scripts show. Without this script tips open in the middle.
"use strict";
(() => {
  const GAP = 6;
  const MARGIN = 8;
  let button = null; // the one pressed last

  // Beside its button: below it in the upper half of the window, above it in the lower one.
  function place(tip) {
    const box = button.getBoundingClientRect();
    const width = Math.min(22 * parseFloat(getComputedStyle(document.documentElement).fontSize), innerWidth - 2 * MARGIN);
    const below = box.top < innerHeight / 2;
    tip.style.width = `${width}px`;
    tip.style.left = `${Math.max(MARGIN, Math.min(box.left, innerWidth - width - MARGIN))}px`;
    tip.style.top = below ? `${box.bottom + GAP}px` : "auto";
    tip.style.bottom = below ? "auto" : `${innerHeight - box.top + GAP}px`;
    tip.style.margin = "0";
  }

  document.addEventListener("click", ({ target }) => (button = target.closest?.("button.term") ?? button), true);
  document.addEventListener("beforetoggle", ({ target, newState }) => {
    if (button && newState === "open" && target.matches(".tip")) place(target);
  }, true);
  addEventListener("scroll", () => document.querySelector(".tip:popover-open")?.hidePopover(), { passive: true });

  // A term as a button, of those that the page has the tip of (terms.use in its template); its name where no words are given.
  toolgauge.term = (name, words = null) => {
    const tip = document.getElementById(`tip-${name}`);
    return toolgauge.make("button", { type: "button", class: "term", popovertarget: tip.id }, words ?? tip.querySelector("b").textContent);
  };
})();
