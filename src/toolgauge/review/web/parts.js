// What can be edited of each part of a session: what stands there, the fields for it, and the edits that lead to what they
// hold. A state is plain data (arguments as JSON text), so that drafts of it can be kept and versions of it compared.
"use strict";
(() => {
  const { t, make, show, fields, names, values } = toolgauge;
  const { ASK, FINAL, TYPES, REFERENCES } = names;

  const { multi, ...KINDS_OF_TASKS } = TYPES; // what only the graph can tell is nothing to choose
  const label = (text, control) => make("label", { class: "field" }, make("span", { class: "name" }, text), control);
  const options = (choices, chosen) => Object.entries(choices).map(([value, text]) => make("option", { value, selected: value === chosen }, text));
  const callOf = (session, { task, call }) => session.tasks[task]?.calls[call];

  class Unreadable extends Error {}

  function read(text) {
    try {
      return values.parse(text);
    } catch (error) {
      throw new Unreadable(t("Invalid JSON: {why}", { why: error.message }));
    }
  }

  // A part that is one text.
  const text = (of, edit, name) => ({
    content: (session, place) => ({ text: of(session, place) }),
    fields(form, state) {
      const box = fields.words(state.text, { "aria-label": name });
      return { element: box.element, state: () => ({ text: box.read() }) };
    },
    edits: (place, before, now) => (now.text === before.text ? [] : [edit(place, now.text)]),
  });

  const utterance = {
    content(session, { task }) {
      const one = session.tasks[task];
      return one && { text: one.utterance, type: one.type, reference: one.reference };
    },
    fields(form, state, session) {
      const { task } = form.place;
      const box = fields.words(state.text, { "aria-label": t("What the user says") });
      const type = make("select", {}, ...options(KINDS_OF_TASKS, state.type));
      const { first_turn: first, ...later } = REFERENCES;
      const reference = make("select", {}, ...options(later, state.reference));
      const take = (one) => {
        box.area.value = one;
        box.area.dispatchEvent(new Event("input", { bubbles: true }));
        box.area.focus();
      };
      const proposed = (session.candidates[task] ?? []).filter((one) => one !== state.text);
      const button = (one) => make("li", {}, make("button", { type: "button", class: "candidate", on: { click: () => take(one) } }, show.clipped(one, 400)));
      const candidates = proposed.length ? make("div", {}, make("p", { class: "muted" }, t("Other candidates for this task; choose one to insert it:")), make("ul", { class: "candidates" }, ...proposed.map(button))) : null;
      const element = make("div", {}, box.element, candidates, label(t("Task type"), type), task ? label(t("Reference to the dialogue"), reference) : null);
      return { element, state: () => ({ text: box.read(), type: type.value, reference: task ? reference.value : first && state.reference }) };
    },
    edits({ task }, before, now) {
      const found = [];
      if (now.text !== before.text) found.push({ edit: "utterance", task, text: now.text });
      if (now.type !== before.type) found.push({ edit: "type", task, type: now.type });
      if (now.reference !== before.reference) found.push({ edit: "reference", task, reference: now.reference });
      return found;
    },
  };

  // A tool and arguments for it: {element, state()}.
  function called(session, state, more = []) {
    const named = session.tools.map((one) => one.name);
    const listed = named.includes(state.name) || more.some(([value]) => value === state.name) ? named : [state.name, ...named];
    const tool = make("select", {}, ...[...new Set(listed)].map((one) => make("option", { value: one }, show.clipped(one, 120).textContent)), ...more.map(([value, text]) => make("option", { value }, text)));
    tool.value = state.name;
    const place = make("div", { class: "arguments-form" });
    let form = null;
    const draw = (content) => {
      form = fields.switched(session.schemas[tool.value] ?? {}, content, t("Arguments as JSON"));
      place.replaceChildren(form.element);
    };
    tool.addEventListener("change", () => draw(form.text()));
    draw(state.arguments);
    return { tool, element: make("div", {}, label(t("Tool"), tool), place), state: () => ({ name: tool.value, arguments: form.text() }) };
  }

  const call = {
    content(session, place) {
      const one = callOf(session, place);
      return one && { name: one.name, arguments: JSON.stringify(one.arguments) };
    },
    fields: (form, state, session) => called(session, state),
    edits({ task, call: at }, before, now) {
      const found = [];
      if (now.name !== before.name) found.push({ edit: "tool", task, call: at, name: now.name });
      if (now.arguments !== before.arguments) found.push({ edit: "arguments", task, call: at, arguments: read(now.arguments) });
      return found;
    },
  };

  // A result is a text or JSON.
  function resulting(state) {
    const isJson = make("input", { type: "checkbox", checked: state.json });
    const box = fields.words(state.json ? show.pretty(state.text) : state.text, { "aria-label": t("Result"), class: "code" });
    const shown = box.read();
    const now = () => (box.read() === shown ? state.text : box.read());
    const element = make("div", {}, box.element, make("label", { class: "check" }, isJson, t("JSON, not text")));
    return { element, state: () => ({ json: isJson.checked, text: now() }) };
  }

  const result = {
    content(session, place) {
      const one = callOf(session, place);
      return one && (typeof one.result === "string" ? { json: false, text: one.result } : { json: true, text: JSON.stringify(one.result ?? null) });
    },
    fields: (form, state) => resulting(state),
    edits({ task, call: at }, before, now) {
      if (now.json === before.json && now.text === before.text) return [];
      return [{ edit: "result", task, call: at, result: now.json ? read(now.text) : now.text }];
    },
  };

  // The calls before one, to choose those that it needs.
  function needing(session, { task, call: at }, chosen) {
    const boxes = session.tasks[task].calls.slice(0, at).map((one) => [one, make("input", { type: "checkbox", checked: chosen.includes(one.index) })]);
    const name = (one) => (one.name === ASK ? t("question") : show.clipped(one.name, 120));
    const element = make("fieldset", { class: "needed" }, make("legend", {}, t("Needs these calls")), ...boxes.map(([one, box]) => make("label", { class: "check" }, box, `${one.index + 1} `, name(one))), boxes.length ? null : make("p", { class: "muted" }, t("There is no earlier call.")));
    return { element, after: () => boxes.filter(([, box]) => box.checked).map(([one]) => one.index) };
  }

  const dependencies = {
    content(session, place) {
      const one = callOf(session, place);
      return one && { after: [...one.after].sort((a, b) => a - b), confirmed: confirmedOf(one) };
    },
    fields(form, state, session) {
      const box = needing(session, form.place, state.after);
      const told = toolgauge.edges.evidence(session, form.place, state.confirmed);
      return { element: make("div", {}, box.element, told.element), state: () => ({ after: box.after(), confirmed: told.confirmed().filter((one) => box.after().includes(one)) }) };
    },
    edits({ task, call: at }, before, now) {
      const found = now.after.join() === before.after.join() ? [] : [{ edit: "dependencies", task, call: at, after: now.after }];
      const differs = (one) => now.confirmed.includes(one) !== before.confirmed.includes(one);
      return [...found, ...now.after.filter(differs).map((one) => ({ edit: "confirm", task, call: at, before: one, confirmed: now.confirmed.includes(one) }))];
    },
  };
  const confirmedOf = (one) => [...new Set(one.evidence.filter((reason) => reason.confirmed && one.after.includes(reason.from)).map((reason) => reason.from))].sort((a, b) => a - b);

  // A call that is not there yet, before the one of the place. What stands there: the calls around it.
  const added = {
    content: (session, { task }) => session.tasks[task] && { name: session.tools[0]?.name ?? ASK, arguments: "{}", after: [], json: true, text: "null", answer: "", calls: session.tasks[task].calls.map((one) => one.name) },
    fields(form, state, session) {
      const one = called(session, state, [[ASK, t("(the assistant asks the user)")]]);
      const needed = needing(session, form.place, state.after);
      const answered = resulting(state);
      const answer = fields.words(state.answer, { "aria-label": t("What the user answers") });
      const asking = label(t("What the user answers"), answer.element);
      const look = () => (asking.hidden = one.tool.value !== ASK);
      one.tool.addEventListener("change", look);
      look();
      const element = make("div", {}, make("p", { class: "muted" }, t("A new call, number {number} of the task", { number: form.place.call + 1 })), one.element, needed.element, label(t("Result, or the text of the question"), answered.element), asking);
      return { element, state: () => ({ ...one.state(), after: needed.after(), ...answered.state(), answer: answer.read(), calls: state.calls }) };
    },
    edits({ task, call: at }, before, now) {
      const content = now.name === ASK || !now.json ? now.text : read(now.text);
      return [{ edit: "add_call", task, call: at, name: now.name, arguments: read(now.arguments), after: now.after, result: content, answer: now.name === ASK ? now.answer : null }];
    },
  };

  const said = (session, place) => callOf(session, place)?.result;
  const setResult = ({ task, call: at }, value) => ({ edit: "result", task, call: at, result: value });
  const setAnswer = ({ task, call: at }, value) => ({ edit: "answer", task, call: at, text: value });
  const KINDS = {
    utterance,
    call,
    result,
    dependencies,
    added,
    question: text(said, setResult, t("What the assistant asks")),
    reply: text(said, setResult, t("What the assistant replies")),
    answer: text((session, place) => callOf(session, place)?.answer, setAnswer, t("What the user answers")),
  };

  // What stands at a place, as a state of a kind; null where the place is no such part (any more).
  function content(kind, session, place) {
    const one = kind === "utterance" || kind === "added" ? session.tasks[place.task] : callOf(session, place);
    if (!one) return null;
    const isSpoken = one.name === ASK || one.name === FINAL;
    if (["call", "result"].includes(kind) && isSpoken) return null;
    if ((kind === "reply" && one.name !== FINAL) || (["question", "answer"].includes(kind) && one.name !== ASK)) return null;
    const state = KINDS[kind].content(session, place);
    return state && Object.values(state).every((value) => value !== undefined && value !== null) ? state : null;
  }

  // A state in words, for those who compare two.
  function told(kind, state) {
    if (!state) return t("(removed)");
    const lines = {
      utterance: () => [state.text, `${TYPES[state.type]}, ${REFERENCES[state.reference]}`],
      call: () => [state.name, show.pretty(state.arguments)],
      added: () => [state.calls.join(", ")],
      result: () => [state.json ? show.pretty(state.text) : state.text],
      dependencies: () => [state.after.length ? t("needs call {calls}", { calls: state.after.map((one) => one + 1).join(", ") }) : t("needs no other call")],
    };
    return (lines[kind]?.() ?? [state.text]).join("\n");
  }

  Object.assign(toolgauge, { parts: { KINDS, content, told, Unreadable } });
})();
