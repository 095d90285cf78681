// What leaves the review: the last check over everything, what it finds, and the archive.
"use strict";
(() => {
  const { t, ngettext, count, make, desk, keys, show, pages, places } = toolgauge;
  if (document.body.dataset.lead === undefined) return;
  const MOST = 300; // problems that are shown

  const problem = ({ session, message }) => make("li", {}, session === null ? show.clipped(message, 1000) : make("a", { href: places.address("session", session, new Map()) }, show.clipped(message, 1000)));

  // What the last check said, in words and as a list that leads to the sessions.
  function told({ sessions, left_out: left, problems }) {
    const leaving = ngettext("{count} session leaves.", "{count} sessions leave.", sessions);
    const staying = left ? ngettext("{count} stays here.", "{count} stay here.", left) : "";
    if (!problems.length) return [make("p", { class: "said" }, [leaving, staying, t("The last check found nothing wrong.")].filter(Boolean).join(" "))];
    const more = problems.length - MOST;
    return [
      make("p", { class: "note" }, ngettext("The last check found {count} problem; as long as it stands, nothing leaves:", "The last check found {count} problems; as long as they stand, nothing leaves:", problems.length)),
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
      result.replaceChildren(make("p", { class: "muted" }, t("Checking everything once more …")));
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
      return [...lines, make("p", {}, t("The archive is with your downloads."))];
    };
    const giving = during(download);
    all.addEventListener("change", () => result.replaceChildren());
    content.replaceChildren(
      make("h1", {}, t("Export")),
      make("p", {}, t("Approved sessions leave as a benchmark with a data card, as training data and as corrections of the original file. Everything is checked once more before: the data, that the annotated answers pass, that silence fails.")),
      make("p", {}, make("label", {}, all, " ", t("also what nobody has decided about (the card says so); what was rejected never leaves"))),
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
