// A session: the dialogue as a person reads it, what is worth a look at its place, and what a reviewer does with it.
"use strict";
(() => {
  const { t, make, desk, onKey, show, queue } = toolgauge;
  const ASK = "ask_user_for_required_parameters";
  const FINAL = "prepare_to_answer";

  const words = (value) => show.block(typeof value === "string" ? value : show.pretty(JSON.stringify(value)), { class: typeof value === "string" ? "" : "data code" });
  const line = (who, label, ...content) => make("div", { class: `line ${who}` }, make("div", { class: "who" }, label), make("div", { class: "words" }, ...content));

  function call(one) {
    if (one.name === FINAL) return [line("assistant", t("Assistant"), words(one.result))];
    if (one.name === ASK) return [line("assistant", t("Assistant"), words(one.result)), line("user", t("User"), words(one.answer ?? ""))];
    return [line("assistant", t("Call"), make("p", { class: "call-head" }, make("code", {}, show.clipped(one.name, 200))), words(one.arguments)), line("tool", t("Result"), words(one.result))];
  }

  function task(one) {
    return make("section", { class: "task", id: `task-${one.index}` }, make("h2", {}, t("Task {number}", { number: one.index + 1 }), " ", make("span", { class: "badge" }, one.type)), line("user", t("User"), words(one.utterance)), ...one.calls.flatMap(call));
  }

  async function view(place, id) {
    const session = await desk.get("/api/session", { id });
    const decide = (outcome) => desk.send({ do: "decide", session: id, base: session.version, outcome }).then(() => view(place, id), (problem) => note(place, desk.said(problem)));
    const buttons = make(
      "div",
      { class: "toolbar" },
      make("button", { type: "button", on: { click: () => decide("approved") } }, t("Approve")),
      make("button", { type: "button", on: { click: () => decide("rejected") } }, t("Reject")),
    );
    onKey("a", () => decide("approved"));
    onKey("r", () => decide("rejected"));
    const state = make("span", { class: `badge status ${session.status}` }, queue.STATUSES[session.status]);
    const warnings = session.warnings.map((one) => make("p", { class: "note" }, one.message));
    place.replaceChildren(make("h1", {}, show.clipped(id, 120), " ", state), buttons, ...warnings, make("div", { lang: session.language }, ...session.tasks.map(task)));
    return session;
  }

  function note(place, message) {
    place.prepend(make("p", { class: "note", role: "alert" }, message));
  }

  Object.assign(toolgauge, { session: { view } });
})();
