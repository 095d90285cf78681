// On the page of a session: proposals of the models beside what stands there.
"use strict";
(() => {
  const { t, make, desk, names, show, places, session, dialogue, history, keys, tools } = toolgauge;
  const MOST = 8;

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
    const head = [t("Where"), t("Current version"), ...proposals.map((_, at) => t("Proposal {number}", { number: at + 1 }))];
    const cell = ({ one, cells }, at) => (cells.has(at) ? history.side(cells.get(at).new, one.place) : make("td", { class: "muted" }, t("unchanged")));
    const body = sorted.map((row) => make("tr", {}, make("th", { scope: "row" }, show.clipped(names.placed(row.one.place), 200)), history.side(row.one.old, row.one.place), ...proposals.map((_, at) => cell(row, at))));
    const table = make("table", { class: "differences" }, make("thead", {}, make("tr", {}, ...head.map((words) => make("th", { scope: "col" }, words)))), make("tbody", {}, ...body));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Proposals beside the current version") }, table);
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
      isStale ? make("p", { class: "note" }, t("The session has been edited since they were requested.")) : "",
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
        if (before === 0 && found.proposals.length) view.say(t("Proposals of the models are ready, below the dialogue (press g)."));
      },
      () => {},
    );
    return [box];
  }

  // To the proposals that wait.
  function go() {
    const heading = document.getElementById("proposals-heading");
    heading?.focus({ preventScroll: true });
    heading?.scrollIntoView({ block: "start" });
  }

  const taking = (view) => Array.from({ length: MOST }, (_, at) => [String(at + 1), at ? "" : t("take proposal 1; 2 to 8: the others"), () => take(view, at)]);

  session.extend({
    below,
    keys: (view) => [["g", t("go to the proposals"), go], ...taking(view), ["0", t("take none of the proposals"), () => putAway(view)]],
  });

  // A proposal as a whole dialogue.
  async function open(place, id, values) {
    const at = Math.max(0, Number(values.get("proposal") ?? 1) - 1);
    const { version, proposals } = await desk.read("/api/proposals", { id });
    const found = proposals[at];
    if (!found) throw new desk.Problem({ code: "refused", message: t("This proposal no longer exists.") });
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
