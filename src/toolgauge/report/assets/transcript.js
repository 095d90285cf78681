// The dialogue of a task as a person reads it: what earlier turns it leans on, what the user said, step by step what the
// model did, and beside each wrong call the expected one.
"use strict";
(() => {
  const { t, ngettext, make, show, compare, cause, mark } = toolgauge;
  const MOST_QUOTED = 20000; // characters of a text in which words are marked
  const SHORT = 600; // characters of a result that stands open
  const ROLES = { system: t("System"), user: t("User"), assistant: t("Assistant"), tool: t("Tool") };
  const CUT_OFF = ["length", "content_filter", "max_tokens"];

  function message(data, place) {
    return place < 0 ? data.shared.messages[-1 - place] : data.pool[place];
  }

  function line(who, label, ...content) {
    return make("div", { class: `line ${who}` }, make("div", { class: "who" }, label), make("div", { class: "words" }, ...content.filter(Boolean)));
  }

  // A text, its quotes marked.
  function text(value, quotes, attributes) {
    const isHere = quotes.length && value.length <= MOST_QUOTED && quotes.some((quote) => value.includes(quote));
    if (!isHere) return show.block(value, attributes);
    const box = show.marked(value, quotes);
    box.className = `text ${attributes.class ?? ""}`;
    if (attributes.lang) box.lang = attributes.lang;
    return box;
  }

  // The result of a call: a long one is folded behind its beginning, unless something in it matters.
  function result(value, quotes, language) {
    const matters = quotes.some((quote) => value.includes(quote));
    const block = () => text(show.pretty(value), quotes, { class: "data code", lang: language, ...(value.length > SHORT ? { tabindex: "0" } : {}) });
    if (value.length <= SHORT) return text(value, quotes, { class: "data code", lang: language });
    return show.fold(show.clipped(value.replace(/\s+/g, " "), 140), block, { open: matters, class: "result" });
  }

  // Which of several calls a result answers: its name, with a number where the same tool was called more than once.
  function answered(one, calls) {
    const call = one.role === "tool" && calls.length > 1 ? calls.find((made) => made.id === one.tool_call_id) : null;
    if (!call) return null;
    const alike = calls.filter((made) => made.name === call.name);
    return make("p", { class: "meta muted" }, make("code", {}, show.text(call.name)), alike.length > 1 ? ` (${alike.indexOf(call) + 1})` : "");
  }

  // Messages with the calls made last before each.
  function following(messages) {
    let calls = [];
    return messages.map((one) => {
      if (one.role === "assistant") calls = one.tool_calls ?? [];
      return [one, calls];
    });
  }

  // One message of the history. quotes: words in it that the task needs; calls: those made last before it.
  function told(one, data, quotes = [], calls = []) {
    const content = [];
    if (one.content) content.push(one.role === "tool" ? result(one.content, quotes, data.language) : text(one.content, quotes, { lang: data.language }));
    for (const made of one.tool_calls ?? []) content.push(compare.inline(made, data.language));
    if (!content.length) content.push(make("p", { class: "muted" }, t("(nothing)")));
    return line(one.role, Object.hasOwn(ROLES, one.role) ? ROLES[one.role] : t("Other"), answered(one, calls), ...content);
  }

  // The earlier tasks of the session in the messages ahead of this one's: [{task, messages}], task null where nobody knows.
  function groups(data, messages) {
    const found = [];
    let next = 0;
    const position = (data.annotation?.position ?? 1) - 1;
    for (const one of messages) {
      const opens = one.role === "user" && next < position && data.shared.tasks[next]?.utterance === one.content;
      if (opens) found.push({ task: next++, messages: [] });
      else if (!found.length) found.push({ task: null, messages: [] });
      found.at(-1).messages.push(one);
    }
    return found;
  }

  // Earlier turns: open where the task needs what was said there, one line where it does not.
  function earlier(data, messages) {
    const needed = data.annotation?.earlier ?? [];
    const own = Boolean(data.task.before?.length);
    const all = groups(data, messages);
    const leans = (group, place) => (needed.length ? needed.some((one) => one.task === group.task) : place === all.length - 1 && data.annotation?.reference !== "first_turn" && data.annotation?.kind !== "chat");
    return all.map((group, place) => {
      const quotes = [...new Set(needed.filter((one) => one.task === group.task).map((one) => one.quote))];
      const said = group.messages.find((one) => one.role === "user")?.content ?? "";
      const name = group.task === null ? t("Earlier turns") : t("Task {number}", { number: group.task + 1 });
      const result = own && group.task !== null ? data.resultOf?.(group.task) : null;
      const summary = [make("b", {}, name), " ", make("span", { class: "badge" }, own ? t("the model’s own") : t("as annotated")), " ", result ? mark(result) : null, " ", make("span", { class: "said" }, show.clipped(said.replace(/\s+/g, " "), 110))];
      const open = leans(group, place);
      const box = show.fold("", () => make("div", {}, ...following(group.messages).map(([one, calls]) => told(one, data, quotes, calls))), { class: `earlier${open ? " needed" : ""}`, open });
      box.querySelector("summary").append(...summary.filter(Boolean));
      return box;
    });
  }

  // Agents that are asked in text get one message with all functions and the conversation so far.
  const isWholePrompt = (data) => data.task.facts?.style === "prompt" && data.task.facts.ended_by !== undefined;

  // What was said before the first reply: {earlier: messages, now: messages}. System prompts are in the drawer.
  function opening(data) {
    const [first] = data.task.turns;
    const all = [...(data.task.before ?? []), ...(first.messages ?? [])].map((place) => message(data, place)).filter((one) => one && one.role !== "system");
    let last = all.length;
    while (last > 0 && all[last - 1].role !== "user") last--;
    return { earlier: all.slice(0, Math.max(0, last - 1)), now: all.slice(Math.max(0, last - 1)) };
  }

  // What came between two replies.
  function between(data, turn, before) {
    const all = (turn.messages ?? []).map((place) => message(data, place)).filter(Boolean);
    if (turn.role === "user") return [];
    if (isWholePrompt(data)) return typeof turn.news === "string" && turn.news ? [line("tool", t("New input"), result(turn.news, [], data.language))] : [];
    const repeated = (one) => before.role === "user" && one.role === "user" && one.content === before.reply.content;
    return all.filter((one) => (one.role === "tool" || one.role === "user") && !repeated(one)).map((one) => told(one, data, [], before.reply.tool_calls));
  }

  // The annotated calls that were due in a step and that nothing of it stands for.
  function lacking(data, step) {
    const { comparison, annotation } = data;
    if (!comparison?.due || comparison.failing !== step || !annotation?.nodes) return null;
    const here = comparison.made.filter((one) => one.step === step);
    if (here.some((one) => one.wrong)) return null; // its arguments are wrong, and stand beside the expected ones
    const open = comparison.due.filter((node) => !here.some((one) => one.node === node && !one.early));
    if (!open.length) return null;
    const heading = open.length > 1 ? t("Expected here, in any order") : t("Expected here");
    return make("div", { class: "expected-here" }, make("p", { class: "who" }, heading), ...open.map((node) => compare.due(annotation.nodes[node], node, data)));
  }

  function spoken(data, turn, step) {
    const { reply } = turn;
    const speaker = turn.role ?? "assistant";
    const simulated = speaker !== "assistant";
    const content = [];
    if (reply.reasoning) content.push(show.fold(ngettext("Reasoning ({count} character)", "Reasoning ({count} characters)", reply.reasoning.length), () => show.block(reply.reasoning, { lang: data.language, class: "reasoning" })));
    if (reply.content) content.push(show.block(reply.content, { lang: data.language }));
    (reply.tool_calls ?? []).forEach((one, number) => content.push(compare.call(one, data.comparison?.made?.find((other) => other.step === step && other.call === number), data)));
    if (!reply.content && !reply.tool_calls?.length) content.push(make("p", { class: "bad" }, t("The reply is empty: no text, no call.")));
    if (CUT_OFF.includes(reply.finish_reason)) content.push(make("p", { class: "bad" }, t("The reply was cut off here ({why}).", { why: reply.finish_reason })));
    if (!simulated) content.push(lacking(data, step));
    const failed = !simulated && data.comparison?.failing === step;
    if (failed && data.comparison.turn !== undefined) content.push(make("p", { class: "bad" }, t("Here turn {turn} ends, and it is wrong.", { turn: data.comparison.turn + 1 })));
    if (simulated) return line("user simulated", speaker === "user" ? t("Simulated user") : show.text(speaker), ...content);
    return line(`assistant spoken${failed ? " failing" : ""}`, t("Model"), ...content);
  }

  // Annotated calls that the run did not come to, behind the step where it went wrong.
  function further(data) {
    const { comparison, annotation } = data;
    if (!annotation?.nodes || comparison?.failing === undefined) return null;
    const due = comparison.failing < data.task.turns.length ? comparison.due ?? [] : [];
    const left = annotation.nodes.filter((_, node) => comparison.states[node] === "open" && !due.includes(node));
    if (!left.length) return null;
    return make("p", { class: "muted further" }, t("Then still expected: "), ...left.flatMap((node, place) => [place ? ", " : "", cause.called(node.name)]));
  }

  // What is compared once at the end: the answers of ACEBench, end states, single answers.
  function answers(data) {
    const compared = data.comparison;
    if (!compared || data.annotation?.nodes) return [];
    const parts = (compared.pairs ?? []).map((one) => compare.pair(one, data));
    if (compared.unreadable) parts.push(...(data.annotation.answers ?? []).slice(0, 1).map((one) => make("div", { class: "expected-here" }, make("p", { class: "who" }, t("Expected")), compare.values(one, data.language))));
    if (compared.state) parts.push(compare.endState(compared.state, data.isRight, data.language));
    if (data.annotation.kind === "special") parts.push(...(data.annotation.answers ?? []).map((one) => make("div", { class: "expected-here" }, make("p", { class: "who" }, t("What the reply has to name")), compare.values(one, data.language))));
    return parts.length ? [make("div", { class: "answers" }, ...parts)] : [];
  }

  // Earlier turns, and what the user says now.
  function history(data) {
    if (!data.task.turns?.length || data.task.turns[0].role === "user") return []; // what the simulated user is told is in the drawer
    const ahead = opening(data);
    const asked = isWholePrompt(data) && data.task.turns[0].role !== "user" ? [line("user", ROLES.user, show.block(data.annotation?.utterance ?? "", { lang: data.language }))] : [];
    return [...earlier(data, ahead.earlier), ...(isWholePrompt(data) ? asked : ahead.now.map((one) => told(one, data)))];
  }

  // data: {task, annotation, comparison, shared, pool, language, prefix, isRight, resultOf}; without: leave out the history,
  // which stands on the page for two dialogues at once.
  function transcript(data, { without = false } = {}) {
    const turns = data.task.turns ?? [];
    const box = make("div", { class: "transcript" });
    if (!turns.length) return box;
    if (!without) box.append(...history(data));
    turns.forEach((turn, step) => {
      const what = step ? between(data, turn, turns[step - 1]) : [];
      const isNext = step && (turn.turn ?? 0) > (turns[step - 1].turn ?? 0);
      if (isNext) box.append(make("p", { class: "who muted" }, t("Turn {number}", { number: turn.turn + 1 })));
      box.append(...what, make("div", { class: "step", id: `${data.prefix}step-${step}` }, spoken(data, turn, step)));
    });
    const rest = further(data);
    if (rest) box.append(rest);
    box.append(...answers(data));
    return box;
  }

  Object.assign(toolgauge, { transcript, history });
})();
