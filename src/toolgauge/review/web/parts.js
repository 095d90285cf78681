// What can be edited of each part of a session: what stands there, the fields for it, and the edits that lead to what they
// hold. A state is plain data (arguments as JSON text), so that drafts of it can be kept and versions of it compared.
"use strict";
(() => {
  const { t, make, button, show, names, values } = toolgauge;
  const { parse, isNumber, isObject } = values;
  const { ASK, FINAL, TYPES, REFERENCES } = names;
  const DEEPEST = 5;
  const MOST_ITEMS = 40;
  const CONTROLS = "input, select, textarea";
  let made = 0;

  // Forms for JSON values, made from their schema: a field for what is written simply, JSON for everything else. A field
  // is {element, text}: text() is the JSON that stands in it, as it was typed, whether it can be read or not.

  // A text as people edit it. What nobody touched is given back to the letter: a browser turns line ends into others.
  function words(value, attributes = {}) {
    const area = make("textarea", { rows: Math.min(12, Math.max(1, value.split("\n").length, Math.ceil(value.length / 70))), dir: "auto", spellcheck: "false", ...attributes });
    area.value = value;
    const shown = area.value;
    const hidden = make("div", { class: "hidden-note" });
    const look = () => {
      const seen = show.text(area.value);
      hidden.replaceChildren(...(seen.querySelector(".hidden-character") ? [t("Invisible characters:"), " ", seen] : []));
    };
    area.addEventListener("input", look);
    look();
    return { element: make("div", {}, area, hidden), read: () => (area.value === shown ? value : area.value) };
  }

  function json(text, label) {
    const box = words(text, { class: "code", "aria-label": label });
    return { element: box.element, text: box.read };
  }

  function string(value, label) {
    const box = words(value, { "aria-label": label });
    return { element: box.element, text: () => JSON.stringify(box.read()) };
  }

  // source: the number as it is written.
  function number(source, label, isWhole) {
    const input = make("input", { inputmode: isWhole ? "numeric" : "decimal", autocomplete: "off", "aria-label": label });
    input.value = source;
    return { element: input, text: () => input.value.trim() };
  }

  function chosenFrom(text, options, label) {
    const shown = (one) => (one.startsWith('"') ? JSON.parse(one) : one);
    const listed = options.includes(text) ? options : [text, ...options];
    const select = make("select", { "aria-label": label }, ...listed.map((one) => make("option", { value: one }, show.clipped(shown(one), 80).textContent)));
    select.value = text;
    return { element: select, text: () => select.value };
  }

  // What a new value of a schema begins as.
  function blank(schema) {
    if (schema.default !== undefined) return schema.default;
    if (Array.isArray(schema.enum) && schema.enum.length) return schema.enum[0];
    const kind = [schema.type].flat()[0];
    if (kind === "object") return Object.fromEntries((schema.required ?? []).filter((name) => schema.properties?.[name]).map((name) => [name, blank(schema.properties[name])]));
    return { string: "", integer: 0, number: 0, boolean: false, array: [] }[kind] ?? null;
  }

  // The field for a value under a schema. label: what it is called for those who do not see it.
  function field(schema, value, label, depth = 0) {
    const known = isObject(schema) ? schema : {};
    const text = JSON.stringify(value);
    const kinds = [known.type].flat();
    if (Array.isArray(known.enum) && known.enum.length) return chosenFrom(text, known.enum.map((one) => JSON.stringify(one)), label);
    if (typeof value === "string" && (kinds.includes("string") || !known.type)) return string(value, label);
    if (typeof value === "boolean" && kinds.includes("boolean")) return chosenFrom(text, ["true", "false"], label);
    if (isNumber(value) && (kinds.includes("number") || kinds.includes("integer"))) return number(text, label, !kinds.includes("number"));
    if (depth < DEEPEST && Array.isArray(value) && value.length <= MOST_ITEMS && isObject(known.items)) return list(known, value, label, depth);
    if (depth < DEEPEST && isObject(value) && isObject(known.properties)) return object(known, value, label, depth);
    return json(show.pretty(text), label);
  }

  // Do something to a form that is shown; whoever listens is told as if it had been typed.
  function changed(element, action) {
    const form = element.closest("form");
    action();
    form?.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // Something that can be taken out again. The button goes with it.
  function removable(element, what, remove) {
    return make("div", { class: "removable" }, element, button("✕", () => changed(element, remove), { class: "remove", "aria-label": what, title: what }));
  }

  function list(schema, items, label, depth) {
    const fields = [];
    const box = make("div", { class: "items", role: "group", "aria-label": label });
    const add = button(t("Add an item"), () => changed(box, () => append(blank(schema.items)).querySelector(`${CONTROLS}, button`)?.focus()));
    function append(value) {
      const one = field(schema.items, value, t("{name}, item {number}", { name: label, number: fields.length + 1 }), depth + 1);
      const row = removable(one.element, t("Remove this item"), () => {
        fields.splice(fields.indexOf(one), 1);
        row.remove();
        add.focus();
      });
      fields.push(one);
      add.before(row);
      return row;
    }
    box.append(add);
    items.forEach(append);
    return { element: box, text: () => `[${fields.map((one) => one.text()).join(",")}]` };
  }

  function object(schema, value, label, depth) {
    const box = make("div", { class: "members", role: "group", "aria-label": label });
    const missing = make("p", { class: "absent" });
    const fields = new Map(); // name -> field, in the order of the value
    const required = Array.isArray(schema.required) ? schema.required : [];

    function offer() {
      const absent = Object.keys(schema.properties).filter((name) => !fields.has(name));
      const add = (name) => changed(box, () => insert(name, blank(schema.properties[name] ?? {})).querySelector(`${CONTROLS}, button`)?.focus());
      const words = (name) => make("span", {}, "+ ", make("code", {}, show.clipped(name, 80)), required.includes(name) ? make("span", { class: "bad" }, ` ${t("required")}`) : null);
      missing.replaceChildren(...absent.map((name) => button(words(name), () => add(name), { "data-add": name })));
    }

    function insert(name, content) {
      const isKnown = Object.hasOwn(schema.properties, name);
      const part = isKnown ? schema.properties[name] : {};
      const one = field(part, content, name, depth + 1);
      fields.set(name, one);
      const told = [required.includes(name) ? t("required") : "", isKnown ? "" : t("unknown parameter")].filter(Boolean).join(", ");
      const head = make("div", { class: "name" }, make("code", {}, show.clipped(name, 120)), told ? make("span", { class: "muted" }, ` ${told}`) : null);
      const hint = typeof part?.description === "string" && part.description ? make("div", { class: "muted hint", id: `field-${++made}` }, show.clipped(part.description, 300)) : null;
      if (hint) (one.element.matches(CONTROLS) ? one.element : one.element.querySelector(CONTROLS))?.setAttribute("aria-describedby", hint.id);
      const row = removable(one.element, t("Omit {name}", { name }), () => {
        fields.delete(name);
        whole.remove();
        offer();
        missing.querySelector(`[data-add="${CSS.escape(name)}"]`)?.focus();
      });
      const whole = make("div", { class: "member", "data-name": name }, head, row, hint);
      missing.before(whole);
      offer();
      return whole;
    }

    box.append(missing);
    Object.entries(value).forEach(([name, content]) => insert(name, content));
    offer();
    return { element: box, text: () => `{${[...fields].map(([name, one]) => `${JSON.stringify(name)}:${one.text()}`).join(",")}}` };
  }

  // A form over a schema that can be switched to plain JSON and back. text: of the JSON that it begins with; what cannot be
  // read begins as text. Returns {element, text()}.
  function switched(schema, text, label) {
    const box = make("div", { class: "switched" });
    const problem = make("p", { class: "bad", role: "alert" });
    const turner = button("", () => changed(box, turn), { "data-raw": "" });
    let current = null;
    let isRaw = false;

    function readable(content) {
      try {
        return parse(content);
      } catch {
        return undefined;
      }
    }

    function draw(raw, content) {
      const value = readable(content);
      isRaw = raw || !isObject(value);
      current = isRaw ? json(value === undefined ? content : show.pretty(JSON.stringify(value)), label) : field(schema, value, label);
      turner.textContent = isRaw ? t("As a form") : t("As JSON");
      problem.textContent = "";
      box.replaceChildren(current.element, problem, turner);
    }

    function turn() {
      const content = current.text();
      if (isRaw && !isObject(readable(content))) {
        problem.textContent = t("Invalid JSON: {why}", { why: t("arguments must be an object") });
        return;
      }
      draw(!isRaw, content);
      turner.focus();
    }

    draw(false, text);
    const written = () => {
      const value = readable(current.text()); // in one writing, if it can be read
      return value === undefined ? current.text() : JSON.stringify(value);
    };
    return { element: box, text: written };
  }

  // The parts of a session.

  const { multi, ...KINDS_OF_TASKS } = TYPES; // what only the graph can tell is nothing to choose
  const { first_turn: first, ...LATER } = REFERENCES;

  const label = (text, control) => make("label", { class: "field" }, make("span", { class: "name" }, text), control);
  const choice = (choices, chosen) => make("select", {}, ...Object.entries(choices).map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
  const callOf = (session, { task, call }) => session.tasks[task]?.calls[call];

  class Unreadable extends Error {}

  function read(text) {
    try {
      return parse(text);
    } catch (error) {
      throw new Unreadable(t("Invalid JSON: {why}", { why: error.message }));
    }
  }

  // A part that is one text. of: what stands there; edit: what another text is asked for with.
  const text = (of, edit, name) => ({
    content: (session, place) => ({ text: of(callOf(session, place)) }),
    fields(form, state) {
      const box = words(state.text, { "aria-label": name });
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
      const box = words(state.text, { "aria-label": t("What the user says") });
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
      form = switched(session.schemas[tool.value] ?? {}, content, t("Arguments as JSON"));
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
      const box = words(state.json ? show.pretty(state.text) : state.text, { "aria-label": t("Result"), class: "code" });
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
      const answer = words(state.answer, { "aria-label": t("What the user answers") });
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
