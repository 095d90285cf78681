// Inspection rounds: where they stand and what comes next; a session of one, where its inspector marks errors at their
// places, and who mends it sees them there.
"use strict";
(() => {
  const { t, ngettext, count, make, button, desk, dialogue, names, pages, places, session, show } = toolgauge;
  const KINDS = {
    utterance: t("what the user says"),
    task_type: t("task type"),
    tool: t("wrong tool"),
    argument: t("wrong argument"),
    result: t("result"),
    dependency: t("dependency"),
    redundant_call: t("unnecessary call"),
    reply: t("closing reply"),
    reference: t("reference to what was said before"),
  };
  // The class that is most likely at a part.
  const LIKELY = { utterance: "utterance", type: "task_type", reference: "reference", call: "tool", arguments: "argument", dependencies: "dependency", result: "result", question: "reply", answer: "utterance", reply: "reply" };
  const drafts = new Map(); // session -> [fault] that its inspector has not said yet

  const kind = (name) => (Object.hasOwn(KINDS, name) ? show.text(KINDS[name]) : show.clipped(name, 80));
  const words = (fault) => make("span", {}, kind(fault.kind), fault.note ? ": " : "", fault.note ? show.clipped(fault.note, 500) : null);
  const reach = (one) => pages.interval(one.low, one.high, pages.share);

  // Where the rounds stand and what comes next, in a few sentences.
  function stand({ report, undecided, next, to_mend: wrong }) {
    const last = report.rounds.at(-1);
    const values = last && { number: last.round, faulty: count(last.faulty), rate: pages.share(last.rate) };
    const NEXT = {
      approve: () => t("Sessions are inspected once they are approved."),
      inspect: () => ngettext("{count} session of the round is still to be inspected.", "{count} sessions of the round are still to be inspected.", last.left),
      mend: () => ngettext("{count} session has to be fixed and approved again before the next round.", "{count} sessions have to be fixed and approved again before the next round.", wrong.length),
      draw: () => (last ? t("Next: another round.") : t("Next: the first round.")),
      people: () => t("All participants have worked on the sessions left to inspect: someone else has to join."),
      over: () => t("Inspection is complete: the last round found no error, and all approved sessions were inspected."),
    };
    return [
      last?.inspected ? ngettext("Round {number}: errors in {faulty} of {count} session ({rate}).", "Round {number}: errors in {faulty} of {count} sessions ({rate}).", last.inspected, values) : "",
      t("Approved sessions inspected: {seen} of {total}.", { seen: count(report.seen), total: count(report.total) }),
      undecided ? ngettext("{count} session is neither approved nor rejected yet.", "{count} sessions are neither approved nor rejected yet.", undecided) : "",
      NEXT[next](),
    ].filter(Boolean).join(" ");
  }

  function course({ rounds }) {
    if (!rounds.length) return [];
    const heads = [t("Round"), { number: t("Drawn") }, { number: t("Inspected") }, { number: t("With errors") }, { number: t("Share") }, t("Errors by class")];
    const kinds = (one) => Object.entries(one.kinds).flatMap(([name, many], place) => [place ? ", " : "", kind(name), ` ${count(many)}`]);
    const rows = rounds.map((one) => [String(one.round), count(one.drawn), count(one.inspected), count(one.faulty), [pages.share(one.rate), reach(one)], kinds(one)]);
    return [make("h2", {}, t("Rounds")), pages.table(t("Rounds"), heads, rows)];
  }

  function toMend(wrong) {
    if (!wrong.length) return [];
    const faults = (one) => make("ul", { class: "plain" }, ...one.faults.map((fault) => make("li", {}, names.placed(fault.place ?? {}), " – ", words(fault))));
    const rows = wrong.map((one) => [pages.link(one.session), String(one.round), show.clipped(one.inspector, 80), faults(one), show.clipped(one.reviewers.join(", "), 120)]);
    return [make("h2", {}, t("To fix")), pages.table(t("To fix"), [t("Session"), { number: t("Round") }, t("Inspected by"), t("Errors"), t("Reviewers")], rows)];
  }

  // The form is made once, so that nothing typed is lost when the page is drawn again.
  function drawing(page) {
    const of = pages.number(t("Of 100 approved sessions, how many"), 20, 100, 1);
    const seed = pages.number(t("Random seed"), 0, 999999);
    const who = pages.people(t("Inspectors"), true);
    const submit = (event) => {
      event.preventDefault();
      page().give({ do: "drawround", share: of.value() / 100, seed: seed.value(), inspectors: who.names() }, t("The round is drawn."));
    };
    const form = make("form", { on: { submit } }, who.element, make("div", { class: "toolbar" }, of.element, seed.element, make("button", { id: "draw-round" }, t("Draw the round"))));
    return (people) => {
      who.fill(people);
      return [make("h2", {}, t("Draw a round")), make("p", { class: "muted" }, t("Sessions not inspected yet come first; nobody inspects their own work.")), form];
    };
  }

  function mine(ids) {
    if (!ids.length) return [];
    return [
      make("h2", {}, t("For you to inspect")),
      make("p", {}, t("Read each session and mark what is wrong (m); done, or without an error: y.")),
      make("p", {}, button(t("Begin"), () => places.go("session", ids[0]), { id: "begin" })),
      make("ul", { class: "plain" }, ...ids.map((id) => make("li", {}, pages.link(id)))),
    ];
  }

  function view(content) {
    let page = null;
    const form = drawing(() => page);
    const load = async () => {
      const told = await desk.get("/api/rounds");
      return { ...told, people: told.is_lead ? (await desk.get("/api/team")).people.filter((one) => one.is_active).map((one) => one.name) : [] };
    };
    const draw = (told, drawn) => {
      page = drawn;
      const canDraw = told.is_lead && ["draw", "over"].includes(told.next);
      return [make("h1", {}, t("Inspection rounds")), make("p", { id: "stand" }, stand(told)), ...mine(told.mine), ...toMend(told.to_mend), ...(canDraw ? form(told.people) : []), ...course(told.report)];
    };
    return pages.open(content, load, draw);
  }

  // A session of a round. What is marked: what the inspector marks now, else what was found and is to be mended.
  const isMine = (page) => page.session.inspection?.mine ?? false;
  const marked = (page) => drafts.get(page.id) ?? page.session.inspection?.faults ?? [];

  function change(page, faults) {
    drafts.set(page.id, faults);
    return page.draw();
  }

  function ask(page) {
    const place = session.placeInFocus(page);
    const known = page.session.inspection.kinds;
    const own = make("input", { maxlength: 80, "aria-label": t("Name of the class"), hidden: true });
    const chosen = () => {
      own.hidden = select.value !== "";
      own.required = !own.hidden;
    };
    const select = make("select", { id: "fault-kind", on: { change: chosen } }, ...known.map((name) => make("option", { value: name }, KINDS[name] ?? name.slice(0, 80))), make("option", { value: "" }, t("another class…")));
    select.value = LIKELY[place.part] ?? known[0];
    const note = make("textarea", { id: "fault-note", rows: 2, maxlength: 2000 });
    const fields = [make("p", { class: "muted" }, names.placed(place)), make("label", { for: "fault-kind" }, t("Class of the error")), select, own, make("label", { for: "fault-note" }, t("What is wrong? (optional)")), note];
    session.ask(page, t("Mark an error"), fields, t("Mark"), () => change(page, [...marked(page), { kind: select.value || own.value.trim() || "?", place, note: note.value.trim() }]));
    select.focus();
  }

  // The inspector is done with the session: with these errors, or it is clean. On to the next one of the round.
  async function done(page) {
    const { id, version } = page.session;
    const faults = marked(page).map(({ kind: name, place, note = "" }) => ({ kind: name, place, note }));
    if (!(await page.done(desk.send({ do: "inspect", session: id, base: version, faults })))) return;
    drafts.delete(id);
    const { mine: left } = await desk.get("/api/rounds");
    places.go(...(left.length ? ["session", left[0]] : ["rounds"]));
  }

  function panel(page) {
    const { inspection } = page.session;
    const faults = marked(page);
    const gone = (place) => () => change(page, faults.filter((_, other) => other !== place));
    const item = (fault, place) => {
      const where = names.placed(fault.place ?? {});
      return make("li", {}, where, " – ", words(fault), " ", inspection.mine ? button(t("Remove mark"), gone(place), { class: "small", "aria-label": t("Remove mark: {where}", { where }) }) : null);
    };
    const box = make("section", { class: "boxed", "aria-labelledby": "inspection-heading" }, make("h2", { id: "inspection-heading" }, t("Inspection round {number}", { number: inspection.round })));
    const said = !inspection.mine ? t("Errors were marked. Fix them and approve the session again.") : inspection.is_done && !drafts.has(page.id) ? t("You have inspected this session; you can still change your result.") : t("You are inspecting this session for errors.");
    box.append(make("p", { class: "muted" }, said), make("ul", {}, ...faults.map(item)));
    const finish = faults.length ? ngettext("Done: {count} error", "Done: {count} errors", faults.length) : t("No error");
    if (inspection.mine) box.append(make("div", { class: "toolbar" }, button(t("Mark an error here"), () => ask(page), { title: "m", id: "mark-error" }), button(finish, () => done(page), { title: "y", id: "inspected" })));
    return box;
  }

  session.extend({
    drawn: (page) => page.session.inspection && page.place.querySelector(".actions").before(panel(page)),
    decorate(page, place, element) {
      const here = dialogue.key(dialogue.home(place));
      const faults = marked(page).filter((fault) => fault.place && fault.place.part !== "session" && dialogue.key(dialogue.home(fault.place)) === here);
      for (const fault of faults) element.append(make("p", { class: "warn" }, t("Error found by inspection:"), " ", words(fault)));
    },
    keys: (page) => (isMine(page) ? [["m", t("mark an error at this part"), () => ask(page)], ["y", t("inspected: no error, or those marked"), () => done(page)]] : []),
  });
  places.add("rounds", view, t("Inspection"));
})();
