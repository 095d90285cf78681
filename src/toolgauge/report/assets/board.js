// The leaderboard: which table and which columns are shown, what is filtered and sorted; all of it stands in the hash, to
// be linked. Two runs that are ticked lead to their comparison.
"use strict";
(() => {
  const { t, ngettext, make } = toolgauge;
  const panels = [...document.querySelectorAll(".panel")];
  const form = document.getElementById("controls");
  const count = document.getElementById("count");
  const first = panels[0];
  const FIELDS = ["board", "scoring", "q", "rows", "family", "min", "max", "thinking"];
  const scorings = form.elements.namedItem("scoring"); // one has a page of its own each
  const state = { ...Object.fromEntries(FIELDS.map((name) => [name, ""])), sort: "", columns: "" };
  const start = { board: first.dataset.board, scoring: first.dataset.scoring };

  const table = (panel) => panel.querySelector("table");
  const field = (name) => form.elements.namedItem(name);

  // The panel that the state names.
  const chosen = () => panels.find((panel) => panel.dataset.board === state.board) ?? first;

  // The page of another scoring, with everything else as it is here.
  function openScoring() {
    const page = scorings && [...scorings.options].find((option) => option.value === state.scoring)?.dataset.page;
    const { hash } = location;
    if (page && state.scoring !== start.scoring) location.replace(page + hash);
  }

  function readHash() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of Object.keys(state)) state[name] = given.get(name) ?? "";
    for (const name of FIELDS.filter(field)) {
      field(name).value = state[name] || start[name] || "";
      state[name] = field(name).value; // what is no choice of the field is none
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
    const { family, thinking = "no" } = row.dataset;
    const kind = row.classList.contains("measured") ? "measured" : "published";
    const size = Number(row.querySelector("td.size").textContent); // NaN where none is known
    if (state.q && !row.querySelector("th.model bdi").textContent.toLowerCase().includes(state.q.toLowerCase())) return false;
    if (state.rows && state.rows !== kind) return false;
    if (kind === "measured") return true;
    if (state.family && state.family !== family) return false;
    if (state.thinking && state.thinking !== thinking) return false;
    if (state.min && !(size >= Number(state.min))) return false;
    return !(state.max && !(size <= Number(state.max)));
  }

  function filter(panel) {
    const rows = [...panel.querySelectorAll("tbody tr")];
    for (const row of rows) row.hidden = !passes(row);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown || !rows.length ? ngettext("{shown} of {count} row", "{shown} of {count} rows", rows.length, { shown }) : t("No row fits these filters.");
  }

  function sort(panel) {
    const wanted = state.sort.replace(/^-/, "");
    const heading = tables.headings(table(panel)).find((one) => one.dataset.column === wanted);
    const direction = state.sort.startsWith("-") ? "descending" : "ascending";
    if (heading && heading.getAttribute("aria-sort") !== direction) tables.sort(table(panel), heading, direction);
  }

  const optional = (panel) => tables.headings(table(panel)).filter((heading) => "optional" in heading.dataset);
  const usual = (panel) => optional(panel).filter((one) => one.dataset.optional !== "hidden").map((one) => one.dataset.column);

  // Show the columns that are chosen, and those without a choice.
  function showColumns(panel) {
    const wanted = new Set(state.columns ? state.columns.split(",") : usual(panel));
    const shown = new Set();
    for (const heading of optional(panel)) {
      const visible = wanted.has(heading.dataset.column);
      if (visible) shown.add(heading.dataset.column);
      heading.hidden = !visible;
      const place = tables.headings(table(panel)).indexOf(heading);
      for (const row of table(panel).tBodies[0].rows) row.cells[place].hidden = !visible;
    }
    for (const group of panel.querySelectorAll("[data-columns]")) {
      const span = group.dataset.columns.split(" ").filter((key) => shown.has(key)).length;
      group.hidden = span === 0;
      if (span) group.colSpan = span;
    }
    return shown;
  }

  // The menu of columns is that of the table shown.
  function offerColumns(panel, shown) {
    const box = (heading) => {
      const name = [...heading.querySelectorAll("button.sort")].map((button) => button.textContent).join("").trim();
      return make("label", {}, make("input", { type: "checkbox", value: heading.dataset.column, checked: shown.has(heading.dataset.column) }), name);
    };
    document.getElementById("columns").replaceChildren(...optional(panel).map(box));
  }

  function show() {
    const panel = chosen();
    for (const other of panels) {
      other.hidden = other !== panel;
      other.classList.remove("later");
    }
    offerColumns(panel, showColumns(panel));
    sort(panel);
    filter(panel);
  }

  // Two ticks choose what is compared; a third takes the place of the first.
  const compare = document.getElementById("compare");
  let ticked = [];

  function tick(box) {
    ticked = ticked.filter((slug) => slug !== box.value);
    if (box.checked) ticked = [...ticked, box.value].slice(-2);
    for (const other of document.querySelectorAll(".tick input")) other.checked = ticked.includes(other.value);
    compare.disabled = ticked.length === 1;
    compare.textContent = ticked.length === 1 ? t("Compare with … (tick another run)") : t("Compare two runs");
  }

  compare?.addEventListener("click", () => {
    const [a, b] = ticked; // without ticks the page of comparisons chooses
    location.href = a ? `${compare.dataset.page}#${new URLSearchParams({ a, b })}` : compare.dataset.page;
  });

  for (const panel of panels) {
    table(panel).addEventListener("sorted", ({ detail }) => {
      state.sort = (detail.direction === "descending" ? "-" : "") + detail.heading.dataset.column;
      writeHash();
    });
    panel.addEventListener("change", ({ target }) => target.matches(".tick input") && tick(target));
    // A footnote is a place on this page, and the hash is taken.
    panel.addEventListener("click", (event) => {
      const mark = event.target.closest(".noted a");
      if (!mark) return;
      event.preventDefault();
      const note = document.getElementById(mark.getAttribute("href").slice(1));
      note.closest("details").open = true;
      note.focus();
    });
  }
  form.addEventListener("input", ({ target }) => {
    const boxes = [...document.querySelectorAll("#columns input")];
    if (boxes.includes(target)) {
      const wanted = boxes.filter((box) => box.checked).map((box) => box.value);
      state.columns = wanted.join() === usual(chosen()).join() ? "" : wanted.join() || "-";
      showColumns(chosen());
    } else {
      if (target.name === "board") Object.assign(state, { columns: "", sort: "" });
      for (const name of FIELDS.filter(field)) state[name] = field(name).value;
      if (target.name === "board") show();
      else filter(chosen());
    }
    writeHash();
    openScoring();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    history.replaceState(null, "", location.pathname + location.search);
    readHash();
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", ({ target }) => {
    for (const menu of form.querySelectorAll(".menu[open]")) if (!menu.contains(target)) menu.open = false;
  });
  addEventListener("hashchange", () => {
    readHash();
    openScoring();
    show();
  });
  readHash();
  openScoring();
  show();
})();
