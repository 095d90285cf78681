// How far the review is, who did what on which day; and what leaves: the last check over everything, and the archive.
"use strict";
(() => {
  const { t, ngettext, count, make, button, desk, keys, names, show, pages, places } = toolgauge;
  const WORK = { approved: t("Approved"), rejected: t("Rejected"), edits: t("Edits"), settled: t("Conflicts settled"), inspected: t("Inspected") };
  const MOST = 300; // problems that are shown

  function work(heading, caption, entries) {
    if (!entries.length) return [];
    const rows = entries.map(([name, done]) => [show.clipped(name, 80), ...Object.keys(WORK).map((field) => (done[field] ? count(done[field]) : "–"))]);
    return [make("h2", {}, caption), pages.table(caption, [heading, ...Object.values(WORK).map((words) => ({ number: words }))], rows)];
  }

  const tile = (what, value) => make("div", { class: "tile" }, make("div", { class: "what" }, what), make("div", { class: "value" }, value));

  function progress(told) {
    const all = Object.values(told.counts).reduce((sum, one) => sum + one, 0);
    const left = all - told.counts.approved - told.counts.rejected;
    const days = Object.entries(told.days).sort(([one], [other]) => (one < other ? 1 : -1));
    const edits = t("Edits per session");
    return [
      make("h1", {}, t("Progress")),
      make("p", {}, left ? ngettext("{count} of {all} sessions is not decided yet.", "{count} of {all} sessions are not decided yet.", left, { all: count(all) }) : t("Every session is decided.")),
      make("div", { class: "tiles" }, ...Object.entries(names.STATUSES).map(([name, words]) => tile(words, count(told.counts[name]))), tile(t("tasks approved"), t("{some} of {all}", { some: count(told.approved_tasks), all: count(told.tasks) }))),
      ...work(t("Name"), t("By person"), Object.entries(told.people)),
      ...work(t("Day"), t("By day"), days),
      make("h2", {}, edits),
      pages.table(edits, [t("Edits"), { number: t("Sessions") }], Object.entries(told.edits).map(([many, sessions]) => [many, count(sessions)])),
    ];
  }

  places.add("progress", (content) => pages.open(content, () => desk.get("/api/figures"), progress), t("Progress"));
  if (document.body.dataset.lead === undefined) return;

  // What the last check said, in words and as a list that leads to the sessions.
  function checked({ sessions, left_out: left, problems }) {
    const leaving = [t("To export: {count}.", { count: count(sessions) }), left ? t("Not exported: {count}.", { count: count(left) }) : "", t("The final check found no problems.")];
    if (!problems.length) return [make("p", { class: "said" }, leaving.filter(Boolean).join(" "))];
    const line = ({ session, message }) => make("li", {}, session === null ? show.clipped(message, 1000) : make("a", { href: places.address("session", session) }, show.clipped(message, 1000)));
    const more = problems.length > MOST ? make("li", {}, t("and {count} more", { count: count(problems.length - MOST) })) : null;
    return [make("p", { class: "note" }, t("Problems found by the final check: {count}. Fix them to export:", { count: count(problems.length) })), make("ul", { id: "problems" }, ...problems.slice(0, MOST).map(line), more)];
  }

  // A file of the server goes where the browser puts what is downloaded.
  function save(content, name) {
    const link = make("a", { href: URL.createObjectURL(content), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  function leaving(content) {
    const all = make("input", { type: "checkbox", id: "unapproved", on: { change: () => result.replaceChildren() } });
    const result = make("div", { role: "status", id: "last-check" });
    let isBusy = false;
    const check = async (isDownload) => {
      if (isBusy) return;
      isBusy = true;
      const values = all.checked ? { unapproved: 1 } : {};
      result.replaceChildren(make("p", { class: "muted" }, t("Checking everything again …")));
      try {
        const found = await desk.get("/api/export", { check: 1, ...values });
        const isReady = isDownload && !found.problems.length;
        if (isReady) save(await desk.file("/api/export", values), "reviewed.zip");
        result.replaceChildren(...checked(found), isReady ? make("p", {}, t("The archive is in your downloads.")) : "");
      } catch (refused) {
        result.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(refused)));
      }
      isBusy = false;
    };
    content.replaceChildren(
      make("h1", {}, t("Export")),
      make("p", {}, t("Approved sessions are exported as a benchmark with a data card, as training data and as corrections of the original file. Before that, everything is checked again: the data are valid, the annotated answers pass, silence fails.")),
      make("p", {}, make("label", {}, all, " ", t("include undecided sessions (the card says so); rejected ones are never exported"))),
      make("div", { class: "toolbar" }, button(t("Check"), () => check(false), { id: "check" }), button(t("Check and download"), () => check(true), { id: "download", title: "e" })),
      result,
      make("p", { class: "muted" }, t("The same on the command line:"), " ", make("code", {}, "toolgauge review … --export FOLDER")),
    );
    keys.use([["e", t("check and download"), () => check(true)], ["q", t("back to the queue"), () => places.go("")]]);
    return {};
  }

  places.add("export", leaving, t("Export"));
})();
