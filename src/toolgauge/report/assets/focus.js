// The marks of a chart by keyboard: Tab comes to it, arrows go from mark to mark, each tells what it tells on hover.
"use strict";
(() => {
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const ASIDE = 2.5; // how much farther away a mark counts that lies aside of the arrow's direction

  const told = (mark) => mark.__data__?.tooltip;
  const marksOf = (drawing) => [...drawing.querySelectorAll("svg .role-mark > *")].filter(told);
  const middle = (mark) => {
    const box = mark.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };

  function send(mark, kind) {
    const [clientX, clientY] = middle(mark);
    const Kind = kind === "pointermove" ? PointerEvent : MouseEvent;
    mark.dispatchEvent(new Kind(kind, { bubbles: true, clientX, clientY }));
  }

  // The nearest mark in the direction of an arrow.
  function neighbour(mark, [right, down], marks) {
    const [x, y] = middle(mark);
    let best = null;
    let least = Infinity;
    for (const other of marks) {
      const [dx, dy] = [middle(other)[0] - x, middle(other)[1] - y];
      const ahead = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      if (other !== mark && ahead > 1 && ahead + ASIDE * aside < least) [best, least] = [other, ahead + ASIDE * aside];
    }
    return best;
  }

  function choose(drawing, mark) {
    drawing.querySelectorAll("svg [tabindex='0']").forEach((other) => other.setAttribute("tabindex", "-1"));
    mark.setAttribute("tabindex", "0");
    mark.focus();
  }

  function name(mark) {
    return Object.entries(told(mark)).map(([heading, value]) => `${heading}: ${value}`).join("; ");
  }

  // Called when a chart is drawn: one of its marks can be reached by Tab.
  function prepare(drawing) {
    const marks = marksOf(drawing);
    for (const mark of marks) {
      mark.setAttribute("tabindex", mark === marks[0] ? "0" : "-1");
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", name(mark));
    }
  }

  function isMark(target) {
    return target instanceof SVGElement && Boolean(told(target));
  }

  for (const drawing of document.querySelectorAll("figure.chart .drawing")) {
    drawing.closest("figure").addEventListener("drawn", () => prepare(drawing));
    drawing.addEventListener("focusin", ({ target }) => isMark(target) && target.matches(":focus-visible") && send(target, "pointermove"));
    drawing.addEventListener("focusout", ({ target }) => isMark(target) && send(target, "mouseout"));
    drawing.addEventListener("keydown", (event) => {
      if (!isMark(event.target)) return;
      if (event.key === "Enter") send(event.target, "click");
      if (event.key === "Escape") send(event.target, "mouseout");
      if (!Object.hasOwn(ARROWS, event.key)) return;
      event.preventDefault();
      const next = neighbour(event.target, ARROWS[event.key], marksOf(drawing));
      if (next) choose(drawing, next);
    });
  }
})();
