// What the pages beside the queue share: they are drawn from data that are asked for, and drawn again after every
// command and whenever something happened.
"use strict";
(() => {
  const { make, desk } = toolgauge;
  const SETTLE = 700; // ms, in which events of others are gathered

  // load(): a promise of the data; draw(data, page): elements. The page: redraw(), give(command, said): gives a command,
  // says that it was done; true if it was.
  async function open(content, load, draw) {
    const said = make("p", { role: "status" });
    const body = make("div", {});
    let waiting = 0;
    let closed = false;
    const page = {};
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
      said.className = words && problem ? "note" : words ? "said" : "";
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
    content.replaceChildren(said, body);
    await page.redraw();
    page.happened = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => page.redraw().catch(() => {}), SETTLE); // a server that is away is asked again with the next event
    };
    page.close = () => {
      closed = true;
      clearTimeout(waiting);
    };
    return page;
  }

  const button = (label, action, more = {}) => make("button", { type: "button", ...more, on: { click: action } }, label);

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

  // A choice of people: boxes that keep what was chosen when the people change. chosen: who is, at first.
  function people(legend, chosen) {
    const boxes = new Map();
    const element = make("fieldset", { class: "people" }, make("legend", {}, legend));
    const show = (names) => {
      for (const name of names) if (!boxes.has(name)) boxes.set(name, make("input", { type: "checkbox", checked: chosen(name) }));
      const labels = names.map((name) => make("label", {}, boxes.get(name), " ", toolgauge.show.clipped(name, 80)));
      element.replaceChildren(element.firstChild, ...labels);
    };
    const names = () => [...boxes].filter(([, box]) => box.checked && box.isConnected).map(([name]) => name);
    return { element, show, names };
  }

  const number = (label, value, limits) => {
    const input = make("input", { type: "number", value, required: true, ...limits });
    return { element: make("label", {}, label, " ", input), value: () => input.valueAsNumber };
  };

  function table(heads, rows, caption = null) {
    const cells = heads.map((head) => make("th", { scope: "col", class: head.number ? "number" : null }, head.number ?? head));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption ?? heads.map((head) => head.number ?? head).join(", ") }, make("table", {}, make("thead", {}, make("tr", {}, ...cells)), make("tbody", {}, ...rows)));
  }

  const cell = (...content) => make("td", {}, ...content);
  const numeric = (...content) => make("td", { class: "number" }, ...content);
  const head = (...content) => make("th", { scope: "row" }, ...content);
  const share = (rate) => `${(100 * rate).toFixed(1)}%`;
  const interval = (low, high) => `[${low}, ${high}]`;

  Object.assign(toolgauge, { pages: { open, button, careful, people, number, table, cell, numeric, head, share, interval } });
})();
