// Two runs in one row: two dots and the line between them (the marks of marks.css), and a comparison read the other way.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const TOPS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1];
  const TICKS = [0, 0.25, 0.5, 0.75, 1];

  function drawn(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const at = (value, top) => `${Math.min(100, (100 * value) / top)}%`;
  const drawing = (name, ...children) => drawn("svg", { class: name, "aria-hidden": "true" }, ...children);

  // The end of the scale that all rates fit on: a round one.
  const topOf = (rates) => TOPS.find((top) => rates.every((rate) => rate <= top)) ?? 1;

  const lines = (top) => TICKS.map((share) => drawn("line", { class: "grid", x1: at(share * top, top), x2: at(share * top, top), y1: 0, y2: "100%" }));

  function axis(top) {
    return drawing("marks axis", ...TICKS.map((share) => drawn("text", { x: at(share, 1), y: "80%" }, toolgauge.numbers.fixed(100 * top * share, top * 100 < 20 && share % 1 ? 1 : 0))));
  }

  function dots(a, b, top) {
    const known = [a, b].every((rate) => rate !== null);
    const line = known ? [drawn("line", { class: "pair", x1: at(a, top), x2: at(b, top), y1: "50%", y2: "50%" })] : [];
    const points = [["first", a], ["second", b]]
      .filter(([, rate]) => rate !== null)
      .map(([kind, rate]) => drawn("svg", { class: "at", x: at(rate, top), y: "50%" }, drawn("circle", { class: `mark-${kind}`, r: 4.4 })));
    return drawing("marks", ...lines(top), ...line, ...points);
  }

  const OTHER = { first: "second", second: "first", unclear: "unclear" };
  const negative = (number) => (number === null ? null : 0 - number);
  const turned = (outcomes) => ({ ...outcomes, fixed: outcomes.broken, broken: outcomes.fixed });

  function turnedRow(row) {
    return { ...turned(row), a: row.b, b: row.a, difference: negative(row.difference), ci95: row.ci95 && [0 - row.ci95[1], 0 - row.ci95[0]], cohens_h: negative(row.cohens_h) };
  }

  function turnedMoves(moves) {
    const found = {};
    for (const [before, row] of Object.entries(moves)) for (const [after, number] of Object.entries(row)) (found[after] ??= {})[before] = number;
    return found;
  }

  // What analysis/compare would find with the runs exchanged: B's numbers stand where A's stood.
  function mirrored(scoring) {
    const { found } = scoring;
    const tables = Object.entries(found.tables).map(([table, rows]) => [table, Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, turnedRow(row)]))]);
    return {
      ...scoring,
      significant: scoring.significant.map((one) => ({ ...one, better: OTHER[one.better] })),
      found: {
        better: OTHER[found.better],
        tasks: turned(found.tasks),
        sessions: turned(found.sessions),
        tables: Object.fromEntries(tables),
        moves: turnedMoves(found.moves),
        fixed: found.broken,
        broken: found.fixed,
      },
    };
  }

  Object.assign(toolgauge, { pairs: { topOf, axis, dots, mirrored } });
})();
