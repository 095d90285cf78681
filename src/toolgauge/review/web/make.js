// On the page of a session: have it made again from a place on, and proposals of the models beside what stands there.
"use strict";
(() => {
  const { t, make, desk, names, show, places, session, dialogue, history, jobs, keys, tools } = toolgauge;
  const MOST = 8;
  const PLACES = ["utterance", "call", "result", "question", "answer", "reply"];

  // The part in focus, if others can go on from it.
  function here(view) {
    const part = document.activeElement?.closest?.("[data-part]")?.dataset.part ?? document.getElementById(view.attended ?? "")?.dataset.part;
    const place = part ? JSON.parse(part) : null;
    return place && PLACES.includes(place.part) ? place : null;
  }

  function choice(name, value, words, checked) {
    const id = `${name}-${value}`;
    return make("div", {}, make("input", { type: "radio", name, id, value, checked }), " ", make("label", { for: id }, words));
  }

  // Ask from where on, how many, and what becomes of later tasks.
  function begin(view) {
    const place = here(view);
    const edited = view.session.history.some((line) => line.event === "edited" && line.origin === "person" && !line.undone);
    const number = make("input", { type: "number", id: "proposals-wanted", min: "1", max: String(MOST), value: "2", required: true });
    const later = make("select", { id: "proposals-later" }, ...[["again", t("made again")], ["keep", t("kept as they are")], ["drop", t("left out")]].map(([value, words]) => make("option", { value }, words)));
    const where = make(
      "fieldset",
      {},
      make("legend", {}, t("From where on?")),
      choice("from", "edit", t("from what was edited"), edited),
      place ? choice("from", "here", t("from the part in focus: {place}", { place: names.placed(place) }), !edited) : null,
    );
    const row = (words, field) => make("p", {}, make("label", { for: field.id }, words), " ", field);
    const wanted = [where, row(t("Proposals"), number), row(t("Tasks behind it"), later)];
    const form = session.ask(view, t("Make it again"), wanted, t("Ask the models"), (form) => {
      const fromHere = place !== null && form.elements.from.value === "here";
      give(view, { do: "regenerate", session: view.id, base: view.session.version, place: fromHere ? place : null, proposals: Number(number.value), later: later.value });
    });
    (form.querySelector("input:checked") ?? number).focus();
  }

  function give(view, command) {
    jobs.ask(command).then(
      ({ job }) => status(view, job),
      (problem) => (problem.code === "stale" ? view.draw() : Promise.resolve()).then(() => view.say(desk.said(problem))),
    );
  }

  // How far the models are with this session.
  function status(view, job) {
    const box = document.getElementById("making");
    if (!box) return;
    const link = make("a", { href: "#/models" }, t("Models"));
    const words = t("Proposals are made: {done} of {total}, {state}.", { done: job.done, total: job.total, state: jobs.STATUSES[job.status] });
    box.replaceChildren(make("p", { class: "note" }, words, " ", link));
  }

  const rowKey = (one) => dialogue.key(one.place);

  // What stands there beside what each proposal has, part by part.
  function sideBySide(proposals) {
    const rows = new Map(); // key of the place -> {one, cells}
    proposals.forEach(({ differences }, at) => {
      for (const one of differences) {
        const row = rows.get(rowKey(one)) ?? { one, cells: new Map() };
        row.cells.set(at, one);
        rows.set(rowKey(one), row);
      }
    });
    const order = ({ place: { task, call } }) => (task ?? -1) * 1000 + (call ?? -1);
    const sorted = [...rows.values()].sort((one, other) => order(one.one) - order(other.one));
    const head = [t("Where"), t("As it stands"), ...proposals.map((_, at) => t("Proposal {number}", { number: at + 1 }))];
    const cell = ({ one, cells }, at) => (cells.has(at) ? history.side(cells.get(at).new, one.place) : make("td", { class: "muted" }, t("as it stands")));
    const body = sorted.map((row) => make("tr", {}, make("th", { scope: "row" }, show.clipped(names.placed(row.one.place), 200)), history.side(row.one.old, row.one.place), ...proposals.map((_, at) => cell(row, at))));
    const table = make("table", { class: "differences" }, make("thead", {}, make("tr", {}, ...head.map((words) => make("th", { scope: "col" }, words)))), make("tbody", {}, ...body));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Proposals beside what stands there") }, table);
  }

  function take(view, at) {
    const found = view.proposals?.proposals[at];
    if (!found || found.why) return;
    view.done(desk.send({ do: "takeproposal", session: view.id, base: view.session.version, proposal: at })).then(() => view.focus());
  }

  const putAway = (view) => view.proposals?.proposals.length && view.done(desk.send({ do: "putawayproposals", session: view.id })).then(() => view.focus());

  function drawn(view, box) {
    const { proposals, is_stale: isStale } = view.proposals;
    if (!proposals.length) return box.replaceChildren();
    const values = (at) => new Map([["proposal", String(at + 1)]]);
    const buttons = proposals.flatMap(({ why }, at) => [
      why ? null : make("button", { type: "button", id: `take-${at + 1}`, title: String(at + 1), on: { click: () => take(view, at) } }, t("Take proposal {number}", { number: at + 1 })),
      make("a", { href: places.address("proposal", view.id, values(at)) }, t("Read proposal {number}", { number: at + 1 })),
    ]);
    box.replaceChildren(
      make("h2", { id: "proposals-heading", tabindex: "-1" }, t("Proposals of the models ({count})", { count: proposals.length })),
      isStale ? make("p", { class: "note" }, t("The session was edited since they were asked for.")) : "",
      ...proposals.flatMap(({ why }, at) => (why ? [make("p", { class: "note" }, `${at + 1}: `, show.clipped(why, 400))] : [])),
      make("div", { class: "toolbar" }, ...buttons.filter(Boolean), make("button", { type: "button", title: "0", on: { click: () => putAway(view) } }, t("Take none"))),
      sideBySide(proposals),
    );
  }

  function below(view) {
    const box = make("section", { id: "proposals", "aria-label": t("Proposals of the models") });
    desk.read("/api/proposals", { id: view.id }).then(
      (found) => {
        const before = view.proposals?.proposals.length;
        view.proposals = found;
        drawn(view, box);
        if (before === 0 && found.proposals.length) view.say(t("Proposals of the models are there; they stand under the dialogue (key g goes there)."));
      },
      () => {},
    );
    return [make("div", { id: "making", role: "status" }), box];
  }

  // The same key goes to the proposals that wait, or asks for some.
  function go(view) {
    const heading = document.getElementById("proposals-heading");
    if (!heading) return begin(view);
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: "start" });
  }

  const taking = (view) => Array.from({ length: MOST }, (_, at) => [String(at + 1), at ? "" : t("take proposal 1; 2 to 8: the others"), () => take(view, at)]);

  let shown = null; // the view of a session that is open
  document.addEventListener("job", ({ detail }) => {
    if (shown && detail.session === shown.id) status(shown, detail);
  });

  session.extend({
    tools: (view) => [make("button", { type: "button", title: "g", on: { click: () => begin(view) } }, t("Make it again …"))],
    below: (view) => {
      shown = view;
      return below(view);
    },
    keys: (view) => [["g", t("make it again from here, or go to the proposals"), () => go(view)], ...taking(view), ["0", t("take none of the proposals"), () => putAway(view)]],
  });

  // A proposal as a whole dialogue.
  async function open(place, id, values) {
    const at = Math.max(0, Number(values.get("proposal") ?? 1) - 1);
    const { version, proposals } = await desk.read("/api/proposals", { id });
    const found = proposals[at];
    if (!found) throw new desk.Problem({ code: "refused", message: t("There is no such proposal any more.") });
    const back = () => (location.hash = places.address("session", id, new Map()));
    const takeIt = () => !found.why && desk.send({ do: "takeproposal", session: id, base: version, proposal: at }).then(back, (problem) => place.prepend(make("p", { class: "note", role: "alert" }, desk.said(problem))));
    const { element, stops } = dialogue.read(found.dialogue, () => [], () => []);
    const take = found.why ? make("p", { class: "note" }, show.clipped(found.why, 400)) : make("button", { type: "button", title: "a", on: { click: takeIt } }, t("Take proposal {number}", { number: at + 1 }));
    place.replaceChildren(
      make("h1", {}, t("Proposal {number}", { number: at + 1 }), ": ", show.clipped(id, 120)),
      make("div", { class: "toolbar" }, take, make("a", { href: places.address("session", id, new Map()) }, t("Back to the session"))),
      element,
      tools.list(found.dialogue),
    );
    keys.use([...reading(stops), ["a", t("take this proposal"), takeIt], ["q", t("back to the session"), back]]);
  }

  // From part to part of a dialogue that is only read.
  function reading(stops) {
    const step = (by) => {
      const at = stops.findIndex(({ box }) => box === document.activeElement?.closest?.("[data-part]"));
      const next = stops[Math.max(0, Math.min(stops.length - 1, at + by))]?.box;
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: "nearest" });
    };
    return [
      ["j", t("next part"), () => step(1)],
      ["k", t("previous part"), () => step(-1)],
    ];
  }

  places.add("proposal", open);
  Object.assign(toolgauge, { making: { reading } });
})();
