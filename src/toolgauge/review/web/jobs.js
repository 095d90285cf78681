// What the models of the review do: the next tasks of all sessions, jobs under way, what they cost.
"use strict";
(() => {
  const { t, ngettext, count, make, desk, keys, names, places, show } = toolgauge;
  const STATUSES = {
    prepared: t("to be run by hand"),
    queued: t("queued"),
    running: t("running"),
    taking: t("being applied"),
    stopped: t("stopped"),
    failed: t("failed"),
    given_up: t("given up"),
    done: t("done"),
  };
  const ACTIVE = ["queued", "running", "taking"];
  const NEWS = ["job", "listening"];

  const dollars = (value) => `$${value.toFixed(2)}`;
  const of = (spent, limit) => (limit === null ? spent : t("{spent} of {limit}", { spent, limit }));

  // "$1.20 of $5.00 · 12,000 tokens"
  function cost({ tokens, cost: spent, max_tokens: mostTokens = null, max_cost: mostCost = null }) {
    const money = spent === null || (!spent && mostCost === null) ? "" : of(dollars(spent), mostCost === null ? null : dollars(mostCost));
    return [money, t("{tokens} tokens", { tokens: of(count(tokens), mostTokens === null ? null : count(mostTokens)) })].filter(Boolean).join(" · ");
  }

  const ask = (command) => desk.posted("/api/make", { key: desk.newKey(), ...command });

  // Does something, then the page is drawn anew; what is refused is told.
  function done(page, promise, words = "") {
    return promise.then(
      () => page.draw().then(() => page.tell(words)),
      (problem) => page.tell(desk.said(problem), "alert"),
    );
  }

  const button = (id, label, action, more = {}) => make("button", { type: "button", id, on: { click: action }, ...more }, label);

  function models({ models: known, no_models: why, budget }) {
    const different = [...new Set(Object.values(known))];
    const who = different.length ? t("Models: {names}", { names: different.join(", ") }) : why;
    return make(
      "section",
      {},
      make("p", { class: different.length ? null : "note" }, show.clipped(who, 600)),
      different.length ? make("p", { id: "budget" }, t("Spent by all jobs: {cost}", { cost: cost(budget) })) : null,
      budget.is_spent ? make("p", { class: "note" }, t("The budget is spent: restart the review with a larger --max-cost or --set limits.max_tokens_total.")) : null,
    );
  }

  // The form of a layer: which kinds, for which sessions.
  function layer(page, one, kinds) {
    const boxes = kinds.map((kind) => make("input", { type: "checkbox", id: `kind-${one.layer}-${kind}`, value: kind, checked: true }));
    const longer = make("input", { type: "checkbox", id: `longer-${one.layer}` });
    const labelled = (box, words) => make("label", {}, box, " ", words);
    const submit = (event) => {
      event.preventDefault();
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      if (!chosen.length) return page.tell(t("Choose a task type."), "alert");
      if (!one.ready && !longer.checked) return page.tell(t("Confirm that the tasks after the approved ones may be replaced."), "alert");
      done(page, ask({ do: "makelayer", layer: one.layer, kinds: chosen, longer: longer.checked }));
    };
    const said = ngettext("For {count} session whose tasks are all approved.", "For {count} sessions whose tasks are all approved.", one.ready);
    return make(
      "form",
      { class: "layer", "aria-label": t("Task {number}", { number: one.layer }), on: { submit } },
      make("h3", {}, t("Task {number}", { number: one.layer })),
      one.ready ? make("p", {}, said) : null,
      one.longer ? make("p", {}, labelled(longer, ngettext("Also for {count} session with tasks after the approved ones: these are replaced", "Also for {count} sessions with tasks after the approved ones: these are replaced", one.longer))) : null,
      make("fieldset", {}, make("legend", {}, t("Task types, distributed evenly")), ...boxes.map((box) => labelled(box, names.DEALT[box.value]))),
      make("button", { type: "submit", id: `layer-${one.layer}` }, t("Make task {number}", { number: one.layer })),
    );
  }

  function layers(page, { is_lead: isLead, layers: ready, kinds }) {
    if (!isLead) return null;
    const none = make("p", { class: "muted" }, t("Approve the first tasks of some sessions (or whole sessions); then the models can make the next tasks."));
    const first = ready.filter((one) => one.ready).map((one) => layer(page, one, kinds));
    const again = ready.filter((one) => !one.ready).map((one) => layer(page, one, kinds));
    const folded = again.length ? show.fold(t("Replace tasks that are not approved"), () => make("div", {}, ...again), { id: "replace" }) : null;
    return make("section", { "aria-labelledby": "layers" }, make("h2", { id: "layers" }, t("The next tasks")), ...(first.length ? first : [none]), folded);
  }

  const link = (id) => make("a", { href: places.address("session", id, new Map()) }, show.clipped(id, 120));

  const what = (job) => ngettext("task {number} for {count} session", "task {number} for {count} sessions", job.sessions, { number: job.layer });

  function actions(page, job) {
    if (!job.mine) return [];
    const give = (command, words) => () => done(page, ask({ do: command, job: job.number }), words);
    const name = (words) => ({ "aria-label": t("{action}: job {number}", { action: words, number: job.number }) });
    const one = (id, words, command) => button(`${id}-${job.number}`, words, give(command, ""), name(words));
    if (ACTIVE.includes(job.status)) return [one("stop", t("Stop"), "stopjob")];
    if (["done", "given_up"].includes(job.status)) return [];
    return [page.making.no_models ? null : one("continue", t("Continue"), "continuejob"), one("take", t("Take the results so far"), "takejob"), one("give-up", t("Give up"), "stopjob")].filter(Boolean);
  }

  function article(page, job) {
    const bar = make("progress", { max: job.total, value: job.done, "aria-label": t("Dialogues of job {number}", { number: job.number }) });
    const far = ngettext("{done} of {count} dialogue, {taken} applied", "{done} of {count} dialogues, {taken} applied", job.total, { done: count(job.done), taken: count(job.taken) });
    const left = job.left.map((one) => make("li", {}, link(one.session), ": ", show.clipped(one.why, 400)));
    return make(
      "article",
      { class: `job ${job.status}`, "data-job": job.number, "aria-labelledby": `job-${job.number}` },
      make("h3", { id: `job-${job.number}`, tabindex: "-1" }, `${job.number}. `, what(job), " ", make("span", { class: "badge" }, STATUSES[job.status])),
      ACTIVE.includes(job.status) ? bar : null,
      make("p", {}, [far, job.tokens || job.cost ? cost(job) : "", `${job.who}, ${names.when(job.at)}`].filter(Boolean).join(" · ")),
      job.why ? make("p", { class: "note" }, show.clipped(job.why, 1000)) : null,
      make("div", { class: "toolbar" }, ...actions(page, job)),
      left.length ? show.fold(t("Without a result ({count})", { count: count(left.length) }), () => make("ul", {}, ...left), { id: `left-${job.number}` }) : null,
      job.commands.length ? show.fold(t("On the command line"), () => make("div", {}, ...job.commands.map((one) => show.block(one, { class: "code" }))), { id: `commands-${job.number}`, open: job.status === "prepared" }) : null,
    );
  }

  async function draw(page) {
    page.making = await desk.get("/api/making");
    if (page.closed) return;
    const { jobs } = page.making;
    const focused = document.activeElement?.closest?.("main [id]")?.id ?? "";
    const opened = [...page.place.querySelectorAll("details[open][id]")].map(({ id }) => id);
    const values = [...page.place.querySelectorAll("input[id]")].map(({ id, checked }) => [id, checked]);
    page.place.replaceChildren(
      make("h1", {}, t("Models")),
      page.notice,
      models(page.making),
      layers(page, page.making) ?? "",
      make("section", { "aria-labelledby": "jobs" }, make("h2", { id: "jobs" }, t("Jobs")), ...(jobs.length ? jobs.map((one) => article(page, one)) : [make("p", { class: "muted" }, t("None yet."))])),
    );
    for (const [id, checked] of values) if (document.getElementById(id)) document.getElementById(id).checked = checked;
    for (const id of opened) if (document.getElementById(id)) document.getElementById(id).open = true;
    const gone = focused && !document.getElementById(focused);
    if (focused) (gone ? page.place.querySelector("[data-job] h3") : document.getElementById(focused))?.focus({ preventScroll: true });
  }

  // Not more often than the eye follows.
  function soon(page) {
    if (page.timer || page.closed) return;
    page.timer = setTimeout(() => {
      page.timer = 0;
      draw(page).catch(() => {});
    }, 300);
  }

  async function open(place) {
    const page = { place, closed: false, timer: 0, notice: make("div", { role: "status" }) };
    page.draw = () => draw(page);
    page.tell = (words, role = null) => page.notice.replaceChildren(words ? make("p", { class: "note", role }, show.clipped(words, 1000)) : "");
    const told = () => soon(page);
    for (const news of NEWS) document.addEventListener(news, told);
    await draw(page);
    const headings = () => [...place.querySelectorAll("[data-job] h3")];
    const step = (by) => {
      const all = headings();
      const at = all.indexOf(document.activeElement?.closest?.("[data-job]")?.querySelector("h3"));
      all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
    };
    keys.use([
      ["j", t("next job"), () => step(1)],
      ["k", t("previous job"), () => step(-1)],
      ["m", t("make the next tasks"), () => place.querySelector("form.layer button")?.focus()],
      ["q", t("back to the queue"), () => (location.hash = "")],
    ]);
    return {
      happened: told,
      close() {
        page.closed = true;
        for (const news of NEWS) document.removeEventListener(news, told);
      },
    };
  }

  places.add("models", open, t("Models"));
  Object.assign(toolgauge, { jobs: { ask } });
})();
