// The annotated calls of a task as a drawing: layer by layer from left to right, each state by its mark and its colour.
"use strict";
(() => {
  const { t, pt } = toolgauge;
  const MOST = 60;
  const SIZE = { narrowest: 172, widest: 290, height: 46, across: 46, down: 16, margin: 10, passing: 8 };
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

  // Places of the nodes: a column per layer, in it the order that keeps them near what they need. An edge that passes a
  // column has a place of its own in it, so that it runs behind no box. ways: for each edge the places on it.
  function layout(nodes, names) {
    const nodeWidth = Math.ceil(Math.min(SIZE.widest, Math.max(SIZE.narrowest, ...names.map(nameWidth))));
    const links = edges(nodes);
    const places = nodes.map(({ layer }) => ({ layer, height: SIZE.height, before: [] }));
    const all = [...places];
    const ways = links.map(([from, to]) => {
      const way = [places[from]];
      for (let layer = nodes[from].layer + 1; layer < nodes[to].layer; layer++) {
        way.push({ layer, height: SIZE.passing, before: [way.at(-1)] });
        all.push(way.at(-1));
      }
      places[to].before.push(way.at(-1));
      return [...way, places[to]];
    });
    const layers = [];
    for (const place of all) (layers[place.layer] ??= []).push(place);
    const tall = (layer) => layer.reduce((sum, { height }) => sum + height + SIZE.down, -SIZE.down);
    const highest = Math.max(...layers.map(tall));
    layers.forEach((layer, column) => {
      const wish = ({ before }) => before.reduce((sum, one) => sum + one.middle / before.length, 0);
      const order = new Map(layer.map((place, position) => [place, [wish(place), position]]));
      layer.sort((one, other) => order.get(one)[0] - order.get(other)[0] || order.get(one)[1] - order.get(other)[1]);
      let y = SIZE.margin + (highest - tall(layer)) / 2;
      for (const place of layer) {
        Object.assign(place, { x: SIZE.margin + column * (nodeWidth + SIZE.across), y, middle: y + place.height / 2 });
        y += place.height + SIZE.down;
      }
    });
    return {
      places,
      ways,
      nodeWidth,
      width: 2 * SIZE.margin + layers.length * (nodeWidth + SIZE.across) - SIZE.across,
      height: 2 * SIZE.margin + highest,
    };
  }

  // The line of an edge: curves between the columns, straight past those that it passes.
  function line(way, nodeWidth) {
    const [first, ...others] = way;
    let x = first.x + nodeWidth;
    let d = `M${x} ${first.middle}`;
    others.forEach((place, at) => {
      const end = at === others.length - 1 ? place.x - 2 : place.x;
      const bend = (end - x) / 2;
      d += ` C${x + bend} ${way[at].middle} ${end - bend} ${place.middle} ${end} ${place.middle}`;
      x = place.x + nodeWidth;
      if (end === place.x) d += ` H${x}`;
    });
    return d;
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
    for (const way of plan.ways) svg.append(draw("path", { class: "edge", d: line(way, plan.nodeWidth), "marker-end": `url(#${prefix}arrow)` }));
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
