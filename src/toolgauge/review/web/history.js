// What happened to a session: who changed what and when, old beside new; taking back from there; the whole against the
// original.
"use strict";
(() => {
  const { t, ngettext, make, button, desk, show, names, pages, session } = toolgauge;
  const NAMED = { ...names.TYPES, ...names.REFERENCES };

  // A value as a person reads it.
  function worded(value, { part }) {
    if (value === null || value === undefined) return "–";
    if (part === "dependencies") return names.needs(value);
    if (typeof value !== "string") return show.pretty(JSON.stringify(value));
    return ["type", "reference"].includes(part) ? (NAMED[value] ?? value) : value;
  }

  // A text, and what of it the other one does not have marked.
  function marked(text, other) {
    if (text.length > 4000) return show.block(text, { class: "said-text" });
    const [start, end] = show.shared(text, other);
    const middle = text.slice(start, text.length - end);
    return make("div", { class: "said-text text" }, show.text(text.slice(0, start)), middle ? make("mark", {}, show.text(middle)) : null, show.text(text.slice(text.length - end)));
  }

  // What differs between two versions, side by side. heads: what the sides are called.
  function differences(found, heads) {
    if (!found.length) return make("p", { class: "muted" }, t("No visible differences."));
    const rows = found.map((one) => {
      const [old, now] = [worded(one.old, one.place), worded(one.new, one.place)];
      return [[show.clipped(names.placed(one.place), 200), one.tool ? make("div", { class: "muted" }, make("code", {}, show.clipped(one.tool, 120))) : null], marked(old, now), marked(now, old)];
    });
    const table = pages.table(t("Differences"), [t("Where"), ...heads.map((one) => show.clipped(one, 80))], rows);
    table.firstChild.className = "differences";
    return table;
  }

  // Asked for when it is unfolded.
  function between(view, since, until) {
    const box = make("div", {}, make("p", { class: "muted" }, t("Loading…")));
    desk.read("/api/differences", { id: view.id, since, ...(until === null ? {} : { until }) }).then(
      (found) => box.replaceChildren(differences(found, [t("Before"), t("After")])),
      (problem) => box.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(problem))),
    );
    return box;
  }

  function said(line) {
    if (line.event === "edited") {
      const how = line.undoes ? t("undone") : t("changed");
      return line.places.length ? t("{how}: {what}", { how, what: line.places.map(names.placed).join("; ") }) : how;
    }
    if (line.outcome === "approved") return line.event === "settled" ? t("adopted this opinion: approved") : ngettext("approved {count} task", "approved {count} tasks", line.tasks);
    if (line.outcome === "rejected") return line.reason ? t("rejected: {reason}", { reason: line.reason }) : t("rejected");
    return line.outcome === "open" ? t("withdrew the decision") : line.event;
  }

  const isStanding = (line) => line.event === "edited" && !line.undoes && !line.undone;

  async function takeBack(view, count) {
    let { version } = view.session;
    for (let left = count; left; left--) ({ number: version } = await desk.send({ do: "undo", session: view.id, base: version }));
  }

  function entry(view, line, at) {
    const { history } = view.session;
    const before = history.slice(0, at).findLast((one) => one.event === "edited")?.number ?? 0;
    const count = history.slice(at).filter(isStanding).length; // those that are taken back, the last one first
    const label = count === 1 ? t("Undo this edit") : ngettext("Undo this and {count} later edit", "Undo this and {count} later edits", count - 1);
    const head = make("p", {}, make("span", { class: "muted" }, show.clipped(`${line.who || t("the program")}, ${names.when(line.at)}: `, 200)), show.clipped(said(line), 600), line.undone ? make("span", { class: "muted" }, ` (${t("undone")})`) : null);
    const what = line.event === "edited" ? show.fold(t("Before and after"), () => between(view, before, line.number), { id: `change-${line.number}` }) : null;
    return make("li", { "data-event": line.number }, head, what, isStanding(line) ? button(label, () => view.done(takeBack(view, count)), { class: "small" }) : null);
  }

  function below(view) {
    const { history } = view.session;
    if (!history.length) return [];
    const lines = history.map((line, at) => entry(view, line, at));
    const whole = history.some((line) => line.event === "edited") ? show.fold(t("The whole session against the original"), () => between(view, 0, null), { id: "against-original" }) : null;
    return [show.fold(t("History ({count})", { count: history.length }), () => make("div", {}, whole, make("ol", { class: "history" }, ...lines.reverse())), { id: "history" })];
  }

  session.extend({ below });
  Object.assign(toolgauge, { history: { differences } });
})();
