// A session as a person reads it: who said what, the calls with where every value comes from, what is worth a look at
// its place, the tools. Every part is a stop for the keyboard.
"use strict";
(() => {
  const { t, make, button, show, values, graph, names } = toolgauge;
  const { ASK, FINAL } = names;

  // Where values come from: the words and results that they came from are marked, a source in words leads there.
  const ORIGINS = {
    user: t("the user said it"),
    reply: t("the user answered it"),
    agent: t("the assistant said it"),
    result: t("from a result"),
    clock: t("from the date and time"),
    knowledge: t("common knowledge"),
    composed: t("written for the call"),
    default: t("the tool's default"),
  };
  const WIDTH = 100; // characters of JSON on one line
  const LONGEST = 20000; // characters of a text or a result in which places are marked

  const key = ({ part, task, call = null }) => [part, task ?? "", call ?? ""].join("/");
  const partId = (place) => `part-${key(place).replaceAll("/", "-")}`;
  const CLOCK = { part: "session" };

  // The places of a session's sources: which words and which values of results are to be marked.
  class Marks {
    constructor(session) {
      this.session = session;
      this.marked = new Map(); // key of a part -> the words, or paths of a result, that are marked in it
      for (const task of session.tasks) for (const call of task.calls) for (const found of Object.values(call.sources).flat()) for (const spot of this.spots(found ?? {}, task.index)) this.add(spot);
    }

    add({ place, quote, path }) {
      if (!quote && !path) return;
      if (!this.marked.has(key(place))) this.marked.set(key(place), new Set());
      this.marked.get(key(place)).add(quote || path);
    }

    // What was said in a task that has some words: the user's or the assistant's side.
    said(task, quote, who) {
      const { calls, utterance } = this.session.tasks[task];
      const texts = who === "user" ? [["utterance", undefined, utterance], ...calls.map((call) => ["answer", call.index, call.answer])] : calls.map((call) => [call.answer === null ? "reply" : "question", call.index, call.result]);
      const found = texts.find(([, , text]) => typeof text === "string" && text.includes(quote));
      return found ? [{ place: { part: found[0], task, call: found[1] }, quote }] : [];
    }

    // The places of a source of a value of a task: [{place, quote or path}].
    spots({ from, quote, path, task, step }, own) {
      const isKnown = Number.isInteger(task) && this.session.tasks[task];
      if (isKnown && from === "user") return [{ place: { part: "utterance", task }, quote }];
      if (isKnown && from === "reply") return [{ place: { part: "answer", task, call: step }, quote }];
      if (isKnown && from === "result") return [{ place: { part: "result", task, call: step }, path, quote: path ? undefined : quote }];
      if (isKnown && from === "agent" && quote) return this.said(task, quote, "assistant");
      if (from !== "clock") return [];
      for (let at = own; quote && at >= 0; at--) {
        const found = this.said(at, quote, "user");
        if (found.length) return [...found, { place: CLOCK }];
      }
      return [{ place: CLOCK }];
    }

    // A text with its words marked, the first occurrence of each.
    text(value, place) {
      const words = value.length > LONGEST ? [] : [...(this.marked.get(key(place)) ?? [])];
      const found = words.map((quote) => [value.indexOf(quote), quote]).filter(([at]) => at >= 0);
      if (!found.length) return show.block(value);
      found.sort(([one, a], [other, b]) => one - other || b.length - a.length);
      const box = make("div", { class: "text" });
      let at = 0;
      for (const [start, quote] of found) {
        if (start < at) continue;
        box.append(show.text(value.slice(at, start)), make("mark", { "data-mark": quote }, show.text(quote)));
        at = start + quote.length;
      }
      box.append(show.text(value.slice(at)));
      return box;
    }

    // A result or a value, over as few lines as can be read, with the values at its paths marked.
    data(value, place) {
      const whole = JSON.stringify(value ?? null);
      if (whole.length > LONGEST) return show.block(show.pretty(whole), { class: "data code", tabindex: "0" });
      return make("div", { class: "text data code", tabindex: "0" }, ...laidOut(value ?? null, "", this.marked.get(key(place)) ?? new Set(), ""));
    }

    words(value, place) {
      return typeof value === "string" ? this.text(value, place) : this.data(value, place);
    }
  }

  // A value as JSON, on one line where it fits: nodes; what stands at one of the paths (`a.b`, `a[0]`) is marked.
  function laidOut(value, path, paths, indent) {
    const nodes = inner(value, path, paths, indent);
    return paths.has(path) ? [make("mark", { "data-mark": path }, ...nodes)] : nodes;
  }

  function inner(value, path, paths, indent) {
    const whole = JSON.stringify(value);
    if (!values.isNested(value)) return [show.text(whole)];
    const [opening, closing] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
    const entries = Array.isArray(value) ? value.map((one, at) => ["", one, `${path}[${at}]`]) : Object.entries(value).map(([name, one]) => [`${JSON.stringify(name)}: `, one, path ? `${path}.${name}` : name]);
    if (!entries.length) return [opening, closing];
    const isShort = indent.length + whole.length <= WIDTH;
    const deeper = isShort ? indent : `${indent}  `;
    const gap = isShort ? " " : `\n${deeper}`;
    const parts = entries.flatMap(([name, one, at], place) => [place ? `,${gap}` : isShort ? "" : gap, show.text(name), ...laidOut(one, at, paths, deeper)]);
    return [opening, ...parts, isShort ? "" : `\n${indent}`, closing];
  }

  function markOf({ place, quote, path }) {
    const part = document.getElementById(partId(place));
    if (!part) return null;
    const mark = [...part.querySelectorAll("mark")].find((one) => one.dataset.mark === (quote || path));
    return { part, mark: mark ?? (quote || path ? null : part) };
  }

  // Show the places of sources while one points at a value, or no longer.
  const point = (spots, on) => spots.forEach((spot) => markOf(spot)?.mark?.classList.toggle("pointed", on));

  function follow(spots) {
    document.querySelectorAll(".followed").forEach((one) => one.classList.remove("followed"));
    const found = spots.map(markOf).filter(Boolean);
    for (const { part, mark } of found) (mark ?? part).classList.add("followed");
    if (!found.length) return;
    (found[0].mark ?? found[0].part).scrollIntoView({ block: "center" });
    found[0].part.focus({ preventScroll: true });
  }

  // Where one value comes from, in words; following it shows the words it came from.
  function source(one, spots) {
    const said = Object.hasOwn(ORIGINS, one.from) ? ORIGINS[one.from] : String(one.from);
    const isKnown = Number.isInteger(one.task);
    const where = !isKnown ? "" : Number.isInteger(one.step) ? t("task {task}, call {call}", { task: one.task + 1, call: one.step + 1 }) : t("task {task}", { task: one.task + 1 });
    const text = make("span", {}, where ? t("{said}, {where}", { said, where }) : said);
    if (typeof one.quote === "string" && one.quote) text.append(" ", make("q", {}, show.clipped(one.quote, 120)));
    if (typeof one.path === "string" && one.path) text.append(" ", make("code", {}, show.clipped(one.path, 120)));
    for (const more of [one.note, one.reading]) if (typeof more === "string" && more) text.append(" ", show.clipped(more, 200));
    for (const fact of Array.isArray(one.unsaid) ? one.unsaid : []) text.append(" ", make("span", { class: "bad" }, t("not said: {fact}", { fact: String(fact).slice(0, 120) })));
    return make("li", {}, spots.length ? button(text, () => follow(spots), { class: "follow" }) : text);
  }

  const belongs = (path, name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);

  // A row of the table of arguments: pointing at it, or having the focus in it, shows where the value comes from.
  function argument(marks, task, call, name, value) {
    const found = Object.entries(call.sources).filter(([path, all]) => belongs(path, name) && Array.isArray(all)).flatMap(([, all]) => all);
    const spots = found.map((one) => marks.spots(one, task.index));
    const told = found.length ? make("ul", { class: "sources" }, ...found.map((one, at) => source(one, spots[at]))) : make("span", { class: "warn" }, t("no known source"));
    const shown = values.isNested(value) ? marks.data(value, { part: "arguments", task: task.index, call: call.index }) : make("code", {}, show.clipped(JSON.stringify(value), 2000));
    const on = () => point(spots.flat(), true);
    const off = () => point(spots.flat(), false);
    return make("tr", { "data-argument": name, on: { mouseenter: on, mouseleave: off, focusin: on, focusout: off } }, make("th", { scope: "row" }, make("code", {}, show.clipped(name, 120))), make("td", {}, shown), make("td", {}, told));
  }

  function argumentTable(marks, task, call) {
    const rows = Object.entries(call.arguments).map(([name, value]) => argument(marks, task, call, name, value));
    if (!rows.length) return make("p", { class: "muted" }, t("(no arguments)"));
    const head = make("tr", { class: "unseen" }, ...[t("Parameter"), t("Value"), t("Where it comes from")].map((one) => make("th", { scope: "col" }, one)));
    return make("table", { class: "arguments" }, make("thead", {}, head), make("tbody", {}, ...rows));
  }

  // A session as a person reads it, part by part.
  const THOUGHTS = { thought: t("thought"), plan: t("plan") };
  const DEEPEST = 4; // levels of a tool's parameters

  // The part at which something about a place is shown.
  const HOMES = { type: "utterance", reference: "utterance", arguments: "call", dependencies: "call" };
  const home = (place) => ({ ...place, part: HOMES[place.part] ?? place.part ?? "session" });

  function note(one) {
    const about = one.place.path ? make("code", {}, show.clipped(one.place.path, 120)) : HOMES[one.place.part] ? names.PARTS[one.place.part] : null;
    return make("p", { class: "note", "data-source": one.source }, about, about ? ": " : null, show.clipped(one.message, 1000));
  }

  // A part of the dialogue: its label, its content, warnings and what others add to it.
  function part(view, place, who, label, ...content) {
    const warned = view.session.warnings.filter((one) => key(home(one.place)) === key(place)).map(note);
    const words = make("div", { class: "words" }, ...content, ...warned);
    const box = make("div", { class: `line ${who}`, id: partId(place), tabindex: "-1", role: "group", "aria-label": `${label}, ${names.placed(place)}`, "data-part": JSON.stringify(place) }, make("div", { class: "who" }, label), words);
    view.stops.push({ place, box });
    view.decorate?.(place, words);
    return box;
  }

  function thoughts(call) {
    const said = Object.keys(THOUGHTS).filter((name) => call.thoughts[name]);
    if (!said.length) return null;
    return show.fold(t("The planner's reasoning"), () => make("div", { class: "reasoning" }, ...said.map((name) => make("p", {}, make("span", { class: "muted" }, `${THOUGHTS[name]}: `), show.clipped(call.thoughts[name], 4000)))), { class: "thoughts" });
  }

  function callParts(view, task, call) {
    const at = (name) => ({ part: name, task: task.index, call: call.index });
    const said = (name, value) => view.marks.words(value ?? "", at(name));
    if (call.name === FINAL) return [part(view, at("reply"), "assistant", t("Assistant"), said("reply", call.result))];
    if (call.name === ASK) return [part(view, at("question"), "assistant", t("Assistant asks"), said("question", call.result), thoughts(call)), part(view, at("answer"), "user", t("User"), said("answer", call.answer))];
    const head = make("p", { class: "call-head" }, `${call.index + 1} `, make("code", {}, show.clipped(call.name, 200)), " ", make("span", { class: "muted" }, names.needs(call.after)));
    const why = call.thoughts.purpose ? make("p", { class: "leans" }, t("purpose"), ": ", show.clipped(call.thoughts.purpose, 500)) : null;
    return [part(view, at("call"), "call", t("Call"), head, why, argumentTable(view.marks, task, call), thoughts(call)), part(view, at("result"), "tool", t("Result"), said("result", call.result ?? null))];
  }

  // What a message leans on, which says less than it means: what was asked for before, and what was called for that.
  function leaning(view, task) {
    if (!task.index || task.reference === "first_turn") return null;
    const named = task.calls.flatMap((call) => Object.values(call.sources).flat()).map((one) => one?.task).filter((one) => Number.isInteger(one) && one < task.index);
    const before = view.session.tasks[task.verdict?.earlier_task ?? Math.max(...named, -1)] ?? view.session.tasks[task.index - 1];
    const called = [...new Set(before.calls.map((call) => call.name).filter((name) => name !== ASK && name !== FINAL))];
    const there = button(t("task {task}", { task: before.index + 1 }), () => follow([{ place: { part: "utterance", task: before.index } }]), { class: "follow" });
    return make("p", { class: "leans" }, names.REFERENCES[task.reference], " → ", there, " ", make("q", {}, show.clipped(before.utterance, 160)), ...called.flatMap((name) => [" → ", make("code", {}, show.clipped(name, 80))]));
  }

  // The judge's verdict on a task, in short; what it objects to stands at its places.
  function verdict({ verdict: said }) {
    if (!said) return null;
    const facts = [said.reason, said.answer_reason, ...(said.arguments ?? []).map((one) => [one.path, one.ruling, one.reason].filter(Boolean).join(": "))].filter(Boolean);
    return facts.length ? show.fold(t("The judge's verdict"), () => make("ul", { class: "leans" }, ...facts.map((one) => make("li", {}, show.clipped(one, 600)))), { class: "verdict" }) : null;
  }

  const nodePart = (task, call) => ({ part: call.name === FINAL ? "reply" : call.name === ASK ? "question" : "call", task: task.index, call: call.index });
  const nodeName = ({ name }) => ({ [FINAL]: t("closing reply"), [ASK]: t("question") })[name] ?? name;

  // The calls of a task as a drawing, layer by layer; a node leads to its part.
  function drawing(task) {
    const layers = [];
    for (const call of task.calls) layers.push(Math.max(-1, ...call.after.map((before) => layers[before] ?? 0)) + 1);
    const nodes = task.calls.map((call, at) => ({ after: call.after, layer: layers[at] }));
    const drawn = graph.draw(nodes, task.calls.map(nodeName), null, t("Calls of task {number} and what they need", { number: task.index + 1 }));
    if (!drawn) return null;
    drawn.querySelectorAll("[data-node]").forEach((link, at) => {
      const id = partId(nodePart(task, task.calls[at]));
      link.setAttribute("href", `#${id}`);
      link.addEventListener("click", (event) => {
        event.preventDefault(); // the address is the session's
        document.getElementById(id)?.focus({ preventScroll: true });
        document.getElementById(id)?.scrollIntoView({ block: "nearest" });
      });
    });
    return make("div", { class: "scroll drawn", "data-graph": task.index }, drawn);
  }

  function earlier(one) {
    if (!one.earlier.length) return null;
    return show.fold(t("Earlier turns ({count})", { count: one.earlier.length }), () => make("div", {}, ...one.earlier.map(([who, said]) => make("div", { class: "line" }, make("div", { class: "who" }, show.clipped(who, 40)), make("div", { class: "words" }, show.block(said))))), { class: "earlier" });
  }

  function task(view, one) {
    const badge = (words, meaning, more = "") => [" ", make("span", { class: `badge ${more}`, title: meaning }, words)];
    const reference = one.index ? badge(names.REFERENCES[one.reference], names.MEANINGS[one.reference]) : [];
    const approved = one.approved ? badge(t("approved"), null, "status approved") : [];
    const head = make("h2", {}, t("Task {number}", { number: one.index + 1 }), ...badge(names.TYPES[one.type], names.MEANINGS[one.type]), ...reference, ...approved);
    const place = { part: "utterance", task: one.index };
    return make(
      "section",
      { class: "task", id: `task-${one.index}` },
      make("div", { class: "task-head" }, head, ...(view.heading?.(one) ?? [])),
      earlier(one),
      part(view, place, "user", t("User"), view.marks.text(one.utterance, place), leaning(view, one)),
      ...one.calls.flatMap((call) => callParts(view, one, call)),
      verdict(one),
      drawing(one),
    );
  }

  // The whole dialogue. decorate(place, element): adds what others have to say about a part (comments, forms);
  // heading(task): elements beside a task's heading. Returns {element, stops}: stops are the parts in order, {place, box}.
  function read(session, decorate, heading) {
    const view = { session, marks: new Marks(session), stops: [], decorate, heading };
    const clock = part(view, CLOCK, "clock", t("Date and time"), show.block(session.clock));
    const tasks = session.tasks.map((one) => task(view, one));
    const here = new Set(view.stops.map(({ place }) => key(place)));
    const loose = session.warnings.filter((one) => !here.has(key(home(one.place)))).map(note);
    const element = make("div", { class: "dialogue", lang: session.language === "zh" ? "zh-Hans" : "en" }, ...loose, clock, ...tasks);
    return { element, stops: view.stops };
  }

  // What goes with the focus: the node of the part in the drawing, the tool of the call.
  function attend(session, box, follow) {
    for (const node of document.querySelectorAll("svg.graph .node.current")) node.classList.remove("current");
    const { task: at, call } = JSON.parse(box.dataset.part);
    if (call === undefined) return;
    document.querySelector(`[data-graph="${at}"] [data-node="${call}"]`)?.classList.add("current");
    follow(session.tasks[at]?.calls[call]?.name);
  }

  const typeOf = (schema) => {
    const kinds = (one) => [one?.type].flat().filter((kind) => typeof kind === "string").join(" | ");
    return kinds(schema.items) ? `${kinds(schema)} [${kinds(schema.items)}]` : kinds(schema);
  };

  // The parameters of a schema, those inside of others with their path: [path, schema, is required] each.
  function* parameters(schema, path = "", depth = 0) {
    const required = Array.isArray(schema?.required) ? schema.required : [];
    for (const [name, one] of Object.entries(schema?.properties ?? {})) {
      if (!one || typeof one !== "object") continue;
      const at = path ? `${path}.${name}` : name;
      yield [at, one, required.includes(name)];
      if (depth < DEEPEST) yield* parameters(one.items && !Array.isArray(one.items) ? one.items : one, one.items ? `${at}[]` : at, depth + 1);
    }
  }

  function parameter([path, schema, isRequired]) {
    const values = Array.isArray(schema.enum) ? schema.enum.map((one) => JSON.stringify(one)).join(", ") : "";
    const facts = [typeOf(schema), isRequired ? t("required") : "", schema.default === undefined ? "" : t("default {value}", { value: JSON.stringify(schema.default).slice(0, 80) })].filter(Boolean);
    return [
      make("dt", {}, make("code", {}, show.clipped(path, 120)), " ", make("span", { class: "muted" }, show.clipped(facts.join(", "), 200))),
      make("dd", {}, typeof schema.description === "string" ? show.clipped(schema.description, 600) : null, values ? make("div", { class: "muted" }, t("one of:"), " ", make("code", {}, show.clipped(values, 400))) : null),
    ];
  }

  function definition(tool) {
    const found = [...parameters(tool.parameters)].slice(0, 200);
    const schema = () => show.block(show.pretty(JSON.stringify(tool.parameters ?? {})), { class: "data code", tabindex: "0" });
    return make("div", { class: "tool" }, typeof tool.description === "string" ? show.block(tool.description) : null, found.length ? make("dl", {}, ...found.flatMap(parameter)) : make("p", { class: "muted" }, t("(no parameters)")), show.fold(t("as JSON Schema"), schema));
  }

  // The tools: folded under the dialogue, and beside it the one of the call in focus.
  function tools(session) {
    const title = t("Tools ({count})", { count: session.tools.length });
    const list = show.fold(title, () => make("div", { class: "tools" }, ...session.tools.map((tool) => show.fold(show.clipped(String(tool.name), 200), () => definition(tool)))), { id: "tools" });
    const shown = make("div");
    const follow = (name) => {
      const tool = session.tools.find((one) => one.name === name);
      if (tool) shown.replaceChildren(make("h2", {}, make("code", {}, show.clipped(name, 200))), definition(tool));
    };
    const all = session.tools.map((tool) => make("li", {}, button(make("code", {}, show.clipped(String(tool.name), 200)), () => follow(tool.name), { class: "follow" })));
    const panel = make("aside", { class: "beside", "aria-label": t("Tool of the call") }, shown, make("h2", {}, title), make("ul", {}, ...all));
    return { list, panel, follow };
  }

  Object.assign(toolgauge, { dialogue: { read, attend, home, key, partId, nodeName, tools } });
})();
