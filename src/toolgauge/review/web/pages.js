// What the pages beside the queue share: they are drawn from data that are asked for, and drawn again after every
// command and whenever something happened.
"use strict";
(() => {
  const { t, make, button, desk, keys, places, show } = toolgauge;
  const SETTLE = 700; // ms, in which events of others are gathered

  // load(): a promise of the data; draw(data, page): elements. The page: redraw(), say(words), give(command, said): gives
  // a command, says that it was done; true if it was. more: keys beside those that every page has.
  async function open(content, load, draw, more = []) {
    const said = make("p", { role: "status" });
    const body = make("div", {});
    const page = {};
    let waiting = 0;
    let closed = false;
    page.redraw = async () => {
      const data = await load();
      if (closed) return;
      const focused = body.contains(document.activeElement) ? document.activeElement : null;
      body.replaceChildren(...draw(data, page).filter(Boolean));
      const again = focused && (focused.isConnected ? focused : document.getElementById(focused.id));
      if (focused) (again ?? content).focus({ preventScroll: true });
    };
    page.say = (words, problem = false) => {
      said.textContent = words;
      said.className = words && (problem ? "note" : "said");
    };
    page.give = async (command, words = "") => {
      try {
        await desk.send(command);
      } catch (problem) {
        page.say(desk.said(problem), true);
        return false;
      }
      page.say(words);
      await page.redraw();
      return true;
    };
    page.happened = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => page.redraw().catch(() => {}), SETTLE); // a server that is away is asked again with the next event
    };
    page.close = () => {
      closed = true;
      clearTimeout(waiting);
    };
    const links = () => [...content.querySelectorAll("li a, th a")];
    const step = (by) => links()[Math.max(0, Math.min(links().length - 1, links().indexOf(document.activeElement) + by))]?.focus();
    keys.use([["j", t("next session"), () => step(1)], ["k", t("previous session"), () => step(-1)], ["q", t("back to the queue"), () => places.go("")], ...more]);
    content.replaceChildren(said, body);
    await page.redraw();
    return page;
  }

  // A choice of people: boxes that keep what was chosen when the people change. isChosen: are they, at first?
  function people(legend, isChosen) {
    const boxes = new Map();
    const element = make("fieldset", { class: "people" }, make("legend", {}, legend));
    const fill = (names) => {
      for (const name of names) if (!boxes.has(name)) boxes.set(name, make("input", { type: "checkbox", checked: isChosen }));
      element.replaceChildren(element.firstChild, ...names.map((name) => make("label", {}, boxes.get(name), " ", show.clipped(name, 80))));
    };
    const names = () => [...boxes].filter(([, box]) => box.checked && box.isConnected).map(([name]) => name);
    return { element, fill, names };
  }

  function number(label, value, most, least = 0) {
    const input = make("input", { type: "number", value, required: true, min: least, max: most, step: 1 });
    return { element: make("label", {}, label, " ", input), value: () => input.valueAsNumber };
  }

  // heads: words, or {number: words} of a column of numbers; rows: lists of cells, the first one a heading.
  function table(caption, heads, rows) {
    const isNumber = heads.map((head) => head.number !== undefined);
    const cells = heads.map((head, at) => make("th", { scope: "col", class: isNumber[at] ? "number" : null }, head.number ?? head));
    const cell = (content, at) => (at ? make("td", { class: isNumber[at] ? "number" : null }, ...[content].flat()) : make("th", { scope: "row" }, ...[content].flat()));
    const lines = rows.map((row) => make("tr", {}, ...row.map(cell)));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, make("table", {}, make("thead", {}, make("tr", {}, ...cells)), make("tbody", {}, ...lines)));
  }

  const link = (id) => make("a", { href: places.address("session", id) }, show.clipped(id, 80));
  const share = (rate) => (rate === null ? "–" : `${(100 * rate).toFixed(1)}%`);
  const interval = (low, high, write) => (low === null || high === null ? null : make("span", { class: "interval" }, `[${write(low)}, ${write(high)}]`));

  // A button that asks once more before it does something.
  function careful(label, again, action, more = {}) {
    const made = button(label, () => {
      if (made.dataset.asked) return action();
      made.dataset.asked = "yes";
      made.textContent = again;
    }, more);
    made.addEventListener("blur", () => {
      delete made.dataset.asked;
      made.textContent = label;
    });
    return made;
  }

  Object.assign(toolgauge, { pages: { open, people, number, table, link, share, interval, careful } });
})();
