// Editing in place: a form where the part stands, checked while it is typed, kept as a draft until it is sent. A form outlives
// every drawing of the page: what others do meanwhile is shown beside it.
"use strict";
(() => {
  const { t, make, desk, dialogue, parts, session: page, show, names } = toolgauge;
  const DRAFTS = `toolgauge-review-drafts-${document.body.dataset.review}/`;
  const PAUSE = 350; // ms without a key before what was typed is checked
  const keyOf = (kind, place) => `${kind}/${place.task}/${place.call ?? ""}`;

  const drafts = {
    name: (view, key) => `${DRAFTS}${encodeURIComponent(view.id)}/${key}`,
    all(view) {
      const begin = drafts.name(view, "");
      try {
        return Object.keys(localStorage).filter((name) => name.startsWith(begin)).map((name) => JSON.parse(localStorage.getItem(name)));
      } catch {
        return []; // nothing is kept in this browser
      }
    },
    keep(form) {
      const { view, kind, place, origin } = form;
      try {
        localStorage.setItem(drafts.name(view, form.key), JSON.stringify({ kind, place, origin, state: form.part.state() }));
      } catch {
        // then it is kept as long as the page is open
      }
    },
    drop(view, key) {
      try {
        localStorage.removeItem(drafts.name(view, key));
      } catch {
        // it was not kept
      }
    },
  };

  // What had the focus last: a form that is put back goes on where it was.
  let attended = null;
  document.addEventListener("focusin", ({ target }) => (attended = target));

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const forms = (view) => (view.forms ??= new Map());

  // A form for a part. draft: what was typed there before, and over what.
  function open(view, kind, place, draft = null) {
    const key = keyOf(kind, place);
    const standing = parts.content(kind, view.session, place);
    if (forms(view).has(key)) return focusIn(forms(view).get(key).element);
    if (!standing && !draft) return;
    const form = { view, kind, place, key, origin: draft?.origin ?? standing, problem: null, checks: 0 };
    build(form, draft?.state ?? form.origin);
    forms(view).set(key, form);
    attach(form);
    if (draft) look(form);
    else focusIn(form.element);
    return form;
  }

  function build(form, state) {
    const { kind, view } = form;
    const button = (label, action, title = null) => make("button", { type: "button", title, on: { click: action } }, label);
    form.part = parts.KINDS[kind].fields(form, state, view.session);
    form.told = make("div", { class: "told", role: "status" });
    form.conflict = make("div", { class: "conflict" });
    form.save = make("button", { type: "submit", class: "save", title: "Ctrl+Enter" }, kind === "added" ? t("Add") : t("Save"));
    const bar = make("div", { class: "toolbar" }, form.save, button(t("Close"), () => leave(form), "Esc"), button(t("Discard"), () => close(form)));
    const children = [form.conflict, form.part.element, form.told, bar];
    if (form.element) form.element.replaceChildren(...children);
    else {
      form.element = make("form", { class: "edit", "aria-label": t("Edit: {place}", { place: named(form) }), "data-form": form.key, on: { submit: (event) => submit(form, event), input: () => typed(form), change: () => typed(form), keydown: (event) => pressed(form, event), compositionstart: () => (form.isComposing = true), compositionend: () => (form.isComposing = false) } }, ...children);
    }
  }

  const named = ({ kind, place }) => (kind === "added" ? t("task {task}: a new call", { task: place.task + 1 }) : names.placed({ ...place, part: kind }));
  const focusIn = (element) => element.querySelector("textarea, select, input, button")?.focus();
  const partOf = (form) => (form.kind === "dependencies" ? { ...form.place, part: "call" } : form.place);
  const boxOf = (form) => document.getElementById(dialogue.partId(partOf(form)));

  // Put a form where its part stands. One that adds a call stands before the part; the others take its place.
  function attach(form) {
    const box = boxOf(form);
    const words = box?.querySelector(".words");
    if (!words) {
      form.view.place.querySelector(".dialogue")?.prepend(form.element); // the part is gone: the form says so
      return;
    }
    if (form.kind === "added") box.before(form.element);
    else {
      words.append(form.element);
      if (form.kind !== "dependencies") words.classList.add("editing");
    }
  }

  function typed(form) {
    drafts.keep(form);
    clearTimeout(form.timer);
    form.timer = setTimeout(() => look(form), PAUSE);
  }

  function pressed(form, event) {
    event.stopPropagation(); // the page's keys are for the page
    if (event.key === "Escape") {
      event.preventDefault();
      leave(form);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit(form);
    }
  }

  // The edits that a form asks for now; null where it cannot be read, and it says why.
  function editsOf(form) {
    try {
      return parts.KINDS[form.kind].edits(form.place, form.origin, form.part.state());
    } catch (error) {
      if (!(error instanceof parts.Unreadable)) throw error;
      tell(form, [make("p", { class: "bad" }, error.message)]);
      return null;
    }
  }

  const tell = (form, lines) => form.told.replaceChildren(...lines);
  const isMeanwhile = (form) => !same(parts.content(form.kind, form.view.session, form.place), form.origin);

  // Have the session checked as it would be.
  async function look(form) {
    const edits = editsOf(form);
    if (!edits || isMeanwhile(form)) return;
    form.element.querySelectorAll("[aria-invalid]").forEach((one) => one.removeAttribute("aria-invalid"));
    if (!edits.length) return tell(form, []);
    const mine = ++form.checks;
    const { id, session } = form.view;
    try {
      const checked = await desk.check({ session: id, base: session.version, edits });
      if (mine === form.checks) tell(form, worded(form, checked));
    } catch (problem) {
      if (mine !== form.checks) return;
      if (problem.code === "stale") form.view.draw();
      else refuse(form, problem);
    }
  }

  function worded(form, { warnings, solved }) {
    const place = partOf(form);
    const isHere = (one) => one.place.task === place.task && (one.place.call ?? null) === (place.call ?? null);
    const line = ({ warned, is_new }) => make("li", { class: is_new ? "new" : "" }, is_new ? make("b", {}, t("New:"), " ") : null, names.placed(warned.place), ": ", show.clipped(warned.message, 600));
    const shown = warnings.filter((one) => one.is_new || isHere(one.warned));
    const gone = solved ? make("p", { class: "good" }, t("Warnings that this edit resolves: {count}", { count: solved })) : null;
    return [gone, shown.length ? make("ul", { class: "warnings" }, ...shown.map(line)) : make("p", { class: "muted" }, t("No new warning."))].filter(Boolean);
  }

  // Why something is not done, at the field that it concerns.
  function refuse(form, problem) {
    const name = (problem.place?.path ?? "").split(/[.[]/)[0];
    const member = name ? form.element.querySelector(`[data-name="${CSS.escape(name)}"]`) : null;
    const control = (member ?? form.part.element).querySelector("textarea, input, select");
    control?.setAttribute("aria-invalid", "true");
    tell(form, [make("p", { class: "bad" }, desk.said(problem))]);
  }

  async function submit(form, event = null) {
    event?.preventDefault();
    const edits = editsOf(form);
    if (!edits || form.element.inert) return;
    if (isMeanwhile(form)) return meanwhile(form);
    if (!edits.length) return close(form);
    form.element.inert = true;
    const { view } = form;
    const command = { do: "edit", session: view.id, base: view.session.version, edits };
    // While the server is away it is kept with the commands that are sent later; the part shows it.
    const away = ({ detail }) => detail.away && forms(view).get(form.key) === form && close(form);
    document.addEventListener("outbox", away);
    try {
      await desk.send(command);
      if (forms(view).get(form.key) === form) {
        forms(view).delete(form.key);
        drafts.drop(view, form.key);
      }
      await view.draw();
      boxOf(form)?.focus({ preventScroll: true });
    } catch (problem) {
      form.element.inert = false;
      if (forms(view).get(form.key) !== form) desk.keepRefused(command, problem);
      else if (problem.code === "stale") await view.draw();
      else refuse(form, problem);
      if (forms(view).get(form.key) === form) form.save.focus();
    } finally {
      document.removeEventListener("outbox", away);
    }
  }

  // Others changed the part while it was edited: both are shown, and neither is lost.
  function meanwhile(form) {
    const theirs = parts.content(form.kind, form.view.session, form.place);
    if (same(theirs, form.origin)) {
      form.conflict.replaceChildren();
      form.save.hidden = false;
      return;
    }
    const mine = form.part.state();
    if (theirs && same(theirs, mine)) return close(form); // they did the same
    const onTop = () => {
      form.origin = theirs;
      drafts.keep(form);
      meanwhile(form);
      submit(form);
    };
    form.save.hidden = true;
    form.conflict.replaceChildren(
      toolgauge.conflict.beside(parts.told(form.kind, theirs), parts.told(form.kind, mine), { takeTheirs: () => close(form), onTop: theirs ? onTop : null }),
    );
  }

  // Leave a form: what was changed stays as a draft.
  function leave(form) {
    const { view } = form;
    if (same(form.part.state(), form.origin)) return close(form);
    drafts.keep(form);
    shut(form);
    view.draw().then(() => boxOf(form)?.focus());
  }

  function close(form) {
    drafts.drop(form.view, form.key);
    shut(form);
    const box = boxOf(form);
    box?.querySelector(".draft")?.remove();
    box?.focus({ preventScroll: true });
  }

  function shut(form) {
    clearTimeout(form.timer);
    form.checks += 1;
    forms(form.view).delete(form.key);
    const words = form.element.parentElement;
    form.element.remove();
    words?.classList.remove("editing");
  }

  // What can be edited at a part, by the part's name.
  const kindOf = (place) => (parts.KINDS[place.part] ? place.part : null);

  function edit(view, kind, place) {
    const draft = drafts.all(view).find((one) => keyOf(one.kind, one.place) === keyOf(kind, place));
    return open(view, kind, place, draft && standing(view, draft) ? draft : null) ?? null;
  }

  // Is there something that a draft can be a draft of?
  const standing = (view, draft) => parts.KINDS[draft.kind] && view.session.tasks[draft.place.task];

  // Change a session without a form. What meets another one's change is shown beside it, like that of a form.
  async function change(view, edits) {
    const command = { do: "edit", session: view.id, base: view.session.version, edits };
    const sent = desk.send(command).catch((problem) => {
      if (problem.code !== "stale") throw problem;
      desk.keepRefused(command, problem);
    });
    await view.done(sent);
  }

  const remove = (view, { task, call }) => change(view, [{ edit: "remove_call", task, call }]);

  // The part that has the focus, or of which something has it.
  const current = (view) => view.stops.find(({ box }) => box.contains(document.activeElement))?.place;
  const isCall = (place) => place?.call !== undefined && place.call !== null;
  const at = (view, action) => () => {
    const place = current(view);
    if (place) action(place);
  };

  function decorate(view, place, words) {
    const kind = kindOf(place);
    if (!kind) return;
    const name = names.placed(place);
    const tools = [make("button", { type: "button", class: "pencil", title: "e", "aria-label": t("Edit {place}", { place: name }), on: { click: () => edit(view, kind, place) } }, "✎")];
    if (place.part === "call") tools.push(make("button", { type: "button", class: "pencil", title: "x", "aria-label": t("Remove {place}", { place: name }), on: { click: () => remove(view, place) } }, "✕"));
    if (["call", "question", "reply"].includes(place.part)) tools.push(make("button", { type: "button", class: "pencil", title: "i", "aria-label": t("Add a call before {place}", { place: name }), on: { click: () => edit(view, "added", place) } }, "+"));
    if (place.part !== "utterance" && place.part !== "answer" && place.part !== "result") tools.push(make("button", { type: "button", class: "pencil", title: "d", "aria-label": t("What {place} needs", { place: name }), on: { click: () => edit(view, "dependencies", place) } }, "⇠"));
    words.append(make("div", { class: "edit-tools" }, ...tools));
    words.addEventListener("dblclick", (event) => event.target.closest("button, a, form, summary") || edit(view, kind, place));
    const draft = drafts.all(view).find((one) => keyOf(one.kind, one.place) === keyOf(kind, place));
    if (draft && !forms(view).has(keyOf(kind, place))) words.append(make("p", { class: "draft muted" }, t("You have an unsaved draft."), " ", make("button", { type: "button", on: { click: () => edit(view, kind, place) } }, t("Continue editing"))));
  }

  // After each drawing: forms are put back, drafts of an earlier visit opened the first time.
  function drawn(view) {
    for (const form of forms(view).values()) {
      attach(form);
      if (form.element.contains(attended)) attended.focus({ preventScroll: true });
      meanwhile(form);
    }
    if (view.hasDrafts) return;
    view.hasDrafts = true;
    for (const draft of drafts.all(view)) if (standing(view, draft)) {
      const form = open(view, draft.kind, draft.place, draft);
      if (form) meanwhile(form);
    }
  }

  const keysOf = (view) => [
    ["e", t("edit this part"), at(view, (place) => kindOf(place) && edit(view, kindOf(place), place))],
    ["d", t("the calls that this call needs"), at(view, (place) => isCall(place) && edit(view, "dependencies", { ...place, part: "call" }))],
    ["i", t("a new call before this one"), at(view, (place) => isCall(place) && edit(view, "added", place))],
    ["x", t("remove this call"), at(view, (place) => place.part === "call" && remove(view, place))],
  ];

  // A page that is drawn anew ends what an input method has begun.
  const busy = (view) => [...forms(view).values()].some((form) => form.isComposing);

  page.extend({ decorate, drawn, busy, keys: keysOf });
  Object.assign(toolgauge, { edit: { edit, change } });
})();
