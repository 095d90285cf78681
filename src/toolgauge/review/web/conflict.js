// Two people at one session: what the other one made of a part beside what you wanted, and what of yours has not arrived.
// Nothing of either is lost until somebody chooses.
"use strict";
(() => {
  const { t, make, desk, parts, session: page, show, names } = toolgauge;

  // Two versions beside each other. onTop: null where there is nothing that mine could be put on.
  function beside(theirs, mine, { takeTheirs, onTop }) {
    const side = (heading, text) => make("div", {}, make("h4", {}, heading), show.block(text || t("(empty)")));
    const button = (label, action) => make("button", { type: "button", on: { click: action } }, label);
    const buttons = make("div", { class: "toolbar" }, button(t("Use theirs"), takeTheirs), onTop ? button(t("Use mine"), onTop) : null);
    const box = make("div", { class: "note", role: "alert" }, make("p", {}, t("Someone changed this in the meantime. Choose which version to keep:")), make("div", { class: "versions" }, side(t("Current version"), theirs), side(t("Your version"), mine)), buttons);
    return box;
  }

  const PARTS_OF = { utterance: "utterance", type: "type", reference: "reference", arguments: "arguments", tool: "call", result: "result", answer: "answer", dependencies: "dependencies", confirm: "dependencies", add_call: "call", remove_call: "call" };
  const placeOf = ({ edit, task, call }) => ({ part: PARTS_OF[edit] ?? "session", task, call });

  // What an edit wants, in words.
  function wanted(edit) {
    const value = edit.text ?? edit.type ?? edit.reference ?? edit.name ?? edit.after?.map((one) => one + 1).join(", ");
    const arguments_ = edit.arguments === undefined ? "" : show.pretty(JSON.stringify(edit.arguments));
    const result = edit.result === undefined || edit.result === null ? "" : typeof edit.result === "string" ? edit.result : show.pretty(JSON.stringify(edit.result));
    if (edit.edit === "remove_call") return t("remove the call");
    if (edit.edit === "confirm") return edit.confirmed ? t("confirm that it needs call {call}", { call: edit.before + 1 }) : t("withdraw the confirmation of call {call}", { call: edit.before + 1 });
    return [value, arguments_, result].filter((one) => one !== undefined && one !== "").join("\n");
  }

  // What stands where an edit would change something.
  function standing(session, edit) {
    const place = placeOf(edit);
    const call = session.tasks[edit.task]?.calls[edit.call];
    const kind = { type: "utterance", reference: "utterance", arguments: "call", confirm: "dependencies" }[place.part] ?? place.part;
    if (edit.edit === "add_call") return (session.tasks[edit.task]?.calls ?? []).map((one) => one.name).join(", ");
    const spoken = kind === "result" && call?.answer !== null && call?.answer !== undefined ? "question" : kind === "result" && call?.name === names.FINAL ? "reply" : kind;
    return parts.told(spoken, parts.KINDS[spoken] ? parts.content(spoken, session, place) : null);
  }

  function refusedCommand(view, { command, problem }) {
    const again = () => {
      desk.drop(command.key);
      view.done(desk.send({ ...command, base: view.session.version }).catch((error) => {
        desk.keepRefused(command, error);
        throw error;
      }));
    };
    const drop = () => {
      desk.drop(command.key);
      view.draw();
    };
    const edits = command.edits ?? [];
    const head = make("p", {}, t("One of your changes was not applied: {why}", { why: problem.message }));
    if (!edits.length) return make("div", { class: "note", role: "alert" }, head, make("button", { type: "button", on: { click: drop } }, t("Dismiss")));
    const rows = edits.map((edit) => make("div", {}, make("p", { class: "muted" }, names.placed(placeOf(edit))), beside(standing(view.session, edit), wanted(edit), { takeTheirs: drop, onTop: again })));
    if (rows.length > 1) rows.forEach((row, place) => place < rows.length - 1 && row.querySelector(".toolbar").remove()); // they are one command
    return make("div", { class: "refused" }, head, ...rows);
  }

  const unsentCommand = ({ command }) => make("li", {}, (command.edits ?? []).length ? command.edits.map((edit) => `${names.placed(placeOf(edit))}: ${wanted(edit).slice(0, 200)}`).join("; ") : command.do);

  function drawn(view) {
    view.place.querySelectorAll(":scope > .keeping").forEach((one) => one.remove());
    const unsent = desk.unsent(view.id);
    const refused = desk.refused(view.id);
    if (!unsent.length && !refused.length) return;
    const box = make("div", { class: "keeping" });
    if (unsent.length) box.append(make("div", { class: "note", role: "status" }, make("p", {}, t("Not sent yet; kept here and sent as soon as the server answers:")), make("ul", {}, ...unsent.map(unsentCommand))));
    box.append(...refused.map((one) => refusedCommand(view, one)));
    view.place.querySelector("h1")?.after(box);
  }

  let shown = null;
  page.extend({
    drawn(view) {
      shown = view;
      drawn(view);
    },
  });
  // On every page: changes that wait for a word, and the way to them.
  const waiting = make("span", { class: "waiting", role: "status" });
  document.querySelector(".switches")?.prepend(waiting);
  function count() {
    const refused = desk.allRefused();
    const id = refused[0]?.command.session;
    const link = id === undefined ? null : make("a", { href: `#/session/${encodeURIComponent(id)}` }, t("Changes not applied: {count}", { count: refused.length }));
    waiting.replaceChildren(...(link ? [link] : []));
  }
  count();

  let before = 0;
  document.addEventListener("outbox", ({ detail }) => {
    count();
    if (!shown?.session || !shown.place.querySelector(".dialogue")) return;
    drawn(shown);
    // What was kept over a reload has arrived: the page shows it.
    if (before && !detail.count && !detail.away) shown.draw().catch(() => {});
    before = detail.away ? detail.count : 0;
  });

  Object.assign(toolgauge, { conflict: { beside } });
})();
