// What can be edited of each part of a session: what stands there, the fields for it, and the edits that lead to what they
// hold. A state is plain data (arguments as JSON text), so that drafts of it can be kept and versions of it compared.
"use strict";
(() => {
  const { t, make, show, fields, names, values } = toolgauge;
  const { ASK, FINAL, TYPES, REFERENCES } = names;
  const { multi, ...KINDS_OF_TASKS } = TYPES; // what only the graph can tell is nothing to choose
  const { first_turn: first, ...LATER } = REFERENCES;

  const label = (text, control) => make("label", { class: "field" }, make("span", { class: "name" }, text), control);
  const choice = (choices, chosen) => make("select", {}, ...Object.entries(choices).map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
  const callOf = (session, { task, call }) => session.tasks[task]?.calls[call];

  class Unreadable extends Error {}

  function read(text) {
    try {
      return values.parse(text);
    } catch (error) {
      throw new Unreadable(t("Invalid JSON: {why}", { why: error.message }));
    }
  }

  // A part that is one text. of: what stands there; edit: what another text is asked for with.
  const text = (of, edit, name) => ({
    content: (session, place) => ({ text: of(callOf(session, place)) }),
    fields(form, state) {
      const box = fields.words(state.text, { "aria-label": name });
      return { element: box.element, state: () => ({ text: box.read() }) };
    },
    edits: ({ task, call }, before, now) => (now.text === before.text ? [] : [{ task, call, ...edit(now.text) }]),
    told: (state) => state.text,
  });
  const asResult = (result) => ({ edit: "result", result });

  const utterance = {
    content(session, { task }) {
      const one = session.tasks[task];
      return { text: one.utterance, type: one.type, reference: one.reference };
    },
    fields({ place: { task } }, state) {
      const box = fields.words(state.text, { "aria-label": t("What the user says") });
      const type = choice(KINDS_OF_TASKS, state.type);
      const reference = choice(LATER, state.reference);
      const element = make("div", {}, box.element, label(t("Task type"), type), task ? label(t("Reference to the dialogue"), reference) : null);
      return { element, state: () => ({ text: box.read(), type: type.value, reference: task ? reference.value : state.reference }) };
    },
    edits({ task }, before, now) {
      const found = [];
      if (now.text !== before.text) found.push({ edit: "utterance", task, text: now.text });
      if (now.type !== before.type) found.push({ edit: "type", task, type: now.type });
      if (now.reference !== before.reference) found.push({ edit: "reference", task, reference: now.reference });
      return found;
    },
    told: (state) => `${state.text}\n${TYPES[state.type]}, ${REFERENCES[state.reference]}`,
  };

  // A tool and arguments for it: {tool, element, state()}. more: what can be chosen beside the tools, [value, words] each.
  function called(session, state, more = []) {
    const known = [...session.tools.map((one) => one.name), ...more.map(([value]) => value)];
    const listed = [...new Set([...(known.includes(state.name) ? [] : [state.name]), ...session.tools.map((one) => one.name)])];
    const tool = make("select", {}, ...listed.map((one) => make("option", { value: one }, show.clipped(one, 120).textContent)), ...more.map(([value, words]) => make("option", { value }, words)));
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
      return { name: one.name, arguments: JSON.stringify(one.arguments) };
    },
    fields: (form, state, session) => called(session, state),
    edits({ task, call: at }, before, now) {
      const found = [];
      if (now.name !== before.name) found.push({ edit: "tool", task, call: at, name: now.name });
      if (now.arguments !== before.arguments) found.push({ edit: "arguments", task, call: at, arguments: read(now.arguments) });
      return found;
    },
    told: (state) => `${state.name}\n${show.pretty(state.arguments)}`,
  };

  // A result is a text or JSON.
  const result = {
    content(session, place) {
      const { result: one } = callOf(session, place);
      return typeof one === "string" ? { json: false, text: one } : { json: true, text: JSON.stringify(one ?? null) };
    },
    fields(form, state) {
      const isJson = make("input", { type: "checkbox", checked: state.json });
      const box = fields.words(state.json ? show.pretty(state.text) : state.text, { "aria-label": t("Result"), class: "code" });
      const shown = box.read();
      const element = make("div", {}, box.element, make("label", { class: "check" }, isJson, t("JSON, not text")));
      return { element, state: () => ({ json: isJson.checked, text: box.read() === shown ? state.text : box.read() }) };
    },
    edits({ task, call: at }, before, now) {
      if (now.json === before.json && now.text === before.text) return [];
      return [{ edit: "result", task, call: at, result: now.json ? read(now.text) : now.text }];
    },
    told: (state) => (state.json ? show.pretty(state.text) : state.text),
  };

  // The calls that one needs, chosen from those before it.
  const dependencies = {
    content: (session, place) => ({ after: [...callOf(session, place).after].sort((a, b) => a - b) }),
    fields({ place }, state, session) {
      const boxes = session.tasks[place.task].calls.slice(0, place.call).map((one) => [one, make("input", { type: "checkbox", checked: state.after.includes(one.index) })]);
      const labels = boxes.map(([one, box]) => make("label", { class: "check" }, box, `${one.index + 1} `, one.name === ASK ? t("question") : show.clipped(one.name, 120)));
      const element = make("fieldset", { class: "needed" }, make("legend", {}, t("Needs these calls")), ...labels, boxes.length ? null : make("p", { class: "muted" }, t("There is no earlier call.")));
      return { element, state: () => ({ after: boxes.filter(([, box]) => box.checked).map(([one]) => one.index) }) };
    },
    edits: ({ task, call: at }, before, now) => (now.after.join() === before.after.join() ? [] : [{ edit: "dependencies", task, call: at, after: now.after }]),
    told: (state) => names.needs(state.after),
  };

  // A call that is not there yet, before the one of the place. What stands there: the calls around it.
  const added = {
    content: (session, { task }) => ({ name: session.tools[0]?.name ?? ASK, arguments: "{}", after: [], json: true, text: "null", answer: "", calls: session.tasks[task].calls.map((one) => one.name) }),
    fields(form, state, session) {
      const one = called(session, state, [[ASK, t("(the assistant asks the user)")]]);
      const needed = dependencies.fields(form, state, session);
      const answered = result.fields(form, state);
      const answer = fields.words(state.answer, { "aria-label": t("What the user answers") });
      const asking = label(t("What the user answers"), answer.element);
      const look = () => (asking.hidden = one.tool.value !== ASK);
      one.tool.addEventListener("change", look);
      look();
      const element = make("div", {}, make("p", { class: "muted" }, t("A new call, number {number} of the task", { number: form.place.call + 1 })), one.element, needed.element, label(t("Result, or the text of the question"), answered.element), asking);
      return { element, state: () => ({ ...one.state(), ...needed.state(), ...answered.state(), answer: answer.read(), calls: state.calls }) };
    },
    edits({ task, call: at }, before, now) {
      const isAsking = now.name === ASK;
      return [{ edit: "add_call", task, call: at, name: now.name, arguments: read(now.arguments), after: now.after, result: isAsking || !now.json ? now.text : read(now.text), answer: isAsking ? now.answer : null }];
    },
    told: (state) => state.calls.join(", "),
  };

  const KINDS = {
    utterance,
    call,
    result,
    dependencies,
    added,
    question: text((one) => one.result, asResult, t("What the assistant asks")),
    reply: text((one) => one.result, asResult, t("What the assistant replies")),
    answer: text((one) => one.answer, (words) => ({ edit: "answer", text: words }), t("What the user answers")),
  };

  // What stands at a place, as a state of a kind; null where the place is no such part (any more).
  function content(kind, session, place) {
    if (!session.tasks[place.task]) return null;
    if (kind === "utterance" || kind === "added") return KINDS[kind].content(session, place);
    const one = callOf(session, place);
    const fits = { question: one?.name === ASK, answer: one?.name === ASK, reply: one?.name === FINAL, dependencies: true }[kind] ?? ![ASK, FINAL].includes(one?.name);
    return one && fits ? KINDS[kind].content(session, place) : null;
  }

  // A state in words, for those who compare two.
  const told = (kind, state) => (state ? KINDS[kind].told(state) : t("(removed)"));

  Object.assign(toolgauge, { parts: { KINDS, content, told, Unreadable } });
})();
