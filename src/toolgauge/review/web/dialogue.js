// A session as a person reads it: who said what, the calls with where every value comes from, what is worth a look at
// its place. Every part is a stop for the keyboard.
"use strict";
(() => {
  const { t, make, show, graph, names, sources, tools } = toolgauge;
  const { ASK, FINAL } = names;
  const { key, partId } = sources;
  const THOUGHTS = { purpose: t("purpose"), thought: t("thought"), plan: t("plan") };

  // The part at which something about a place is shown.
  const HOMES = { type: "utterance", reference: "utterance", arguments: "call", dependencies: "call" };
  const home = (place) => ({ ...place, part: HOMES[place.part] ?? place.part ?? "session" });

  function note(one) {
    const about = one.place.path ? make("code", {}, show.clipped(one.place.path, 120)) : ["type", "reference", "dependencies"].includes(one.place.part) ? `${names.PARTS[one.place.part]}` : null;
    return make("p", { class: "note", "data-source": one.source }, about, about ? ": " : null, show.clipped(one.message, 1000));
  }

  // A part of the dialogue: its label, its content, warnings and comments that concern it.
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
    const needs = call.after.length ? t("needs call {calls}", { calls: call.after.map((one) => one + 1).join(", ") }) : t("needs no other call");
    const head = make("p", { class: "call-head" }, `${call.index + 1} `, make("code", {}, show.clipped(call.name, 200)), " ", make("span", { class: "muted" }, needs));
    const result = typeof call.result === "string" ? said("result", call.result) : view.marks.data(call.result, at("result"));
    return [part(view, at("call"), "call", t("Call"), head, sources.argumentTable(view.marks, task, call), thoughts(call)), part(view, at("result"), "tool", t("Result"), result)];
  }

  // The part that stands for a node of the graph, and back.
  const nodePart = (task, call) => ({ part: call.name === FINAL ? "reply" : call.name === ASK ? "question" : "call", task: task.index, call: call.index });

  // The nodes of a task, layer by layer, as the drawing wants them; a node leads to its part.
  function drawing(task) {
    const layers = [];
    const nodes = task.calls.map((call) => {
      const layer = call.after.length ? Math.max(...call.after.map((before) => layers[before] ?? 0)) + 1 : 0;
      layers.push(layer);
      return { after: call.after, layer };
    });
    const titles = task.calls.map((call) => (call.name === FINAL ? t("closing reply") : call.name === ASK ? t("question") : call.name));
    const drawn = graph.draw(nodes, titles, null, t("Calls of task {number} and what they need", { number: task.index + 1 }));
    if (!drawn) return null;
    drawn.setAttribute("role", "group");
    drawn.querySelectorAll("[data-node]").forEach((link, at) => {
      const place = nodePart(task, task.calls[at]);
      link.setAttribute("href", `#${partId(place)}`);
      link.addEventListener("click", (event) => {
        event.preventDefault(); // the address is the session's
        const box = document.getElementById(partId(place));
        box?.focus({ preventScroll: true });
        box?.scrollIntoView({ block: "nearest" });
      });
    });
    return make("div", { class: "scroll drawn", "data-graph": task.index }, drawn);
  }

  function earlier(one) {
    if (!one.earlier.length) return null;
    return show.fold(t("Earlier turns ({count})", { count: one.earlier.length }), () => make("div", {}, ...one.earlier.map(([who, said]) => make("div", { class: "line" }, make("div", { class: "who" }, show.clipped(who, 40)), make("div", { class: "words" }, show.block(said))))), { class: "earlier" });
  }

  function task(view, one) {
    const badge = (words, meaning) => [" ", make("span", { class: "badge", title: meaning }, words)];
    const kind = badge(names.TYPES[one.type], names.MEANINGS[one.type]);
    const reference = one.index ? badge(names.REFERENCES[one.reference], names.MEANINGS[one.reference]) : [];
    const approved = one.approved ? [" ", make("span", { class: "badge status approved" }, t("approved"))] : [];
    const head = make("h2", {}, t("Task {number}", { number: one.index + 1 }), ...kind, ...reference, ...approved);
    const place = { part: "utterance", task: one.index };
    return make(
      "section",
      { class: "task", id: `task-${one.index}` },
      make("div", { class: "task-head" }, head, ...(view.heading?.(one) ?? [])),
      earlier(one),
      part(view, place, "user", t("User"), view.marks.text(one.utterance, place)),
      ...one.calls.flatMap((call) => callParts(view, one, call)),
      drawing(one),
    );
  }

  // The whole dialogue. decorate(place, element): adds what others have to say about a part (comments, forms);
  // heading(task): elements beside a task's heading. Returns {element, stops}: stops are the parts in order, {place, box}.
  function read(session, decorate, heading) {
    const view = { session, marks: new sources.Marks(session), stops: [], decorate, heading };
    const here = new Set([key(sources.CLOCK)].concat(session.tasks.flatMap((one) => [key({ part: "utterance", task: one.index }), ...one.calls.flatMap((call) => ["call", "result", "question", "answer", "reply"].map((name) => key({ part: name, task: one.index, call: call.index })))])));
    const loose = session.warnings.filter((one) => !here.has(key(home(one.place))));
    const element = make(
      "div",
      { class: "dialogue", lang: session.language === "zh" ? "zh-Hans" : "en" },
      ...loose.map(note),
      part(view, sources.CLOCK, "clock", t("Date and time"), show.block(session.clock)),
      ...session.tasks.map((one) => task(view, one)),
    );
    return { element, stops: view.stops };
  }

  // What goes with the focus: the node of the part in the drawing, the tool of the call.
  function attend(session, box, follow) {
    for (const node of document.querySelectorAll("svg.graph .node.current")) node.classList.remove("current");
    if (!box?.dataset.part) return;
    const { task, call } = JSON.parse(box.dataset.part);
    if (task === undefined || call === undefined) return;
    document.querySelector(`[data-graph="${task}"] [data-node="${call}"]`)?.classList.add("current");
    follow(session.tasks[task]?.calls[call]?.name);
  }

  Object.assign(toolgauge, { dialogue: { read, attend, home, key, partId, TYPES: names.TYPES, REFERENCES: names.REFERENCES, ASK, FINAL } });
})();
