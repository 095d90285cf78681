// Shares with their intervals over the inspection rounds, as a drawing; the table beside it has the numbers.
"use strict";
(() => {
  const SIZE = { width: 640, height: 240, left: 52, right: 16, top: 14, bottom: 34, widest: 90 };
  const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];

  function draw(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
  }

  // points: {label, rate, low, high} each, shares from 0 to 1; title: what the drawing shows, in words.
  function chart(points, title) {
    const highest = Math.max(...points.map(({ high, rate }) => high ?? rate), 0.01);
    const step = STEPS.find((one) => highest / one <= 5) ?? 0.5;
    const top = Math.min(1, Math.ceil(highest / step) * step);
    const inner = { width: SIZE.width - SIZE.left - SIZE.right, height: SIZE.height - SIZE.top - SIZE.bottom };
    const each = Math.min(SIZE.widest, inner.width / points.length);
    const x = (place) => SIZE.left + each * (place + 0.5);
    const y = (share) => SIZE.top + inner.height * (1 - share / top);
    const svg = draw("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, width: SIZE.width, height: SIZE.height, role: "img", "aria-label": title, class: "rounds-chart" });
    for (let share = 0; share <= top + 1e-9; share += step) {
      svg.append(draw("line", { x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: y(share), y2: y(share), class: "grid" }));
      svg.append(draw("text", { x: SIZE.left - 8, y: y(share) + 4, "text-anchor": "end" }, `${Math.round(100 * share)}%`));
    }
    const line = points.map(({ rate }, place) => `${x(place)},${y(rate)}`).join(" ");
    svg.append(draw("polyline", { points: line, class: "course" }));
    points.forEach(({ label, rate, low, high }, place) => {
      if (low !== null) {
        svg.append(draw("line", { x1: x(place), x2: x(place), y1: y(low), y2: y(high), class: "reach" }));
        for (const end of [low, high]) svg.append(draw("line", { x1: x(place) - 5, x2: x(place) + 5, y1: y(end), y2: y(end), class: "reach" }));
      }
      svg.append(draw("circle", { cx: x(place), cy: y(rate), r: 4.5 }));
      svg.append(draw("text", { x: x(place), y: SIZE.height - 12, "text-anchor": "middle" }, label));
    });
    return svg;
  }

  Object.assign(toolgauge, { chart });
})();
