// The page of comparisons: two runs from the menus, a scoring, and what analysis/compare found between them. The address
// has all three: "#a=<run>&b=<run>&scoring=<scoring>".
"use strict";
(() => {
  const { t, ngettext, count, make, filled, load, filter, numbers, pairs } = toolgauge;
  const { percent, points, probability } = numbers;
  const { text: safe } = toolgauge.show; // names of others: what is unseen in them is shown
  const config = JSON.parse(document.getElementById("comparison-config").textContent);
  const UNREADABLE = (error) => t("The data of this page could not be loaded ({what}). Keep the folder data/ of the site beside its pages, and use a browser from 2023 or later.", { what: error.message });
  const SHOWN = 8;
  const LISTED = 12;
  const SIGNS = { first: "▼", second: "▲", unclear: "●" };
  const at = (id) => document.getElementById(id);
  const menus = { a: at("run-a"), b: at("run-b") };
  const buttons = [...document.querySelectorAll("button[data-choose]")];
  const known = (map, key) => (Object.hasOwn(map, key) ? map[key] : key);
  const placeOf = (slug) => config.runs.findIndex((run) => run.slug === slug);
  const run = (letter) => config.runs[placeOf(menus[letter].value)];
  let latest = 0;

  function asked() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const slugs = config.runs.map((one) => one.slug);
    const a = slugs.includes(wanted.get("a")) ? wanted.get("a") : slugs.find((slug) => slug !== wanted.get("b"));
    const b = slugs.includes(wanted.get("b")) && wanted.get("b") !== a ? wanted.get("b") : slugs.find((slug) => slug !== a);
    return { a, b, scoring: wanted.get("scoring") ?? "" };
  }

  function address(scoring) {
    const chosen = scoring && scoring !== config.headline ? `&scoring=${encodeURIComponent(scoring)}` : "";
    return `#a=${menus.a.value}&b=${menus.b.value}${chosen}`;
  }

  toolgauge.shown = () => address(asked().scoring);

  // A sentence, the options of the command line in it as code.
  const coded = (note) => note.split(/(?<!\S)(--[a-z-]+)/).map((part, place) => (place % 2 ? make("code", {}, part) : safe(part)));

  // The interval as it stands in sentences and tables.
  const interval = (bounds) => (bounds ? `[${percent(bounds[0])}, ${percent(bounds[1])}]` : "");

  function verdict(scoring, data) {
    const [table, name] = config.decides;
    const row = data.found.tables[table]?.[name];
    if (!row || row.difference === null) return [t("In this scoring there is nothing to compare."), ""];
    const called = known(config.scoring_names, scoring);
    const sides = t("{measure}, scoring “{scoring}”: A {a}%, B {b}%; p {p}.", {
      measure: config.measure, scoring: called, a: percent(row.a), b: percent(row.b), p: probability(row.p).replace(/^\d/, "= $&"),
    });
    const { tasks } = data.found;
    const gap = document.documentElement.lang.startsWith("zh") ? "" : " ";
    const pairsOf = ngettext("{count} task in pairs: {fixed} right in B alone, {broken} in A alone.", "{count} tasks in pairs: {fixed} right in B alone, {broken} in A alone.", tasks.fixed + tasks.broken + tasks.both + tasks.neither, {
      fixed: count(tasks.fixed), broken: count(tasks.broken),
    });
    const said = sides + gap + pairsOf;
    const shown = { points: points(row.difference), interval: interval(row.ci95) };
    if (data.found.better === "second") return [t("B is better: {points} points {interval}.", shown), said];
    const turned = { points: points(0 - row.difference), interval: interval(row.ci95 && [0 - row.ci95[1], 0 - row.ci95[0]]) };
    if (data.found.better === "first") return [t("A is better: {points} points {interval}.", turned), said];
    return [t("A and B cannot be told apart: B − A is {points} points {interval}.", shown), said];
  }

  const number = (text, attributes = {}) => make("td", { ...attributes, class: `number ${attributes.class ?? ""}` }, text);

  function differenceCell(row) {
    const cell = make("td", { class: "number", "data-sort": row.difference }, make("b", {}, points(row.difference)));
    if (row.few) cell.append(make("sup", { title: t("few tasks: fewer than 10, or from fewer than 10 sessions") }, "*"));
    if (row.ci95) cell.append(make("span", { class: "interval" }, interval(row.ci95)));
    return cell;
  }

  function heading(text, sense) {
    const cell = make("th", { scope: "row" }, safe(text));
    if (sense) cell.append("\u00a0", make("span", { class: "sign", title: t("p < 0.05 after Holm's correction within the table") }, SIGNS[sense]));
    return cell;
  }

  const senseOf = (data, table, name) => data.significant.find((one) => one.table === table && one.row === name)?.better;
  const classOf = (sense) => (sense ? `significant ${{ first: "worse", second: "better", unclear: "other" }[sense]}` : null);

  // Rows of two rates, their difference and a drawing.
  function pairRows(data, places, top, titleOf) {
    return places.map(([table, name]) => {
      const row = data.found.tables[table][name];
      const sense = senseOf(data, table, name);
      return make("tr", { class: classOf(sense), "data-table": table, "data-row": name }, heading(titleOf(table, name), sense),
        number(percent(row.a)), number(percent(row.b)), differenceCell(row), make("td", { class: "dots" }, pairs.dots(row.a, row.b, top)));
    });
  }

  function showKinds(data) {
    const table = at("kinds");
    const places = config.charted.filter(([name, row]) => data.found.tables[name]?.[row] && data.found.tables[name][row].difference !== null);
    table.tHead.querySelector("td.dots").replaceChildren(pairs.axis(1));
    table.tBodies[0].replaceChildren(...pairRows(data, places, 1, (name, row) => known(config.alone, `${name}/${row}`)));
  }

  function showPoints(data) {
    const table = at("points");
    const rows = Object.entries(data.found.tables.mistakes ?? {}).filter(([, row]) => row.a || row.b);
    rows.sort(([one, a], [other, b]) => Math.max(b.a, b.b) - Math.max(a.a, a.b) || (one < other ? -1 : 1));
    const top = pairs.topOf(rows.flatMap(([, row]) => [row.a ?? 0, row.b ?? 0]));
    const made = pairRows(data, rows.map(([name]) => ["mistakes", name]), top, (_table, name) => known(config.mistakes, name));
    table.tHead.querySelector("td.dots").replaceChildren(pairs.axis(top));
    table.tBodies[0].replaceChildren(...made.slice(0, SHOWN));
    const more = at("points-more");
    more.hidden = made.length <= SHOWN;
    more.querySelector("summary").textContent = t("{count} more", { count: count(Math.max(0, made.length - SHOWN)) });
    more.querySelector("tbody").replaceChildren(...made.slice(SHOWN));
  }

  function showList(name, data, words, scoring) {
    const section = document.querySelector(`[data-list="${name}"]`);
    const [wrong, right] = name === "fixed" ? [run("a"), run("b")] : [run("b"), run("a")];
    const tasks = data.found[name];
    const link = (task) => `../runs/${wrong.slug}-task.html${filter.write({ scoring, with: right.slug }, task.task_id)}`;
    const items = (some) => some.map((task) => make("li", {}, make("a", { href: link(task) }, safe(task.task_id)), " ", make("span", { class: "muted" }, safe(known(config.mistakes, task.mistake)))));
    section.querySelector("h2 span").textContent = words[`${name}_tasks`];
    section.querySelector("h2 .badge").textContent = count(tasks.length);
    section.querySelector("ul").replaceChildren(...(tasks.length ? items(tasks.slice(0, LISTED)) : [make("li", { class: "muted" }, t("none"))]));
    const everything = `../runs/${wrong.slug}-tasks.html${filter.write({ scoring, result: "failed", other: `correct:${right.slug}` })}`;
    const all = make("a", { href: everything }, t("all {count} as a list, with search and filters", { count: count(tasks.length) }));
    section.querySelector(".of-all").replaceChildren(...(tasks.length > LISTED ? [all] : []));
  }

  function showSettings() {
    const [ours, theirs] = ["a", "b"].map((letter) => new Map(run(letter).facts));
    const names = [...new Set([...ours.keys(), ...theirs.keys()])].filter((name) => ours.get(name) !== theirs.get(name));
    const value = (facts, name) => make("td", {}, safe(facts.get(name) ?? "–"));
    at("settings").querySelector("tbody").replaceChildren(...names.map((name) => make("tr", {}, make("th", { scope: "row" }, safe(name)), value(ours, name), value(theirs, name))));
    at("settings").querySelector(".badge").textContent = count(names.length);
  }

  function showOutcomes(data, words) {
    const kinds = ["fixed", "broken", "both", "neither"];
    for (const kind of kinds) at("outcomes").querySelector(`th[data-outcome="${kind}"]`).textContent = words[kind];
    for (const unit of ["tasks", "sessions"]) {
      const row = at("outcomes").querySelector(`tr[data-unit="${unit}"]`);
      const found = data.found[unit];
      row.replaceChildren(row.cells[0], ...kinds.map((kind) => number(count(found[kind]), { "data-outcome": kind })));
    }
  }

  function showMoves(data) {
    const moves = Object.entries(data.found.moves)
      .flatMap(([before, row]) => Object.entries(row).map(([after, tasks]) => ({ before, after, tasks })))
      .filter(({ before, after }) => before !== after && before !== "correct" && after !== "correct");
    moves.sort((one, other) => other.tasks - one.tasks || (one.before + one.after < other.before + other.after ? -1 : 1));
    at("moves").hidden = !moves.length;
    at("moves").querySelector(".badge").textContent = count(moves.length);
    at("moves").querySelector("tbody").replaceChildren(...moves.map(({ before, after, tasks }) => make("tr", {}, make("td", {}, safe(known(config.mistakes, before))), make("td", {}, safe(known(config.mistakes, after))), number(count(tasks)))));
  }

  function section(key, places, data, words) {
    const heads = ["A (%)", "B (%)", t("B − A"), `${words.fixed} / ${words.broken}`, "h", "p", t("p (Holm)")];
    const lines = places.filter(([table, name]) => data.found.tables[table][name].difference !== null).map(([table, name]) => {
      const row = data.found.tables[table][name];
      const sense = senseOf(data, table, name);
      const changed = row.fixed === null ? number("–", { "data-sort": "" }) : number(`${row.fixed} / ${row.broken}`, { "data-sort": row.fixed - row.broken });
      return make("tr", { class: classOf(sense), "data-table": table, "data-row": name }, heading(known(config.rows, `${table}/${name}`), sense), number(percent(row.a)), number(percent(row.b)), differenceCell(row),
        changed, number(row.cohens_h === null ? "" : points(row.cohens_h, 2, 1)), number(probability(row.p), { "data-sort": row.p ?? "" }), number(probability(row.p_holm), { "data-sort": row.p_holm ?? "" }));
    });
    if (!lines.length) return null;
    const head = make("tr", {}, make("th", { scope: "col" }, known(config.sections, key)), ...heads.map((text) => make("th", { scope: "col", class: "number" }, text)));
    const table = make("table", { class: "sortable differences", id: `differences.${key}` }, make("thead", {}, head), make("tbody", {}, ...lines));
    tables.prepare(table);
    return make("div", { class: "scroll" }, table);
  }

  function show(pair, swapped) {
    const scorings = Object.keys(pair.scorings);
    const wanted = asked().scoring;
    const scoring = scorings.includes(wanted) ? wanted : scorings.includes(config.headline) ? config.headline : scorings[0];
    const data = swapped ? pairs.mirrored(pair.scorings[scoring]) : pair.scorings[scoring];
    const words = config.words[String(pair.same_model)];
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.choose === scoring));
      button.disabled = !scorings.includes(button.dataset.choose);
    }
    [at("verdict").textContent, at("verdict-counts").textContent] = verdict(scoring, data);
    const notes = pair.notes.map(({ code, a, b }) => filled(config.notes[code], values(swapped ? b : a, swapped ? a : b)));
    at("notes").replaceChildren(...[...notes, ...["a", "b"].flatMap((letter) => run(letter).notes.map((note) => `${letter.toUpperCase()}: ${note}`))].map((note) => make("p", { class: "note" }, ...coded(note))));
    showKinds(data);
    showPoints(data);
    for (const name of ["fixed", "broken"]) showList(name, data, words, scoring);
    showSettings();
    showOutcomes(data, words);
    showMoves(data);
    at("sections").replaceChildren(...data.sections.map(([key, places]) => section(key, places, data, words)).filter(Boolean));
    at("rows").querySelector("summary .badge").textContent = t("{count} significant", { count: count(data.significant.length) });
    at("pair").hidden = false;
    toolgauge.anchored();
  }

  const value = (one) => (one === null ? t("none") : typeof one === "number" ? count(one) : one);
  const values = (a, b) => ({ a: value(a), b: value(b) });

  function refuse(why) {
    at("verdict").textContent = why;
    at("verdict-counts").textContent = "";
    at("notes").replaceChildren();
    at("pair").hidden = true;
  }

  async function compare() {
    const { a, b } = asked();
    [menus.a.value, menus.b.value] = [a, b];
    const swapped = placeOf(a) > placeOf(b);
    const key = swapped ? `${b}--${a}` : `${a}--${b}`;
    const number = ++latest;
    if (Object.hasOwn(config.refused, key)) return refuse(`${t("These two runs cannot be compared.")} ${config.refused[key]}`);
    try {
      const pair = await load(`compare/${key}`);
      if (number !== latest) return;
      for (const link of document.querySelectorAll(".data-links a")) link.href = link.href.replace(/[^/]*(\.\w+)$/, `${key}$1`);
      show(pair, swapped);
    } catch (error) {
      if (number === latest) refuse(UNREADABLE(error));
    }
  }

  function go(scoring = asked().scoring) {
    history.replaceState(null, "", address(scoring));
    compare();
  }

  // Whoever chooses for A what is B gets them exchanged.
  function chosen(letter, other, before) {
    if (menus[letter].value === menus[other].value) menus[other].value = before;
    go();
  }
  menus.a.addEventListener("change", () => chosen("a", "b", asked().a));
  menus.b.addEventListener("change", () => chosen("b", "a", asked().b));
  at("swap").addEventListener("click", () => {
    [menus.a.value, menus.b.value] = [menus.b.value, menus.a.value];
    go();
  });
  for (const button of buttons) button.addEventListener("click", () => go(button.dataset.choose));
  addEventListener("hashchange", compare);
  compare();
})();
