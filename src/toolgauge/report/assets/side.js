// One run at one task: three lines first (the model, the verdict, the cause), then the dialogue, then everything else.
"use strict";
(() => {
  const { t, make, show, cause, outcomes, mark } = toolgauge;
  const LACKING = {
    data: t("The data set of this run is not at hand, so there is nothing to compare with. Build the site where the data file is, or name it with --data."),
    replies: t("Nothing was said for this task."),
  };
  let isOpen = /[#&]at=/.test(location.hash); // the drawer, from task to task; places in the address may be in it

  // A scoring with what it means.
  const scoringTerm = (name, words) => (document.getElementById(`tip-${name}`) ? toolgauge.term(name, words) : words);

  // The chosen scoring's verdict, then what the others say of the same replies.
  function verdictLine(data) {
    const { config, scoring, address, scoringName, resultIn } = data;
    const others = config.scorings.filter((name) => name !== scoring && resultIn(name) !== "missing");
    const links = others.map((name) => make("a", { class: `mark ${resultIn(name)}`, href: address(name), title: outcomes[resultIn(name)] }, `${toolgauge.signs[resultIn(name)]} ${scoringName(name)}`));
    return make("p", { class: "verdict" }, mark(resultIn(scoring)), " ", ...show.sentence(t("scoring: {scoring}"), { scoring: [scoringTerm(scoring, scoringName(scoring))] }), ...(links.length ? [make("span", { class: "muted" }, " · "), ...links.flatMap((one) => [one, " "])] : []));
  }

  function factsLine(data) {
    const { columns } = data.index;
    const { row, titled, annotation } = data;
    const badge = (text) => (text ? make("span", { class: "badge" }, text) : null);
    const steps = columns.steps[row];
    const items = [
      badge(titled(columns.type[row])),
      badge(titled(columns.reference[row])),
      columns.epoch[row] ? badge(t("epoch {number}", { number: columns.epoch[row] + 1 })) : null,
      annotation?.steps ? badge(t("steps: {steps} (minimum: {least})", { steps, least: annotation.steps })) : steps ? badge(t("replies: {count}", { count: steps })) : null,
    ];
    return make("p", { class: "facts" }, ...items.filter(Boolean).flatMap((one) => [one, " "]));
  }

  // A class of mistakes with what it means behind it.
  function named(mistake, { titled, config }) {
    if (document.getElementById(`tip-${mistake}`)) return toolgauge.term(mistake, titled(mistake));
    return make("span", { class: "mistake", title: Object.hasOwn(config.whys, mistake) ? config.whys[mistake] : null }, titled(mistake));
  }

  // Why, in one sentence; null where the verdict says it all. By whichever scoring, "exact" tells the cause.
  function causeLine(data) {
    const { task, scoring, config } = data;
    const result = data.resultIn(scoring);
    const verdict = task.verdicts?.[scoring];
    if (result === "not_judgeable") return make("p", { class: "cause" }, t("What was recorded is right so far, but the recording ends before the task is done: its recorder stopped here, and nobody knows how the model would have gone on. This scoring counts the task neither as right nor as wrong."));
    if (!verdict) return make("p", { class: "cause" }, task.reason ? t("This task could not be asked: {why}. It counts as missing, not as wrong.", { why: task.reason }) : t("This task has no score: it was not asked, or not scored yet. It counts as missing, not as wrong."));
    const found = Object.hasOwn(task.causes ?? {}, scoring) ? task.causes[scoring] : task.causes?.exact;
    if (!found) return config.kind === "graph" && !verdict.optimal ? make("p", { class: "cause" }, t("Right, though in more steps than needed.")) : null;
    const sentence = cause.sentence(found, named(found.mistake, data));
    const step = found.contrast?.step;
    const there = step !== undefined && data.task.turns?.[step] ? make("a", { class: "there", href: `#${data.prefix}step-${step}`, on: { click: (event) => {
      event.preventDefault(); // the address is the task's
      document.getElementById(`${data.prefix}step-${step}`)?.scrollIntoView({ block: "center" });
    } } }, t("step {number} ↓", { number: step + 1 })) : null;
    const opening = verdict.label === "correct" ? [t("“exact” finds a mistake:"), " "] : [];
    return make("p", { class: "cause" }, ...opening, ...sentence, there ? " " : null, there ?? "");
  }

  function lacking(task) {
    return (task.lacking ?? []).map((what) => make("p", { class: "note", "data-lacks": what }, LACKING[what]));
  }

  // data: {config, index, row, task, annotation, shared, pool, scoring, prefix, titled, scoringName, address}; heading: of the
  // side; without: leave out what was said before. {head: the three lines, body: the dialogue and everything else}.
  function side(data, heading, { without = false } = {}) {
    data.language = data.config.language;
    data.comparison = data.task.comparison;
    data.isRight = data.task.verdicts?.[data.scoring]?.label === "correct";
    data.resultIn = (name) => (Object.hasOwn(data.index.scorings, name) ? data.index.scorings[name].result[data.row] : "missing");
    const drawer = toolgauge.drawer(data, isOpen);
    drawer.addEventListener("toggle", () => {
      isOpen = drawer.open;
      toolgauge.anchored();
    });
    const head = make("div", { class: "side head" }, ...[heading, verdictLine(data), causeLine(data), factsLine(data)].filter(Boolean), ...lacking(data.task));
    const name = make("h2", { class: heading ? "whose" : "unseen" }, heading ? show.text(data.config.label) : t("What was said"));
    return { head, body: make("section", { class: "side body", id: `${data.prefix}said` }, name, toolgauge.transcript(data, { without }), drawer) };
  }

  Object.assign(toolgauge, { side });
})();
