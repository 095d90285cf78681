// Comments on any part of a session: written, answered, resolved; at their place and as a list.
"use strict";
(() => {
  const { t, make, button, desk, show, names, session, dialogue } = toolgauge;
  const drafts = new Map(); // session and place -> {text, place, answers} that is being written
  const draftKey = (view, place) => `${view.id} ${dialogue.key(place)}`;
  const boxOf = (place) => document.getElementById(dialogue.partId(dialogue.home(place)));
  const begun = (view) => view.session.comments.filter((one) => one.answers === null);
  const answersTo = (view, one) => view.session.comments.filter((other) => other.answers === one.number);
  const about = ({ part, path }) => path || (["type", "reference", "dependencies"].includes(part) ? names.PARTS[part] : "");

  // The form of a comment or an answer; what is written in it is kept while the page is drawn anew.
  function form(view, home, draft) {
    const id = `comment-${dialogue.partId(home)}`;
    const text = make("textarea", { id, rows: "3", maxlength: "10000", on: { input: () => (draft.text = text.value) } });
    text.value = draft.text;
    const leave = () => {
      drafts.delete(draftKey(view, home));
      box.remove();
      boxOf(home)?.focus();
    };
    const submit = (event) => {
      event.preventDefault();
      if (!draft.text.trim()) return;
      drafts.delete(draftKey(view, home));
      view.done(desk.send({ do: "comment", session: view.id, text: draft.text.trim(), place: draft.place, ...(draft.answers === null ? {} : { answers: draft.answers }) }));
    };
    const typed = (event) => {
      if (event.key === "Escape") leave();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
      event.stopPropagation();
    };
    const subject = about(draft.place);
    const label = draft.answers !== null ? t("Answer") : subject ? t("Comment on {part}", { part: subject }) : t("Comment");
    const bar = make("div", { class: "toolbar" }, make("button", { type: "submit", title: "Ctrl+Enter" }, t("Send")), button(t("Cancel"), leave, { title: "Esc" }));
    const box = make("form", { class: "comment-form", on: { submit, keydown: typed } }, make("label", { for: id }, label), text, bar);
    return box;
  }

  // Begin a comment on a part, or an answer; the form opens at its place.
  function begin(view, place, answers = null) {
    const home = dialogue.home(place);
    const box = boxOf(place);
    if (!box) return;
    const kept = drafts.get(draftKey(view, home));
    const draft = kept && kept.answers === answers ? kept : { text: "", place, answers };
    drafts.set(draftKey(view, home), draft);
    box.querySelector(".comment-form")?.remove();
    const made = form(view, home, draft);
    box.querySelector(".words").append(made);
    made.querySelector("textarea").focus();
  }

  // At the part that has the focus; on the argument whose row has it.
  function beginHere(view) {
    const row = document.activeElement?.closest?.("[data-argument]");
    const place = session.placeInFocus(view);
    begin(view, row ? { ...place, part: "arguments", path: row.dataset.argument } : place);
  }

  const said = (one) => make("p", { class: "meta muted" }, show.clipped(`${one.who}, ${names.when(one.at)}`, 200));

  function thread(view, one) {
    const resolve = () => view.done(desk.send({ do: "resolve", session: view.id, comment: one.number, is_resolved: !one.is_resolved }));
    const subject = about(one.place) ? make("p", { class: "meta muted" }, t("about: {part}", { part: about(one.place) })) : null;
    const buttons = make("div", { class: "toolbar" }, button(t("Answer"), () => begin(view, one.place, one.number), { class: "small" }), button(one.is_resolved ? t("Open again") : t("Resolve"), resolve, { class: "small" }));
    const answers = answersTo(view, one).map((other) => make("div", { class: "answer" }, said(other), show.block(other.text)));
    const content = () => make("div", {}, said(one), subject, show.block(one.text), ...answers, buttons);
    const id = `comment-${one.number}`;
    if (one.is_resolved) return show.fold(t("resolved comment of {who}", { who: one.who.slice(0, 80) }), content, { class: "comment", id });
    return make("div", { class: "comment", id, tabindex: "-1", role: "group", "aria-label": t("comment of {who}", { who: one.who.slice(0, 80) }) }, content());
  }

  function decorate(view, place, words) {
    const found = begun(view).filter((one) => dialogue.key(dialogue.home(one.place)) === dialogue.key(place));
    words.append(...found.map((one) => thread(view, one)));
    const draft = drafts.get(draftKey(view, place));
    if (draft) words.append(form(view, place, draft));
  }

  // All of them, each leading to its place.
  function list(view) {
    const found = begun(view);
    if (!found.length) return [];
    const lines = found.map((one) => {
      const go = () => {
        const target = document.getElementById(`comment-${one.number}`) ?? boxOf(one.place);
        target?.setAttribute("open", "");
        (target?.querySelector("summary") ?? target)?.focus({ preventScroll: true });
        target?.scrollIntoView({ block: "center" });
      };
      const answers = answersTo(view, one).length;
      const more = [answers ? t("answers: {count}", { count: answers }) : "", one.is_resolved ? t("resolved") : ""].filter(Boolean);
      return make("li", { class: one.is_resolved ? "muted" : null }, button(show.clipped(names.placed(one.place), 200), go, { class: "follow" }), " ", make("span", { class: "muted" }, show.clipped(one.who, 80), ": "), show.clipped(one.text, 200), ...more.map((words) => ` · ${words}`));
    });
    const open = found.filter((one) => !one.is_resolved).length;
    return [show.fold(t("Comments ({open} open of {count})", { open, count: found.length }), () => make("ul", { class: "comment-list" }, ...lines), { id: "comments", open: open > 0 })];
  }

  session.extend({
    decorate,
    below: list,
    tools: (view) => [button(t("Comment"), () => begin(view, session.placeInFocus(view)), { title: "c" })],
    keys: (view) => [["c", t("comment on this part"), () => beginHere(view)]],
  });
})();
