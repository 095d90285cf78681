// Tables with class "sortable": by a click or the keyboard on a heading of the last head row, by each cell's data-sort,
// else by its number or name in bold, else by its text.
"use strict";
const tables = (() => {
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true, sensitivity: "base" });

  // What a cell is sorted by: a number, a text, or null for nothing.
  function value(cell) {
    const given = cell?.dataset.sort ?? (cell?.querySelector("b, bdi") ?? cell)?.textContent.trim() ?? "";
    if (given === "" || given === "–") return null;
    const number = Number(given.replace("−", "-"));
    return Number.isNaN(number) ? given : number;
  }

  // Numbers before texts.
  function compare(one, other) {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
    return collator.compare(one, other);
  }

  const headings = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];

  // Sort by a heading, "ascending" or "descending"; what is equal keeps its order, what has no value comes last.
  function sort(table, heading, direction) {
    const place = headings(table).indexOf(heading);
    const sign = direction === "descending" ? -1 : 1;
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: value(row.cells[place]) }));
    rows.sort((one, other) => {
      if (one.key === null || other.key === null) return (one.key === null) - (other.key === null);
      return sign * compare(one.key, other.key);
    });
    table.tBodies[0].append(...rows.map(({ row }) => row));
    for (const other of headings(table)) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction);
    table.dispatchEvent(new CustomEvent("sorted", { detail: { heading, direction } }));
  }

  // The other direction, or where it was not sorted the one people want first: high numbers, texts from A.
  function next(table, heading) {
    const now = heading.getAttribute("aria-sort");
    if (now) return now === "descending" ? "ascending" : "descending";
    return heading.classList.contains("number") ? "descending" : "ascending";
  }

  function prepare(table) {
    for (const heading of headings(table)) {
      if ("fixed" in heading.dataset || !heading.textContent.trim()) continue;
      const button = toolgauge.make("button", { type: "button", class: "sort" });
      const words = heading.querySelector(":scope > .sorts"); // has the room of the button already
      button.append(...[...(words ?? heading).childNodes].filter((node) => node.nodeType === Node.TEXT_NODE));
      words?.remove();
      heading.prepend(button);
      button.addEventListener("click", () => sort(table, heading, next(table, heading)));
    }
  }

  document.querySelectorAll("table.sortable").forEach(prepare);
  return { sort, headings, prepare };
})();
