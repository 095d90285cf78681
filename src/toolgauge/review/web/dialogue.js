// A session as a person reads it: who said what, the calls with where every value comes from, what is worth a look at
// its place. Every part is a stop for the keyboard.
"use strict";
(() => {
  const { t, make, show, graph } = toolgauge;
  const ASK = "ask_user_for_required_parameters";
  const FINAL = "prepare_to_answer";
  const TYPES = {
    single_tool: t("one call"),
    parallel_tools: t("calls beside each other"),
    sequential_tools: t("calls one after the other"),
    mixed_tools: t("calls beside and after each other"),
    clarify: t("the assistant asks back"),
    chat: t("no call"),
  };
  const REFERENCES = {
    first_turn: t("first task"),
    coreference: t("points back"),
    partial_information: t("leaves out what was said"),
    long_range: t("reaches far back"),
  };
  const ORIGINS = {
    user: t("the user said it"),
    reply: t("the user answered it"),
    agent: t("the assistant said it"),
    result: t("stands in a result"),
    clock: t("follows from the time"),
    knowledge: t("common knowledge"),
    composed: t("written for the call"),
    default: t("the tool's default"),
  };

  const key = ({ part, task, call = null, path = "" }) => [part, task ?? "", call ?? "", path].join("/");
  const partId = (place) => `part-${key({ ...place, path: "" }).replaceAll("/", "-")}`;

  // Texts in which quotes of sources stand, so that a value can be followed to where it was said.
  class Quotes {
    constructor(session) {
      this.found = new Map(); // key of the part -> [quote]
      for (const task of session.tasks) for (const call of task.calls) for (const sources of Object.values(call.sources)) for (const one of sources) this.add(one, session);
    }

    static place({ from, task, step }) {
      if (from === "user") return { part: "utterance", task };
      if (from === "reply") return { part: "answer", task, call: step };
      if (from === "result") return { part: "result", task, call: step };
      return null;
    }

    add(source) {
      const place = Quotes.place(source);
      if (!place || !source.quote) return;
      const quotes = this.found.get(key(place)) ?? new Set();
      this.found.set(key(place), quotes.add(source.quote));
    }

    // The text with its quotes marked; the first occurrence of each.
    marked(value, place) {
      const spots = [...(this.found.get(key(place)) ?? [])].map((quote) => [value.indexOf(quote), quote]).filter(([at]) => at >= 0);
      spots.sort(([one], [other]) => one - other);
      const box = make("div", { class: "text" });
      let at = 0;
      for (const [start, quote] of spots) {
        if (start < at) continue;
        box.append(show.text(value.slice(at, start)), make("mark", { "data-quote": quote }, show.text(quote)));
        at = start + quote.length;
      }
      box.append(show.text(value.slice(at)));
      return box;
    }
  }

  const data = (value) => show.block(show.pretty(JSON.stringify(value ?? null)), { class: "data code" });
  const words = (value, quotes, place) => (typeof value === "string" && value.length < 4000 ? quotes.marked(value, place) : typeof value === "string" ? show.block(value) : data(value));

  // Where one value comes from, in words; following it shows the words it came from.
  function source(one) {
    const said = ORIGINS[one.from] ?? one.from;
    const where = one.task === undefined ? "" : one.step === undefined ? t("task {task}", { task: one.task + 1 }) : t("task {task}, call {call}", { task: one.task + 1, call: one.step + 1 });
    const text = make("span", {}, [said, where].filter(Boolean).join(", "));
    if (one.quote) text.append(" ", make("q", {}, show.clipped(one.quote, 120)));
    if (one.path) text.append(" ", make("code", {}, show.clipped(one.path, 120)));
    if (one.note) text.append(" ", show.clipped(one.note, 200));
    for (const fact of one.unsaid ?? []) text.append(" ", make("span", { class: "bad" }, t("nobody said: {fact}", { fact })));
    const place = Quotes.place(one);
    if (!place) return make("li", {}, text);
    const button = make("button", { type: "button", class: "follow", on: { click: () => follow(place, one.quote) } }, text);
    return make("li", {}, button);
  }

  function follow(place, quote) {
    const part = document.getElementById(partId(place));
    if (!part) return;
    document.querySelectorAll(".followed").forEach((one) => one.classList.remove("followed"));
    const mark = [...part.querySelectorAll("mark")].find((one) => one.dataset.quote === quote) ?? part;
    mark.classList.add("followed");
    part.scrollIntoView({ block: "nearest" });
    part.focus({ preventScroll: true });
  }

  function argumentsOf(call) {
    const rows = Object.entries(call.arguments).map(([name, value]) => {
      const sources = Object.entries(call.sources).filter(([path]) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
      const from = sources.flatMap(([, found]) => found);
      const told = from.length ? make("ul", { class: "sources" }, ...from.map(source)) : make("span", { class: "warn" }, t("no source is known"));
      const shown = typeof value === "object" && value !== null ? data(value) : make("code", {}, show.clipped(JSON.stringify(value), 2000));
      return make("tr", {}, make("th", { scope: "row" }, make("code", {}, show.clipped(name, 120))), make("td", {}, shown), make("td", {}, told));
    });
    if (!rows.length) return make("p", { class: "muted" }, t("(no arguments)"));
    const head = make("tr", { class: "unseen" }, ...[t("Parameter"), t("Value"), t("Where it comes from")].map((one) => make("th", { scope: "col" }, one)));
    return make("table", { class: "arguments" }, make("thead", {}, head), make("tbody", {}, ...rows));
  }

  // A part of the dialogue: its label, its content, warnings and comments that concern it.
  function part(view, place, who, label, ...content) {
    const found = view.session.warnings.filter((one) => key({ ...one.place, path: "" }) === key({ ...place, path: "" }));
    const warned = found.map((one) => make("p", { class: "note" }, show.clipped(one.message, 1000)));
    const box = make("div", { class: `line ${who}`, id: partId(place), tabindex: "-1", "data-part": JSON.stringify(place) }, make("div", { class: "who" }, label), make("div", { class: "words" }, ...content, ...warned));
    view.stops.push({ place, box });
    view.decorate?.(place, box.lastElementChild);
    return box;
  }

  function callParts(view, task, call) {
    const at = (name) => ({ part: name, task: task.index, call: call.index });
    const said = (name, value) => words(value, view.quotes, at(name));
    if (call.name === FINAL) return [part(view, at("reply"), "assistant", t("Assistant"), said("reply", call.result))];
    if (call.name === ASK) return [part(view, at("question"), "assistant", t("Assistant asks"), said("question", call.result)), part(view, at("answer"), "user", t("User"), said("answer", call.answer ?? ""))];
    const needs = call.after.length ? t("needs call {calls}", { calls: call.after.map((one) => one + 1).join(", ") }) : t("needs no other call");
    const head = make("p", { class: "call-head" }, `${call.index + 1} `, make("code", {}, show.clipped(call.name, 200)), " ", make("span", { class: "muted" }, needs));
    return [part(view, at("call"), "call", t("Call"), head, argumentsOf(call)), part(view, at("result"), "tool", t("Result"), words(call.result, view.quotes, at("result")))];
  }

  // The nodes of a task, layer by layer, as the drawing wants them.
  function drawing(task) {
    const layers = [];
    const nodes = task.calls.map((call) => {
      const layer = call.after.length ? Math.max(...call.after.map((before) => layers[before] ?? 0)) + 1 : 0;
      layers.push(layer);
      return { after: call.after, layer };
    });
    const names = task.calls.map((call) => (call.name === FINAL ? t("closing reply") : call.name === ASK ? t("question") : call.name));
    return graph.draw(nodes, names, null, t("Calls of task {number} and what they need", { number: task.index + 1 }));
  }

  function task(view, one) {
    const badges = [TYPES[one.type], one.index ? REFERENCES[one.reference] : null, one.approved ? t("approved") : null];
    const head = make("h2", {}, t("Task {number}", { number: one.index + 1 }), ...badges.filter(Boolean).flatMap((text) => [" ", make("span", { class: "badge" }, text)]));
    const place = { part: "utterance", task: one.index };
    const typed = view.session.warnings.filter((warned) => warned.place.task === one.index && ["type", "reference"].includes(warned.place.part));
    const drawn = drawing(one);
    return make(
      "section",
      { class: "task", id: `task-${one.index}` },
      head,
      ...typed.map((warned) => make("p", { class: "note" }, show.clipped(warned.message, 1000))),
      part(view, place, "user", t("User"), view.quotes.marked(one.utterance, place)),
      ...one.calls.flatMap((call) => callParts(view, one, call)),
      drawn ? make("div", { class: "scroll", "data-graph": one.index }, drawn) : null,
    );
  }

  function tool(one) {
    return show.fold(show.clipped(one.name, 200), () => make("div", {}, one.description ? show.block(one.description) : null, show.block(show.pretty(JSON.stringify(one.parameters ?? {})), { class: "data code" })));
  }

  // The whole dialogue. decorate(place, element): adds what others have to say about a part (comments, forms).
  // Returns {element, stops}: stops are the parts in order, {place, box} each.
  function read(session, decorate) {
    const view = { session, quotes: new Quotes(session), stops: [], decorate };
    const loose = session.warnings.filter((one) => one.place.task === undefined || one.place.task === null);
    const element = make(
      "div",
      { class: "dialogue", lang: session.language === "zh" ? "zh-Hans" : "en" },
      ...loose.map((one) => make("p", { class: "note" }, show.clipped(one.message, 1000))),
      make("p", { class: "muted" }, show.clipped(session.clock, 200)),
      ...session.tasks.map((one) => task(view, one)),
      show.fold(t("Tools ({count})", { count: session.tools.length }), () => make("div", { class: "tools" }, ...session.tools.map(tool)), { id: "tools" }),
    );
    return { element, stops: view.stops };
  }

  Object.assign(toolgauge, { dialogue: { read, key, partId, TYPES, REFERENCES, ASK, FINAL } });
})();
