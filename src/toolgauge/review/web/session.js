// A session: the dialogue, and what a reviewer does with it. The keyboard goes from part to part.
"use strict";
(() => {
  const { t, ngettext, make, desk, keys, show, names, queue, sessions, places, dialogue, tools } = toolgauge;

  // What other scripts add to the page of a session: {decorate(view, place, words), heading(view, task), drawn(view),
  // tools(view), keys(view), below(view), busy(view)}, each if it has something. words: the element of a part's content;
  // heading: elements beside a task's heading; tools: elements for the toolbar; keys: as keys.use wants them; below:
  // elements under the dialogue; busy: is something begun that must not be drawn away?
  const additions = [];
  const extend = (addition) => additions.push(addition);
  const added = (name, ...values) => additions.flatMap((one) => one[name]?.(...values) ?? []);

  function decide(view, outcome, more = {}) {
    const { id, version } = view.session;
    return view.done(desk.send({ do: "decide", session: id, base: version, outcome, ...more }));
  }

  const isDecided = (status) => status === "approved" || status === "rejected";

  // Approve the first `tasks`, after one has seen what is worth a look in them; of a whole session, on to the next one
  // of the queue that is to be decided about.
  function approve(view, tasks) {
    const open = view.session.warnings.filter(({ place }) => place.task === undefined || place.task < tasks);
    if (!open.length) return approved(view, tasks);
    const lines = open.slice(0, 12).map((one) => make("li", {}, names.placed(one.place), ": ", show.clipped(one.message, 300)));
    const more = open.length - lines.length;
    if (more) lines.push(make("li", {}, t("and {count} more", { count: more })));
    const form = ask(view, ngettext("Approve with {count} open warning?", "Approve with {count} open warnings?", open.length), [make("ul", { class: "warnings" }, ...lines)], t("Approve"), () => approved(view, tasks));
    form.querySelector("button").focus();
  }

  async function approved(view, tasks) {
    const isWhole = tasks === view.session.tasks.length;
    const next = isWhole ? await sessions.beside(view.id, 1, view.values, (line) => !isDecided(line.status)) : null;
    const { id, version } = view.session;
    const sent = desk.send({ do: "decide", session: id, base: version, outcome: "approved", ...(isWhole ? {} : { tasks }) });
    let isDone = true;
    await view.done(sent.catch((problem) => {
      isDone = false;
      throw problem;
    }));
    if (!isDone || !isWhole || view.closed) return;
    if (next === null) view.say(t("Approved. No session of the filtered queue is left to decide."));
    else location.hash = places.address("session", next, view.values);
  }

  // One's own last change; those of others are taken back in the history, where one sees them.
  function undo(view) {
    const { id, version, history, you } = view.session;
    const last = history.findLast((line) => line.event === "edited" && !line.undoes && !line.undone);
    if (last && last.who !== you) return view.say(t("The last change is by {who}; undo it in the history.", { who: last.who || t("the program") }));
    return view.done(desk.send({ do: "undo", session: id, base: version }));
  }

  // A dialog over the session that asks for something: `fields`, and the button `action` that does act(form). Closed, the
  // focus goes back to where it was. Gives the form.
  function ask(view, heading, fields, action, act) {
    const cancel = make("button", { type: "button", on: { click: () => dialog.close() } }, t("Cancel"));
    const form = make("form", { method: "dialog" }, ...fields, make("div", { class: "toolbar" }, make("button", { type: "submit" }, action), cancel));
    const dialog = make("dialog", { class: "ask", "aria-labelledby": "ask-heading" }, make("h2", { id: "ask-heading" }, heading), form);
    form.addEventListener("submit", () => act(form));
    dialog.addEventListener("close", () => {
      dialog.remove();
      view.focus();
    });
    view.place.append(dialog);
    dialog.showModal();
    return form;
  }

  // Ask why before a session is rejected; the reason may be left out.
  function reject(view) {
    const reason = make("input", { type: "text", id: "reason", maxlength: "2000", autocomplete: "off" });
    const fields = [make("label", { for: "reason" }, t("Reason (optional)")), reason];
    ask(view, t("Reject this session"), fields, t("Reject"), () => decide(view, "rejected", { reason: reason.value.trim() }));
    reason.focus();
  }

  // The first tasks, up to the one in focus, stand as they are.
  const approveTo = (view, task) => approve(view, task + 1);
  const approveAll = (view) => approve(view, view.session.tasks.length);

  function approveHere(view) {
    const part = document.activeElement?.closest?.("[data-part]");
    const { task } = part ? JSON.parse(part.dataset.part) : {};
    if (Number.isInteger(task)) approveTo(view, task);
  }

  function toolbar(view) {
    const { decision } = view.session;
    const button = (label, key, action) => make("button", { type: "button", title: key, on: { click: action } }, label);
    return make(
      "div",
      { class: "toolbar actions" },
      button(t("Approve"), "a", () => approveAll(view)),
      button(t("Reject"), "r", () => reject(view)),
      button(t("Undo"), "u", () => undo(view)),
      decision?.holds && decision.outcome !== "open" ? button(t("Withdraw the decision"), "o", () => decide(view, "open")) : null,
      ...added("tools", view),
    );
  }

  // Who has it, what was decided by whom, and what of it still stands.
  function stateLine({ session }) {
    const { decision, approved, tasks, reviewers } = session;
    const parts = [];
    if (reviewers.length) parts.push(t("Reviewers: {names}", { names: reviewers.join(", ") }));
    if (decision && decision.outcome !== "open") {
      const values = { who: decision.who || reviewers.join(", "), when: names.when(decision.at) };
      parts.push(decision.outcome === "rejected" ? t("rejected by {who}, {when}", values) : t("approved by {who}, {when}", values));
      if (decision.reason) parts.push(t("reason: {reason}", { reason: decision.reason }));
      if (!session.outcome && decision.outcome === "rejected") parts.push(t("changed since"));
    }
    if (approved && approved < tasks.length) parts.push(approved === 1 ? t("task 1 of {count} approved", { count: tasks.length }) : t("tasks 1 to {last} of {count} approved", { last: approved, count: tasks.length }));
    if (session.is_blind) parts.push(t("under independent review by several people"));
    return make("p", { class: "muted state-line" }, show.clipped(parts.join(" · "), 3000));
  }

  function moves(view) {
    const link = (by, words, key) => make("button", { type: "button", title: key, on: { click: () => move(view, by) } }, words);
    const back = make("a", { href: places.address("", "", view.values) }, t("Queue"));
    return make("nav", { class: "toolbar moves", "aria-label": t("Sessions") }, back, link(-1, t("← previous"), "p ["), link(1, t("next →"), "n ]"));
  }

  // To the session before or after it in the order of the queue, as the address filters it.
  async function move(view, by) {
    const next = await sessions.beside(view.id, by, view.values);
    if (next === null) view.say(by > 0 ? t("This is the last session of the filtered queue.") : t("This is the first session of the filtered queue."));
    else location.hash = places.address("session", next, view.values);
  }

  // From part to part; the one that has the focus is where keys act.
  function step(view, by) {
    const inside = document.activeElement?.closest?.("[data-part]");
    const at = view.stops.findIndex(({ box }) => box === inside);
    const next = view.stops[Math.max(0, Math.min(view.stops.length - 1, at + by))];
    next?.box.focus({ preventScroll: true });
    next?.box.scrollIntoView({ block: "nearest" });
  }

  // Where the focus goes when what had it is gone.
  function focusAt(view, id) {
    const found = (id && document.getElementById(id)) || (view.attended && document.getElementById(view.attended)) || view.stops[0]?.box;
    found?.focus({ preventScroll: true });
  }

  const idInFocus = () => document.activeElement?.closest?.("main [id]")?.id ?? "";

  // A call of a graph, which has no id; drawn again it has the focus again.
  const nodeInFocus = () => {
    const node = document.activeElement?.closest?.("[data-graph] [data-node]");
    return node ? `[data-graph="${node.closest("[data-graph]").dataset.graph}"] [data-node="${node.dataset.node}"]` : "";
  };

  async function draw(view) {
    const session = await desk.read("/api/session", { id: view.id });
    if (view.closed || (view.session && session.last < view.session.last)) return; // an answer that a later one overtook
    const first = view.session === null;
    view.session = session;
    const state = make("span", { class: `badge status ${session.status}` }, names.STATUSES[session.status]);
    const { element, stops } = dialogue.read(session, (place, words) => added("decorate", view, place, words), (task) => heading(view, task));
    const focused = idInFocus();
    const node = nodeInFocus();
    const [top, opened] = [scrollY, [...view.place.querySelectorAll("details[open][id]")].map(({ id }) => id)];
    view.stops = stops;
    view.panel = tools.panel(session);
    const body = make("div", { class: "beside-dialogue" }, make("div", {}, element, tools.list(session), ...added("below", view)), view.panel.box);
    view.place.replaceChildren(moves(view), make("h1", {}, show.clipped(view.id, 120), " ", state), stateLine(view), toolbar(view), view.here, view.notice, body);
    added("drawn", view);
    for (const id of opened) {
      const details = document.getElementById(id);
      if (details) details.open = true;
    }
    if (!first) {
      scrollTo({ top });
      const again = node && view.place.querySelector(node);
      if (again) again.focus({ preventScroll: true });
      else if (focused && !element.contains(document.activeElement)) focusAt(view, focused);
    }
  }

  function heading(view, task) {
    const can = !task.approved && task.index + 1 < view.session.tasks.length;
    const button = can ? [make("button", { type: "button", class: "small", title: "A", on: { click: () => approveTo(view, task.index) } }, t("Approve up to here"))] : [];
    return [...button, ...added("heading", view, task)];
  }

  // Is something begun here that drawing it anew would take away?
  const isBusy = (view) => view.place.querySelector("form:not(.edit), dialog[open]") !== null || added("busy", view).some(Boolean);

  // Others changed it: it is drawn anew, unless something is begun; then it is told, and waits.
  function happened(view, { number, who, session }) {
    if (session !== view.id || number <= view.session.last || (who === view.session.you && desk.pending())) return;
    if (!isBusy(view)) return draw(view).catch(() => {});
    const see = make("button", { type: "button", on: { click: () => draw(view).then(() => view.notice.replaceChildren()) } }, t("Show"));
    view.notice.replaceChildren(make("p", { class: "note" }, t("{who} changed this session.", { who: who ?? "?" }), " ", see));
  }

  function here(view, { session, count, names: people }) {
    if (session !== view.id) return;
    const said = !count ? "" : people.length ? t("Also here: {names}", { names: people.join(", ") }) : t("Someone else is here, too.");
    view.here.textContent = said;
  }

  function bind(view) {
    keys.use([
      ["j", t("next part"), () => step(view, 1)],
      ["k", t("previous part"), () => step(view, -1)],
      ["a", t("approve, and open the next one"), () => approveAll(view)],
      ["A", t("approve the tasks up to this one"), () => approveHere(view)],
      ["r", t("reject"), () => reject(view)],
      ["o", t("withdraw the decision"), () => view.session.decision?.holds && decide(view, "open")],
      ["u", t("undo the last edit"), () => undo(view)],
      ["n", t("next session"), () => move(view, 1)],
      ["p", t("previous session"), () => move(view, -1)],
      ["]", "", () => move(view, 1)],
      ["[", "", () => move(view, -1)],
      ["q", t("back to the queue"), () => (location.hash = places.address("", "", view.values))],
      ...added("keys", view),
    ]);
  }

  function problemTold(view, problem) {
    view.notice.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(problem)));
  }

  // Opens a session in a place. The view that others add to: {id, place, session, stops, values, draw(), done(promise),
  // say(words), focus()}.
  async function open(place, id, values = new Map()) {
    queue.opened(id);
    const view = { id, place, values, session: null, stops: [], closed: false };
    view.here = make("p", { class: "here", role: "status" });
    view.notice = make("div", { role: "status" });
    view.draw = () => draw(view);
    view.focus = () => focusAt(view, view.attended);
    view.say = (words) => view.notice.replaceChildren(make("p", { class: "note" }, words));
    const drawn = () => {
      view.notice.replaceChildren();
      return view.draw();
    };
    view.done = (promise) => promise.then(drawn, (problem) => (problem.code === "stale" ? view.draw() : Promise.resolve()).then(() => problemTold(view, problem)));
    const attend = ({ target }) => {
      const box = target.closest?.("[data-part]");
      if (!box) return;
      view.attended = box.id;
      dialogue.attend(view.session, box, view.panel.follow);
    };
    place.addEventListener("focusin", attend);
    await draw(view);
    scrollTo({ top: 0 });
    bind(view);
    focusAt(view, "");
    return {
      happened: (event) => happened(view, event),
      here: (told) => here(view, told),
      close() {
        view.closed = true;
        place.removeEventListener("focusin", attend);
      },
    };
  }

  places.add("session", open);
  Object.assign(toolgauge, { session: { open, extend, ask } });
})();
