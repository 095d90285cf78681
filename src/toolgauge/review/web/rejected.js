// Dialogues that the generation rejected: why, to be read, and to be taken into the review.
"use strict";
(() => {
  const { t, count, make, desk, keys, names, places, show, dialogue, jobs, making, tools } = toolgauge;

  const path = (one) => one.path.map((kind) => names.DEALT[kind] ?? kind).join(" → ");
  const canTake = (one) => !one.is_taken && one.whole > one.given;

  function state(one) {
    if (one.is_taken) return t("in the review");
    return canTake(one) ? "" : one.obstacle;
  }

  function row(one) {
    const link = one.whole ? make("a", { href: places.address("rejected", one.id, new Map()) }, show.clipped(one.id, 120)) : show.clipped(one.id, 120);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, link, make("span", { class: "begins" }, show.clipped(one.request, 160))),
      make("td", {}, path(one)),
      make("td", {}, show.clipped(one.reason, 300)),
      make("td", { class: "number" }, `${count(one.whole)}/${count(one.path.length)}`),
      make("td", {}, show.clipped(state(one), 300)),
    );
  }

  async function list(place) {
    const found = await desk.get("/api/rejected");
    const head = [t("Dialogue"), t("Task types"), t("Why it was rejected"), t("Whole tasks"), t("State")];
    const table = make("table", { class: "queue" }, make("thead", {}, make("tr", {}, ...head.map((one) => make("th", { scope: "col" }, one)))), make("tbody", {}, ...found.map(row)));
    const none = make("p", { class: "muted" }, t("Nothing was rejected, or this is no folder of a generation."));
    place.replaceChildren(
      make("h1", {}, t("Rejected dialogues of the generation")),
      make("p", {}, t("What is taken becomes a session of this review, in the state new; the folder of the generation stays as it is.")),
      found.length ? make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Rejected dialogues of the generation") }, table) : none,
    );
    const links = [...table.querySelectorAll("tbody a")];
    const step = (by) => links[Math.max(0, Math.min(links.length - 1, links.indexOf(document.activeElement) + by))]?.focus();
    keys.use([
      ["j", t("next dialogue"), () => step(1)],
      ["k", t("previous dialogue"), () => step(-1)],
      ["q", t("back to the models"), () => (location.hash = "#/models")],
    ]);
  }

  // Filters that object to its first tasks so much that nothing could be measured by it.
  const against = (one, tasks) => Object.entries(one.unfit).flatMap(([name, first]) => (first < tasks ? [name] : []));

  function takeForm(place, one) {
    if (!canTake(one)) return make("p", { class: "note" }, show.clipped(state(one), 400));
    const most = one.whole;
    const tasks = make("input", { type: "number", id: "tasks", min: String(one.given + 1), max: String(most), value: String(most), required: true });
    const button = make("button", { type: "submit", id: "take", title: "a" });
    const note = make("p", { role: "status" });
    const update = () => {
      const bad = against(one, Number(tasks.value));
      button.textContent = bad.length ? t("Take it all the same") : t("Take it");
      note.className = bad.length ? "note" : "";
      note.textContent = bad.length ? t("Its calls or tasks are not right ({filters}): mend them in the review.", { filters: bad.join(", ") }) : "";
    };
    const submit = (event) => {
      event.preventDefault();
      const wanted = Number(tasks.value);
      jobs.ask({ do: "rescue", dialogue: one.id, tasks: wanted, force: against(one, wanted).length > 0 }).then(
        ({ event: happened }) => (location.hash = places.address("session", happened.record.id, new Map())),
        (problem) => note.replaceChildren(make("span", { role: "alert" }, desk.said(problem))),
      );
    };
    tasks.addEventListener("input", update);
    update();
    return make("form", { class: "toolbar", on: { submit } }, make("label", { for: "tasks" }, t("Tasks, from the first (of {count})", { count: most })), tasks, button, note);
  }

  async function one(place, id) {
    const [found, told] = await Promise.all([desk.get("/api/rejected"), desk.read("/api/rejected", { id })]);
    const about = found.find((other) => other.id === id);
    const { element, stops } = dialogue.read(told, () => [], () => []);
    place.replaceChildren(
      make("h1", {}, show.clipped(id, 120), " ", make("span", { class: "badge status rejected" }, t("rejected"))),
      make("p", {}, show.clipped(about.reason, 400)),
      about.evidence ? show.fold(t("Evidence"), () => show.block(show.pretty(about.evidence), { class: "data code", tabindex: "0" }), { id: "evidence" }) : "",
      takeForm(place, about),
      element,
      tools.list(told),
    );
    keys.use([...making.reading(stops), ["a", t("take it"), () => document.getElementById("take")?.click()], ["q", t("back to the rejected dialogues"), () => (location.hash = "#/rejected")]]);
  }

  places.add("rejected", (place, id) => (id ? one(place, id) : list(place)));
})();
