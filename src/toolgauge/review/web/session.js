// A session: the dialogue, and what a reviewer does with it. The keyboard goes from part to part.
"use strict";
(() => {
  const { t, ngettext, make, button, desk, keys, show, names, queue, places, dialogue } = toolgauge;

  // What other scripts add to the page of a session: {decorate(view, place, words), drawn(view), tools(view), keys(view),
  // below(view), busy(view)}, each if it has something. words: the element of a part's content; tools: elements for the
  // bar; below: elements under the dialogue; busy: is something begun that must not be drawn away?
  const additions = [];
  const extend = (addition) => additions.push(addition);
  const added = (name, ...values) => additions.flatMap((one) => one[name]?.(...values) ?? []);

  const count = (view) => view.session.tasks.length;

  function decide(view, outcome, more = {}) {
    const { id, version } = view.session;
    return view.done(desk.send({ do: "decide", session: id, base: version, outcome, ...more }));
  }

  // Approve the first `tasks`, after one has seen what is worth a look in them.
  function approve(view, tasks) {
    const open = view.session.warnings.filter(({ place }) => place.task === undefined || place.task < tasks);
    if (!open.length) return approved(view, tasks);
    const lines = open.slice(0, 12).map((one) => make("li", {}, names.placed(one.place), ": ", show.clipped(one.message, 300)));
    if (open.length > lines.length) lines.push(make("li", {}, t("and {count} more", { count: open.length - lines.length })));
    const heading = ngettext("Approve with {count} open warning?", "Approve with {count} open warnings?", open.length);
    ask(view, heading, [make("ul", { class: "warnings" }, ...lines)], t("Approve"), () => approved(view, tasks)).querySelector("button").focus();
  }

  // A whole session that is approved leads on to the next one of the queue that is to be decided about.
  async function approved(view, tasks) {
    const isWhole = tasks === count(view);
    const next = isWhole ? await queue.beside(view.id, 1, view.values, (line) => line.is_open) : null;
    const isDone = await decide(view, "approved", isWhole ? {} : { tasks });
    if (!isDone || !isWhole || view.closed) return;
    if (next === null) view.say(t("Approved. No session of the filtered queue is left to decide."));
    else places.go("session", next, view.values);
  }

  function approveHere(view) {
    const { task } = placeInFocus(view);
    if (Number.isInteger(task)) approve(view, task + 1);
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
    const form = make("form", { method: "dialog" }, ...fields, make("div", { class: "toolbar" }, make("button", { type: "submit" }, action), button(t("Cancel"), () => dialog.close())));
    const dialog = make("dialog", { class: "ask", "aria-labelledby": "ask-heading" }, make("h2", { id: "ask-heading" }, heading), form);
    form.addEventListener("submit", () => act(form));
    form.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.requestSubmit());
    dialog.addEventListener("close", () => {
      dialog.remove();
      focusAt(view, view.attended);
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

  const withdraw = (view) => view.session.decision?.holds && view.session.decision.outcome !== "open" && decide(view, "open");

  function bar(view) {
    const { decision } = view.session;
    return make(
      "div",
      { class: "toolbar actions" },
      button(t("Approve"), () => approve(view, count(view)), { title: "a" }),
      button(t("Reject"), () => reject(view), { title: "r" }),
      button(t("Undo"), () => undo(view), { title: "u" }),
      decision?.holds && decision.outcome !== "open" ? button(t("Withdraw the decision"), () => withdraw(view), { title: "o" }) : null,
      ...added("tools", view),
    );
  }

  // Who has it, what was decided by whom, and what of it still stands.
  function stateLine({ session }) {
    const { decision, approved: first, tasks, reviewers } = session;
    const parts = [];
    if (reviewers.length) parts.push(t("Reviewers: {names}", { names: reviewers.join(", ") }));
    if (decision && decision.outcome !== "open") {
      const values = { who: decision.who || reviewers.join(", "), when: names.when(decision.at) };
      parts.push(decision.outcome === "rejected" ? t("rejected by {who}, {when}", values) : t("approved by {who}, {when}", values));
      if (decision.reason) parts.push(t("reason: {reason}", { reason: decision.reason }));
      if (!session.outcome && decision.outcome === "rejected") parts.push(t("changed since"));
    }
    if (first && first < tasks.length) parts.push(first === 1 ? t("task 1 of {count} approved", { count: tasks.length }) : t("tasks 1 to {last} of {count} approved", { last: first, count: tasks.length }));
    if (session.is_blind) parts.push(t("under independent review by several people"));
    return make("p", { class: "muted state-line" }, show.clipped(parts.join(" · "), 3000));
  }

  function moves(view) {
    const back = make("a", { href: places.address("", "", view.values) }, t("Queue"));
    return make("nav", { class: "toolbar moves", "aria-label": t("Sessions") }, back, button(t("← previous"), () => move(view, -1), { title: "p [" }), button(t("next →"), () => move(view, 1), { title: "n ]" }));
  }

  // To the session before or after it in the order of the queue, as the address filters it.
  async function move(view, by) {
    const next = await queue.beside(view.id, by, view.values);
    if (next === null) view.say(by > 0 ? t("This is the last session of the filtered queue.") : t("This is the first session of the filtered queue."));
    else places.go("session", next, view.values);
  }

  // The part that has the focus, or had it last; else the whole session.
  function placeInFocus(view) {
    const box = document.activeElement?.closest?.("[data-part]") ?? document.getElementById(view.attended ?? "");
    return box ? JSON.parse(box.dataset.part) : { part: "session" };
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

  // What has the focus, so that it can be found when the page was drawn again: an id, or a call of a graph.
  function focused() {
    const node = document.activeElement?.closest?.("[data-graph] [data-node]");
    if (node) return `[data-graph="${node.closest("[data-graph]").dataset.graph}"] [data-node="${node.dataset.node}"]`;
    const id = document.activeElement?.closest?.("main [id]")?.id;
    return id ? `#${CSS.escape(id)}` : "";
  }

  async function draw(view) {
    const session = await desk.read("/api/session", { id: view.id });
    if (view.closed || (view.session && session.last < view.session.last)) return; // an answer that a later one overtook
    const first = view.session === null;
    view.session = session;
    const state = make("span", { class: `badge status ${session.status}` }, names.STATUSES[session.status]);
    const { element, stops } = dialogue.read(session, (place, words) => added("decorate", view, place, words), (task) => heading(view, task));
    const { list, panel, follow } = dialogue.tools(session);
    const [had, top, opened] = [focused(), scrollY, [...view.place.querySelectorAll("details[open][id]")].map(({ id }) => id)];
    Object.assign(view, { stops, follow });
    const body = make("div", { class: "beside-dialogue" }, make("div", {}, element, list, ...added("below", view)), panel);
    view.place.replaceChildren(moves(view), make("h1", {}, show.clipped(view.id, 120), " ", state), stateLine(view), bar(view), view.notice, body);
    added("drawn", view);
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (first) return;
    scrollTo({ top });
    const again = had && view.place.querySelector(had);
    if (again) again.focus({ preventScroll: true });
    else if (had && !element.contains(document.activeElement)) focusAt(view);
  }

  function heading(view, task) {
    const can = !task.approved && task.index + 1 < count(view);
    return can ? [button(t("Approve up to here"), () => approve(view, task.index + 1), { class: "small", title: "A" })] : [];
  }

  // Others changed it: it is drawn anew, unless that would take away what is begun here; then it is told, and waits.
  function happened(view, { number, who, session }) {
    if (session !== view.id || number <= view.session.last || (who === view.session.you && desk.pending())) return;
    const isBusy = view.place.querySelector("form:not(.edit), dialog[open]") !== null || added("busy", view).some(Boolean);
    if (!isBusy) return draw(view).catch(() => {});
    const see = button(t("Show"), () => draw(view).then(() => view.notice.replaceChildren()));
    view.notice.replaceChildren(make("p", { class: "note" }, t("{who} changed this session.", { who: who ?? "?" }), " ", see));
  }

  function bind(view) {
    keys.use([
      ["j", t("next part"), () => step(view, 1)],
      ["k", t("previous part"), () => step(view, -1)],
      ["a", t("approve, and open the next one"), () => approve(view, count(view))],
      ["A", t("approve the tasks up to this one"), () => approveHere(view)],
      ["r", t("reject"), () => reject(view)],
      ["o", t("withdraw the decision"), () => withdraw(view)],
      ["u", t("undo the last edit"), () => undo(view)],
      ["n", t("next session"), () => move(view, 1)],
      ["p", t("previous session"), () => move(view, -1)],
      ["]", "", () => move(view, 1)],
      ["[", "", () => move(view, -1)],
      ["q", t("back to the queue"), () => places.go("", "", view.values)],
      ...added("keys", view),
    ]);
  }

  // Opens a session in a place. The view that others add to: {id, place, session, stops, values, draw(), say(words),
  // done(promise)}. done: draws what came of a command, or says why nothing did; gives whether it was done.
  async function open(place, id, values = new Map()) {
    queue.opened(id);
    const view = { id, place, values, session: null, stops: [], closed: false };
    view.notice = make("div", { role: "status" });
    view.draw = () => draw(view);
    view.say = (words) => view.notice.replaceChildren(make("p", { class: "note" }, words));
    view.done = async (promise) => {
      let problem = null;
      await promise.catch((refused) => (problem = refused));
      view.notice.replaceChildren();
      if (!problem || problem.code === "stale") await draw(view);
      if (problem) view.notice.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(problem)));
      return problem === null;
    };
    const attend = ({ target }) => {
      const box = target.closest?.("[data-part]");
      if (!box) return;
      view.attended = box.id;
      dialogue.attend(view.session, box, view.follow);
    };
    place.addEventListener("focusin", attend);
    await draw(view);
    scrollTo({ top: 0 });
    bind(view);
    focusAt(view);
    return {
      happened: (event) => happened(view, event),
      close() {
        view.closed = true;
        place.removeEventListener("focusin", attend);
      },
    };
  }

  places.add("session", open);
  Object.assign(toolgauge, { session: { extend, ask, placeInFocus } });
})();
