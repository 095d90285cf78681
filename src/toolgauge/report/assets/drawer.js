// All that a task's page knows besides: the annotation, the scorings, tools, prompts, tokens, and the messages as they are.
"use strict";
(() => {
  const { t, ngettext, count, make, show, because, mark, graph, compare, cause } = toolgauge;
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
  const FACTS = { style: t("style"), ended_by: t("ended by"), failed_messages: t("messages with errors"), environment_errors: t("errors of the environment") };
  const HEADS = { scoring: t("Scoring"), result: t("Result"), calls: t("Names and order"), mistake: t("Mistake"), error: t("Error type"), detail: t("Why"), progress: t("Progress"), optimal: t("Shortest"), process_share: t("Milestones") };
  const NUMBERS = ["progress", "process_share"];

  function section(data, name, title, ...content) {
    const kept = content.flat().filter(Boolean);
    return kept.length ? [make("section", {}, make("h3", { id: `${data.prefix}${name}` }, title), ...kept)] : [];
  }

  function node(one, place, data) {
    const after = one.after?.length ? t("after {calls}", { calls: one.after.map((other) => other + 1).join(", ") }) : "";
    const state = data.comparison?.states[place];
    const head = make("p", { class: "call-head" }, `${place + 1} `, cause.called(one.name), " ", state ? make("span", { class: `mark ${state}` }, `${graph.marks[state]} ${graph.states[state]}`) : null, after ? make("small", { class: "muted" }, ` ${after}`) : null);
    const card = make("div", { class: "call plain", id: `${data.prefix}node-${place}` }, head);
    if (one.arguments !== undefined) card.append(compare.values(one.arguments, data.language));
    if (one.sources) card.append(show.fold(t("Where the values come from"), () => make("pre", { tabindex: "0" }, show.text(show.pretty(one.sources)))));
    if (one.observation) card.append(show.fold(one.arguments !== undefined ? t("Result as annotated") : one.user_input === undefined ? t("Reply as annotated") : t("Question as annotated"), () => show.block(show.pretty(one.observation), { class: one.arguments !== undefined ? "data code" : "", lang: data.language })));
    if (one.user_input) card.append(make("p", { class: "muted meta" }, t("then the user says")), show.block(one.user_input, { lang: data.language }));
    if (one.annotations) card.append(show.fold(t("What else is annotated"), () => make("pre", { tabindex: "0" }, show.text(show.pretty(one.annotations)))));
    return card;
  }

  function annotated(data) {
    const nodes = data.annotation?.nodes;
    if (!nodes) return [];
    const names = nodes.map((one) => cause.called(one.name)).map((one) => (typeof one === "string" ? one : one.textContent));
    const title = t("Annotated calls and what they depend on");
    const drawing = graph.draw(nodes, names, data.comparison?.states, title, data.prefix);
    return section(data, "graph", title, drawing ? make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, drawing) : null, nodes.map((one, place) => node(one, place, data)));
  }

  function scoringRow(name, verdict, data, columns) {
    const { config, titled, scoring, address } = data;
    const link = make("a", { href: address(name), "aria-current": name === scoring ? "true" : null }, data.scoringName(name));
    const head = make("th", { scope: "row" }, link, name === config.headline ? make("small", { class: "muted" }, ` ${t("headline")}`) : null);
    if (!verdict) return make("tr", { class: name === scoring ? "current" : "" }, head, make("td", { colspan: columns - 1 }, mark("not_judgeable")));
    const several = verdict.wrong_arguments?.length > 1 ? verdict.wrong_arguments : [];
    const wrong = several.map(([tool, path]) => (tool ? `${tool}(${path})` : path)).join(", ");
    const right = verdict.label === "correct";
    const cells = [
      make("td", {}, mark(right ? "correct" : "failed")),
      make("td", {}, right || !verdict.mistake ? "–" : titled(verdict.mistake)),
      make("td", { class: "detail" }, right || !verdict.why ? "–" : show.clipped(because(verdict.why), 400), wrong ? make("small", { class: "muted" }, " ", show.clipped(t("({what})", { what: wrong }), 600)) : null),
    ];
    if (config.kind === "graph") {
      cells.splice(1, 0, make("td", {}, mark(verdict.action_label === "correct" ? "correct" : "failed")));
      cells.push(make("td", { class: "number" }, `${verdict.progress[0]} / ${verdict.progress[1]}`), make("td", {}, verdict.optimal ? t("yes") : t("no")));
    } else if (columns > 4) cells.push(make("td", { class: "number" }, typeof verdict.process === "number" ? `${(100 * verdict.process).toFixed(1)}%` : "–"));
    return make("tr", { class: name === scoring ? "current" : "" }, head, ...cells);
  }

  function scoringsTable(data) {
    const verdicts = data.task.verdicts ?? {};
    const names = data.config.scorings.filter((name) => Object.hasOwn(verdicts, name) || data.resultIn(name) === "not_judgeable");
    if (!names.length) return [];
    const process = names.some((name) => typeof verdicts[name]?.process === "number") ? ["process_share"] : [];
    const heads = data.config.kind === "graph" ? ["scoring", "result", "calls", "mistake", "detail", "progress", "optimal"] : ["scoring", "result", "error", "detail", ...process];
    const head = make("tr", {}, ...heads.map((name) => make("th", { scope: "col", class: NUMBERS.includes(name) ? "number" : "" }, HEADS[name])));
    const title = t("The same replies by every scoring");
    const note = names.length > 1 && names.includes("exact") ? make("p", { class: "muted" }, t("“exact” tells why a task failed; the others’ classes are as the published evaluators count them.")) : null;
    const table = make("table", { class: "scorings" }, make("thead", {}, head), make("tbody", {}, ...names.map((name) => scoringRow(name, verdicts[name], data, heads.length))));
    return section(data, "scorings", title, note, make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, table));
  }

  function tool(one) {
    const parameters = typeof one.parameters === "string" ? one.parameters : JSON.stringify(one.parameters ?? {});
    return show.fold(show.clipped(one.name, 200), () => make("div", {}, one.description ? show.block(one.description) : null, show.block(show.pretty(parameters), { class: "data code", tabindex: "0" })));
  }

  function tools(data) {
    const offered = data.task.tools === undefined ? data.annotation?.functions ?? [] : data.shared.tools[data.task.tools];
    if (!offered?.length) return [];
    return section(data, "tools", t("Available tools ({count})", { count: offered.length }), make("div", { class: "tools", lang: data.language }, ...offered.map(tool)));
  }

  // What the model was sent beside the dialogue: system prompts, and whole prompts that hold the dialogue.
  function prompts(data) {
    const seen = new Set();
    const found = (data.task.turns ?? []).flatMap((turn, step) => (turn.messages ?? []).map((place) => ({ place, step, turn })));
    const kept = found.filter(({ place, turn }) => {
      const one = place < 0 ? data.shared.messages[-1 - place] : data.pool[place];
      const wanted = one && (one.role === "system" || turn.role === "user" || (data.task.facts?.style === "prompt" && data.task.facts.ended_by !== undefined && one.role === "user"));
      return wanted && !seen.has(place) && seen.add(place);
    });
    const folds = kept.map(({ place, step, turn }) => {
      const one = place < 0 ? data.shared.messages[-1 - place] : data.pool[place];
      const name = turn.role === "user" ? t("What the simulated user was told, step {number}", { number: step + 1 }) : one.role === "system" ? t("System prompt") : t("The whole prompt, step {number}", { number: step + 1 });
      return show.fold(name, () => show.block(one.content ?? "", { lang: data.language, class: "data code", tabindex: "0" }));
    });
    return section(data, "prompts", t("Prompts"), folds);
  }

  // What is annotated or recorded besides: profile, states, milestones, answers, facts, how it ended.
  function further(data) {
    const { task, annotation } = data;
    const list = (texts) => make("ol", { class: "texts", lang: data.language }, ...texts.map((one) => make("li", {}, make("code", {}, show.clipped(one, 3000)))));
    const content = [];
    const fold = (title, inner) => content.push(show.fold(title, inner));
    if (annotation?.profile) fold(t("The user's profile"), () => show.block(annotation.profile, { lang: data.language }));
    const answers = annotation?.answers ?? [];
    if (answers.length && annotation.kind !== "special") fold(answers.length > 1 ? t("{count} accepted answers; compared is number {compared}", { count: answers.length, compared: (task.comparison?.answer ?? 0) + 1 }) : t("The accepted answer as the data have it"), () => make("div", {}, ...answers.map((one) => make("pre", { lang: data.language, tabindex: "0" }, show.text(show.pretty(one))))));
    annotation?.milestones?.forEach((one, place) => fold(annotation.milestones.length > 1 ? t("Milestones, way {number}", { number: place + 1 }) : t("Milestones"), () => list(one)));
    if (task.comparison?.process) fold(t("What was carried out"), () => list(task.comparison.process));
    if (annotation?.start) fold(t("State at the start"), () => make("pre", { tabindex: "0" }, show.text(show.pretty(annotation.start))));
    const facts = task.mentioned;
    if (facts) content.push(make("p", {}, show.clipped(t("Facts mentioned: {mentioned} of {total}", facts) + (facts.missing?.length ? ` (${t("not mentioned: {facts}", { facts: facts.missing.join(", ") })})` : ""), 1200)));
    for (const { judge, objections = [], repeated = [] } of task.judgments ?? []) {
      const said = [...objections, ...repeated.map((tool) => t("work done twice: {tool}", { tool }))];
      content.push(make("p", {}, show.clipped(t("{judge} as judge: {what}", { judge, what: said.join("; ") || t("no objection") }), 2000)));
    }
    for (const [name, value] of Object.entries(task.facts ?? {})) content.push(make("p", {}, `${Object.hasOwn(FACTS, name) ? FACTS[name] : name}: `, show.clipped(String(value), 200)));
    if (task.stopped) content.push(make("p", { class: "stopped" }, show.clipped(t("Ended: {why}", { why: Object.hasOwn(STOPS, task.stopped) ? STOPS[task.stopped] : task.stopped }), 400)));
    return section(data, "known", t("What else is known"), content);
  }

  function effort(data) {
    const turns = data.task.turns ?? [];
    const number = (value) => make("td", { class: "number" }, value ? count(value) : "–");
    const line = ({ reply, role }, step) => {
      const usage = reply.usage ?? {};
      const planted = reply.planted ? t("planted mistake: {what}", { what: data.titled(reply.planted) }) : "";
      const about = [role === "user" ? t("Simulated user") : "", reply.finish_reason ? t("finish reason {why}", { why: reply.finish_reason }) : "", reply.model, reply.attempts > 1 ? ngettext("{count} attempt", "{count} attempts", reply.attempts) : "", planted];
      return make("tr", {}, make("th", { scope: "row" }, String(step + 1)), number(usage.input_tokens), number(usage.output_tokens), number(usage.reasoning_tokens), make("td", { class: "number" }, reply.latency ? t("{value} s", { value: reply.latency.toFixed(2) }) : "–"), make("td", {}, show.clipped(about.filter(Boolean).join(" · "), 400)));
    };
    const notes = turns.filter(({ reply }) => reply.planted).map(({ reply }) => make("p", {}, t("planted mistake: {what}", { what: data.titled(reply.planted) })));
    if (!turns.some(({ reply }) => reply.usage || reply.latency || reply.finish_reason || reply.model)) return section(data, "effort", t("Tokens and time"), notes);
    const heads = [t("Step"), t("Input tokens"), t("Output tokens"), t("of them reasoning"), t("Time"), t("Notes")];
    const head = make("tr", {}, ...heads.map((one, place) => make("th", { scope: "col", class: place && place < 5 ? "number" : "" }, one)));
    const title = t("Tokens and time");
    return section(data, "effort", title, make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...turns.map(line)))));
  }

  function raw(data) {
    const turns = data.task.turns ?? [];
    const whole = (turn) => ({ messages: (turn.messages ?? []).map((place) => (place < 0 ? data.shared.messages[-1 - place] : data.pool[place])), reply: turn.reply });
    return section(data, "raw", t("Messages as they were sent and received"), turns.map((turn, step) => show.fold(t("Step {number}", { number: step + 1 }), () => show.block(show.pretty(JSON.stringify(whole(turn))), { class: "data code", tabindex: "0" }))));
  }

  // data: that of the transcript, and {config, titled, scoringName, scoring, address, resultIn}; open: how it stood before.
  function drawer(data, open) {
    const fill = () => make("div", {}, ...annotated(data), ...scoringsTable(data), ...tools(data), ...prompts(data), ...effort(data), ...further(data), ...raw(data));
    return show.fold(t("More: the annotated calls, scorings, tools, prompts, tokens and raw messages"), fill, { class: "drawer", id: `${data.prefix}more`, open });
  }

  Object.assign(toolgauge, { drawer });
})();
