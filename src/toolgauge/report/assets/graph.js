// The annotated calls of a task as a drawing: layer by layer from left to right, each state by its mark and its colour.
"use strict";
(() => {
  const { t, pt } = toolgauge;
  const MOST = 60;
  const SIZE = { narrowest: 172, widest: 290, height: 46, across: 46, down: 16, margin: 10 };
  const MARKS = { right: "✓", wrong: "✗", early: "!", open: "○", none: "" };
  const STATES = { right: t("done"), wrong: t("wrong arguments"), early: t("too early"), open: t("not reached"), extra: pt("state", "not expected") };

  function draw(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
  }

  // The edges that no longer way implies: [from, to] each.
  function edges(nodes) {
    const reach = nodes.map(() => new Set());
    const found = [];
    nodes.forEach((node, to) => {
      const direct = [...(node.after ?? [])].filter((from) => from >= 0 && from < to);
      for (const from of direct) {
        reach[to].add(from);
        for (const further of reach[from]) reach[to].add(further);
      }
      for (const from of direct) if (!direct.some((other) => other !== from && reach[other].has(from))) found.push([from, to]);
    });
    return found;
  }

  // How wide a letter of a name is drawn, about, and a whole name with the room around it.
  const letterWidth = (letter) => (letter.codePointAt(0) > 0x2e80 ? 13 : 7.6);
  const ROOM = 44;
  const nameWidth = (name) => [...name.slice(0, 100)].reduce((sum, letter) => sum + letterWidth(letter), ROOM);

  // Places of the nodes: a column per layer, in it the order that keeps them near what they need.
  function layout(nodes, names) {
    const nodeWidth = Math.ceil(Math.min(SIZE.widest, Math.max(SIZE.narrowest, ...names.map(nameWidth))));
    const layers = [];
    nodes.forEach((node, place) => (layers[node.layer] ??= []).push(place));
    const links = edges(nodes);
    const row = [];
    const highest = Math.max(...layers.map((layer) => layer.length));
    layers.forEach((layer) => {
      const wish = (place) => {
        const above = links.filter(([, to]) => to === place).map(([from]) => row[from]);
        return above.length ? above.reduce((sum, one) => sum + one, 0) / above.length : 0;
      };
      layer.sort((one, other) => wish(one) - wish(other) || one - other);
      layer.forEach((place, position) => (row[place] = position + (highest - layer.length) / 2));
    });
    const places = nodes.map((node, place) => ({
      x: SIZE.margin + node.layer * (nodeWidth + SIZE.across),
      y: SIZE.margin + row[place] * (SIZE.height + SIZE.down),
    }));
    return {
      places,
      links,
      nodeWidth,
      width: 2 * SIZE.margin + layers.length * (nodeWidth + SIZE.across) - SIZE.across,
      height: 2 * SIZE.margin + highest * (SIZE.height + SIZE.down) - SIZE.down,
    };
  }

  function fitted(name, nodeWidth) {
    if (nameWidth(name) <= nodeWidth) return name;
    let width = 0;
    let kept = "";
    for (const letter of name) {
      width += letterWidth(letter);
      if (width > nodeWidth - ROOM) return `${kept}…`;
      kept += letter;
    }
    return kept;
  }

  // names: how each node is called; states: one of right, wrong, early, open for each, or none at all.
  function graph(nodes, names, states, title, prefix = "") {
    if (nodes.length < 2 || nodes.length > MOST) return null;
    const plan = layout(nodes, names);
    const svg = draw("svg", { class: "graph", viewBox: `0 0 ${plan.width} ${plan.height}`, width: plan.width, height: plan.height, role: "group", "aria-label": title });
    svg.append(draw("defs", {}, draw("marker", { id: `${prefix}arrow`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, draw("path", { d: "M0 0.5 L7.5 4 L0 7.5 z" }))));
    for (const [from, to] of plan.links) {
      const [a, b] = [plan.places[from], plan.places[to]];
      const [x1, y1, x2, y2] = [a.x + plan.nodeWidth, a.y + SIZE.height / 2, b.x - 2, b.y + SIZE.height / 2];
      const bend = Math.max(24, (x2 - x1) / 2);
      svg.append(draw("path", { class: "edge", d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, "marker-end": `url(#${prefix}arrow)` }));
    }
    nodes.forEach((node, place) => {
      const state = states?.[place] ?? "none";
      const { x, y } = plan.places[place];
      const number = draw("text", { class: "number", x: x + 10, y: y + 19 });
      number.append(String(place + 1));
      const name = draw("text", { class: "name", x: x + 26, y: y + 19 });
      name.append(fitted(names[place], plan.nodeWidth));
      const word = draw("text", { class: "state", x: x + 26, y: y + 36 });
      word.append(state === "none" ? "" : `${MARKS[state]} ${STATES[state]}`);
      const hover = draw("title", {});
      hover.append(names[place]);
      const link = draw("a", { href: `#${prefix}node-${place}`, class: `node ${state}`, "data-node": place }, hover, draw("rect", { x, y, width: plan.nodeWidth, height: SIZE.height, rx: 6 }), number, name, word);
      link.addEventListener("click", (event) => {
        event.preventDefault(); // the address is the task's
        document.getElementById(`${prefix}node-${place}`)?.scrollIntoView({ block: "nearest", behavior: "smooth" });
      });
      svg.append(link);
    });
    return svg;
  }

  Object.assign(toolgauge, { graph: { draw: graph, edges, marks: MARKS, states: STATES } });
})();
