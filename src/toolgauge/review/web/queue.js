// The queue: which sessions there are, how far they are, and the way into each.
"use strict";
(() => {
  const { t, count, make, desk, keys, show } = toolgauge;
  const STATUSES = { new: t("new"), in_work: t("in work"), approved: t("approved"), rejected: t("rejected"), conflict: t("two opinions") };

  function row(line) {
    const name = make("a", { href: `#/session/${encodeURIComponent(line.id)}` }, show.clipped(line.id, 80));
    const approved = line.approved ? `${line.approved}/${line.tasks}` : String(line.tasks);
    return make(
      "tr",
      { "data-id": line.id },
      make("th", { scope: "row" }, name),
      make("td", {}, make("span", { class: `badge status ${line.status}` }, STATUSES[line.status])),
      make("td", { class: "number" }, approved),
      make("td", {}, line.is_edited ? t("edited") : ""),
      make("td", { class: "number" }, line.comments ? count(line.comments) : ""),
      make("td", {}, show.clipped(line.reviewers.join(", "), 80)),
    );
  }

  function progress(counts, total) {
    const parts = Object.entries(STATUSES).filter(([name]) => counts[name]);
    const words = parts.map(([name, said]) => `${count(counts[name])} ${said}`).join(" · ");
    const bar = make("div", { class: "bar", role: "img", "aria-label": words });
    for (const [name] of parts) {
      const piece = make("span", { class: `status ${name}` });
      piece.style.width = `${(100 * counts[name]) / total}%`;
      bar.append(piece);
    }
    return make("div", {}, bar, make("p", { class: "muted" }, words));
  }

  async function view(place) {
    const queue = await desk.get("/api/queue");
    const head = [t("Session"), t("State"), t("Tasks"), t("Edits"), t("Comments"), t("Reviewers")];
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((one) => make("th", { scope: "col" }, one)))), make("tbody", {}, ...queue.sessions.map(row)));
    place.replaceChildren(make("h1", {}, show.clipped(queue.file, 120)), progress(queue.counts, queue.sessions.length), make("div", { class: "scroll" }, table));
    const lines = [...table.querySelectorAll("tbody a")];
    const step = (by) => lines[Math.max(0, Math.min(lines.length - 1, lines.indexOf(document.activeElement) + by))]?.focus();
    keys.use([
      ["j", t("next session"), () => step(1)],
      ["k", t("previous session"), () => step(-1)],
    ]);
    return queue;
  }

  Object.assign(toolgauge, { queue: { view, STATUSES } });
})();
