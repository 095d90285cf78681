// The queue: which sessions there are, how far they are, and the way into each. What is filtered stands in the address:
// {state, kind, warnings, who, comments, q, sort}.
"use strict";
(() => {
  const { t, ngettext, count, make, button, desk, keys, show, names, places } = toolgauge;
  const MOST = 500; // rows that are drawn before one asks for more
  const LOOK_AGAIN = 2500; // ms, while warnings are still looked for
  const SETTLE = 700; // ms, in which events of others are gathered
  const FIELDS = { state: t("State"), kind: t("Has a task of type"), warnings: t("Warnings"), who: t("Reviewers"), comments: t("Comments") };
  const HEADS = { id: t("Session"), state: t("State"), tasks: t("Tasks"), warnings: t("Warnings"), comments: t("Comments"), who: t("Reviewers"), changed: t("Last change") };
  const NUMBERS = ["warnings", "comments"];
  const ORDER = Object.keys(names.STATUSES);
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  const lines = new Map(); // id -> line, as the server told of it
  const selected = new Set(); // kept while one reads a session
  let info = null; // the last answer without its lines
  let last = ""; // the session that was open last

  // Ask for what is new; returns the ids of the lines that differ.
  async function refresh() {
    const { sessions, ...rest } = await desk.get("/api/queue", info ? { since: info.number, found: info.found } : {});
    for (const line of sessions) lines.set(line.id, { kinds: [], warnings: null, at: 0, begins: "", ...line });
    info = rest;
    return sessions.map((line) => line.id);
  }

  // The ids of the sessions that have every word; null where nothing is searched.
  const searched = async (words) => (words?.trim() ? new Set(await desk.get("/api/search", { words })) : null);

  const sum = (warnings) => (warnings ? Object.values(warnings).reduce((all, one) => all + one, 0) : -1);

  // The values of a filter that a line has.
  const VALUES = {
    state: (line) => [line.status],
    kind: (line) => line.kinds,
    warnings: (line) => (line.warnings === null ? ["unknown"] : [sum(line.warnings) ? "yes" : "no", ...Object.keys(line.warnings)]),
    who: (line) => [...(line.mine ? ["mine"] : []), ...(line.mine && line.is_open ? ["todo"] : []), ...(line.reviewers.length ? line.reviewers.map((name) => `=${name}`) : ["nobody"])],
    comments: (line) => [line.comments ? "open" : "none"],
  };
  const KEYS = {
    id: (line) => line.id,
    state: (line) => ORDER.indexOf(line.status),
    tasks: (line) => line.approved,
    warnings: (line) => sum(line.warnings),
    comments: (line) => line.comments,
    who: (line) => line.reviewers.join(),
    changed: (line) => line.at,
  };

  // The lines that the filters leave, in their order. ids: those that the search found; but: a filter that does not count.
  function matching(values, ids, but = "") {
    const fits = (line) => Object.keys(FIELDS).every((field) => field === but || !values.get(field) || VALUES[field](line).includes(values.get(field)));
    const found = [...lines.values()].filter((line) => (!ids || ids.has(line.id)) && fits(line));
    const sort = values.get("sort") ?? "";
    const key = KEYS[sort.replace(/^-/, "")];
    const sign = sort.startsWith("-") ? -1 : 1;
    const compared = (one, other) => (typeof one === "string" ? collator.compare(one, other) : one - other);
    return key ? found.sort((one, other) => sign * compared(key(one), key(other))) : found;
  }

  // The session before or after one in the order of the queue (by: -1 or 1), null at an end; where it is itself no longer
  // in it, the first or the last. wanted: which ones count; then it goes on at the other end.
  async function beside(id, by, values, wanted = null) {
    await refresh();
    const found = matching(values, await searched(values.get("q")));
    const at = found.findIndex((line) => line.id === id);
    if (wanted) return [...found.slice(at + 1), ...found.slice(0, Math.max(at, 0))].find(wanted)?.id ?? null;
    return (at < 0 ? found.at(by > 0 ? 0 : -1) : at + by < 0 ? null : found[at + by])?.id ?? null;
  }

  function warned(line) {
    if (line.warnings === null) return make("span", { class: "nothing", title: t("not checked yet") }, "…");
    const words = Object.entries(line.warnings).map(([name, many]) => `${count(many)} × ${info.classes[name] ?? name}`);
    return words.length ? make("span", { class: "warn", title: words.join("\n") }, count(sum(line.warnings))) : make("span", { class: "nothing" }, "0");
  }

  function row(view, line) {
    const link = make("a", { href: places.address("session", line.id, view.values) }, show.clipped(line.id, 80));
    const tasks = line.approved && line.approved < line.tasks ? t("{approved} of {tasks} approved", { approved: line.approved, tasks: line.tasks }) : String(line.tasks);
    const box = make("input", { type: "checkbox", tabindex: "-1", "aria-label": t("select {session}", { session: line.id.slice(0, 80) }), on: { change: () => toggle(view, line.id) } });
    box.checked = selected.has(line.id);
    return make(
      "tr",
      { "data-id": line.id, class: selected.has(line.id) ? "chosen" : null },
      info.is_lead ? make("td", { class: "c-box" }, box) : null,
      make("th", { scope: "row", class: "c-id" }, link, line.begins ? make("span", { class: "begins" }, show.clipped(line.begins, 120)) : null),
      make("td", { class: "c-state" }, make("span", { class: `badge status ${line.status}` }, names.STATUSES[line.status]), line.is_edited ? make("span", { class: "muted" }, ` ${t("edited")}`) : null),
      make("td", { class: "c-tasks", "data-label": t("Tasks") }, tasks, line.kinds.length ? make("span", { class: "begins" }, names.path(line.kinds)) : null),
      make("td", { class: "c-warnings number", "data-label": t("Warnings") }, warned(line)),
      make("td", { class: "c-comments number", "data-label": t("Comments") }, line.comments ? make("span", { title: t("open comments") }, count(line.comments)) : ""),
      make("td", { class: "c-who" }, show.clipped(line.reviewers.join(", "), 80), line.is_blind ? make("span", { class: "muted" }, ` ${t("(blind)")}`) : null),
      make("td", { class: "c-changed" }, line.at ? names.when(line.at) : ""),
    );
  }

  // The bar of states; each is a link that filters.
  function progress(view) {
    const { counts, total, checked } = info;
    const parts = Object.entries(names.STATUSES).filter(([name]) => counts[name]);
    const bar = make("div", { class: "bar", "aria-hidden": "true" });
    for (const [name] of parts) {
      bar.append(make("span", { class: `status ${name}` }));
      bar.lastChild.style.width = `${(100 * counts[name]) / total}%`;
    }
    const links = parts.map(([name, said]) => {
      const on = view.values.get("state") === name;
      const values = new Map([...view.values, ["state", on ? "" : name]]);
      return make("a", { class: `status ${name}`, href: places.address("", "", values), "aria-current": on ? "true" : null }, `${count(counts[name])} ${said}`);
    });
    const looked = checked < total ? make("span", { class: "muted" }, t("sessions checked: {checked} of {total}", { checked: count(checked), total: count(total) })) : null;
    return make("div", { class: "progress" }, bar, make("p", { class: "states" }, ...links, looked));
  }

  // A choice of the values that a filter has, with how many lines each would leave, given the others.
  function fillChoice(view, field, select) {
    const found = new Map();
    for (const line of matching(view.values, view.ids, field)) for (const value of new Set(VALUES[field](line))) found.set(value, (found.get(value) ?? 0) + 1);
    const chosen = view.values.get(field) ?? "";
    if (chosen && !found.has(chosen)) found.set(chosen, 0);
    const words = {
      state: names.STATUSES,
      kind: names.TYPES,
      warnings: { yes: t("some"), no: t("none"), ...info.classes, unknown: t("not checked yet") },
      who: { mine: t("mine"), todo: t("mine, to decide"), nobody: t("unassigned") },
      comments: { open: t("open ones"), none: t("none open") },
    }[field];
    const known = Object.keys(words).filter((value) => found.has(value));
    const others = [...found.keys()].filter((value) => value && !Object.hasOwn(words, value)).sort();
    const options = [...known, ...others].map((value) => make("option", { value }, `${(words[value] ?? value.replace(/^=/, "")).slice(0, 80)} (${count(found.get(value))})`));
    select.replaceChildren(make("option", { value: "" }, t("any")), ...options);
    select.value = chosen;
  }

  function filters(view) {
    view.choices = new Map();
    const labels = Object.entries(FIELDS).map(([field, words]) => {
      const select = make("select", { id: `filter-${field}`, on: { change: () => change(view, field, select.value) } });
      view.choices.set(field, select);
      return make("label", {}, words, select);
    });
    let waiting = 0;
    const typed = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change(view, "q", search.value), 200);
    };
    const search = make("input", { type: "search", id: "filter-q", autocomplete: "off", spellcheck: "false", on: { input: typed, keydown: (event) => event.key === "Enter" && step(view, 1) } });
    search.value = view.values.get("q") ?? "";
    return make("div", { class: "toolbar filters", role: "search" }, make("label", { class: "wide" }, t("Id or text"), search), ...labels);
  }

  // A filter changes: the address tells it, without a step back for every letter; the table follows.
  async function change(view, field, value) {
    view.values.set(field, value);
    for (const [name, one] of view.values) if (!one) view.values.delete(name);
    history.replaceState(null, "", places.address("", "", view.values));
    if (field === "q") view.ids = await searched(value);
    if (!view.closed) update(view);
  }

  function head(view) {
    const sort = view.values.get("sort") ?? "";
    const cells = Object.entries(HEADS).map(([name, words]) => {
      const on = sort.replace(/^-/, "") === name;
      const next = on && !sort.startsWith("-") ? `-${name}` : on ? "" : name;
      const chosen = () => change(view, "sort", next).then(() => view.table.querySelector(`[data-column=${name}] button`).focus());
      const direction = on ? (sort.startsWith("-") ? "descending" : "ascending") : null;
      return make("th", { scope: "col", class: NUMBERS.includes(name) ? "number" : null, "data-column": name, "aria-sort": direction }, button(words, chosen, { class: "sort" }));
    });
    return make("tr", {}, info.is_lead ? make("td", { class: "c-box" }) : null, ...cells);
  }

  // What is shown follows the sessions and the filters. changed: ids of lines that are drawn anew, all by default.
  function update(view, changed = null) {
    const focused = view.focused();
    const list = matching(view.values, view.ids);
    if (changed) for (const id of changed) view.rows.delete(id);
    else view.rows.clear();
    view.bar.replaceChildren(progress(view));
    for (const [field, select] of view.choices) if (select !== document.activeElement) fillChoice(view, field, select);
    if (!view.table.tHead.contains(document.activeElement) || !changed) view.table.tHead.replaceChildren(head(view));
    const said = list.length === info.total ? ngettext("{count} session", "{count} sessions", info.total) : ngettext("{shown} of {count} session", "{shown} of {count} sessions", info.total, { shown: count(list.length) });
    if (view.told.textContent !== said) view.told.textContent = said;
    view.clear.hidden = ![...view.values.keys()].some((name) => name !== "sort");
    view.most = Math.max(view.most, list.findIndex((line) => line.id === (focused ?? last)) + 1);
    for (const line of list.slice(0, view.most)) if (!view.rows.has(line.id)) view.rows.set(line.id, row(view, line));
    view.table.tBodies[0].replaceChildren(...list.slice(0, view.most).map((line) => view.rows.get(line.id)));
    const more = () => {
      view.most = list.length;
      update(view, []);
    };
    view.more.replaceChildren(...(list.length > view.most ? [button(t("Show all {count} sessions", { count: count(list.length) }), more)] : []));
    if (focused !== null) (linkOf(view, focused) ?? view.table.tBodies[0].rows[Math.min(view.at, list.length - 1)]?.querySelector("a"))?.focus({ preventScroll: true });
    view.list = list;
    choose(view);
  }

  const linkOf = (view, id) => (view.rows.get(id)?.isConnected ? view.rows.get(id).querySelector("a") : null);

  function toggle(view, id) {
    if (!selected.delete(id)) selected.add(id);
    const tr = view.rows.get(id);
    tr?.classList.toggle("chosen", selected.has(id));
    if (tr?.querySelector("input")) tr.querySelector("input").checked = selected.has(id);
    choose(view);
  }

  // What can be done with the selected sessions.
  function choose(view) {
    view.chosen.hidden = !info.is_lead || !selected.size;
    const select = (ids) => {
      selected.clear();
      ids.forEach((id) => selected.add(id));
      update(view);
    };
    const assign = () => toolgauge.team.assign([...selected], async () => update(view, await refresh()));
    view.chosen.replaceChildren(
      make("span", { role: "status" }, t("{count} selected", { count: count(selected.size) })),
      button(t("Assign…"), assign, { title: "a", id: "assign-chosen" }),
      button(t("Select all {count} shown", { count: count(view.list.length) }), () => select(view.list.map((line) => line.id))),
      button(t("Select none"), () => select([])),
    );
  }

  // The focus goes from row to row.
  function step(view, by) {
    const links = [...view.table.tBodies[0].querySelectorAll("th a")];
    const at = links.indexOf(document.activeElement);
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.max(0, Math.min(links.length - 1, at + by))];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  // A queue in a place.
  async function open(place, _rest, values) {
    const view = { values, rows: new Map(), at: 0, most: MOST, closed: false, list: [] };
    view.focused = () => {
      const tr = document.activeElement?.closest?.("tr[data-id]");
      if (!tr || !place.contains(tr)) return null;
      view.at = tr.sectionRowIndex;
      return tr.dataset.id;
    };
    [, view.ids] = await Promise.all([refresh(), searched(values.get("q"))]);
    view.bar = make("div");
    view.told = make("p", { class: "muted", role: "status" });
    view.clear = make("a", { href: "#/", class: "clear" }, t("Show all"));
    view.chosen = make("div", { class: "toolbar chosen", hidden: true });
    view.table = make("table", { class: "queue" }, make("thead"), make("tbody"));
    view.more = make("p");
    place.replaceChildren(make("h1", {}, show.clipped(info.file, 120)), view.bar, filters(view), make("div", { class: "toolbar" }, view.told, view.clear), view.chosen, make("div", { class: "scroll", tabindex: "-1" }, view.table), view.more);
    update(view);
    const chosen = () => view.focused() !== null && toggle(view, view.focused());
    keys.use([
      ["j", t("next session"), () => step(view, 1)],
      ["k", t("previous session"), () => step(view, -1)],
      ["Enter", t("open it"), null],
      ["/", t("search"), () => document.getElementById("filter-q").focus()],
      ...(info.is_lead ? [["x", t("select or deselect"), chosen], ["a", t("assign the selected sessions"), () => selected.size && document.getElementById("assign-chosen").click()]] : []),
    ]);
    linkOf(view, last)?.focus({ preventScroll: true });
    linkOf(view, last)?.scrollIntoView({ block: "center" });
    return watched(view);
  }

  // What happens meanwhile is drawn without taking the focus, gathered for a moment.
  function watched(view) {
    let waiting = 0;
    let due = Infinity;
    const later = (pause) => {
      if (due <= Date.now() + pause) return;
      clearTimeout(waiting);
      due = Date.now() + pause;
      waiting = setTimeout(async () => {
        due = Infinity;
        const changed = await refresh().catch(() => null); // a server that is away: the next look brings what was missed
        if (changed && !view.closed) update(view, changed);
        if (!view.closed && info.checked < info.total) later(LOOK_AGAIN);
      }, pause);
    };
    if (info.checked < info.total) later(LOOK_AGAIN);
    return {
      happened: ({ number }) => number > info.number && later(SETTLE),
      close() {
        view.closed = true;
        clearTimeout(waiting);
      },
    };
  }

  places.add("", open, t("Queue"));
  Object.assign(toolgauge, { queue: { beside, opened: (id) => (last = id) } });
})();
