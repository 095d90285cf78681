// How far the review is: what is done and left, who did what, on which day, how often sessions were edited.
"use strict";
(() => {
  const { t, ngettext, count, make, desk, keys, names, show, pages, places } = toolgauge;
  const WORK = [["approved", t("Approved")], ["rejected", t("Rejected")], ["edits", t("Edits")], ["settled", t("Conflicts settled")], ["inspected", t("Inspected")]];

  function work(heading, caption, entries) {
    if (!entries.length) return [];
    const heads = [heading, ...WORK.map(([, words]) => ({ number: words }))];
    const rows = entries.map(([name, done]) => make("tr", {}, pages.head(show.clipped(name, 80)), ...WORK.map(([field]) => pages.numeric(done[field] ? count(done[field]) : "–"))));
    return [make("h2", {}, caption), pages.table(heads, rows, caption)];
  }

  function tile(what, value) {
    return make("div", { class: "tile" }, make("div", { class: "what" }, what), make("div", { class: "value" }, value));
  }

  function draw(told) {
    const all = Object.values(told.counts).reduce((sum, one) => sum + one, 0);
    const left = all - told.counts.approved - told.counts.rejected;
    const days = Object.entries(told.days).sort(([one], [other]) => (one < other ? 1 : -1));
    const edited = Object.entries(told.edits).map(([edits, sessions]) => make("tr", {}, pages.head(edits), pages.numeric(count(sessions))));
    const edits = t("Edits per session");
    return [
      make("h1", {}, t("Progress")),
      make("p", {}, left ? ngettext("{count} of {all} sessions is not decided yet.", "{count} of {all} sessions are not decided yet.", left, { all: count(all) }) : t("Every session is decided.")),
      make("div", { class: "tiles" }, ...Object.entries(names.STATUSES).map(([name, words]) => tile(words, count(told.counts[name]))), tile(t("tasks approved"), t("{some} of {all}", { some: count(told.approved_tasks), all: count(told.tasks) }))),
      ...work(t("Name"), t("By person"), Object.entries(told.people)),
      ...work(t("Day"), t("By day"), days),
      make("h2", {}, edits),
      pages.table([t("Edits"), { number: t("Sessions") }], edited, edits),
    ];
  }

  function view(content) {
    keys.use([["q", t("back to the queue"), () => (location.hash = "")]]);
    return pages.open(content, () => desk.get("/api/figures"), draw);
  }

  places.add("progress", view, t("Progress"));
})();
