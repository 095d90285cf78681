// Inspection rounds: where they stand and what comes next, the chart, what is to be looked at and mended.
"use strict";
(() => {
  const { t, ngettext, count, make, chart, desk, inspection, keys, names, show, pages, places } = toolgauge;
  const { button, cell, numeric, head, table, share, interval } = pages;

  const rate = (one) => (one.rate === null ? "–" : share(one.rate));
  const reach = (one) => (one.low === null ? null : interval(share(one.low), share(one.high)));
  const whole = (one) => [rate(one), reach(one)].filter(Boolean).join(" ");

  // Where the rounds stand, in a sentence or two.
  function stand({ report, undecided }) {
    const last = report.rounds.at(-1);
    const seen = t("Approved sessions inspected: {seen} of {total}.", { seen: count(report.seen), total: count(report.total) });
    const open = undecided ? ngettext("{count} session is neither approved nor rejected yet.", "{count} sessions are neither approved nor rejected yet.", undecided) : "";
    if (!last?.inspected) return [seen, open];
    const values = { number: last.round, faulty: count(last.faulty), rate: whole(last) };
    const found = last.left ? ngettext("Round {number} has found errors in {faulty} of {count} session so far ({rate}).", "Round {number} has found errors in {faulty} of {count} sessions so far ({rate}).", last.inspected, values) : ngettext("Round {number} found errors in {faulty} of {count} session ({rate}).", "Round {number} found errors in {faulty} of {count} sessions ({rate}).", last.inspected, values);
    return [found, seen, open];
  }

  const NEXT = {
    approve: () => t("Sessions are inspected once they are approved."),
    inspect: ({ report }) => ngettext("{count} session of the round is still to be inspected.", "{count} sessions of the round are still to be inspected.", report.rounds.at(-1).left),
    mend: ({ to_mend: wrong }) => ngettext("{count} session has to be fixed and approved again before the next round.", "{count} sessions have to be fixed and approved again before the next round.", wrong.length),
    draw: ({ report }) => (report.rounds.length ? t("Next: another round.") : t("Next: the first round.")),
    people: () => t("All participants have worked on the sessions left to inspect: someone else has to join."),
    over: () => t("Inspection is complete: the last round found no error, and all approved sessions were inspected."),
  };

  function course(report) {
    const done = report.rounds.filter((one) => one.rate !== null);
    if (!done.length) return [];
    const title = t("Share of inspected sessions with an error, round by round, with {level} intervals", { level: "95%" });
    const points = done.map((one) => ({ label: String(one.round), rate: one.rate, low: one.low, high: one.high }));
    const heads = [t("Round"), { number: t("Drawn") }, { number: t("Inspected") }, { number: t("With errors") }, { number: t("Share") }, t("Errors by class")];
    const rows = report.rounds.map((one) => {
      const kinds = Object.entries(one.kinds).flatMap(([name, many], place) => [place ? ", " : "", inspection.kind(name), ` ${count(many)}`]);
      return make("tr", {}, head(String(one.round)), numeric(count(one.drawn)), numeric(count(one.inspected)), numeric(count(one.faulty)), numeric(rate(one), reach(one) ? make("span", { class: "interval" }, reach(one)) : null), cell(...kinds));
    });
    return [make("figure", { class: "chart" }, make("figcaption", {}, title), make("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": title }, chart(points, title))), table(heads, rows, t("Rounds"))];
  }

  const link = (id) => make("a", { href: places.address("session", id, new Map()) }, show.clipped(id, 80));

  function toMend(wrong) {
    if (!wrong.length) return [];
    const rows = wrong.map((one) => {
      const faults = one.faults.map((fault) => make("li", {}, names.placed(fault.place ?? {}), " – ", inspection.kind(fault.kind), fault.note ? ": " : "", fault.note ? show.clipped(fault.note, 300) : null));
      return make("tr", {}, head(link(one.session)), numeric(String(one.round)), cell(show.clipped(one.inspector, 80)), cell(make("ul", { class: "plain" }, ...faults)), cell(show.clipped(one.reviewers.join(", "), 120)));
    });
    return [make("h2", {}, t("To fix")), table([t("Session"), { number: t("Round") }, t("Inspected by"), t("Errors"), t("Reviewers")], rows, t("To fix"))];
  }

  // The form is made once, so that nothing typed is lost when the page is drawn again.
  function drawing(page) {
    const of = pages.number(t("Of 100 approved sessions, how many"), 20, { min: 1, max: 100, step: 1 });
    const seed = pages.number(t("Random seed"), 0, { min: 0, max: 999999, step: 1 });
    const who = pages.people(t("Inspectors"), () => true);
    const submit = (event) => {
      event.preventDefault();
      page().give({ do: "drawround", share: of.value() / 100, seed: seed.value(), inspectors: who.names() }, t("The round is drawn."));
    };
    const form = make("form", { on: { submit } }, who.element, make("div", { class: "toolbar" }, of.element, seed.element, make("button", { id: "draw-round" }, t("Draw the round"))));
    return (people) => {
      who.show(people);
      return form;
    };
  }

  function mine(told) {
    if (!told.mine.length) return [];
    return [
      make("h2", {}, t("For you to inspect")),
      make("p", {}, t("Read each session and mark what is wrong (m); done, or without an error: y.")),
      make("p", {}, button(t("Begin"), () => (location.hash = places.address("session", told.mine[0], new Map())), { id: "begin" })),
      make("ul", { class: "plain" }, ...told.mine.map((id) => make("li", {}, link(id)))),
    ];
  }

  async function view(content) {
    let page = null;
    const form = drawing(() => page);
    const load = async () => {
      const told = await desk.get("/api/rounds");
      return { ...told, people: told.is_lead ? (await desk.get("/api/team")).people.filter((one) => one.is_active).map((one) => one.name) : [] };
    };
    const draw = (told, drawn) => {
      page = drawn;
      const canDraw = told.is_lead && ["draw", "over"].includes(told.next);
      return [
        make("h1", {}, t("Inspection rounds")),
        make("p", { id: "stand" }, [...stand(told), NEXT[told.next](told)].filter(Boolean).join(" ")),
        ...mine(told),
        ...toMend(told.to_mend),
        ...(canDraw ? [make("h2", {}, t("Draw a round")), make("p", { class: "muted" }, t("Sessions not inspected yet come first; nobody inspects their own work.")), form(told.people)] : []),
        ...course(told.report),
      ];
    };
    const links = () => [...content.querySelectorAll("li a, th a")];
    const step = (by) => links()[Math.max(0, Math.min(links().length - 1, links().indexOf(document.activeElement) + by))]?.focus();
    keys.use([
      ["j", t("next session"), () => step(1)],
      ["k", t("previous session"), () => step(-1)],
      ["q", t("back to the queue"), () => (location.hash = "")],
    ]);
    return pages.open(content, load, draw);
  }

  places.add("rounds", view, t("Inspection"));
})();
