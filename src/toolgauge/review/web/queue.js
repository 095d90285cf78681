// The queue: which sessions there are, how far they are, and the way into each. What is filtered stands in the address.
"use strict";
(() => {
  const { t, ngettext, count, make, keys, show, names, sessions, places } = toolgauge;
  const SLICE = 150; // rows that are drawn at a time
  const LOOK_AGAIN = 2500; // ms, while warnings are still looked for
  const SETTLE = 700; // ms, in which events of others are gathered
  const HEADS = [["id", t("Session")], ["state", t("State")], ["tasks", t("Tasks")], ["warnings", t("Warnings")], ["edits", t("Edits")], ["comments", t("Comments")], ["who", t("Reviewers")], ["changed", t("Last change")]];
  const NUMBERS = ["warnings", "comments"];
  const selected = new Set(); // kept while one reads a session
  let last = ""; // the session that was open last

  // What other scripts add: {tools(view), chosen(view, ids), keys(view)}, each if it has something. tools: elements above
  // the table; chosen: elements for what can be done with the selected sessions; keys: as keys.use wants them.
  const additions = [];
  const extend = (addition) => additions.push(addition);
  const added = (name, ...values) => additions.flatMap((one) => one[name]?.(...values) ?? []);

  function warned(line) {
    if (line.warnings === null) return make("span", { class: "nothing", title: t("not checked yet") }, "…");
    const all = sessions.sum(line.warnings);
    const classes = sessions.told().classes;
    const words = Object.entries(line.warnings).map(([name, many]) => `${count(many)} × ${classes[name] ?? name}`);
    return all ? make("span", { class: "warn", title: words.join("\n") }, count(all)) : make("span", { class: "nothing" }, "0");
  }

  function row(view, line) {
    const link = make("a", { href: places.address("session", line.id, view.values) }, show.clipped(line.id, 80));
    const tasks = line.approved && line.approved < line.tasks ? t("{approved} of {tasks} approved", { approved: line.approved, tasks: line.tasks }) : String(line.tasks);
    const box = make("input", { type: "checkbox", tabindex: "-1", "aria-label": t("select {session}", { session: line.id.slice(0, 80) }), on: { change: () => toggle(view, line.id) } });
    box.checked = selected.has(line.id);
    return make(
      "tr",
      { "data-id": line.id, class: selected.has(line.id) ? "chosen" : null },
      view.info.is_lead ? make("td", { class: "c-box" }, box) : null,
      make("th", { scope: "row", class: "c-id" }, link, line.begins ? make("span", { class: "begins" }, show.clipped(line.begins, 120)) : null),
      make("td", { class: "c-state" }, make("span", { class: `badge status ${line.status}` }, names.STATUSES[line.status])),
      make("td", { class: "c-tasks", "data-label": t("Tasks") }, tasks, line.kinds.length ? make("span", { class: "begins" }, names.path(line.kinds)) : null),
      make("td", { class: "c-warnings number", "data-label": t("Warnings") }, warned(line)),
      make("td", { class: "c-edits" }, line.is_edited ? t("edited") : ""),
      make("td", { class: "c-comments number", "data-label": t("Comments") }, line.comments ? make("span", { title: t("open comments") }, count(line.comments)) : ""),
      make("td", { class: "c-who" }, show.clipped(line.reviewers.join(", "), 80), line.is_blind ? make("span", { class: "muted" }, ` ${t("(blind)")}`) : null),
      make("td", { class: "c-changed" }, line.at ? names.when(line.at) : ""),
    );
  }

  // The bar of states; each is a link that filters.
  function progress(view) {
    const { counts, total, checked } = view.info;
    const parts = Object.entries(names.STATUSES).filter(([name]) => counts[name]);
    const bar = make("div", { class: "bar", "aria-hidden": "true" });
    for (const [name] of parts) {
      const piece = make("span", { class: `status ${name}` });
      piece.style.width = `${(100 * counts[name]) / total}%`;
      bar.append(piece);
    }
    const links = parts.map(([name, said]) => {
      const on = view.values.get("state") === name;
      const values = new Map([...view.values, ["state", on ? "" : name]]);
      return make("a", { class: `status ${name}`, href: places.address("", "", values), "aria-current": on ? "true" : null }, `${count(counts[name])} ${said}`);
    });
    const looked = checked < total ? make("span", { class: "muted" }, t("sessions checked: {checked} of {total}", { checked: count(checked), total: count(total) })) : null;
    return make("div", { class: "progress" }, bar, make("p", { class: "states" }, ...links, looked));
  }

  // Words for the values of a filter, in the order in which they are offered: [value, words].
  function offered(view, field, counts) {
    const { classes } = view.info;
    const known = {
      state: Object.entries(names.STATUSES),
      kind: Object.entries(names.TYPES),
      warnings: [["yes", t("some")], ["no", t("none")], ...Object.entries(classes), ["unknown", t("not checked yet")]],
      edited: [["yes", t("edited")], ["no", t("not edited")]],
      comments: [["open", t("open ones")], ["none", t("none open")]],
      who: [["mine", t("mine")], ["nobody", t("unassigned")]],
    }[field] ?? [];
    const there = known.filter(([value]) => counts.has(value));
    const others = [...counts.keys()].filter((value) => value && !known.some(([one]) => one === value)).sort();
    const words = (value) => (field === "path" ? names.path(value.split("-")) : value.replace(/^=/, ""));
    return [...there, ...others.map((value) => [value, words(value)])];
  }

  const TITLES = { state: t("State"), kind: t("Has a task of type"), path: t("Path"), warnings: t("Warnings"), edited: t("Edits"), who: t("Reviewers"), comments: t("Comments") };

  function fillChoice(view, field, select) {
    const counts = sessions.counted(field, view.values, view.ids);
    const chosen = view.values.get(field) ?? "";
    if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
    const options = offered(view, field, counts).map(([value, words]) => make("option", { value }, `${words.slice(0, 80)} (${count(counts.get(value))})`));
    select.replaceChildren(make("option", { value: "" }, t("any")), ...options);
    select.value = chosen;
  }

  function choices(view) {
    view.choices = new Map();
    const labels = sessions.FIELDS.map((field) => {
      const select = make("select", { id: `filter-${field}`, on: { change: () => change(view, field, select.value) } });
      view.choices.set(field, select);
      return make("label", {}, TITLES[field], select);
    });
    const search = make("input", { type: "search", id: "filter-q", autocomplete: "off", spellcheck: "false" });
    search.value = view.values.get("q") ?? "";
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change(view, "q", search.value), 200);
    });
    search.addEventListener("keydown", (event) => event.key === "Enter" && step(view, 1));
    return make("div", { class: "toolbar filters", role: "search" }, make("label", { class: "wide" }, t("Id or text"), search), ...labels);
  }

  // A filter changes: the address tells it, without a step back for every letter; the table follows.
  async function change(view, field, value) {
    view.values.set(field, value);
    for (const [name, one] of view.values) if (!one) view.values.delete(name);
    history.replaceState(null, "", places.address("", "", view.values));
    if (field === "q") view.ids = await sessions.searched(value);
    if (!view.closed) update(view);
  }

  function head(view) {
    const sort = view.values.get("sort") ?? "";
    const cells = HEADS.map(([name, words]) => {
      const on = sort.replace(/^-/, "") === name;
      const first = ["tasks", "warnings", "comments", "changed"].includes(name) ? `-${name}` : name;
      const next = !on ? first : sort === first ? (first === name ? `-${name}` : name) : "";
      const button = make("button", { type: "button", class: "sort", on: { click: () => change(view, "sort", next).then(() => view.table.querySelector(`[data-column=${name}] button`).focus()) } }, words);
      const direction = on ? (sort.startsWith("-") ? "descending" : "ascending") : null;
      return make("th", { scope: "col", class: NUMBERS.includes(name) ? "number" : null, "data-column": name, "aria-sort": direction }, button);
    });
    return make("tr", {}, view.info.is_lead ? make("td", { class: "c-box" }) : null, ...cells);
  }

  // The first rows of the list; more are drawn as one comes near the end. Those that did not change stay.
  function fill(view) {
    const body = view.table.tBodies[0];
    const focused = view.focused();
    const wanted = view.list.findIndex((line) => line.id === (focused ?? last));
    const drawn = (line) => {
      if (!view.rows.has(line.id)) view.rows.set(line.id, row(view, line));
      return view.rows.get(line.id);
    };
    const first = Math.max(SLICE, Math.min(body.rows.length, view.list.length), wanted + 30);
    body.replaceChildren(...view.list.slice(0, first).map(drawn));
    view.grow = () => {
      const at = body.rows.length;
      body.append(...view.list.slice(at, at + SLICE).map(drawn));
      return body.rows.length > at;
    };
    view.nearEnd.observe(view.end);
    if (focused !== null) (linkOf(view, focused) ?? body.rows[Math.min(view.at, body.rows.length - 1)]?.querySelector("a"))?.focus({ preventScroll: true });
  }

  function more(view) {
    if (!view.grow()) return;
    view.nearEnd.unobserve(view.end); // it tells only changes: looked at anew, it tells whether the end is near still
    view.nearEnd.observe(view.end);
  }

  const linkOf = (view, id) => (view.rows.get(id)?.isConnected ? view.rows.get(id).querySelector("a") : null);

  // What is shown follows the sessions and the filters. changed: ids of lines that are drawn anew, all by default.
  function update(view, changed = null) {
    view.info = sessions.told();
    view.list = sessions.matching(view.values, view.ids);
    if (changed) for (const id of changed) view.rows.delete(id);
    else view.rows.clear();
    view.bar.replaceChildren(progress(view));
    for (const [field, select] of view.choices) if (select !== document.activeElement) fillChoice(view, field, select);
    if (!view.table.tHead.contains(document.activeElement) || !changed) view.table.tHead.replaceChildren(head(view));
    const said = view.list.length === view.info.total ? ngettext("{count} session", "{count} sessions", view.info.total) : ngettext("{shown} of {count} session", "{shown} of {count} sessions", view.info.total, { shown: count(view.list.length) });
    if (view.told.textContent !== said) view.told.textContent = said;
    view.clear.hidden = ![...view.values.keys()].some((name) => name !== "sort");
    fill(view);
    chosenBar(view);
  }

  function toggle(view, id) {
    if (!selected.delete(id)) selected.add(id);
    const tr = view.rows.get(id);
    tr?.classList.toggle("chosen", selected.has(id));
    const box = tr?.querySelector("input");
    if (box) box.checked = selected.has(id);
    chosenBar(view);
  }

  function chosenBar(view) {
    const ids = [...selected];
    view.chosen.hidden = !view.info.is_lead || !ids.length;
    if (view.chosen.hidden) return view.chosen.replaceChildren();
    const drop = make("button", { type: "button", on: { click: () => view.select([]) } }, t("Select none"));
    const shown = make("button", { type: "button", on: { click: () => view.select(view.list.map((line) => line.id)) } }, t("Select all {count} shown", { count: count(view.list.length) }));
    view.chosen.replaceChildren(make("span", { role: "status" }, t("{count} selected", { count: count(ids.length) })), ...added("chosen", view, ids), shown, drop);
  }

  // The focus goes from row to row.
  function step(view, by) {
    const links = [...view.table.tBodies[0].querySelectorAll("th a")];
    const at = links.indexOf(document.activeElement);
    if (by > 0 && at === links.length - 1 && view.grow()) return step(view, by);
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.max(0, Math.min(links.length - 1, at + by))];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  function bind(view) {
    const focused = () => view.focused();
    keys.use([
      ["j", t("next session"), () => step(view, 1)],
      ["k", t("previous session"), () => step(view, -1)],
      ["Enter", t("open it"), null],
      ["/", t("search"), () => document.getElementById("filter-q").focus()],
      ...(view.info.is_lead ? [["x", t("select or deselect"), () => focused() !== null && toggle(view, focused())]] : []),
      ...added("keys", view),
    ]);
  }

  // A queue in a place. The view that others add to: {place, info, list, values, select(ids), refresh()}.
  async function open(place, _rest, values) {
    const view = { place, values, rows: new Map(), at: 0, closed: false };
    view.focused = () => {
      const tr = document.activeElement?.closest?.("tr[data-id]");
      if (!tr || !place.contains(tr)) return null;
      view.at = tr.sectionRowIndex;
      return tr.dataset.id;
    };
    view.select = (ids) => {
      selected.clear();
      ids.forEach((id) => selected.add(id));
      update(view);
    };
    view.refresh = async () => update(view, await sessions.refresh());
    [, view.ids] = await Promise.all([sessions.refresh(), sessions.searched(values.get("q"))]);
    view.info = sessions.told();
    view.bar = make("div");
    view.told = make("p", { class: "muted", role: "status" });
    view.clear = make("a", { href: "#/", class: "clear" }, t("Show all"));
    view.chosen = make("div", { class: "toolbar chosen", hidden: true });
    view.table = make("table", { class: "queue" }, make("thead"), make("tbody"));
    const box = make("div", { class: "scroll", tabindex: "-1" }, view.table);
    view.end = make("div");
    view.nearEnd = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && more(view), { rootMargin: "800px" });
    place.replaceChildren(make("h1", {}, show.clipped(view.info.file, 120)), view.bar, ...added("tools", view), choices(view), make("div", { class: "toolbar" }, view.told, view.clear), view.chosen, box, view.end);
    update(view);
    bind(view);
    if (last && linkOf(view, last)) {
      linkOf(view, last).focus({ preventScroll: true });
      linkOf(view, last).scrollIntoView({ block: "center" });
    }
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
        try {
          await view.refresh();
        } catch {
          // the server is away: the next event or look brings what was missed
        }
        if (!view.closed && sessions.told().checked < sessions.told().total) later(LOOK_AGAIN);
      }, pause);
    };
    if (view.info.checked < view.info.total) later(LOOK_AGAIN);
    return {
      happened: ({ number }) => number > sessions.told().number && later(SETTLE),
      close() {
        view.closed = true;
        view.nearEnd.disconnect();
        clearTimeout(waiting);
      },
    };
  }

  places.add("", open, t("Queue"));
  Object.assign(toolgauge, { queue: { extend, STATUSES: names.STATUSES, opened: (id) => (last = id) } });
})();
