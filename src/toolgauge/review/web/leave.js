// What leaves the review: the last check over everything, what it finds, and the archive.
"use strict";
(() => {
  const { t, count, make, desk, keys, show, pages, places } = toolgauge;
  if (document.body.dataset.lead === undefined) return;
  const MOST = 300; // problems that are shown

  const problem = ({ session, message }) => make("li", {}, session === null ? show.clipped(message, 1000) : make("a", { href: places.address("session", session, new Map()) }, show.clipped(message, 1000)));

  // What the last check said, in words and as a list that leads to the sessions.
  function told({ sessions, left_out: left, problems }) {
    const leaving = t("To export: {count}.", { count: count(sessions) });
    const staying = left ? t("Not exported: {count}.", { count: count(left) }) : "";
    if (!problems.length) return [make("p", { class: "said" }, [leaving, staying, t("The final check found no problems.")].filter(Boolean).join(" "))];
    const more = problems.length - MOST;
    return [
      make("p", { class: "note" }, t("Problems found by the final check: {count}. Fix them to export:", { count: count(problems.length) })),
      make("ul", { id: "problems" }, ...problems.slice(0, MOST).map(problem), more > 0 ? make("li", {}, t("and {count} more", { count: count(more) })) : null),
    ];
  }

  // A file of the server goes where the browser puts what is downloaded.
  function saved(content, name) {
    const link = make("a", { href: URL.createObjectURL(content), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  function view(content) {
    const all = make("input", { type: "checkbox", id: "unapproved" });
    const result = make("div", { role: "status", id: "last-check" });
    const values = () => (all.checked ? { unapproved: 1 } : {});
    // One thing at a time; what is refused is told.
    let isBusy = false;
    const during = (action) => async () => {
      if (isBusy) return;
      isBusy = true;
      result.replaceChildren(make("p", { class: "muted" }, t("Checking everything again …")));
      try {
        result.replaceChildren(...(await action()));
      } catch (refused) {
        result.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(refused)));
      }
      isBusy = false;
    };
    const check = async () => {
      const found = await desk.get("/api/export", { check: 1, ...values() });
      return [found, told(found)];
    };
    const download = async () => {
      const [found, lines] = await check();
      if (found.problems.length) return lines;
      saved(await desk.file("/api/export", values()), "reviewed.zip");
      return [...lines, make("p", {}, t("The archive is in your downloads."))];
    };
    const giving = during(download);
    all.addEventListener("change", () => result.replaceChildren());
    content.replaceChildren(
      make("h1", {}, t("Export")),
      make("p", {}, t("Approved sessions are exported as a benchmark with a data card, as training data and as corrections of the original file. Before that, everything is checked again: the data are valid, the annotated answers pass, silence fails.")),
      make("p", {}, make("label", {}, all, " ", t("include undecided sessions (the card says so); rejected ones are never exported"))),
      make("div", { class: "toolbar" }, pages.button(t("Check"), during(async () => (await check())[1]), { id: "check" }), pages.button(t("Check and download"), giving, { id: "download", title: "e" })),
      result,
      make("p", { class: "muted" }, t("The same on the command line:"), " ", make("code", {}, "toolgauge review … --export FOLDER")),
    );
    keys.use([
      ["e", t("check and download"), giving],
      ["q", t("back to the queue"), () => (location.hash = "")],
    ]);
    return {};
  }

  places.add("export", view, t("Export"));
})();
