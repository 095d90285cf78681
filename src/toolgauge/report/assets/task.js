// The page of one task: finds it by the address, loads what it needs, and says where to go from it.
"use strict";
(() => {
  const { t, pt, count, make, onKey, load, filter, show, because, outcomes, signs, mark } = toolgauge;
  const config = JSON.parse(document.getElementById("task-config").textContent);
  const at = (id) => document.getElementById(id);
  let index = null;
  let state = null;
  let turn = 0;

  const titled = (name) => (Object.hasOwn(config.titles, name) ? config.titles[name] : name);
  const FACTS = { style: t("style"), ended_by: t("ended by"), failed_messages: t("messages with errors"), environment_errors: t("errors of the environment") };
  const HEADS = { reading: pt("column", "Reading"), result: t("Result"), calls: t("Names and order"), mistake: t("Mistake"), error: t("Error type"), detail: t("Why"), progress: t("Progress"), optimal: t("Shortest"), process_share: t("Milestones") };
  const MOVES = { previous_failing: t("previous failing"), next_failing: t("next failing"), previous: t("previous"), next: t("next") };
  const LACKING = {
    data: t("The data set of this run is not at hand, so there is nothing to compare with. Build the site where the data file is, or name it with --data."),
    replies: t("Nothing was said for this task."),
  };
  toolgauge.titled = titled;
  const hashOf = (row) => filter.write(state, index.columns.id[row]);

  function resultOf(row, reading) {
    return Object.hasOwn(index.readings, reading) ? index.readings[reading].result[row] : "missing";
  }

  function facts(data, reading, row) {
    const { columns } = index;
    const items = [mark(resultOf(row, reading), `${outcomes[resultOf(row, reading)]} (${reading})`)];
    const badge = (text) => text && items.push(make("span", { class: "badge" }, text));
    badge(titled(columns.type[row]));
    if (columns.position[row] !== null) badge(t("task {number}", { number: columns.position[row] }));
    badge(titled(columns.reference[row]));
    if (columns.epoch[row]) badge(t("epoch {number}", { number: columns.epoch[row] + 1 }));
    if (data.annotation?.steps) badge(t("steps: {steps} (least: {least})", { steps: columns.steps[row], least: data.annotation.steps }));
    else if (columns.steps[row]) badge(t("replies: {count}", { count: columns.steps[row] }));
    const [input, output] = [columns.input_tokens[row], columns.output_tokens[row]];
    if (input || output) badge(t("{input} + {output} tokens", { input: count(input), output: count(output) }));
    if (columns.latency[row]) badge(t("{value} s", { value: columns.latency[row].toFixed(1) }));
    for (const [name, value] of Object.entries(data.task.facts ?? {})) badge(`${Object.hasOwn(FACTS, name) ? FACTS[name] : name}: ${value}`);
    at("task-facts").replaceChildren(...items);
  }

  // The verdict of the chosen reading in words.
  function why(verdict, result, data) {
    if (result === "not_judgeable") return make("p", { class: "note" }, mark(result), " ", t("What was recorded is right so far, but the recording ends before the task is done: its recorder stopped here, and nobody knows how the model would have gone on. This reading counts the task neither as right nor as wrong."));
    if (!verdict) return make("p", { class: "note" }, data.task.reason ? t("This task could not be asked: {why}. It counts as missing, not as wrong.", { why: data.task.reason }) : t("This task has no score: it was not asked, or not scored yet. It counts as missing, not as wrong."));
    if (verdict.label === "correct") return make("p", {}, mark("correct"), " ", config.kind === "graph" && !verdict.optimal ? t("Right, though in more steps than needed.") : t("Right in this reading."));
    const name = verdict.mistake;
    const head = make("p", { class: "mistake" }, mark("failed"), " ", make("b", {}, name ? titled(name) : t("no class")), Object.hasOwn(config.whys, name ?? "") ? ` – ${config.whys[name]}` : "");
    return make("div", {}, head, verdict.why ? make("p", { class: "detail" }, make("span", { class: "muted" }, t("In detail: ")), show.clipped(because(verdict.why), 2000)) : null);
  }

  function verdictRow(name, verdict, reading, columns) {
    const link = make("a", { href: filter.write({ ...state, reading: name }, state.id), "aria-current": name === reading ? "true" : null }, name);
    const head = make("th", { scope: "row" }, link, name === config.headline ? make("small", { class: "muted" }, ` ${t("headline")}`) : null);
    if (!verdict) return make("tr", { class: name === reading ? "current" : "" }, head, make("td", { colspan: columns - 1 }, mark("not_judgeable")));
    const several = verdict.wrong_arguments?.length > 1 ? verdict.wrong_arguments : [];
    const wrong = several.map(([tool, path]) => (tool ? `${tool}(${path})` : path)).join(", ");
    const right = verdict.label === "correct";
    const cells = [
      make("td", {}, mark(right ? "correct" : "failed")),
      make("td", {}, right || !verdict.mistake ? "–" : titled(verdict.mistake)),
      make("td", { class: "detail" }, right || !verdict.why ? "–" : show.clipped(because(verdict.why), 400), wrong ? make("small", { class: "muted" }, " ", show.clipped(t("({what})", { what: wrong }), 600)) : null),
    ];
    if (config.kind === "graph") {
      cells.splice(1, 0, make("td", {}, mark(verdict.action_label === "correct" ? "correct" : "failed")));
      cells.push(make("td", { class: "number" }, `${verdict.progress[0]} / ${verdict.progress[1]}`), make("td", {}, verdict.optimal ? t("yes") : t("no")));
    } else if (typeof verdict.process === "number") cells.push(make("td", { class: "number" }, `${(100 * verdict.process).toFixed(1)}%`));
    return make("tr", { class: name === reading ? "current" : "" }, head, ...cells);
  }

  function readingsTable(verdicts, reading, row) {
    const names = config.readings.filter((name) => Object.hasOwn(verdicts, name) || resultOf(row, name) === "not_judgeable");
    if (!names.length) return [];
    const process = names.some((name) => typeof verdicts[name]?.process === "number") ? ["process_share"] : [];
    const heads = config.kind === "graph" ? ["reading", "result", "calls", "mistake", "detail", "progress", "optimal"] : ["reading", "result", "error", "detail", ...process];
    const head = make("tr", {}, ...heads.map((name) => make("th", { scope: "col", class: ["progress", "process_share"].includes(name) ? "number" : "" }, HEADS[name])));
    return [make("table", {}, make("caption", {}, t("The same replies in every reading")), make("thead", {}, head), make("tbody", {}, ...names.map((name) => verdictRow(name, verdicts[name], reading, heads.length))))];
  }

  // Where to go from here: through the tasks that fit the filters, and through those of them that failed.
  function targets(row, reading) {
    const all = filter.rows(index, state, config);
    const failing = all.filter((one) => resultOf(one, reading) === "failed");
    const around = (rows) => {
      const here = rows.indexOf(row);
      if (here >= 0) return [rows[here - 1], rows[here + 1]];
      return [rows.filter((one) => one < row).pop(), rows.find((one) => one > row)];
    };
    const [previous, next] = around(all);
    const [previousFailing, nextFailing] = around(failing);
    return { previous, next, previous_failing: previousFailing, next_failing: nextFailing, place: all.indexOf(row) + 1, count: all.length };
  }

  let goals = {};
  function moves(row, reading) {
    goals = targets(row, reading);
    const link = (key, sign, letter) => {
      const words = sign === "→" ? `${MOVES[key]} →` : `← ${MOVES[key]}`;
      if (goals[key] === undefined) return make("span", { class: "muted", id: key.replace("_", "-") }, words);
      return make("a", { href: hashOf(goals[key]), id: key.replace("_", "-"), title: t("Key {letter}", { letter }) }, words);
    };
    const copy = make("button", { type: "button", id: "copy", on: { click: () => copyLink(copy) } }, t("Copy link"));
    at("moves").replaceChildren(link("previous_failing", "←", "k"), link("next_failing", "→", "j"), link("previous", "←", "p"), link("next", "→", "n"),
      make("span", { class: "muted" }, goals.place ? t("{place} of {count} in this list", { place: count(goals.place), count: count(goals.count) }) : t("not among the tasks chosen in the list")), copy);
    at("to-list").href = `${config.slug}-tasks.html${filter.write(state)}`;
  }

  function copyLink(button) {
    const done = () => {
      button.textContent = t("Copied");
      setTimeout(() => (button.textContent = t("Copy link")), 1500);
    };
    const field = make("textarea", { class: "unseen" });
    field.value = location.href;
    const byHand = () => {
      document.body.append(field);
      field.select();
      if (document.execCommand("copy")) done();
      field.remove();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(done, byHand);
    else byHand();
  }

  // The other tasks of the session, with their results.
  function siblings(row, reading) {
    const { columns } = index;
    const rows = [];
    for (let one = 0; one < index.count; one++) if (columns.session[one] === columns.session[row] && columns.epoch[one] === columns.epoch[row]) rows.push(one);
    at("siblings").hidden = rows.length < 2;
    const chips = rows.map((one) => {
      const result = resultOf(one, reading);
      const name = t("task {number}", { number: columns.position[one] ?? "" });
      return make("a", { class: `mark ${result}`, href: hashOf(one), "aria-current": one === row ? "page" : null, title: `${name}: ${outcomes[result]}` }, `${columns.position[one] ?? "·"} ${signs[result]}`);
    });
    at("siblings").replaceChildren(make("span", { class: "muted" }, t("Session")), ...chips);
  }

  // The same task in other runs on these data; their indices are loaded when somebody looks.
  function elsewhere(reading) {
    if (!config.others.length) return at("elsewhere").replaceChildren();
    const list = async (box) => {
      for (const other of config.others) {
        const item = make("li", {}, make("a", { href: `${other.slug}-task.html${filter.write({ reading: state.reading }, state.id)}` }, show.text(other.label)));
        box.append(item);
        load(`runs/${other.slug}/index`).then((found) => {
          const row = found.columns.id.indexOf(state.id);
          const result = row < 0 || !Object.hasOwn(found.readings, reading) ? "missing" : found.readings[reading].result[row];
          const mistake = row < 0 ? null : found.readings[reading]?.mistake[row];
          item.append(" ", mark(result), mistake ? ` ${titled(mistake)}` : "");
        }, (error) => item.append(" ", make("span", { class: "muted" }, t("The data of this page could not be loaded ({what}). Keep the folder data/ of the site beside its pages, and use a browser from 2023 or later.", { what: error.message }))));
      }
    };
    const details = show.fold(t("On the same data ({count})", { count: config.others.length }), () => {
      const box = make("ul");
      list(box);
      return box;
    }, { open: config.others.length <= 12 });
    at("elsewhere").replaceChildren(make("h2", {}, t("The same task, other runs")), details);
  }

  function lacking(data) {
    const notes = [];
    for (const what of data.task.lacking ?? []) notes.push(make("p", { class: "note", id: `lacks-${what}` }, LACKING[what]));
    return notes;
  }

  function render(data, row) {
    const reading = filter.readingOf(index, state, config);
    const { columns } = index;
    const utterance = data.annotation?.utterance ?? columns.text[row];
    document.title = `${columns.id[row].slice(0, 80)} · ${config.label}`;
    at("task-heading").replaceChildren(show.clipped(columns.id[row], 200));
    facts(data, reading, row);
    moves(row, reading);
    siblings(row, reading);
    at("utterance").replaceChildren(show.block(utterance || t("not known"), { lang: config.language }));
    if (data.annotation?.profile) at("utterance").append(show.fold(t("The user's profile"), () => show.block(data.annotation.profile, { lang: config.language })));
    at("why").replaceChildren(why(data.task.verdicts?.[reading], resultOf(row, reading), data), ...lacking(data));
    at("readings").replaceChildren(...readingsTable(data.task.verdicts ?? {}, reading, row));
    at("dialogue").replaceChildren(toolgauge.transcript(data));
    at("graph").replaceChildren();
    at("comparison").replaceChildren(data.annotation ? toolgauge.panel[config.kind]({ ...data, verdict: data.task.verdicts?.[reading] }) : make("p", { class: "muted" }, t("The data set of this run is not at hand, so there is nothing to compare with. Build the site where the data file is, or name it with --data.")));
    elsewhere(reading);
    at("task-status").hidden = true;
    at("task").hidden = false;
  }

  async function dataOf(row) {
    const chunk = await load(`runs/${config.slug}/${index.columns.chunk[row]}`);
    const task = chunk.tasks.find((one) => one.task_id === index.columns.id[row]);
    const material = await load(`sets/${config.set}/${task.material}`);
    const shared = material.sessions.find((one) => one.id === task.session_id);
    const annotation = Object.hasOwn(shared.tasks, task.key) ? shared.tasks[task.key] : null;
    return { task, shared, annotation, pool: chunk.messages, language: config.language };
  }

  function rowOf(id) {
    if (!id) return filter.rows(index, state, config)[0] ?? 0;
    const exact = index.columns.id.indexOf(id);
    return exact >= 0 ? exact : index.columns.id.findIndex((one) => filter.encode(one) === filter.encode(id));
  }

  function fail(words) {
    at("task-status").textContent = words;
    at("task-status").hidden = false;
    at("task").hidden = true;
  }

  // Bring the page to what the address says; of two changes in a row only the last is drawn.
  async function follow() {
    const now = ++turn;
    const before = state?.id;
    state = filter.read(location.hash);
    await filter.ready(index, state, config).catch(() => {}); // then that filter does not count
    if (now !== turn) return;
    const row = rowOf(state.id);
    if (row < 0 || row >= index.count) return fail(t("This run has no task {id}.", { id: state.id.slice(0, 200) }));
    state.id = index.columns.id[row];
    try {
      const data = await dataOf(row);
      if (now !== turn) return;
      render(data, row);
      if (before !== undefined && before !== state.id) scrollTo(0, 0);
    } catch (error) {
      if (now === turn) fail(t("The data of this page could not be loaded ({what}). Keep the folder data/ of the site beside its pages, and use a browser from 2023 or later.", { what: error.message }));
    }
  }

  function go(key) {
    if (goals[key] !== undefined) location.hash = hashOf(goals[key]);
  }
  onKey("j", () => go("next_failing"));
  onKey("k", () => go("previous_failing"));
  onKey("n", () => go("next"));
  onKey("p", () => go("previous"));

  load(`runs/${config.slug}/index`).then((content) => {
    index = content;
    addEventListener("hashchange", follow);
    return follow();
  }).catch((error) => fail(t("The data of this page could not be loaded ({what}). Keep the folder data/ of the site beside its pages, and use a browser from 2023 or later.", { what: error.message })));
})();
