// What was said: the history, the tools, and step by step what came and what the model replied.
"use strict";
(() => {
  const { t, count, make, show, graph } = toolgauge;
  const LATELY = 4;
  const ROLES = { system: t("System"), user: t("User"), assistant: t("Assistant"), tool: t("Tool") };
  const STOPS = {
    answered: t("answered"),
    "no usable output": t("no usable output"),
    "a step that no legal order admits": t("a step that no legal order admits"),
    agent: t("by the agent"),
    user: t("by the simulated user"),
    execution: t("the phrase that ends it stood in a result"),
    limit: t("the limit of messages was reached"),
    "end of the recording": t("the recording ends here"),
  };

  function message(data, place) {
    return place < 0 ? data.shared.messages[-1 - place] : data.pool[place];
  }

  function argumentText(value) {
    if (value === null || value === undefined) return t("(nothing)");
    return show.pretty(typeof value === "string" ? value : JSON.stringify(value));
  }

  function call(one, state, number) {
    const head = make("p", { class: "call-head" }, make("code", {}, show.clipped(one.name ?? t("(no name)"), 300)), state ? " " : null, state);
    return make("div", { class: "call", "data-call": number }, head, show.block(argumentText(one.arguments), { class: "data code" }));
  }

  function line(who, label, ...content) {
    return make("div", { class: `line ${who}` }, make("div", { class: "who" }, label), make("div", { class: "words" }, ...content));
  }

  function told(one, language) {
    const content = [];
    if (one.content) content.push(show.block(one.role === "tool" ? show.pretty(one.content) : one.content, { lang: language, class: one.role === "tool" ? "data code" : "" }));
    for (const made of one.tool_calls ?? []) content.push(call(made, null));
    if (!content.length) content.push(make("p", { class: "muted" }, t("(nothing)")));
    return line(one.role, Object.hasOwn(ROLES, one.role) ? ROLES[one.role] : t("Other"), ...content);
  }

  function tool(one) {
    const parameters = typeof one.parameters === "string" ? one.parameters : JSON.stringify(one.parameters ?? {});
    return show.fold(show.clipped(one.name, 200), () => make("div", {}, one.description ? show.block(one.description) : null, show.block(show.pretty(parameters), { class: "data code" })));
  }

  function tools(data) {
    const offered = data.task.tools === undefined ? data.annotation?.functions ?? [] : data.shared.tools[data.task.tools];
    if (!offered?.length) return null;
    return show.fold(t("Tools offered ({count})", { count: offered.length }), () => make("div", { class: "tools", lang: data.language }, ...offered.map(tool)), { id: "tools" });
  }

  function meta(reply) {
    const usage = reply.usage ?? {};
    const parts = [];
    if (reply.finish_reason) parts.push(t("finish reason {why}", { why: reply.finish_reason }));
    if (usage.input_tokens || usage.output_tokens) parts.push(t("{input} + {output} tokens", { input: count(usage.input_tokens ?? 0), output: count(usage.output_tokens ?? 0) }));
    if (usage.reasoning_tokens) parts.push(t("{count} of them reasoning", { count: count(usage.reasoning_tokens) }));
    if (reply.latency) parts.push(t("{value} s", { value: reply.latency.toFixed(2) }));
    if (reply.attempts > 1) parts.push(t("{count} attempts", { count: reply.attempts }));
    if (reply.model) parts.push(reply.model);
    if (reply.planted) parts.push(t("planted mistake: {what}", { what: toolgauge.titled?.(reply.planted) ?? reply.planted }));
    return parts.length ? make("p", { class: "muted meta" }, show.clipped(parts.join(" · "), 400)) : null;
  }

  // How a call of the model stands to the annotated ones, with the number of the one it was made for.
  function standing(data, step, number) {
    const made = data.task.comparison?.made?.find((one) => one.step === step && one.call === number);
    if (!made) return null;
    if (made.node === undefined) return make("span", { class: "mark failed" }, `+ ${graph.states.extra}`);
    const state = made.early ? "early" : made.wrong ? "wrong" : "right";
    const words = t("expected call {number}", { number: made.node + 1 });
    return make("a", { class: `mark ${state}`, href: `#node-${made.node}`, on: { click: (event) => {
      event.preventDefault();
      document.getElementById(`node-${made.node}`)?.scrollIntoView({ block: "nearest", behavior: "smooth" });
    } } }, `${graph.marks[state]} ${words}`);
  }

  function spoken(data, turn, step) {
    const { reply } = turn;
    const content = [];
    if (reply.reasoning) content.push(show.fold(t("Reasoning ({count} characters)", { count: count(reply.reasoning.length) }), () => show.block(reply.reasoning, { lang: data.language, class: "reasoning" })));
    if (reply.content) content.push(show.block(reply.content, { lang: data.language }));
    (reply.tool_calls ?? []).forEach((one, number) => content.push(call(one, standing(data, step, number), number)));
    if (!reply.content && !reply.tool_calls?.length) content.push(make("p", { class: "bad" }, t("The reply is empty: no text, no call.")));
    const simulated = turn.role === "user";
    const label = simulated ? t("Simulated user") : t("Model");
    return line(simulated ? "user simulated" : "assistant spoken", label, ...content, meta(reply));
  }

  // Agents that are asked in text get one message with all functions and the conversation so far.
  const isWholePrompt = (data) => data.task.facts?.style === "prompt" && data.task.facts.ended_by !== undefined;

  // Everything ahead of the first reply: system prompt, history, what the user says now.
  function opening(data, first) {
    const places = [...(data.task.before ?? []), ...(first.messages ?? [])];
    const all = places.map((place) => message(data, place)).filter(Boolean);
    const parts = [];
    const system = all.filter((one) => one.role === "system");
    const rest = all.filter((one) => one.role !== "system");
    if (system.length) parts.push(show.fold(t("System prompt"), () => make("div", {}, ...system.map((one) => told(one, data.language))), { id: "system" }));
    parts.push(tools(data));
    if (first.role === "user") {
      if (rest.length) parts.push(show.fold(t("What the simulated user was told"), () => make("div", {}, ...rest.map((one) => told(one, data.language)))));
      return parts;
    }
    let last = rest.length;
    while (last > 0 && rest[last - 1].role !== "user") last--;
    const now = rest.slice(Math.max(0, last - 1));
    const history = rest.slice(0, Math.max(0, last - 1));
    if (history.length) parts.push(show.fold(t("Said before ({count} messages)", { count: history.length }), () => make("div", {}, ...history.map((one) => told(one, data.language))), { id: "history", open: history.length <= LATELY }));
    if (isWholePrompt(data)) parts.push(show.fold(t("The whole prompt"), () => make("div", {}, ...now.map((one) => told(one, data.language)))));
    else parts.push(...now.map((one) => told(one, data.language)));
    return parts;
  }

  // What came before a later reply. A prompt that repeats the conversation shows what is new in it.
  function between(data, turn, earlier) {
    const all = (turn.messages ?? []).map((place) => message(data, place)).filter(Boolean);
    if (turn.role === "user") {
      const others = all.filter((one) => one.role !== "assistant");
      return others.length ? [show.fold(t("What the simulated user was told"), () => make("div", {}, ...others.map((one) => told(one, data.language))))] : [];
    }
    if (isWholePrompt(data)) {
      const whole = show.fold(t("The whole prompt"), () => make("div", {}, ...all.map((one) => told(one, data.language))));
      if (typeof turn.news !== "string") return [whole];
      return [line("tool", t("New since"), show.block(turn.news || t("(nothing)"), { lang: data.language, class: "data" }), whole)];
    }
    const system = all.filter((one) => one.role === "system");
    const repeated = (one) => earlier.role === "user" && one.role === "user" && one.content === earlier.reply.content;
    const rest = all.filter((one) => (one.role === "tool" || one.role === "user") && !repeated(one));
    return [...(system.length ? [show.fold(t("System prompt"), () => make("div", {}, ...system.map((one) => told(one, data.language))))] : []), ...rest.map((one) => told(one, data.language))];
  }

  // data: {task, annotation, shared, pool, language}.
  function transcript(data) {
    const turns = data.task.turns ?? [];
    const box = make("div", { class: "transcript" });
    if (!turns.length) {
      const offered = tools(data);
      if (offered) box.append(offered);
      return box;
    }
    turns.forEach((turn, step) => {
      const ahead = step ? between(data, turn, turns[step - 1]) : opening(data, turn);
      box.append(...ahead.filter(Boolean), make("div", { class: "step", id: `step-${step}` }, make("h3", {}, t("Step {number}", { number: step + 1 })), spoken(data, turn, step)));
    });
    const facts = data.task.mentioned;
    if (facts) {
      const words = t("Facts mentioned: {mentioned} of {total}", facts);
      const lacking = facts.missing?.length ? ` (${t("not mentioned: {facts}", { facts: facts.missing.join(", ") })})` : "";
      box.append(make("p", { class: "muted facts" }, show.clipped(words + lacking, 1200)));
    }
    const why = data.task.stopped;
    if (why) box.append(make("p", { class: "muted stopped" }, show.clipped(t("Ended: {why}", { why: Object.hasOwn(STOPS, why) ? STOPS[why] : why }), 400)));
    return box;
  }

  Object.assign(toolgauge, { transcript });
})();
