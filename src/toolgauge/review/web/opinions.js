// Second opinions: where they differ, side by side, and how far people agree, with each other and with the judge.
"use strict";
(() => {
  const { t, ngettext, count, make, button, desk, dialogue, history, names, show, pages, places } = toolgauge;
  const OUTCOMES = { ...names.STATUSES, open: t("open") };
  const ON = { decision: t("approve or reject"), type: t("task types"), edge: t("which call needs which"), judge: t("people and the judge: anything wrong in a session") };

  function agreement(told) {
    const digits = (kappa) => kappa.toFixed(2);
    const heads = [t("On"), { number: t("Compared") }, { number: t("Agree") }, { number: t("Fleiss' kappa (with the judge: Cohen's)") }];
    const measured = [...told.agreement, ...(told.judge?.items ? [{ on: "judge", all: told.judge }] : [])];
    const rows = measured.map(({ on, all }) => [ON[on], count(all.items), pages.share(all.items ? all.observed : null), all.kappa === null ? "–" : [digits(all.kappa), pages.interval(all.low, all.high, digits)]]);
    return [
      make("h2", {}, t("Agreement")),
      make("p", { class: "muted" }, t("0 is agreement by chance, 1 full agreement. In brackets: the {level} interval, over sessions.", { level: "95%" })),
      pages.table(t("Agreement"), heads, rows),
    ];
  }

  const address = (id) => places.address("opinions", id);

  function row(one) {
    const missing = one.reviewers.filter((name) => !one.decided.includes(name));
    const id = show.clipped(one.session, 80);
    const note = missing.length ? t("missing: {names}", { names: missing.join(", ").slice(0, 200) }) : one.may_settle ? "" : t("one opinion is yours");
    return [missing.length || !one.may_settle ? id : make("a", { href: address(one.session) }, id), show.clipped(one.reviewers.join(", "), 120), note];
  }

  function list(told) {
    const heads = [t("Session"), t("Reviewers"), t("Note")];
    const waiting = ngettext("{count} session waits for an opinion", "{count} sessions wait for an opinion", told.waiting.length);
    return [
      make("h1", {}, t("Second opinions")),
      make("p", {}, t("Sessions reviewed independently by several people: {given}. Conflicts to settle: {conflicts}.", { given: count(told.given), conflicts: count(told.conflicts.length) })),
      ...(told.conflicts.length ? [make("h2", {}, t("Differing opinions")), pages.table(t("Differing opinions"), heads, told.conflicts.map(row))] : []),
      ...(told.agreement ? agreement(told) : []),
      told.waiting.length ? show.fold(waiting, () => pages.table(t("Missing opinions"), heads, told.waiting.map(row))) : null,
    ];
  }

  async function settle(page, id, one, isFinal) {
    try {
      await desk.send({ do: "settle", session: id, base: one.version, chosen: one.who, is_final: isFinal });
    } catch (problem) {
      await page.redraw();
      return page.say(desk.said(problem), true);
    }
    places.go(...(isFinal ? ["opinions"] : ["session", id]));
  }

  function sideBySide({ opinions, differences, session }, page) {
    const [first, ...others] = opinions;
    const name = (one) => one.who.slice(0, 80);
    const summary = (one, place) => [
      [make("kbd", {}, String(place + 1)), " ", show.clipped(one.who, 80)],
      [make("span", { class: `badge status ${one.outcome}` }, OUTCOMES[one.outcome]), one.reason ? make("div", {}, show.clipped(one.reason, 500)) : null],
      count(one.edits),
      make(
        "div",
        { class: "row-actions" },
        button(t("Take it"), () => settle(page, session, one, true), { id: `take-${place}`, "aria-label": t("Take the opinion of {name}", { name: name(one) }) }),
        button(t("Take it and continue editing"), () => settle(page, session, one, false), { "aria-label": t("Take the opinion of {name} and continue editing", { name: name(one) }) }),
      ),
    ];
    const compared = (other, place) => (differences[place].length ? history.differences(differences[place], [first.who, other.who]) : make("p", {}, t("The versions of {one} and {other} are the same.", { one: name(first), other: name(other) })));
    const whole = (one) => show.fold(t("The dialogue in the version of {name}", { name: name(one) }), () => {
      const place = make("div", {}, "…");
      desk.read("/api/opinions", { id: session, of: one.who }).then((read) => place.replaceChildren(dialogue.read(read, () => {}).element), (problem) => place.replaceChildren(make("p", { role: "alert" }, desk.said(problem))));
      return place;
    });
    return [
      make("h1", {}, t("Opinions of {session}", { session: session.slice(0, 80) })),
      pages.table(t("Decisions"), [t("Reviewer"), t("Decision"), { number: t("Edits") }, t("Settle")], opinions.map(summary)),
      make("h2", {}, t("Where they differ")),
      ...others.map(compared),
      ...opinions.map(whole),
    ];
  }

  async function conflict(content, id) {
    const point = [..."123456789"].map((digit) => [digit, digit === "1" ? t("go to the opinion of this number") : "", () => document.getElementById(`take-${digit - 1}`)?.focus()]);
    const { close } = await pages.open(content, () => desk.read("/api/opinions", { id }), sideBySide, [...point, ["q", t("back to the opinions"), () => places.go("opinions")]]);
    document.getElementById("take-0")?.focus({ preventScroll: true });
    return { close }; // what others do is told when one settles: the table stays where one reads
  }

  places.add("opinions", (content, id) => (id ? conflict(content, id) : pages.open(content, () => desk.get("/api/opinions"), list)), t("Second opinions"));
})();
