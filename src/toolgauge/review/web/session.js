// A session: the dialogue, and what a reviewer does with it. The keyboard goes from part to part.
"use strict";
(() => {
  const { t, make, desk, keys, show, queue, dialogue } = toolgauge;

  // What other scripts add to the page of a session: {decorate(view, place, words), drawn(view), tools(view), keys(view)}, each if it
  // has something. words: the element of a part's content; tools: elements for the toolbar; keys: as keys.use wants them.
  const additions = [];
  const extend = (addition) => additions.push(addition);
  const added = (name, ...values) => additions.flatMap((one) => one[name]?.(...values) ?? []);

  function decision(view, outcome) {
    const { id, version } = view.session;
    return view.done(desk.send({ do: "decide", session: id, base: version, outcome }));
  }

  function toolbar(view) {
    const button = (label, key, action) => make("button", { type: "button", title: key, on: { click: action } }, label);
    return make(
      "div",
      { class: "toolbar" },
      button(t("Approve"), "a", () => decision(view, "approved")),
      button(t("Reject"), "r", () => decision(view, "rejected")),
      button(t("Undo"), "u", () => undo(view)),
      ...added("tools", view),
    );
  }

  function undo(view) {
    const { id, version } = view.session;
    return view.done(desk.send({ do: "undo", session: id, base: version }));
  }

  function alerted(view, problem) {
    view.place.querySelector("[role=alert]")?.remove();
    view.place.prepend(make("p", { class: "note", role: "alert" }, desk.said(problem)));
  }

  // From part to part; the one that has the focus is where keys act.
  function step(view, by) {
    const at = view.stops.findIndex(({ box }) => box === document.activeElement);
    const next = view.stops[Math.max(0, Math.min(view.stops.length - 1, at + by))];
    next?.box.focus();
    next?.box.scrollIntoView({ block: "nearest" });
  }

  async function draw(view) {
    view.session = await desk.get("/api/session", { id: view.id });
    const { session } = view;
    const state = make("span", { class: `badge status ${session.status}` }, queue.STATUSES[session.status]);
    const { element, stops } = dialogue.read(session, (place, words) => added("decorate", view, place, words));
    const focused = document.activeElement?.id;
    view.stops = stops;
    view.place.replaceChildren(make("h1", {}, show.clipped(view.id, 120), " ", state), toolbar(view), element);
    added("drawn", view);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  // Opens a session in a place. The view that others add to: {id, place, session, stops, done}.
  async function open(place, id) {
    const view = { id, place, session: null, stops: [] };
    view.draw = () => draw(view);
    view.done = (promise) => promise.then(view.draw, (problem) => (problem.code === "stale" ? view.draw() : Promise.resolve()).then(() => alerted(view, problem)));
    await draw(view);
    keys.use([
      ["j", t("next part"), () => step(view, 1)],
      ["k", t("previous part"), () => step(view, -1)],
      ["a", t("approve"), () => decision(view, "approved")],
      ["r", t("reject"), () => decision(view, "rejected")],
      ["u", t("take the last edit back"), () => undo(view)],
      ["q", t("back to the queue"), () => (location.hash = "")],
      ...added("keys", view),
    ]);
    return view;
  }

  Object.assign(toolgauge, { session: { open, extend } });
})();
