// What happened to a session: who changed what and when, old beside new; taking back from there; the whole against the
// original.
"use strict";
(() => {
  const { t, ngettext, make, desk, show, names, session } = toolgauge;
  const ORIGINS = { undo: t("undone"), proposal: t("a model's proposal"), layer: t("the next tasks") };

  // One side of a difference as a person reads it.
  function side(value, place) {
    if (value === null || value === undefined) return make("td", { class: "nothing" }, "–");
    if (place.part === "type") return make("td", {}, names.TYPES[value] ?? String(value));
    if (place.part === "reference") return make("td", {}, names.REFERENCES[value] ?? String(value));
    if (place.part === "dependencies") return make("td", {}, value.length ? value.map((one) => one + 1).join(", ") : t("none"));
    if (typeof value === "string") return make("td", {}, show.block(value));
    return make("td", {}, show.block(show.pretty(JSON.stringify(value)), { class: "code" }));
  }

  function table(differences) {
    if (!differences.length) return make("p", { class: "muted" }, t("No visible differences."));
    const head = [t("Where"), t("Before"), t("After")].map((one) => make("th", { scope: "col" }, one));
    const rows = differences.map((one) => make("tr", {}, make("th", { scope: "row" }, show.clipped(names.placed(one.place), 200), one.tool ? make("div", { class: "muted" }, make("code", {}, show.clipped(one.tool, 120))) : null), side(one.old, one.place), side(one.new, one.place)));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Differences") }, make("table", { class: "differences" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
  }

  // Asked for when it is unfolded.
  function differences(view, since, until) {
    const box = make("div", {}, make("p", { class: "muted" }, t("Loading…")));
    const values = until === null ? { id: view.id, since } : { id: view.id, since, until };
    desk.read("/api/differences", values).then(
      (found) => box.replaceChildren(table(found)),
      (problem) => box.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(problem))),
    );
    return box;
  }

  function said(line) {
    if (line.event === "edited") {
      const how = ORIGINS[line.origin] ?? t("changed");
      return line.places.length ? t("{how}: {what}", { how, what: line.places.map(names.placed).join("; ") }) : how;
    }
    if (line.outcome === "approved") return line.event === "settled" ? t("adopted this opinion: approved") : ngettext("approved {count} task", "approved {count} tasks", line.tasks);
    if (line.outcome === "rejected") return line.reason ? t("rejected: {reason}", { reason: line.reason }) : t("rejected");
    if (line.outcome === "open") return t("withdrew the decision");
    return line.event === "proposed" ? t("requested proposals") : line.event;
  }

  // The edits that stand from one on: so many are taken back, the last one first.
  const standing = (history, number) => history.filter((line) => line.event === "edited" && line.number >= number && !line.undoes && !line.undone);

  async function takeBack(view, count) {
    const { id } = view.session;
    let { version } = view.session;
    for (let left = count; left; left--) {
      const event = await desk.send({ do: "undo", session: id, base: version });
      version = event.number;
    }
  }

  function entry(view, line, before) {
    const { history } = view.session;
    const count = standing(history, line.number).length;
    const mayUndo = line.event === "edited" && !line.undoes && !line.undone;
    const undo = make("button", { type: "button", class: "small", on: { click: () => view.done(takeBack(view, count)) } }, count === 1 ? t("Undo this edit") : ngettext("Undo this and {count} later edit", "Undo this and {count} later edits", count - 1));
    const head = make("p", {}, make("span", { class: "muted" }, show.clipped(`${line.who || t("the program")}, ${names.when(line.at)}: `, 200)), show.clipped(said(line), 600), line.undone ? make("span", { class: "muted" }, ` (${t("undone")})`) : null);
    const what = line.event === "edited" ? show.fold(t("Before and after"), () => differences(view, before, line.number), { id: `change-${line.number}` }) : null;
    return make("li", { "data-event": line.number }, head, what, mayUndo ? undo : null);
  }

  function below(view) {
    const { history } = view.session;
    if (!history.length) return [];
    const lines = history.map((line, at) => entry(view, line, history.slice(0, at).filter((one) => one.event === "edited").at(-1)?.number ?? 0));
    const whole = history.some((line) => line.event === "edited") ? show.fold(t("The whole session against the original"), () => differences(view, 0, null), { id: "against-original" }) : null;
    return [show.fold(t("History ({count})", { count: history.length }), () => make("div", {}, whole, make("ol", { class: "history" }, ...lines.reverse())), { id: "history" })];
  }

  session.extend({ below });
  Object.assign(toolgauge, { history: { side } });
})();
