// Cells of tables that tell more on hover tell it by keyboard too: Tab comes to a table, arrows go from cell to cell.
"use strict";
(() => {
  const tip = toolgauge.make("div", { id: "tip", role: "tooltip", hidden: true });
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const tells = (cell) => cell?.matches?.("td[title]");
  document.body.append(tip);

  function hide() {
    tip.hidden = true;
  }

  function show(cell) {
    const box = cell.getBoundingClientRect();
    tip.textContent = cell.title;
    tip.hidden = false;
    const own = tip.getBoundingClientRect();
    const below = box.bottom + own.height + 8 < innerHeight;
    tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - own.width - 4))}px`;
    tip.style.top = `${below ? box.bottom + 4 : box.top - own.height - 4}px`;
  }

  // The next cell that tells something, over cells and rows that do not.
  function next(cell, [down, right]) {
    const rows = [...cell.closest("tbody").rows].filter((row) => !row.hidden);
    let row = rows.indexOf(cell.parentElement);
    let column = cell.cellIndex;
    for (;;) {
      row += down;
      column += right;
      const other = rows[row]?.cells[column];
      if (!other) return null;
      if (tells(other)) return other;
    }
  }

  function prepare(table) {
    const cells = [...table.querySelectorAll("td[title]")];
    cells.forEach((cell, place) => cell.setAttribute("tabindex", place ? "-1" : "0"));
    table.addEventListener("focusin", ({ target }) => tells(target) && target.matches(":focus-visible") && show(target));
    table.addEventListener("focusout", hide);
    table.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      if (!tells(event.target) || !Object.hasOwn(STEPS, event.key)) return;
      event.preventDefault();
      const other = next(event.target, STEPS[event.key]);
      if (!other) return;
      table.querySelectorAll("td[tabindex='0']").forEach((cell) => cell.setAttribute("tabindex", "-1"));
      other.setAttribute("tabindex", "0");
      other.focus();
    });
  }

  document.querySelectorAll("main table").forEach(prepare);
  addEventListener("scroll", hide, { capture: true, passive: true });
})();
