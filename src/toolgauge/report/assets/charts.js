// Draws every figure.chart when it comes near, in the theme of the page; its numbers stand below it as a table.
"use strict";
(() => {
  const { t, make, isDark } = toolgauge;
  const NEAR = "500px";
  const EMBEDDING = { ast: true, defaultStyle: false, actions: false, renderer: "svg", mode: "vega-lite", logLevel: 1, tooltip: { disableDefaultStyle: true } };
  const drawn = new Map(); // figure -> the embedded view, or null while it is being drawn
  let printing = false; // paper is white, whatever the theme

  // The configuration with every light colour replaced by its dark counterpart.
  function darkened(part, colours) {
    if (typeof part === "string") return Object.hasOwn(colours, part) ? colours[part] : part;
    if (Array.isArray(part)) return part.map((item) => darkened(item, colours));
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, darkened(item, colours)]));
  }

  function specificationOf(figure) {
    return JSON.parse(figure.querySelector("script.spec").textContent);
  }

  // The place to draw in; a chart that can shrink gets the width there is, but no less than it needs.
  function placeOf(figure, smallest) {
    const place = make("div");
    if (smallest) place.style.minWidth = `${smallest}px`;
    figure.querySelector(".drawing").replaceChildren(place);
    return place;
  }

  async function draw(figure) {
    if (drawn.has(figure)) drawn.get(figure)?.finalize();
    drawn.set(figure, null);
    try {
      const spec = specificationOf(figure);
      const { dark = {}, smallest = 0 } = spec.usermeta ?? {};
      if (isDark() && !printing) spec.config = darkened(spec.config, dark);
      if (smallest) Object.assign(spec, { width: "container", autosize: { type: "fit-x", contains: "padding" } });
      drawn.set(figure, await vegaEmbed(placeOf(figure, smallest), spec, EMBEDDING));
      figure.dispatchEvent(new CustomEvent("drawn", { bubbles: true, detail: drawn.get(figure).view }));
    } catch (error) {
      console.error(`chart ${figure.id}: ${error.message}`);
      figure.querySelector(".drawing").replaceChildren(make("p", { class: "note" }, t("This chart could not be drawn; its numbers stand below.")));
      const numbers = figure.querySelector("details.numbers");
      if (numbers) numbers.open = true;
    }
  }

  // What a chart shows on hover, as the columns of tables: one for each part of it that has something to tell.
  function partsOf(spec) {
    const layers = spec.layer ?? [spec];
    return layers
      .filter((layer) => Array.isArray(layer.encoding?.tooltip))
      .map((layer) => ({ columns: layer.encoding.tooltip, rows: (layer.data ?? spec.data).values }));
  }

  function written(value) {
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") return String(value);
    return value.toLocaleString(document.documentElement.lang, { maximumSignificantDigits: 4 });
  }

  function tableOf({ columns, rows }) {
    const head = make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, column.title)));
    const lines = rows.map((row) =>
      make("tr", {}, ...columns.map(({ field }) => make("td", { class: typeof row[field] === "number" ? "number" : null }, written(row[field])))),
    );
    return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
  }

  function addNumbers(figure) {
    const details = make("details", { class: "numbers" }, make("summary", {}, t("The numbers of this chart")));
    const fill = () => {
      if (details.children.length === 1) details.append(...partsOf(specificationOf(figure)).map(tableOf));
    };
    details.addEventListener("toggle", fill, { once: true });
    figure.append(details);
  }

  const figures = [...document.querySelectorAll("figure.chart")];
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        watch.unobserve(entry.target);
        draw(entry.target);
      }
    },
    { rootMargin: NEAR },
  );
  for (const figure of figures) {
    addNumbers(figure);
    watch.observe(figure);
  }
  document.addEventListener("themechange", () => [...drawn.keys()].forEach(draw));
  const onPaper = (is) => () => {
    printing = is;
    const late = is ? figures.filter((figure) => !drawn.has(figure) && figure.offsetParent) : [];
    [...(isDark() ? drawn.keys() : []), ...late].forEach(draw);
  };
  addEventListener("beforeprint", onPaper(true));
  addEventListener("afterprint", onPaper(false));
})();
