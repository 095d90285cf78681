// Dependencies in the drawing of a task's calls: drag from one call to another to say that the later one needs the earlier,
// choose an arrow to take it away. By keyboard: the calls and arrows are stops of Tab; `d` lists what a call needs.
"use strict";
(() => {
  const { t, make, button, dialogue, edit, graph, session: page, names } = toolgauge;

  function svgElement(tag, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  async function need(view, task, call, after) {
    await edit.change(view, [{ edit: "dependencies", task, call, after: [...new Set(after)].sort((a, b) => a - b) }]);
    view.place.querySelector(`[data-graph="${task}"] [data-node="${call}"]`)?.focus();
  }

  function link(view, task, one, other) {
    const [before, later] = one < other ? [one, other] : [other, one];
    const { after } = task.calls[later];
    if (before !== later && !after.includes(before)) need(view, task.index, later, [...after, before]);
  }

  function arrows(view, task, svg, told) {
    const links = graph.edges(task.calls.map((one) => ({ after: one.after })));
    svg.querySelectorAll(".edge").forEach((path, place) => {
      const [before, later] = links[place];
      const said = { call: later + 1, before: before + 1 };
      const remove = () => need(view, task.index, later, task.calls[later].after.filter((one) => one !== before));
      const group = svgElement("g", { class: "arrow", tabindex: "0", role: "button", "aria-label": t("Call {call} needs call {before}. Press Delete to remove this.", said), "data-from": before, "data-to": later });
      const wide = svgElement("path", { class: "edge-hit", d: path.getAttribute("d") });
      path.replaceWith(group);
      group.append(wide, path);
      group.addEventListener("focus", () => told.replaceChildren(t("Call {call} needs call {before}.", said), " ", button(t("Remove this dependency"), remove)));
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
    const here = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const end = () => {
      line?.remove();
      from = line = null;
    };
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    svg.addEventListener("pointerdown", (event) => {
      from = event.button === 0 ? (event.target.closest("[data-node]")?.dataset.node ?? null) : null;
      if (from === null) return;
      const { x, y } = here(event);
      line = svgElement("line", { class: "drawn", x1: x, y1: y, x2: x, y2: y });
      svg.append(line);
    });
    svg.addEventListener("pointermove", (event) => {
      const { x, y } = here(event);
      line?.setAttribute("x2", x);
      line?.setAttribute("y2", y);
    });
    svg.addEventListener("pointerup", (event) => {
      const node = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-node]");
      const begun = from;
      end();
      if (begun !== null && node && svg.contains(node)) link(view, task, Number(begun), Number(node.dataset.node));
    });
    svg.addEventListener("pointerleave", end);
    svg.addEventListener("pointercancel", end);
  }

  function nodes(view, task, svg) {
    svg.querySelectorAll("[data-node]").forEach((one, call) => {
      one.setAttribute("aria-label", `${call + 1} ${dialogue.nodeName(task.calls[call])}: ${names.needs(task.calls[call].after)}`);
      one.setAttribute("draggable", "false");
      one.addEventListener("keydown", (event) => {
        if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        edit.open(view, "dependencies", { part: "call", task: task.index, call });
      });
    });
  }

  function drawn(view) {
    view.place.querySelectorAll("[data-graph]").forEach((box, place) => {
      const task = view.session.tasks[Number(box.dataset.graph)];
      const svg = box.querySelector("svg.graph");
      const hint = place ? "" : t("Drag from one call to another to add a dependency; click an arrow to remove it."); // said once on a page
      const told = make("p", { class: "muted edge-told", role: "status" }, hint);
      svg.classList.add("editable");
      box.after(told);
      arrows(view, task, svg, told);
      nodes(view, task, svg);
      dragging(view, task, svg);
    });
  }

  page.extend({ drawn });
})();
