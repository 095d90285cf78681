// Forms for JSON values, made from their schema: a field for what is written simply, JSON for everything else. A field is
// {element, text}: text() is the JSON that stands in it, as it was typed, whether it can be read or not.
"use strict";
(() => {
  const { t, make, button, show, values } = toolgauge;
  const { parse, isNumber, isObject } = values;
  const DEEPEST = 5;
  const MOST_ITEMS = 40;
  const CONTROLS = "input, select, textarea";
  let made = 0;

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

  function choice(text, options, label) {
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
    if (Array.isArray(known.enum) && known.enum.length) return choice(text, known.enum.map((one) => JSON.stringify(one)), label);
    if (typeof value === "string" && (kinds.includes("string") || !known.type)) return string(value, label);
    if (typeof value === "boolean" && kinds.includes("boolean")) return choice(text, ["true", "false"], label);
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

  Object.assign(toolgauge, { fields: { words, switched } });
})();
