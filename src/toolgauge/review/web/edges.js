// Dependencies in the drawing of a task's calls: drag from one call to another to say that the later one needs the earlier,
// choose an arrow to take it away. By keyboard: the calls and arrows are stops of Tab; `d` lists what a call needs.
"use strict";
(() => {
  const { t, make, edit, graph, session: page, show, names } = toolgauge;
  const SVG = "http://www.w3.org/2000/svg";
  const REASONS = {
    value: t("its result contains a value of this call"),
    stated: t("the planner says so"),
    judge: t("the judge says so"),
    step: t("only the order in which they were made"),
    question: t("a question waits for all earlier calls, and all later calls wait for it"),
  };

  // What speaks for dependencies of a call, each to confirm: {element, confirmed()}; confirmed: positions of calls.
  function evidence(session, { task, call: at }, confirmed) {
    const call = session.tasks[task].calls[at];
    const isAnnotated = session.tasks.some((one) => one.calls.some((other) => other.evidence.length));
    const known = [...new Set([...call.evidence.map((one) => one.from), ...call.after])].filter((one) => Number.isInteger(one)).sort((a, b) => a - b);
    if (!isAnnotated || !known.length) return { element: make("div", {}), confirmed: () => confirmed };
    const boxes = new Map();
    const line = (before) => {
      const reasons = call.evidence.filter((one) => one.from === before);
      const box = make("input", { type: "checkbox", checked: confirmed.includes(before) });
      boxes.set(before, box);
      const words = reasons.map((one) => make("li", {}, REASONS[one.why] ?? show.clipped(String(one.why), 40), one.path ? make("span", {}, ": ", make("code", {}, show.clipped(one.path, 80))) : null, one.certain ? make("b", {}, ` (${t("certain")})`) : null));
      return make("div", { class: "evidence" }, make("label", { class: "check" }, box, t("Confirmed: call {call} is needed", { call: before + 1 })), make("ul", { class: "muted" }, ...(words.length ? words : [make("li", {}, t("no evidence"))])));
    };
    const element = make("fieldset", {}, make("legend", {}, t("Evidence")), ...known.map(line));
    return { element, confirmed: () => known.filter((one) => boxes.get(one).checked) };
  }

  function need(view, task, call, after, focus) {
    const edits = [{ edit: "dependencies", task, call, after: [...new Set(after)].sort((a, b) => a - b) }];
    return edit.change(view, edits).then(() => view.place.querySelector(`[data-graph="${task}"] ${focus}`)?.focus());
  }

  const nodeFocus = (call) => `[data-node="${call}"]`;
  const link = (view, task, one, other) => {
    const [before, later] = one < other ? [one, other] : [other, one];
    const { after } = view.session.tasks[task].calls[later];
    if (before !== later && !after.includes(before)) need(view, task, later, [...after, before], nodeFocus(later));
  };
  const unlink = (view, task, before, later) => need(view, task, later, view.session.tasks[task].calls[later].after.filter((one) => one !== before), nodeFocus(later));

  function arrows(view, task, svg, told) {
    const links = graph.edges(task.calls.map((one) => ({ after: one.after })));
    svg.querySelectorAll(".edge").forEach((path, place) => {
      const [before, later] = links[place];
      const name = t("Call {call} needs call {before}. Press Delete to remove this.", { call: later + 1, before: before + 1 });
      const group = document.createElementNS(SVG, "g");
      for (const [key, value] of Object.entries({ class: "arrow", tabindex: "0", role: "button", "aria-label": name, "data-from": before, "data-to": later })) group.setAttribute(key, value);
      const wide = path.cloneNode();
      wide.setAttribute("class", "edge-hit");
      wide.removeAttribute("marker-end");
      path.replaceWith(group);
      group.append(wide, path);
      const remove = () => unlink(view, task.index, before, later);
      const choose = () => told.replaceChildren(t("Call {call} needs call {before}.", { call: later + 1, before: before + 1 }), " ", make("button", { type: "button", on: { click: remove } }, t("Remove this dependency")));
      group.addEventListener("focus", choose);
      group.addEventListener("click", () => group.focus());
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") told.querySelector("button")?.focus();
        else if (event.key === "Delete" || event.key === "Backspace") remove();
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
    });
  }

  // A line follows the pointer from the call where it went down; where it is let go over another one, that is an edge.
  function dragging(view, task, svg) {
    let from = null;
    let line = null;
    const node = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-node]");
    const here = (event) => {
      const at = svg.createSVGPoint();
      Object.assign(at, { x: event.clientX, y: event.clientY });
      return at.matrixTransform(svg.getScreenCTM().inverse());
    };
    const end = () => {
      line?.remove();
      from = line = null;
    };
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    svg.addEventListener("pointerdown", (event) => {
      from = event.button === 0 ? (event.target.closest("[data-node]")?.dataset.node ?? null) : null;
      if (from === null) return;
      const start = here(event);
      line = document.createElementNS(SVG, "line");
      for (const [key, value] of Object.entries({ class: "drawn", x1: start.x, y1: start.y, x2: start.x, y2: start.y })) line.setAttribute(key, value);
      svg.append(line);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!line) return;
      const { x, y } = here(event);
      line.setAttribute("x2", x);
      line.setAttribute("y2", y);
    });
    svg.addEventListener("pointerup", (event) => {
      const to = node(event)?.dataset.node;
      const [one, other] = [Number(from), Number(to)];
      const isEdge = from !== null && to !== undefined && one !== other && svg.contains(node(event));
      end();
      if (isEdge) link(view, task.index, one, other);
    });
    svg.addEventListener("pointerleave", end);
    svg.addEventListener("pointercancel", end);
  }

  function nodes(view, task, svg) {
    svg.querySelectorAll("[data-node]").forEach((one) => {
      const call = Number(one.dataset.node);
      const { name, after } = task.calls[call];
      const needs = after.length ? t("needs call {calls}", { calls: after.map((before) => before + 1).join(", ") }) : t("needs no other call");
      const named = { [names.ASK]: t("question"), [names.FINAL]: t("closing reply") }[name] ?? name;
      one.setAttribute("aria-label", `${call + 1} ${named}: ${needs}`);
      one.setAttribute("draggable", "false");
      one.addEventListener("keydown", (event) => {
        if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        edit.edit(view, "dependencies", { part: "call", task: task.index, call });
      });
    });
  }

  function drawn(view) {
    let hinted = false; // said once on a page
    for (const box of view.place.querySelectorAll("[data-graph]")) {
      const task = view.session.tasks[Number(box.dataset.graph)];
      const svg = box.querySelector("svg.graph");
      if (!task || !svg || svg.classList.contains("editable")) continue;
      svg.classList.add("editable");
      svg.setAttribute("role", "group");
      const told = make("p", { class: "muted edge-told", role: "status" });
      if (!hinted) told.append(t("Drag from one call to another to add a dependency; click an arrow to remove it."));
      hinted = true;
      box.after(told);
      arrows(view, task, svg, told);
      nodes(view, task, svg);
      dragging(view, task, svg);
    }
  }

  page.extend({ drawn });
  Object.assign(toolgauge, { edges: { evidence } });
})();
