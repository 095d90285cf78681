// Calls beside the annotated ones, argument by argument; answers and end states likewise.
"use strict";
(() => {
  const { t, ngettext, pt, make, show, graph, cause, because, briefly } = toolgauge;
  const SIGNS = { same: "=", different: "≠", missing: "−", extra: "+" };
  const DIFFERENCES = { same: t("the same"), different: t("different"), missing: pt("difference", "missing"), extra: t("extra") };
  const MANY = 12; // rows that are shown with the equal ones among them

  // A path that may be broken between its parts.
  function broken(path) {
    return path.slice(0, 200).split(/(?<=[._])|(?=\[)/).flatMap((part, place) => (place ? [make("wbr"), show.text(part)] : [show.text(part)]));
  }

  // Where an expected value is said, earlier in the session. earlier: the annotation's list, for one call.
  function sources(earlier, path) {
    const found = earlier.filter((one) => one.path === path || one.path.startsWith(`${path}.`) || one.path.startsWith(`${path}[`));
    return found.map((one) => make("small", { class: "from muted" }, show.clipped(t("task {number}: “{quote}”", { number: one.task + 1, quote: one.quote }), 120)));
  }

  function row(one, wrong, earlier) {
    const fault = wrong.find((other) => other.path === one.path) ?? wrong.find((other) => other.path && (one.path.startsWith(`${other.path}.`) || one.path.startsWith(`${other.path}[`)));
    const head = make("th", { scope: "row" }, make("code", {}, ...broken(one.path || t("(whole)"))));
    const sign = make("td", { class: "sign", title: DIFFERENCES[one.state] }, make("span", { "aria-hidden": "true" }, SIGNS[one.state]), make("span", { class: "unseen" }, DIFFERENCES[one.state]));
    const why = fault ? make("small", { class: "fault" }, briefly(fault.why)) : one.state !== "same" ? make("small", { class: "muted" }, t("accepted by the rule")) : null;
    const cells = one.state === "same"
      ? [make("td", { colspan: 2, class: "muted" }, show.value(one.expected))]
      : [make("td", {}, one.actual === undefined ? make("span", { class: "muted" }, pt("value", "nothing")) : show.value(one.actual, one.expected), why), make("td", {}, one.expected === undefined ? make("span", { class: "muted" }, pt("value", "nothing")) : show.value(one.expected, one.actual), ...sources(earlier, one.path))];
    return make("tr", { class: `${one.state}${fault ? " decisive" : ""}` }, head, sign, ...cells);
  }

  function table(rows, wrong, { language, earlier = [] }) {
    const body = make("tbody", { lang: language }, ...rows.map((one) => row(one, wrong, earlier)));
    const head = make("tr", {}, make("th", { scope: "col" }, t("Argument")), make("td"), make("th", { scope: "col" }, t("Actual")), make("th", { scope: "col" }, t("Expected")));
    return make("table", { class: "diff" }, make("thead", {}, head), body);
  }

  // rows: of all arguments; wrong: those that the rule finds wrong. What is wrong comes first; many equal ones are folded.
  function rows(all, wrong, options) {
    const isWrong = (one) => wrong.some((other) => other.path === one.path);
    const order = (one) => (isWrong(one) ? 0 : one.state !== "same" ? 1 : 2);
    const sorted = [...all].sort((one, other) => order(one) - order(other));
    const telling = sorted.filter((one) => one.state !== "same");
    if (all.length <= MANY || !telling.length) return table(sorted, wrong, options);
    const rest = show.fold(ngettext("{count} equal one", "{count} equal ones", all.length - telling.length), () => table(all.filter((one) => one.state === "same"), [], options));
    return make("div", {}, table(telling, wrong, options), rest);
  }

  // Arguments as they were given, an argument a line. text: JSON.
  function values(text, language, earlier = []) {
    const found = show.members(text);
    return found ? listed(found, language, earlier) : show.block(show.pretty(text), { class: "code", lang: language });
  }

  // [name, JSON text of the value] each.
  function listed(found, language, earlier = []) {
    if (!found.length) return make("p", { class: "muted" }, t("without arguments"));
    return make("dl", { class: "args", lang: language }, ...found.flatMap(([key, value]) => [make("dt", {}, make("code", {}, ...broken(key))), make("dd", {}, value.length > 1500 ? show.block(value) : show.value(value), ...sources(earlier, key))]));
  }

  function card(kind, name, mark, ...content) {
    return make("div", { class: `call ${kind}` }, make("p", { class: "call-head" }, name, " ", mark), ...content.filter(Boolean));
  }

  const state = (name, words = "") => make("span", { class: `mark ${name}` }, `${graph.marks[name] ?? "+"} ${words || graph.states[name]}`);

  // An annotated call that was not made.
  function due(node, place, data) {
    const earlier = (data.annotation.earlier ?? []).filter((one) => one.call === place);
    const said = typeof node.observation === "string" ? node.observation : "";
    const content = node.arguments === undefined ? (said ? show.block(said, { lang: data.language, class: "quiet" }) : null) : values(node.arguments, data.language, earlier);
    return card("due", cause.called(node.name), state("open", t("expected")), content);
  }

  const argumentsOf = ({ arguments: given }) => (given === null || given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given));

  // A call of the run. made: how it stands to the annotated ones (none: nothing is known).
  function call(one, made, data) {
    const name = make("code", {}, show.clipped(one.name ?? t("(no name)"), 300));
    const text = argumentsOf(one);
    const plain = () => (text ? values(text, data.language) : make("p", { class: "muted" }, t("without arguments")));
    if (!made) return card("plain", name, "", plain());
    if (made.node === undefined) return card("wrong", name, make("span", { class: "mark failed" }, `+ ${graph.states.extra}`), plain());
    const standing = made.early ? "early" : made.wrong ? "wrong" : "right";
    const earlier = (data.annotation?.earlier ?? []).filter((other) => other.call === made.node);
    const differs = made.rows?.some((row) => row.state !== "same");
    return card(standing, name, state(standing), differs || made.wrong ? rows(made.rows ?? [], made.wrong ?? [], { language: data.language, earlier }) : plain());
  }

  // A call of the history, in one line.
  function inline(one, language) {
    const text = argumentsOf(one);
    const found = show.members(text);
    const inside = found ? found.map(([key, value]) => `${key}: ${value}`).join(", ") : text;
    return make("p", { class: "inline-call", lang: language }, make("code", {}, make("b", {}, show.clipped(one.name ?? t("(no name)"), 200)), "(", show.clipped(inside, 600), ")"));
  }

  // An expected call or answer and what was made of it (ACEBench, simple benchmarks).
  function pair(one, data) {
    const options = { language: data.language };
    const name = (text) => (data.config.kind === "simple" ? t("Answer") : make("code", {}, show.clipped(text, 200)));
    if (one.made === undefined) return card("due", name(one.expected), state("open", t("expected")), listed((one.rows ?? []).map((row) => [row.path, row.expected]), data.language));
    if (one.expected === undefined) return card("wrong", name(one.made), make("span", { class: "mark failed" }, `+ ${graph.states.extra}`), listed((one.rows ?? []).map((row) => [row.path, row.actual]), data.language));
    const wrong = one.wrong ?? (one.fault ? (one.rows ?? []).filter((row) => row.state !== "same").map((row) => ({ path: row.path, why: { detail: "" } })) : []);
    const bad = wrong.length || one.fault;
    const same = (one.rows ?? []).every((row) => row.state === "same");
    const content = same ? listed((one.rows ?? []).map((row) => [row.path, row.actual]), data.language) : rows(one.rows, wrong, options);
    return card(bad ? "wrong" : "right", name(one.made), state(bad ? "wrong" : "right"), content, one.fault ? make("p", { class: "fault" }, show.clipped(because(one.fault), 1200)) : null);
  }

  // The end state of an agent's world: what differs, and the rest folded.
  function endState(found, isRight, language) {
    const differing = found.filter((one) => one.state !== "same");
    const wrong = isRight ? [] : differing.map((one) => ({ path: one.path, why: { detail: "" } }));
    const same = found.length - differing.length;
    const head = make("h3", {}, t("State at the end"));
    if (!differing.length) return make("div", {}, head, make("p", {}, ngettext("As expected, in its only value.", "As expected, in all of {count} values.", found.length)));
    const note = isRight ? make("p", { class: "muted" }, t("What differs here does not decide: by this scoring the end state is right.")) : null;
    const rest = same ? show.fold(ngettext("{count} equal one", "{count} equal ones", same), () => table(found.filter((one) => one.state === "same"), [], { language })) : null;
    return make("div", {}, head, note, table(differing, wrong, { language }), rest);
  }

  Object.assign(toolgauge, { compare: { call, inline, due, pair, endState, values } });
})();
