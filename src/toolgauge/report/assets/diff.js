// Expected against actual: the annotated calls with what was made of them, ACEBench's answers, agents' states.
"use strict";
(() => {
  const { t, pt, make, show, graph, because, briefly } = toolgauge;
  const SIGNS = { same: "=", different: "≠", missing: "−", extra: "+" };
  const DIFFERENCES = { same: t("the same"), different: t("different"), missing: pt("difference", "missing"), extra: t("extra") };
  const MANY = 12;

  const nameOf = (node) => (node.name === "ask_user_for_required_parameters" ? t("ask the user back") : node.name === "prepare_to_answer" ? t("final reply") : node.name);
  const isTool = (node) => node.arguments !== undefined;

  // The lengths of the beginning and the end that two texts share, whole words of them.
  function shared(one, other) {
    const most = Math.min(one.length, other.length);
    let start = 0;
    while (start < most && one[start] === other[start]) start++;
    let end = 0;
    while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
    const inWord = (text, at) => /[A-Za-z0-9]/.test(text[at] ?? "") && /[A-Za-z0-9]/.test(text[at - 1] ?? "");
    while (start > 0 && (inWord(one, start) || inWord(other, start))) start--;
    while (end > 0 && (inWord(one, one.length - end) || inWord(other, other.length - end))) end--;
    return [start, end];
  }

  // A value, and what of it is not in the other one marked.
  function value(text, other) {
    const code = make("code");
    if (other === undefined || other === text || text.length > 2000) code.append(show.clipped(text, 1500));
    else {
      const [start, end] = shared(text, other);
      const middle = text.slice(start, text.length - end);
      if (start + end < 3 || !middle) code.append(show.text(text));
      else code.append(show.text(text.slice(0, start)), make("mark", {}, show.text(middle)), show.text(text.slice(text.length - end)));
    }
    return code;
  }

  // A path that may be broken between its parts.
  function broken(path) {
    return path.slice(0, 200).split(/(?<=[._])|(?=\[)/).flatMap((part, place) => (place ? [make("wbr"), show.text(part)] : [show.text(part)]));
  }

  const within = (path, whole) => path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);

  function row(one, wrong) {
    const decisive = one.state !== "same" && wrong.some(({ path }) => path && within(one.path, path));
    const head = make("th", { scope: "row" }, ...broken(one.path || t("all arguments")));
    const sign = make("td", { class: "sign", title: DIFFERENCES[one.state] }, make("span", { "aria-hidden": "true" }, SIGNS[one.state]), make("span", { class: "unseen" }, DIFFERENCES[one.state]));
    const cells = one.state === "same"
      ? [make("td", { colspan: 2 }, value(one.expected))]
      : [one.expected === undefined ? make("td", { class: "nothing" }, "–") : make("td", {}, value(one.expected, one.actual)), one.actual === undefined ? make("td", { class: "nothing" }, "–") : make("td", {}, value(one.actual, one.expected))];
    return make("tr", { class: `${one.state}${decisive ? " decisive" : ""}` }, head, sign, ...cells);
  }

  function table(rows, wrong, language) {
    const body = make("tbody", { lang: language }, ...rows.map((one) => row(one, wrong)));
    const head = make("tr", {}, make("th", { scope: "col" }, t("Argument")), make("th", { scope: "col" }, ""), make("th", { scope: "col" }, t("Expected")), make("th", { scope: "col" }, t("Actual")));
    return make("div", { class: "scroll" }, make("table", { class: "diff" }, make("thead", {}, head), body));
  }

  // wrong: the arguments that the rule finds wrong.
  function diff(rows, wrong, language) {
    if (!rows?.length) return make("p", { class: "muted" }, t("No arguments on either side."));
    if (rows.length <= MANY) return table(rows, wrong, language);
    const telling = rows.filter((one) => one.state !== "same");
    if (telling.length === rows.length || !telling.length) return table(rows, wrong, language);
    const rest = show.fold(t("{count} equal ones", { count: rows.length - telling.length }), () => table(rows.filter((one) => one.state === "same"), [], language));
    return make("div", {}, table(telling, wrong, language), rest);
  }

  function state(name) {
    return make("span", { class: `mark ${name}` }, `${graph.marks[name]} ${graph.states[name]}`);
  }

  function wrongLines(wrong) {
    const nothing = pt("value", "nothing");
    const lines = wrong.map((one) => t("{path}: {made}, expected {expected}: {why}", { path: one.path || one.tool, made: one.made ?? nothing, expected: one.expected ?? nothing, why: briefly(one.why) }));
    return make("ul", { class: "fault" }, ...lines.map((line) => make("li", {}, show.clipped(line, 1200))));
  }

  // One annotated call: what it is, how it stands, its arguments against those that were made.
  function nodeCard(node, place, comparison, data) {
    const made = comparison?.made.find((one) => one.node === place);
    const after = node.after?.length ? t("after {calls}", { calls: node.after.map((one) => one + 1).join(", ") }) : "";
    const head = make("h3", {}, make("span", { class: "number" }, String(place + 1)), " ", show.clipped(nameOf(node), 200), " ", comparison ? state(comparison.states[place]) : null);
    const meta = [after, made ? t("made in step {step}", { step: made.step + 1 }) : ""].filter(Boolean).join(" · ");
    const card = make("div", { class: "node-card", id: `node-${place}` }, head, meta ? make("p", { class: "muted meta" }, meta) : null);
    if (isTool(node)) {
      if (made) card.append(diff(made.rows, made.wrong ?? [], data.language));
      else card.append(make("pre", { lang: data.language }, show.text(show.pretty(node.arguments))));
      if (made?.wrong) card.append(wrongLines(made.wrong));
      else if (made?.rows?.some((one) => one.state !== "same")) card.append(make("p", { class: "muted" }, t("Not letter for letter the same, but the benchmark's rule accepts it.")));
      if (node.sources) card.append(show.fold(t("Where the values come from"), () => make("pre", {}, show.text(show.pretty(node.sources)))));
      if (node.observation) card.append(show.fold(t("Result as annotated"), () => show.block(show.pretty(node.observation), { class: "data", lang: data.language })));
    } else {
      if (node.observation) card.append(show.fold(node.user_input === undefined ? t("Reply as annotated") : t("Question as annotated"), () => show.block(node.observation, { lang: data.language }), { open: node.observation.length < 400 }));
      if (node.user_input) card.append(make("p", { class: "meta muted" }, t("then the user says")), show.block(node.user_input, { lang: data.language }));
    }
    if (node.annotations) card.append(show.fold(t("What else is annotated"), () => make("pre", {}, show.text(show.pretty(node.annotations)))));
    return card;
  }

  function extras(comparison, data) {
    const spare = comparison.made.filter((one) => one.node === undefined && one.call !== undefined);
    if (!spare.length) return null;
    const items = spare.map((one) => {
      const call = data.task.turns[one.step]?.reply.tool_calls?.[one.call];
      const args = typeof call?.arguments === "string" ? call.arguments : JSON.stringify(call?.arguments ?? null);
      return make("div", { class: "node-card extra" }, make("h3", {}, show.clipped(one.name ?? "", 200), " ", make("span", { class: "mark failed" }, `+ ${graph.states.extra}`)), make("p", { class: "muted meta" }, t("made in step {step}", { step: one.step + 1 })), make("pre", {}, show.clipped(show.pretty(args), 3000)));
    });
    return make("div", { id: "extra-calls" }, make("h3", {}, t("Called, but not expected")), ...items);
  }

  // The panel of a graph benchmark's task; data: {task, annotation, language}.
  function graphPanel(data) {
    const { task, annotation } = data;
    const drawing = graph.draw(annotation.nodes, annotation.nodes.map(nameOf), task.comparison?.states, t("Annotated calls and what they depend on"));
    document.getElementById("graph").replaceChildren(...(drawing ? [make("h2", {}, t("Annotated calls and what they depend on")), make("div", { class: "scroll", tabindex: "0" }, drawing)] : []));
    const cards = annotation.nodes.map((node, place) => nodeCard(node, place, task.comparison, data));
    return make("div", {}, ...cards, task.comparison ? extras(task.comparison, data) : null);
  }

  function pair(one, data) {
    const kind = one.made === undefined ? "missing" : one.expected === undefined ? "extra" : one.wrong || one.fault ? "wrong" : "right";
    const marks = { missing: "−", extra: "+", wrong: "✗", right: "✓" };
    const word = { missing: graph.states.open, extra: graph.states.extra, wrong: graph.states.wrong, right: graph.states.right }[kind];
    return make("div", { class: `node-card ${kind}` }, make("h3", {}, show.clipped(one.expected ?? one.made, 200), " ", make("span", { class: `mark ${kind === "right" ? "right" : "failed"}` }, `${marks[kind]} ${word}`)), diff(one.rows, one.wrong ?? [], data.language), one.wrong ? wrongLines(one.wrong) : one.fault ? make("p", { class: "fault" }, show.clipped(because(one.fault), 1200)) : null);
  }

  function list(texts, language, id) {
    return make("ol", { class: "texts", lang: language, id }, ...texts.map((text) => make("li", {}, make("code", {}, show.clipped(text, 3000)))));
  }

  function agentPanel(data, box) {
    const { task, annotation, language, verdict } = data;
    const state = task.comparison?.state;
    if (state) box.append(make("h3", {}, t("State at the end: expected and actual")), diff(state, [], language));
    if (verdict?.label === "correct" && state?.some((one) => one.state !== "same")) box.append(make("p", { class: "muted" }, t("What differs here does not decide: by the reading chosen above the end state is right.")));
    const process = task.comparison?.process ?? [];
    const columns = make("div", { class: "columns" });
    annotation.milestones?.forEach((one, place) => columns.append(make("div", {}, make("h3", {}, annotation.milestones.length > 1 ? t("Milestones, way {number}", { number: place + 1 }) : t("Milestones")), list(one, language, `milestones-${place}`))));
    columns.append(make("div", {}, make("h3", {}, t("What was carried out")), process.length ? list(process, language, "process") : make("p", { class: "muted" }, t("(nothing)"))));
    box.append(columns);
    if (annotation.start) box.append(show.fold(t("State at the start"), () => make("pre", {}, show.text(show.pretty(annotation.start)))));
  }

  // The panel of a task with expected answers: an entry of ACEBench, or a question of a simple benchmark.
  function acePanel(data) {
    const { task, annotation } = data;
    const box = make("div");
    if (annotation.kind === "agent") agentPanel(data, box);
    const compared = task.comparison;
    if (compared?.unreadable) box.append(make("p", { class: "fault" }, t("No calls can be read from this reply: {why}", { why: because(compared.unreadable) })));
    if (compared?.pairs?.length) box.append(...compared.pairs.map((one) => pair(one, data)));
    const answers = annotation.answers ?? [];
    if (annotation.kind !== "agent" && answers.length) {
      const whole = answers.map((text) => make("pre", { lang: data.language }, show.text(show.pretty(text))));
      const heading = annotation.kind === "special" ? t("What the reply has to name") : answers.length > 1 ? t("{count} accepted answers; compared is number {compared}", { count: answers.length, compared: (compared?.answer ?? 0) + 1 }) : t("The accepted answer as the data have it");
      box.append(show.fold(heading, () => make("div", { class: "answers" }, ...whole), { open: !compared?.pairs?.length }));
    }
    return box;
  }

  Object.assign(toolgauge, { panel: { graph: graphPanel, acebench: acePanel, simple: acePanel }, nodeName: nameOf });
})();
