// Second opinions: where they differ, side by side, and how far people agree.
"use strict";
(() => {
  const { t, ngettext, count, make, desk, dialogue, keys, names, show, pages, places } = toolgauge;
  const { button, cell, numeric, head, table } = pages;
  const OUTCOMES = { approved: t("approved"), rejected: t("rejected"), open: t("open") };
  const ON = { decision: t("approve or reject"), type: t("task types"), edge: t("which call needs which") };
  const NOTHING = "–";

  // What a kappa says, in the words of Landis and Koch (Biometrics 33, 1977).
  const GRADES = [[0, t("no more than chance")], [0.2, t("slight")], [0.4, t("fair")], [0.6, t("moderate")], [0.8, t("substantial")], [Infinity, t("almost perfect")]];
  const grade = (kappa) => GRADES.find(([most]) => kappa <= most)[1];
  const digits = (kappa) => kappa.toFixed(2);

  function meant({ items, observed, kappa, low }) {
    if (!items) return t("nothing to compare yet");
    const agreed = pages.share(observed);
    if (kappa === null) return t("They agree in {agreed}; all answers are the same, so agreement beyond chance cannot be measured.", { agreed });
    const said = t("They agree in {agreed}; agreement beyond chance is {kappa}: {grade}.", { agreed, kappa: digits(kappa), grade: grade(kappa) });
    return low === null && kappa < 1 ? `${said} ${t("Too few sessions for an interval.")}` : said;
  }

  function kappaCells({ items, kappa, low, high }) {
    const between = low === null || kappa === null ? null : make("span", { class: "interval" }, pages.interval(digits(low), digits(high)));
    return [numeric(items ? count(items) : NOTHING), numeric(kappa === null ? NOTHING : digits(kappa), between)];
  }

  function agreement(found) {
    const whole = found.map((one) => make("tr", {}, head(ON[one.on]), ...kappaCells(one.all), make("td", { class: "words" }, meant(one.all))));
    const heads = [t("On"), { number: t("Compared") }, { number: t("Fleiss' kappa") }, t("Meaning")];
    const pairs = found.flatMap((one) => one.pairs.map((pair) => make("tr", {}, head(show.clipped(pair.people.join(" · "), 120)), cell(ON[one.on]), ...kappaCells(pair.agreement), make("td", { class: "words" }, meant(pair.agreement)))));
    const pairHeads = [t("Two people"), t("On"), { number: t("Compared") }, { number: t("Cohen's kappa") }, t("Meaning")];
    return [
      make("h2", {}, t("Agreement between people")),
      make("p", { class: "muted" }, t("0 is agreement by chance, 1 full agreement. In brackets: the {level} interval, over sessions.", { level: "95%" })),
      table(heads, whole, t("Agreement of all")),
      pairs.length ? show.fold(t("Pairs of people"), () => table(pairHeads, pairs, t("Agreement of pairs"))) : null,
    ];
  }

  function judged(found) {
    const row = make("tr", {}, head(t("anything wrong in a session")), ...kappaCells(found), make("td", { class: "words" }, meant(found)));
    const heads = [t("On"), { number: t("Compared") }, { number: t("Cohen's kappa") }, t("Meaning")];
    return [make("h2", {}, t("Agreement of people and the judge")), table(heads, [row], t("Agreement of people and the judge"))];
  }

  const address = (id) => places.address("opinions", id, new Map());

  function line(one) {
    const who = show.clipped(one.reviewers.join(", "), 120);
    const name = one.may_settle && one.decided.length === one.reviewers.length ? make("a", { href: address(one.session) }, show.clipped(one.session, 80)) : show.clipped(one.session, 80);
    return make("tr", {}, head(name), cell(who), cell(one.decided.length === one.reviewers.length ? (one.may_settle ? "" : t("one opinion is yours")) : t("missing: {names}", { names: one.reviewers.filter((name) => !one.decided.includes(name)).join(", ").slice(0, 200) })));
  }

  function list(told) {
    const heads = [t("Session"), t("Reviewers"), t("Note")];
    return [
      make("h1", {}, t("Second opinions")),
      make("p", {}, t("Sessions reviewed independently by several people: {given}. Conflicts to settle: {conflicts}.", { given: count(told.given), conflicts: count(told.conflicts.length) })),
      ...(told.conflicts.length ? [make("h2", {}, t("Differing opinions")), table(heads, told.conflicts.map(line), t("Differing opinions"))] : []),
      ...(told.agreement ? agreement(told.agreement) : []),
      ...(told.judge && told.judge.items ? judged(told.judge) : []),
      told.waiting.length ? show.fold(ngettext("{count} session waits for an opinion", "{count} sessions wait for an opinion", told.waiting.length), () => table(heads, told.waiting.map(line), t("Missing opinions"))) : null,
    ];
  }

  // A value as text, and what of it the other one does not have marked.
  function marked(value, other) {
    if (value === null) return make("span", { class: "nothing" }, t("is missing"));
    const [text, against] = [worded(value), other === null ? null : worded(other)];
    if (typeof value === "string" && Object.hasOwn(NAMED, value)) return make("mark", {}, show.text(text));
    if (against === null || text.length > 4000) return show.block(text, { class: "said-text" });
    const [start, end] = show.shared(text, against);
    const middle = text.slice(start, text.length - end);
    return make("div", { class: "said-text text" }, show.text(text.slice(0, start)), middle ? make("mark", {}, show.text(middle)) : null, show.text(text.slice(text.length - end)));
  }

  const NAMED = { ...names.TYPES, ...names.REFERENCES };
  const worded = (value) => (typeof value === "string" ? (Object.hasOwn(NAMED, value) ? NAMED[value] : value) : show.pretty(JSON.stringify(value)));
  const calls = (value) => (value === null ? null : value.length ? t("calls {calls}", { calls: value.map((one) => one + 1).join(", ") }) : t("no other call"));

  function differing(one) {
    const read = one.place.part === "dependencies" ? calls : (value) => value;
    const [first, other] = [read(one.old), read(one.new)];
    return make("tr", {}, head(names.placed(one.place), one.tool ? make("code", {}, " ", show.clipped(one.tool, 80)) : null), cell(marked(first, other)), cell(marked(other, first)));
  }

  function summary(view, one, place) {
    const take = (isFinal) => settle(view, one, isFinal);
    return make(
      "tr",
      {},
      head(make("kbd", {}, String(place + 1)), " ", show.clipped(one.who, 80)),
      cell(make("span", { class: `badge status ${one.outcome}` }, OUTCOMES[one.outcome]), one.reason ? make("div", {}, show.clipped(one.reason, 500)) : null),
      numeric(count(one.edits)),
      cell(make("div", { class: "row-actions" }, button(t("Take it"), () => take(true), { id: `take-${place}`, "aria-label": t("Take the opinion of {name}", { name: one.who.slice(0, 80) }) }), button(t("Take it and continue editing"), () => take(false), { id: `edit-${place}`, "aria-label": t("Take the opinion of {name} and continue editing", { name: one.who.slice(0, 80) }) }))),
    );
  }

  async function settle(view, one, isFinal) {
    const id = view.conflict.session;
    try {
      await desk.send({ do: "settle", session: id, base: one.version, chosen: one.who, is_final: isFinal });
    } catch (problem) {
      await view.page.redraw();
      view.page.say(desk.said(problem), true);
      return;
    }
    location.hash = isFinal ? address("") : places.address("session", id, new Map());
  }

  function sideBySide(view) {
    const { opinions, differences, session } = view.conflict;
    const [first, ...others] = opinions;
    const tables = others.map((other, place) => {
      const rows = differences[place].map(differing);
      const both = t("{one} and {other}", { one: first.who.slice(0, 80), other: other.who.slice(0, 80) });
      return rows.length ? table([t("Where"), show.clipped(first.who, 80), show.clipped(other.who, 80)], rows, both) : make("p", {}, t("The versions of {one} and {other} are the same.", { one: first.who.slice(0, 80), other: other.who.slice(0, 80) }));
    });
    const whole = (one) => show.fold(t("The dialogue in the version of {name}", { name: one.who.slice(0, 80) }), () => {
      const place = make("div", {}, "…");
      desk.read("/api/opinions", { id: session, of: one.who }).then((read) => place.replaceChildren(dialogue.read(read, () => {}).element), (problem) => place.replaceChildren(make("p", { role: "alert" }, desk.said(problem))));
      return place;
    });
    return [
      make("h1", {}, t("Opinions of {session}", { session: session.slice(0, 80) })),
      table([t("Reviewer"), t("Decision"), { number: t("Edits") }, t("Settle")], opinions.map((one, place) => summary(view, one, place)), t("Decisions")),
      make("h2", {}, t("Where they differ")),
      ...tables,
      ...opinions.map(whole),
    ];
  }

  async function conflict(content, id) {
    const view = {};
    const draw = (told, page) => {
      Object.assign(view, { conflict: told, page });
      return sideBySide(view);
    };
    const back = ["q", t("back to the opinions"), () => (location.hash = address(""))];
    const page = await pages.open(content, () => desk.read("/api/opinions", { id }), draw);
    const point = view.conflict.opinions.slice(0, 9).map((one, place) => [String(place + 1), t("go to the opinion of {name}", { name: one.who.slice(0, 40) }), () => document.getElementById(`take-${place}`)?.focus()]);
    keys.use([...point, back]);
    document.getElementById("take-0")?.focus({ preventScroll: true });
    return { close: page.close }; // what others do is told when one settles: the table stays where one reads
  }

  function view(content, id) {
    if (id) return conflict(content, id);
    const links = () => [...content.querySelectorAll("table a")];
    const step = (by) => links()[Math.max(0, Math.min(links().length - 1, links().indexOf(document.activeElement) + by))]?.focus();
    keys.use([
      ["j", t("next session"), () => step(1)],
      ["k", t("previous session"), () => step(-1)],
      ["q", t("back to the queue"), () => (location.hash = "")],
    ]);
    return pages.open(content, () => desk.get("/api/opinions"), list);
  }

  places.add("opinions", view, t("Second opinions"));
})();
