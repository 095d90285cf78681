// Where values come from: the words and results that they came from are marked, a source in words leads there.
"use strict";
(() => {
  const { t, make, button, show, values } = toolgauge;
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

  Object.assign(toolgauge, { sources: { Marks, key, partId, follow, argumentTable, CLOCK } });
})();
