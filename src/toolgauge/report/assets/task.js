// The page of one task: finds it by the address, loads what it needs, shows one run at it or two side by side, and says
// where to go from there.
"use strict";
(() => {
  const { t, count, make, onKey, load, filter, show, outcomes, signs, mark } = toolgauge;
  const config = JSON.parse(document.getElementById("task-config").textContent);
  const UNREADABLE = (error) => t("The data of this page could not be loaded ({what}). Keep the folder data/ of the site beside its pages, and use a browser from 2023 or later.", { what: error.message });
  const at = (id) => document.getElementById(id);
  let index = null;
  let state = null;
  let turn = 0;

  const titled = (name) => (Object.hasOwn(config.titles, name) ? config.titles[name] : name.replaceAll("_", " "));
  const scoringName = (name) => (Object.hasOwn(config.scoring_names, name) ? config.scoring_names[name] : name);
  const MOVES = { previous_failing: t("previous failing"), next_failing: t("next failing"), previous: t("previous"), next: t("next") };
  const hashOf = (row) => filter.write(state, index.columns.id[row]);
  const resultOf = (row, scoring, where = index) => (Object.hasOwn(where.scorings, scoring) && row >= 0 ? where.scorings[scoring].result[row] : "missing");

  // Where to go from here: through the tasks that fit the filters, and through those of them that failed.
  function targets(row, scoring) {
    const all = filter.rows(index, state, config);
    const failing = all.filter((one) => resultOf(one, scoring) === "failed");
    const around = (rows) => {
      const here = rows.indexOf(row);
      if (here >= 0) return [rows[here - 1], rows[here + 1]];
      return [rows.filter((one) => one < row).pop(), rows.find((one) => one > row)];
    };
    const [previous, next] = around(all);
    const [previousFailing, nextFailing] = around(failing);
    return { previous, next, previous_failing: previousFailing, next_failing: nextFailing, place: all.indexOf(row) + 1, count: all.length };
  }

  toolgauge.shown = () => filter.write(state, state.id);

  let goals = {};
  function moves(row, scoring) {
    goals = targets(row, scoring);
    const link = (key, sign, letter) => {
      const words = sign === "→" ? `${MOVES[key]} →` : `← ${MOVES[key]}`;
      if (goals[key] === undefined) return make("span", { class: "muted", id: key.replace("_", "-") }, words);
      return make("a", { href: hashOf(goals[key]), id: key.replace("_", "-"), title: t("Key {letter}", { letter }) }, words);
    };
    const copy = make("button", { type: "button", id: "copy", on: { click: () => copyLink(copy) } }, t("Copy link"));
    at("moves").replaceChildren(link("previous_failing", "←", "k"), link("next_failing", "→", "j"), link("previous", "←", "p"),
      make("span", { class: "muted" }, goals.place ? t("{place} of {count} in this list", { place: count(goals.place), count: count(goals.count) }) : t("not among the tasks chosen in the list")), link("next", "→", "n"), copy);
    at("to-list").href = `${config.slug}-tasks.html${filter.write({ ...state, with: "" })}`;
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

  // The tasks of a task's session and epoch.
  function session(row) {
    const { columns } = index;
    const rows = [];
    for (let one = 0; one < index.count; one++) if (columns.session[one] === columns.session[row] && columns.epoch[one] === columns.epoch[row]) rows.push(one);
    return rows;
  }

  // The other tasks of the session, with their results.
  function siblings(row, scoring) {
    const { columns } = index;
    const rows = session(row);
    at("siblings").hidden = rows.length < 2;
    const chips = rows.map((one) => {
      const result = resultOf(one, scoring);
      const name = t("task {number}", { number: columns.position[one] ?? "" });
      return make("a", { class: `mark ${result}`, href: hashOf(one), "aria-current": one === row ? "page" : null, title: `${name}: ${outcomes[result]}` }, `${columns.position[one] ?? "·"} ${signs[result]}`);
    });
    at("siblings").replaceChildren(make("span", { class: "muted" }, t("Session")), ...chips);
  }

  // The same task in other runs on these data; their results are loaded when somebody looks.
  function others(scoring) {
    const item = (other) => {
      const box = make("li", {}, make("a", { href: `${other.slug}-task.html${filter.write({ scoring: state.scoring }, state.id)}` }, show.text(other.label)));
      const beside = other.slug === state.with ? "" : make("a", { class: "beside", href: filter.write({ ...state, with: other.slug }, state.id) }, t("side by side"));
      load(`runs/${other.slug}/index`).then((found) => {
        const row = found.columns.id.indexOf(state.id);
        const mistake = row < 0 ? null : found.scorings[scoring]?.mistake[row];
        box.append(" ", mark(resultOf(row, scoring, found)), mistake ? ` ${titled(mistake)}` : "", " ", beside);
      }, (error) => box.append(" ", make("span", { class: "muted" }, UNREADABLE(error))));
      return box;
    };
    at("others").hidden = !config.others.length;
    at("others").replaceChildren(...(config.others.length ? [show.fold(t("The same task by … ({count})", { count: config.others.length }), () => make("ul", {}, ...config.others.map(item)), { class: "menu" })] : []));
  }

  // What one run said at one task, with what it shares with the others.
  async function dataOf(slug, where, row) {
    const chunk = await load(`runs/${slug}/${where.columns.chunk[row]}`);
    const task = chunk.tasks.find((one) => one.task_id === where.columns.id[row]);
    const material = await load(`sets/${config.set}/${task.material}`);
    const shared = material.sessions.find((one) => one.id === task.session_id);
    const annotation = Object.hasOwn(shared.tasks, task.key) ? shared.tasks[task.key] : null;
    return { config, titled, scoringName, index: where, row, task, shared, annotation, pool: chunk.messages };
  }

  // The other run that is to stand beside this one, and what it said; null where there is none, or it lacks the task.
  async function beside(id) {
    const other = config.others.find((one) => one.slug === state.with);
    if (!other) return null;
    const where = await load(`runs/${other.slug}/index`);
    const row = where.columns.id.indexOf(id);
    return row < 0 ? null : { other, data: await dataOf(other.slug, where, row) };
  }

  // Were both asked with the same messages, so that these need to stand on the page only once?
  function isAskedAlike(one, two) {
    const places = ({ task }) => [...(task.before ?? []), ...(task.turns?.[0]?.messages ?? [])];
    const [a, b] = [places(one), places(two)];
    return a.length === b.length && a.every((place, at) => place < 0 && place === b[at]);
  }

  function render(data, second, row) {
    const scoring = filter.scoringOf(index, state, config);
    const id = index.columns.id[row];
    document.title = `${id.slice(0, 80)} · ${config.label}`;
    const shared = { scoring, address: (name) => filter.write({ ...state, scoring: name }, state.id) };
    Object.assign(data, shared, { prefix: "", resultOf: (task) => siblingResult(row, task, scoring) });
    moves(row, scoring);
    siblings(row, scoring);
    others(scoring);
    const name = make("small", { class: "task-id" }, show.clipped(id, 200));
    const model = (label) => make("span", { class: "model" }, show.text(label));
    at("task").classList.toggle("two", Boolean(second));
    if (!second) {
      at("task-heading").replaceChildren(model(config.label), " ", name);
      const { head, body } = toolgauge.side(data, "");
      at("sides").replaceChildren(head, body);
    } else {
      Object.assign(second.data, shared, { prefix: "other-", config: { ...config, slug: second.other.slug, label: second.other.label } });
      const without = isAskedAlike(data, second.data);
      const heading = (label, close) => make("h2", {}, model(label), close);
      const alone = make("a", { class: "beside", href: filter.write({ ...state, with: "" }, state.id) }, t("show alone"));
      const swap = make("a", { class: "beside", href: `${second.other.slug}-task.html${filter.write({ scoring: state.scoring, with: config.slug }, state.id)}` }, t("swap"));
      at("task-heading").replaceChildren(name);
      const [one, two] = [toolgauge.side(data, heading(config.label, alone), { without }), toolgauge.side(second.data, heading(second.other.label, swap), { without })];
      const before = without ? make("section", { class: "history", "aria-label": t("Earlier turns") }, ...toolgauge.history(data)) : "";
      at("sides").replaceChildren(one.head, two.head, before, one.body, two.body);
    }
    at("task-status").hidden = true;
    at("task").hidden = false;
  }

  function siblingResult(row, task, scoring) {
    const found = session(row).find((one) => index.columns.position[one] === task + 1);
    return found === undefined ? null : resultOf(found, scoring);
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
      const [data, second] = await Promise.all([dataOf(config.slug, index, row), beside(state.id)]);
      if (now !== turn) return;
      render(data, second, row);
      toolgauge.anchored();
      if (before !== undefined && before !== state.id) scrollTo(0, 0);
    } catch (error) {
      if (now === turn) fail(UNREADABLE(error));
    }
  }

  function go(key) {
    if (goals[key] !== undefined) location.hash = hashOf(goals[key]);
  }
  onKey("j", () => go("next_failing"));
  onKey("k", () => go("previous_failing"));
  onKey("n", () => go("next"));
  onKey("p", () => go("previous"));
  addEventListener("click", (event) => {
    const open = at("others").querySelector("details[open]");
    if (open && !open.contains(event.target)) open.open = false;
  });
  addEventListener("keydown", (event) => {
    const open = at("others").querySelector("details[open]");
    if (open && event.key === "Escape") open.open = false;
  });

  load(`runs/${config.slug}/index`).then((content) => {
    index = content;
    addEventListener("hashchange", follow);
    return follow();
  }).catch((error) => fail(UNREADABLE(error)));
})();
