// Comments on any part of a session: written, answered, resolved; at their place and as a list.
"use strict";
(() => {
  const { t, make, desk, show, names, session, dialogue } = toolgauge;
  const drafts = new Map(); // session and place -> {text, place, answers} that is being written
  const draftKey = (view, place) => `${view.id} ${dialogue.key(place)}`;

  const begun = (view) => view.session.comments.filter((one) => one.answers === null);
  const answersTo = (view, one) => view.session.comments.filter((other) => other.answers === one.number);
  const isOpen = (one) => !one.is_resolved;

  // What a comment at a part can be about: the part, and what stands in it.
  function subjects(view, place) {
    const { part, task, call } = place;
    const found = [place];
    if (part === "utterance") found.push({ part: "type", task }, ...(task ? [{ part: "reference", task }] : []));
    if (part === "call") found.push({ part: "dependencies", task, call }, ...Object.keys(view.session.tasks[task].calls[call].arguments).map((path) => ({ part: "arguments", task, call, path })));
    return found;
  }

  function send(view, draft) {
    const text = draft.text.trim();
    if (!text) return;
    drafts.delete(draftKey(view, dialogue.home(draft.place)));
    view.done(desk.send({ do: "comment", session: view.id, text, place: draft.place, ...(draft.answers === null ? {} : { answers: draft.answers }) }));
  }

  // The form of a comment or an answer; what is written in it is kept while the page is drawn anew.
  function form(view, home, draft) {
    const id = `comment-${dialogue.partId(home)}`;
    const text = make("textarea", { id, rows: "3", maxlength: "10000", on: { input: () => (draft.text = text.value) } });
    text.value = draft.text;
    const found = subjects(view, home);
    const about = make("select", { id: `${id}-about`, on: { change: () => (draft.place = found[about.selectedIndex]) } }, ...found.map((one) => make("option", {}, one.path || names.PARTS[one.part])));
    about.selectedIndex = Math.max(0, found.findIndex((one) => one.part === draft.place.part && (one.path ?? "") === (draft.place.path ?? "")));
    const leave = () => {
      drafts.delete(draftKey(view, home));
      box.remove();
      document.getElementById(dialogue.partId(home))?.focus();
    };
    const submit = (event) => {
      event.preventDefault();
      send(view, draft);
    };
    const typed = (event) => {
      if (event.key === "Escape") leave();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
      event.stopPropagation();
    };
    const chosen = draft.answers === null && found.length > 1 ? make("label", {}, t("About"), about) : null;
    const box = make(
      "form",
      { class: "comment-form", on: { submit, keydown: typed } },
      make("label", { for: id }, draft.answers === null ? t("Comment") : t("Answer")),
      text,
      make("div", { class: "toolbar" }, chosen, make("button", { type: "submit", title: "Ctrl+Enter" }, t("Send")), make("button", { type: "button", title: "Esc", on: { click: leave } }, t("Cancel"))),
    );
    return box;
  }

  // Begin a comment on a part, or an answer; the form opens at its place.
  function begin(view, place, answers = null) {
    const home = dialogue.home(place);
    const box = document.getElementById(dialogue.partId(home));
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
    const active = document.activeElement;
    const box = active?.closest?.("[data-part]");
    if (!box) return begin(view, { part: "session" });
    const place = JSON.parse(box.dataset.part);
    const row = active.closest("[data-argument]");
    begin(view, row ? { ...place, part: "arguments", path: row.dataset.argument } : place);
  }

  const said = (one) => make("p", { class: "meta muted" }, show.clipped(`${one.who}, ${names.when(one.at)}`, 200));

  function thread(view, one) {
    const resolve = (is_resolved) => view.done(desk.send({ do: "resolve", session: view.id, comment: one.number, is_resolved }));
    const about = one.place.path || ["type", "reference", "dependencies"].includes(one.place.part) ? make("p", { class: "meta muted" }, t("about: {part}", { part: one.place.path || names.PARTS[one.place.part] })) : null;
    const buttons = make(
      "div",
      { class: "toolbar" },
      make("button", { type: "button", class: "small", on: { click: () => begin(view, one.place, one.number) } }, t("Answer")),
      make("button", { type: "button", class: "small", on: { click: () => resolve(isOpen(one)) } }, isOpen(one) ? t("Resolve") : t("Open again")),
    );
    const answers = answersTo(view, one).map((other) => make("div", { class: "answer" }, said(other), show.block(other.text)));
    const content = () => make("div", {}, said(one), about, show.block(one.text), ...answers, buttons);
    const id = `comment-${one.number}`;
    const label = t("comment of {who}", { who: one.who.slice(0, 80) });
    return isOpen(one) ? make("div", { class: "comment", id, tabindex: "-1", role: "group", "aria-label": label }, content()) : show.fold(t("resolved comment of {who}", { who: one.who.slice(0, 80) }), content, { class: "comment", id });
  }

  function decorate(view, place, words) {
    const found = begun(view).filter((one) => dialogue.key(dialogue.home(one.place)) === dialogue.key(place));
    words.append(...found.map((one) => thread(view, one)));
    const draft = drafts.get(draftKey(view, place));
    if (draft) words.append(form(view, place, draft));
  }

  // All of them, each leading to its place; those whose part is gone are read here.
  function list(view) {
    const found = begun(view);
    if (!found.length) return [];
    const lines = found.map((one) => {
      const home = document.getElementById(dialogue.partId(dialogue.home(one.place)));
      const go = () => {
        const target = document.getElementById(`comment-${one.number}`) ?? document.getElementById(dialogue.partId(dialogue.home(one.place)));
        if (!target) return;
        if (target.tagName === "DETAILS") target.open = true;
        (target.tagName === "DETAILS" ? target.querySelector("summary") : target).focus({ preventScroll: true });
        target.scrollIntoView({ block: "center" });
      };
      const where = names.placed(one.place);
      const line = [make("span", { class: "muted" }, show.clipped(one.who, 80), ": "), show.clipped(one.text, 200)];
      const answers = answersTo(view, one).length;
      return make("li", { class: isOpen(one) ? null : "muted" }, make("button", { type: "button", class: "follow", on: { click: go } }, show.clipped(where, 200)), " ", ...line, answers ? make("span", { class: "muted" }, ` · ${t("answers: {count}", { count: answers })}`) : null, isOpen(one) ? null : ` · ${t("resolved")}`, home ? null : "");
    });
    const open = found.filter(isOpen).length;
    return [show.fold(t("Comments ({open} open of {count})", { open, count: found.length }), () => make("ul", { class: "comment-list" }, ...lines), { id: "comments", open: open > 0 })];
  }

  session.extend({
    decorate,
    below: list,
    tools: (view) => [make("button", { type: "button", title: "c", on: { click: () => begin(view, view.attended ? JSON.parse(document.getElementById(view.attended)?.dataset.part ?? '{"part":"session"}') : { part: "session" }) } }, t("Comment"))],
    keys: (view) => [["c", t("comment on this part"), () => beginHere(view)]],
  });
})();
