// The list of a run's tasks: search, filters, order and pages; all of it stands in the address.
"use strict";
(() => {
  const { t, ngettext, count, make, onKey, load, filter, show, cause, outcomes, signs, mark } = toolgauge;
  const config = JSON.parse(document.getElementById("task-config").textContent);
  const PER_PAGE = 100;
  const KINDS = { single: t("single-tool"), multi: t("several tools"), clarify: t("clarify"), chat: t("chat") };
  const FILTERS = ["result", "type", "position", "reference", "mistake", "epoch"];
  const FURTHER = ["position", "reference", "other", "epoch"];
  const controls = document.getElementById("task-filters");
  const body = document.getElementById("task-rows");
  let index = null;
  let state = null;
  let found = [];
  let chosen = -1;

  const titled = (name) => (Object.hasOwn(config.titles, name) ? config.titles[name] : name.replaceAll("_", " "));
  const scoringName = (name) => (Object.hasOwn(config.scoring_names, name) ? config.scoring_names[name] : name);
  const address = (row) => `${config.slug}-task.html${filter.write({ ...state, page: "" }, index.columns.id[row])}`;

  // Put a change into the address; the page follows the address. quiet: without a step in the history.
  function change(values, quiet = false) {
    const hash = filter.write({ ...state, page: "", ...values });
    if (quiet) {
      history.replaceState(null, "", hash);
      follow();
    } else location.hash = hash;
  }

  function valueNames(field, row, results) {
    const columns = index.columns;
    if (field === "result") return [results.result[row]];
    if (field === "mistake") return results.result[row] === "failed" ? [results.mistake[row] ?? "unclassified"] : [];
    if (field === "type" && config.kind === "graph") return columns.kind[row] === "multi" ? ["multi", columns.type[row]] : [columns.type[row]];
    if (field === "type") return [...new Set([columns.kind[row], columns.type[row]])];
    if (field === "epoch") return [String(columns.epoch[row] + 1)];
    return columns[field][row] === null || columns[field][row] === "" ? [] : [String(columns[field][row])];
  }

  function label(field, name) {
    if (field === "result") return outcomes[name];
    if (name === "unclassified") return t("no class");
    return titled(name.replace(/^paper:/, ""));
  }

  const ORDER = { result: ["failed", "correct", "not_judgeable", "missing"], type: ["single", "single_tool", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat", "normal", "special", "agent"], reference: ["first_turn", "coreference", "partial_information", "long_range"] };

  // A choice with how many tasks each of its values leaves, given the other filters.
  function fillChoice(field) {
    const select = document.getElementById(`filter-${field}`);
    const results = index.scorings[filter.scoringOf(index, state, config)] ?? { result: [], mistake: [] };
    const counts = new Map();
    for (let row = 0; row < index.count; row++) for (const name of valueNames(field, row, results)) if (name) counts.set(name, 0);
    const left = filter.rows(index, { ...state, sort: "" }, config, field);
    for (const row of left) for (const name of valueNames(field, row, results)) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (state[field] && !counts.has(state[field])) counts.set(state[field], found.length);
    const order = ORDER[field] ?? [];
    const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
    const names = [...counts.keys()].filter(Boolean);
    if (field === "mistake") names.sort((a, b) => counts.get(b) - counts.get(a));
    else names.sort((a, b) => place(a) - place(b) || a.localeCompare(b, undefined, { numeric: true }));
    select.replaceChildren(make("option", { value: "" }, t("any")), ...names.map((name) => make("option", { value: name }, `${label(field, name)} (${counts.get(name)})`)));
    select.value = state[field];
    select.closest("label").hidden = names.length < 2 && !state[field];
  }

  // What became of the tasks in the other runs on the same data; their indices are loaded when they are asked for.
  function fillOther() {
    const select = document.getElementById("filter-other");
    const options = config.others.flatMap(({ slug, label: run }) => ["correct", "failed"].map((result) => make("option", { value: `${result}:${slug}` }, result === "correct" ? t("right in {label}", { label: run }) : t("wrong in {label}", { label: run }))));
    select.replaceChildren(make("option", { value: "" }, t("any")), ...options);
    select.value = state.other;
    if (select.selectedIndex < 0) select.value = "";
    select.closest("label").hidden = !options.length;
  }

  // The result in the chosen scoring; scorings that say otherwise stand small below it.
  function resultCell(row, scoring) {
    const cell = make("td", { class: "c-result" });
    if (!Object.hasOwn(index.scorings, scoring)) return cell;
    const result = index.scorings[scoring].result[row];
    cell.append(mark(result));
    for (const [name, results] of Object.entries(index.scorings)) {
      if (results.result[row] !== result) cell.append(make("small", { class: "other" }, `${scoringName(name)} ${signs[results.result[row]]}`));
    }
    return cell;
  }

  // The words of a reply that were searched for, where they stand.
  function replied(row) {
    const found = filter.snippet(index, state, row);
    return found ? make("small", { class: "found" }, t("reply: "), show.text(found[0]), make("mark", {}, show.text(found[1])), show.text(found[2])) : null;
  }

  function cells(row) {
    const columns = index.columns;
    const scoring = filter.scoringOf(index, state, config);
    const results = index.scorings[scoring];
    const mistake = results?.mistake[row];
    const tokens = columns.input_tokens[row] + columns.output_tokens[row];
    return [
      make("th", { scope: "row", class: "c-id" }, make("a", { href: address(row) }, show.clipped(columns.id[row], 80))),
      resultCell(row, scoring),
      make("td", { class: "c-text", lang: config.language }, show.clipped(columns.text[row], 160), replied(row)),
      make("td", { class: "c-mistake" }, ...(results?.result[row] === "failed" ? cause.sentence({ why: results.why[row], contrast: results.contrast[row] }, mistake ? titled(mistake) : t("no class")) : [])),
      make("td", { class: "c-type" }, titled(columns.type[row])),
      make("td", { class: "c-position number" }, columns.position[row] === null ? "" : String(columns.position[row])),
      make("td", { class: "c-reference" }, titled(columns.reference[row])),
      make("td", { class: "c-steps number" }, columns.steps[row] ? String(columns.steps[row]) : ""),
      make("td", { class: "c-tokens number" }, tokens ? count(tokens) : ""),
      make("td", { class: "c-latency number" }, columns.latency[row] ? t("{value} s", { value: columns.latency[row].toFixed(1) }) : ""),
    ];
  }

  function select(place) {
    const rows = [...body.children];
    rows[chosen]?.classList.remove("chosen");
    chosen = place;
    rows[chosen]?.classList.add("chosen");
    rows[chosen]?.querySelector("a").focus();
  }

  function move(by) {
    const last = body.children.length - 1;
    const page = Number(state.page) || 1;
    if (chosen + by > last && page * PER_PAGE < found.length) goTo(page + 1, 0);
    else if (chosen + by < 0 && page > 1) goTo(page - 1, PER_PAGE - 1);
    else select(Math.max(0, Math.min(last, chosen + by)));
  }

  function goTo(page, place = -1) {
    change({ page: page > 1 ? String(page) : "" }, true);
    if (place >= 0) select(place);
    else document.getElementById("task-count").scrollIntoView();
  }

  function renderPager(page, pages) {
    const pager = document.getElementById("task-pages");
    pager.hidden = pages < 2;
    const button = (id, words, to) => make("button", { type: "button", disabled: to < 1 || to > pages, id, on: { click: () => goTo(to) } }, words);
    pager.replaceChildren(button("page-previous", t("previous page"), page - 1), make("span", {}, t("page {page} of {pages}", { page, pages })), button("page-next", t("next page"), page + 1));
  }

  function renderCount() {
    const results = index.scorings[filter.scoringOf(index, state, config)]?.result ?? [];
    const counts = { correct: 0, failed: 0, not_judgeable: 0, missing: 0 };
    for (const row of found) if (results[row]) counts[results[row]] += 1;
    const whole = found.length === index.count ? ngettext("{count} task", "{count} tasks", index.count) : ngettext("{shown} of {count} task", "{shown} of {count} tasks", index.count, { shown: count(found.length) });
    const parts = t("{correct} correct · {failed} failed · {missing} missing", { correct: count(counts.correct), failed: count(counts.failed), missing: count(counts.missing) });
    const unjudged = t("{count} not judgeable", { count: count(counts.not_judgeable) });
    document.getElementById("task-count").replaceChildren(make("b", {}, whole), ` · ${parts}`, counts.not_judgeable ? ` · ${unjudged}` : "");
  }

  // A route, which charts lead here with, has no choice of its own: it stands below them until it is taken away.
  function renderRoute() {
    const chip = document.getElementById("task-route");
    chip.hidden = !state.route;
    const kinds = state.route.split(">").slice(0, 20).map((kind) => (Object.hasOwn(KINDS, kind) ? KINDS[kind] : kind)).join(" → ");
    const button = make("button", { type: "button", "aria-label": t("show tasks of every route"), title: t("show tasks of every route"), on: { click: () => change({ route: "" }) } }, "×");
    chip.replaceChildren(make("span", { class: "muted" }, t("route")), " ", show.clipped(kinds, 200), " ", button);
  }

  function renderHeads() {
    for (const head of document.querySelectorAll("#task-table th[data-column]")) {
      const name = head.dataset.column;
      const order = state.sort === name ? "ascending" : state.sort === `-${name}` ? "descending" : "none";
      head.setAttribute("aria-sort", order);
    }
    const has = (name) => index.columns[name].some((value) => value !== null && value !== "" && value !== 0);
    const kept = { reference: has("reference"), position: has("position"), tokens: has("input_tokens") || has("output_tokens"), latency: has("latency"), steps: has("steps") };
    for (const [name, is] of Object.entries(kept)) document.getElementById("task-table").classList.toggle(`no-${name}`, !is);
  }

  // Bring the page to what the address says.
  function follow() {
    state = filter.read(location.hash);
    const searching = document.getElementById("task-searching");
    if (!filter.isReady(index, state, config)) {
      const told = (done, all) => (searching.textContent = ngettext("Reading replies: {done} of {count} file", "Reading replies: {done} of {count} files", all, { done: count(done) }));
      return filter.ready(index, state, config, told).then(follow, fail);
    }
    searching.textContent = index.unread && state.in ? t("Only the first replies are searched: there are more than a page can hold.") : "";
    found = filter.rows(index, state, config);
    const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
    const page = Math.min(pages, Math.max(1, Number(state.page) || 1));
    state.page = page > 1 ? String(page) : "";
    FILTERS.forEach(fillChoice);
    fillOther();
    document.getElementById("filter-scoring").value = filter.scoringOf(index, state, config);
    const search = document.getElementById("filter-text");
    if (search.value.trim() !== state.text) search.value = state.text;
    document.getElementById("filter-in").checked = state.in === "replies";
    if (FURTHER.some((field) => state[field])) document.getElementById("more-filters").open = true;
    renderCount();
    renderRoute();
    renderHeads();
    renderPager(page, pages);
    const shown = found.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    body.replaceChildren(...shown.map((row) => make("tr", { "data-row": row }, ...cells(row))));
    document.getElementById("task-none").hidden = found.length > 0;
    document.getElementById("clear").hidden = !FILTERS.concat("other", "text", "route").some((field) => state[field]);
    chosen = -1;
    document.getElementById("task-status").hidden = true;
    document.getElementById("task-list").hidden = false;
  }

  function fail(error) {
    document.getElementById("task-status").textContent = t("The data of this page could not be loaded ({what}). Keep the folder data/ of the site beside its pages, and use a browser from 2023 or later.", { what: error.message });
    document.getElementById("task-status").hidden = false;
  }

  function buildControls() {
    const scoring = document.getElementById("filter-scoring");
    scoring.replaceChildren(...Object.keys(index.scorings).map((name) => make("option", { value: name }, scoringName(name))));
    scoring.closest("label").hidden = Object.keys(index.scorings).length < 2;
    controls.addEventListener("change", (event) => {
      const field = event.target.id.replace("filter-", "");
      if (field === "in") change({ in: event.target.checked ? "replies" : "" }, true);
      else if (field !== "text") change({ [field]: event.target.value });
    });
    let timer = 0;
    document.getElementById("filter-text").addEventListener("input", (event) => {
      clearTimeout(timer);
      timer = setTimeout(() => change({ text: event.target.value.trim() }, true), 120);
    });
    document.getElementById("filter-text").addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        select(0);
      }
    });
    controls.addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("clear").addEventListener("click", () => change({ ...Object.fromEntries(FILTERS.map((field) => [field, ""])), other: "", text: "", route: "" }));
    for (const head of document.querySelectorAll("#task-table th[data-column]")) {
      const name = head.dataset.column;
      head.querySelector("button").addEventListener("click", () => change({ sort: state.sort === name ? `-${name}` : state.sort === `-${name}` ? "" : name }));
    }
    body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row && !event.target.closest("a") && !getSelection().toString()) row.querySelector("a").click();
    });
    onKey("j", () => move(1));
    onKey("k", () => move(-1));
  }

  load(`runs/${config.slug}/index`).then((content) => {
    index = content;
    buildControls();
    addEventListener("hashchange", follow);
    follow();
    toolgauge.anchored();
  }).catch(fail);
})();
