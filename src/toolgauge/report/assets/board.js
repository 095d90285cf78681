// The leaderboard: which table is shown, what is filtered and sorted; all of it stands in the hash, to be linked.
"use strict";
(() => {
  const { t } = toolgauge;
  const panels = [...document.querySelectorAll(".panel")];
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const first = panels[0];
  const state = { board: "", reading: "", sort: "", q: "", rows: "", family: "", min: "", max: "", thinking: "" };
  const FILTERS = ["q", "rows", "family", "min", "max", "thinking"];

  const find = (board, reading) => panels.find((panel) => panel.dataset.board === board && panel.dataset.reading === reading);
  const start = { board: first.dataset.board, reading: first.dataset.reading };

  // The panel that the state names; some tables stand in one reading only.
  function chosen() {
    const board = state.board || start.board;
    return find(board, state.reading || start.reading) ?? find(board, start.reading) ?? first;
  }

  function readHash() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of Object.keys(state)) state[name] = given.get(name) ?? "";
    for (const name of FILTERS) {
      const field = form.elements.namedItem(name);
      if (!field) continue;
      field.value = state[name];
      state[name] = field.value; // what is no choice of the field is none
    }
  }

  function writeHash() {
    const kept = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) if (value && value !== start[name]) kept.set(name, value);
    const hash = kept.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  // Does a row pass? Family, size and thinking are known of published models; runs of one's own always stay.
  function passes(row) {
    const { kind, family, size, thinking } = row.dataset;
    if (state.q && !row.querySelector("th.model bdi").textContent.toLowerCase().includes(state.q.toLowerCase())) return false;
    if (state.rows && state.rows !== kind) return false;
    if (kind === "measured") return true;
    if (state.family && state.family !== family) return false;
    if (state.thinking && state.thinking !== thinking) return false;
    if (state.min && !(size !== "" && Number(size) >= Number(state.min))) return false;
    return !(state.max && !(size !== "" && Number(size) <= Number(state.max)));
  }

  function filter(panel) {
    const rows = [...panel.querySelectorAll("tbody tr")];
    for (const row of rows) row.hidden = !passes(row);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown || !rows.length ? t("{shown} of {total} rows", { shown, total: rows.length }) : t("No row fits these filters.");
  }

  function sort(panel) {
    const table = panel.querySelector("table");
    const wanted = state.sort.replace(/^-/, "");
    const heading = tables.headings(table).find((one) => one.dataset.column === wanted);
    const direction = state.sort.startsWith("-") ? "descending" : "ascending";
    if (heading && heading.getAttribute("aria-sort") !== direction) tables.sort(table, heading, direction);
  }

  // Places in the column sorted by: equal numbers share one, what is not comparable has none.
  function rank(table, heading) {
    const column = tables.headings(table).indexOf(heading);
    if (!table.querySelector("td.rank") || ["model", "size", "source"].includes(heading.dataset.column)) return;
    const rows = [...table.tBodies[0].rows];
    const numbers = new Map();
    for (const row of rows) {
      const number = row.cells[column].querySelector("b");
      if (number && !row.classList.contains("apart")) numbers.set(row, Number(number.textContent));
    }
    const ordered = [...numbers.values()].sort((one, other) => other - one);
    for (const row of rows) {
      const place = numbers.has(row) ? String(ordered.indexOf(numbers.get(row)) + 1) : "";
      const cell = row.querySelector("td.rank");
      cell.dataset.sort = place;
      cell.textContent = place || "–";
    }
  }

  function show() {
    const panel = chosen();
    for (const other of panels) other.hidden = other !== panel;
    for (const button of document.querySelectorAll(".choices button")) {
      const { board, reading } = button.dataset;
      button.setAttribute("aria-pressed", String(board ? board === panel.dataset.board : reading === panel.dataset.reading));
      if (reading) button.disabled = !find(panel.dataset.board, reading);
    }
    sort(panel);
    filter(panel);
  }

  for (const button of document.querySelectorAll(".choices button")) {
    button.addEventListener("click", () => {
      Object.assign(state, button.dataset);
      writeHash();
      show();
    });
  }
  for (const panel of panels) {
    panel.querySelector("table").addEventListener("sorted", ({ target, detail }) => {
      rank(target, detail.heading);
      state.sort = (detail.direction === "descending" ? "-" : "") + detail.heading.dataset.column;
      writeHash();
    });
    // A footnote is a place on this page, and the hash is taken.
    panel.addEventListener("click", (event) => {
      const mark = event.target.closest(".marks a");
      if (!mark) return;
      event.preventDefault();
      document.getElementById(mark.getAttribute("href").slice(1)).focus();
    });
  }
  form.addEventListener("input", () => {
    for (const name of FILTERS) state[name] = form.elements.namedItem(name)?.value ?? "";
    writeHash();
    filter(chosen());
  });
  form.addEventListener("reset", () => setTimeout(() => form.dispatchEvent(new Event("input"))));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => {
    readHash();
    show();
  });

  document.querySelector(".choices").hidden = false;
  form.hidden = false;
  readHash();
  show();
})();
