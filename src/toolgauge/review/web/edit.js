// Editing in place: a form where the part stands, checked while it is typed, kept as a draft until what it asks for was
// done. A form outlives every drawing of the page: what others do meanwhile is shown beside it.
"use strict";
(() => {
  const { t, make, button, desk, dialogue, graph, parts, session: page, show, names } = toolgauge;
  const PAUSE = 350; // ms without a key before what was typed is checked
  const keyOf = (kind, place) => `${kind}/${place.task}/${place.call ?? ""}`;
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const forms = (view) => (view.forms ??= new Map());

  // Drafts: {kind, place, origin, state, name}; origin: what stood there when it was begun.
  const draftName = (view, key) => `${encodeURIComponent(view.id)}/${key}`;
  const drafts = (view) => desk.store.all("draft", draftName(view, "")).filter((one) => parts.KINDS[one.kind] && view.session.tasks[one.place.task]);
  const draftOf = (view, kind, place) => drafts(view).find((one) => keyOf(one.kind, one.place) === keyOf(kind, place)) ?? null;
  const isSent = (view, name) => desk.unsent(view.id).some(({ draft }) => draft === name);
  const keep = ({ name, kind, place, origin, part }) => desk.store.keep("draft", name, { name, kind, place, origin, state: part.state() });

  // What had the focus last: a form that is put back goes on where it was.
  let attended = null;
  document.addEventListener("focusin", ({ target }) => (attended = target));

  // A form for a part. draft: what was typed there before, and over what.
  function open(view, kind, place, draft = draftOf(view, kind, place)) {
    const key = keyOf(kind, place);
    const standing = parts.content(kind, view.session, place);
    if (forms(view).has(key)) return focusIn(forms(view).get(key));
    if (!standing && !draft) return;
    const form = { view, kind, place, key, name: draftName(view, key), origin: draft?.origin ?? standing, checks: 0 };
    build(form, draft?.state ?? form.origin);
    forms(view).set(key, form);
    attach(form);
    meanwhile(form);
    if (draft) look(form);
    else focusIn(form);
    return form;
  }

  function build(form, state) {
    const { kind, place, view } = form;
    const where = kind === "added" ? t("task {task}: a new call", { task: place.task + 1 }) : names.placed({ ...place, part: kind });
    form.part = parts.KINDS[kind].fields(form, state, view.session);
    form.told = make("div", { class: "told", role: "status" });
    form.conflict = make("div", { class: "conflict" });
    form.save = make("button", { type: "submit", class: "save", title: "Ctrl+Enter" }, kind === "added" ? t("Add") : t("Save"));
    const bar = make("div", { class: "toolbar" }, form.save, button(t("Close"), () => leave(form), { title: "Esc" }), button(t("Discard"), () => close(form)));
    const compose = (is) => () => (form.isComposing = is);
    const on = { submit: (event) => submit(form, event), input: () => typed(form), change: () => typed(form), keydown: (event) => pressed(form, event), compositionstart: compose(true), compositionend: compose(false) };
    form.element = make("form", { class: "edit", "aria-label": t("Edit: {place}", { place: where }), on }, form.conflict, form.part.element, form.told, bar);
  }

  const focusIn = ({ element }) => element.querySelector("textarea, select, input, button")?.focus();
  const partOf = ({ kind, place }) => (kind === "dependencies" ? { ...place, part: "call" } : place);
  const boxOf = (form) => document.getElementById(dialogue.partId(partOf(form)));

  // Put a form where its part stands. One that adds a call stands before the part; the others take its place.
  function attach(form) {
    const box = boxOf(form);
    if (!box) form.view.place.querySelector(".dialogue")?.prepend(form.element); // the part is gone: the form says so
    else if (form.kind === "added") box.before(form.element);
    else {
      box.querySelector(".words").append(form.element);
      if (form.kind !== "dependencies") box.querySelector(".words").classList.add("editing");
    }
  }

  function typed(form) {
    keep(form);
    clearTimeout(form.timer);
    form.timer = setTimeout(() => look(form), PAUSE);
  }

  function pressed(form, event) {
    event.stopPropagation(); // the page's keys are for the page
    if (event.key === "Escape") {
      event.preventDefault();
      leave(form);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(form, event);
  }

  const tell = (form, ...lines) => form.told.replaceChildren(...lines.filter(Boolean));

  // The edits that a form asks for now; null where it cannot be read, and it says why.
  function editsOf(form) {
    try {
      return parts.KINDS[form.kind].edits(form.place, form.origin, form.part.state());
    } catch (error) {
      if (!(error instanceof parts.Unreadable)) throw error;
      tell(form, make("p", { class: "bad" }, error.message));
      return null;
    }
  }

  // Have the session checked as it would be.
  async function look(form) {
    const edits = editsOf(form);
    if (!edits || meanwhile(form)) return;
    form.element.querySelectorAll("[aria-invalid]").forEach((one) => one.removeAttribute("aria-invalid"));
    if (!edits.length) return tell(form);
    const mine = ++form.checks;
    const { id, session } = form.view;
    try {
      const checked = await desk.check({ session: id, base: session.version, edits });
      if (mine === form.checks) tell(form, ...worded(form, checked));
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
    return [gone, shown.length ? make("ul", { class: "warnings" }, ...shown.map(line)) : make("p", { class: "muted" }, t("No new warning."))];
  }

  // Why something is not done, at the field that it concerns.
  function refuse(form, problem) {
    const name = (problem.place?.path ?? "").split(/[.[]/)[0];
    const member = name ? form.element.querySelector(`[data-name="${CSS.escape(name)}"]`) : null;
    (member ?? form.part.element).querySelector("textarea, input, select")?.setAttribute("aria-invalid", "true");
    tell(form, make("p", { class: "bad" }, desk.said(problem)));
  }

  async function submit(form, event) {
    event.preventDefault();
    const edits = editsOf(form);
    const { view, kind, place, name } = form;
    if (!edits || form.element.inert || meanwhile(form)) return;
    if (!edits.length) return close(form);
    keep(form);
    form.element.inert = true;
    // While the server is away the draft waits with its command; the page shows it.
    const away = ({ detail }) => detail.away && shut(form);
    document.addEventListener("outbox", away);
    try {
      await desk.send({ do: "edit", session: view.id, base: view.session.version, edits }, name);
      forget(form);
      await view.draw();
      form.element.remove();
      boxOf(form)?.focus({ preventScroll: true });
    } catch (problem) {
      form.element.inert = false;
      if (problem.code === "stale") await view.draw();
      const again = forms(view).get(form.key) ?? open(view, kind, place);
      if (again && problem.code !== "stale") refuse(again, problem);
      again?.save.focus();
    } finally {
      document.removeEventListener("outbox", away);
    }
  }

  // Others changed the part while it was edited: both are shown, and neither is lost. True where that is so.
  function meanwhile(form) {
    const theirs = parts.content(form.kind, form.view.session, form.place);
    const isSame = same(theirs, form.origin);
    form.save.hidden = !isSame;
    if (isSame) {
      form.conflict.replaceChildren();
      return false;
    }
    const mine = form.part.state();
    if (theirs && same(theirs, mine)) {
      close(form); // they did the same
      return true;
    }
    const onTop = () => {
      form.origin = theirs;
      form.element.requestSubmit();
    };
    const side = (heading, state) => make("div", {}, make("h4", {}, heading), show.block(parts.told(form.kind, state) || t("(empty)")));
    const bar = make("div", { class: "toolbar" }, button(t("Use theirs"), () => close(form)), theirs ? button(t("Use mine"), onTop) : null);
    form.conflict.replaceChildren(make("div", { class: "note", role: "alert" }, make("p", {}, t("Someone changed this in the meantime. Choose which version to keep:")), make("div", { class: "versions" }, side(t("Current version"), theirs), side(t("Your version"), mine)), bar));
    return true;
  }

  // Leave a form: what was changed stays as a draft.
  function leave(form) {
    if (same(form.part.state(), form.origin)) return close(form);
    keep(form);
    shut(form);
    form.view.draw().then(() => boxOf(form)?.focus());
  }

  function close(form) {
    shut(form);
    desk.store.drop("draft", form.name);
    boxOf(form)?.querySelector(".draft")?.remove();
    boxOf(form)?.focus({ preventScroll: true });
  }

  function forget(form) {
    clearTimeout(form.timer);
    form.checks += 1;
    forms(form.view).delete(form.key);
  }

  function shut(form) {
    forget(form);
    form.element.parentElement?.classList.remove("editing");
    form.element.remove();
  }

  // Change a session without a form.
  const change = (view, edits) => view.done(desk.send({ do: "edit", session: view.id, base: view.session.version, edits }));
  const remove = (view, { task, call }) => change(view, [{ edit: "remove_call", task, call }]);

  const kindOf = ({ part }) => (parts.KINDS[part] ? part : null);
  const NEEDING = ["call", "question", "reply"];

  function decorate(view, place, words) {
    const kind = kindOf(place);
    if (!kind) return;
    const where = names.placed(place);
    const tool = (sign, key, label, action) => button(sign, action, { class: "pencil", title: key, "aria-label": label });
    const tools = [tool("✎", "e", t("Edit {place}", { place: where }), () => open(view, kind, place))];
    if (place.part === "call") tools.push(tool("✕", "x", t("Remove {place}", { place: where }), () => remove(view, place)));
    if (NEEDING.includes(place.part)) tools.push(tool("+", "i", t("Add a call before {place}", { place: where }), () => open(view, "added", place)), tool("⇠", "d", t("What {place} needs", { place: where }), () => open(view, "dependencies", place)));
    words.append(make("div", { class: "edit-tools" }, ...tools));
    words.addEventListener("dblclick", (event) => event.target.closest("button, a, form, summary") || open(view, kind, place));
    const draft = draftOf(view, kind, place);
    if (draft && !forms(view).has(keyOf(kind, place)) && !isSent(view, draft.name)) words.append(make("p", { class: "draft muted" }, t("You have an unsaved draft."), " ", button(t("Continue editing"), () => open(view, kind, place))));
  }

  // After each drawing: forms are put back, drafts of an earlier visit opened the first time.
  let shown = null;
  function drawn(view) {
    shown = view;
    for (const form of [...forms(view).values()]) {
      attach(form);
      if (form.element.contains(attended)) attended.focus({ preventScroll: true });
      meanwhile(form);
    }
    if (!view.hasDrafts) openDrafts(view);
    view.hasDrafts = true;
    keeping(view);
  }

  function openDrafts(view) {
    for (const draft of drafts(view)) if (!isSent(view, draft.name)) open(view, draft.kind, draft.place, draft);
  }

  // What was not heard yet.
  function keeping(view) {
    view.place.querySelector(".keeping")?.remove();
    const unsent = desk.unsent(view.id);
    const wanted = (edit) => `${names.placed({ part: parts.KINDS[edit.edit] ? edit.edit : "session", task: edit.task, call: edit.call })}: ${edit.text ?? edit.name ?? JSON.stringify(edit.arguments ?? edit.result ?? edit.after ?? "")}`;
    const line = ({ command }) => make("li", {}, show.clipped((command.edits ?? []).map(wanted).join("; ") || command.do, 300));
    if (unsent.length) view.place.querySelector("h1")?.after(make("div", { class: "keeping note", role: "status" }, make("p", {}, t("Not sent yet; kept here and sent as soon as the server answers:")), make("ul", {}, ...unsent.map(line))));
  }

  // What was kept while the server was away, or over a reload, has arrived, or met another one's change: the page shows it.
  let wasKept = desk.pending() > 0;
  document.addEventListener("outbox", ({ detail }) => {
    if (!shown?.session || shown.closed || !shown.place.querySelector(".dialogue")) return;
    if (detail.away) keeping(shown);
    if (wasKept && !detail.count) shown.draw().then(() => openDrafts(shown)).catch(() => {});
    wasKept = detail.count > 0 && (wasKept || detail.away);
  });

  // The part in which something has the focus.
  const at = (view, fits, action) => () => {
    const place = view.stops.find(({ box }) => box.contains(document.activeElement))?.place;
    if (place && fits(place)) action(place);
  };
  const isCall = ({ call }) => call !== undefined;

  page.extend({
    decorate,
    drawn,
    // A page that is drawn anew ends what an input method has begun.
    busy: (view) => [...forms(view).values()].some((form) => form.isComposing),
    keys: (view) => [
      ["e", t("edit this part"), at(view, kindOf, (place) => open(view, kindOf(place), place))],
      ["d", t("the calls that this call needs"), at(view, isCall, (place) => open(view, "dependencies", { ...place, part: "call" }))],
      ["i", t("a new call before this one"), at(view, isCall, (place) => open(view, "added", place))],
      ["x", t("remove this call"), at(view, ({ part }) => part === "call", (place) => remove(view, place))],
    ],
  });

  // Dependencies in the drawing of a task's calls: drag from one call to another to say that the later one needs the
  // earlier, choose an arrow to take it away. By keyboard: the calls and arrows are stops of Tab; `d` lists what a call needs.

  function svgElement(tag, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  async function need(view, task, call, after) {
    await change(view, [{ edit: "dependencies", task, call, after: [...new Set(after)].sort((a, b) => a - b) }]);
    view.place.querySelector(`[data-graph="${task}"] [data-node="${call}"]`)?.focus();
  }

  function link(view, task, one, other) {
    const [before, later] = one < other ? [one, other] : [other, one];
    const { after } = task.calls[later];
    if (before !== later && !after.includes(before)) need(view, task.index, later, [...after, before]);
  }

  function arrows(view, task, svg, told) {
    const links = graph.edges(task.calls.map((one) => ({ after: one.after })));
    svg.querySelectorAll(".edge").forEach((path, place) => {
      const [before, later] = links[place];
      const said = { call: later + 1, before: before + 1 };
      const remove = () => need(view, task.index, later, task.calls[later].after.filter((one) => one !== before));
      const group = svgElement("g", { class: "arrow", tabindex: "0", role: "button", "aria-label": t("Call {call} needs call {before}. Press Delete to remove this.", said), "data-from": before, "data-to": later });
      const wide = svgElement("path", { class: "edge-hit", d: path.getAttribute("d") });
      path.replaceWith(group);
      group.append(wide, path);
      group.addEventListener("focus", () => told.replaceChildren(t("Call {call} needs call {before}.", said), " ", button(t("Remove this dependency"), remove)));
      group.addEventListener("click", () => group.focus());
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") told.querySelector("button")?.focus();
        else if (event.key === "Delete" || event.key === "Backspace") remove();
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
    });
  }

  // A line follows the pointer from the call where it went down; where it is let go over another one, that is an edge.
  function dragging(view, task, svg) {
    let from = null;
    let line = null;
    const here = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const end = () => {
      line?.remove();
      from = line = null;
    };
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    svg.addEventListener("pointerdown", (event) => {
      from = event.button === 0 ? (event.target.closest("[data-node]")?.dataset.node ?? null) : null;
      if (from === null) return;
      const { x, y } = here(event);
      line = svgElement("line", { class: "drawn", x1: x, y1: y, x2: x, y2: y });
      svg.append(line);
    });
    svg.addEventListener("pointermove", (event) => {
      const { x, y } = here(event);
      line?.setAttribute("x2", x);
      line?.setAttribute("y2", y);
    });
    svg.addEventListener("pointerup", (event) => {
      const node = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-node]");
      const begun = from;
      end();
      if (begun !== null && node && svg.contains(node)) link(view, task, Number(begun), Number(node.dataset.node));
    });
    svg.addEventListener("pointerleave", end);
    svg.addEventListener("pointercancel", end);
  }

  function nodes(view, task, svg) {
    svg.querySelectorAll("[data-node]").forEach((one, call) => {
      one.setAttribute("aria-label", `${call + 1} ${dialogue.nodeName(task.calls[call])}: ${names.needs(task.calls[call].after)}`);
      one.setAttribute("draggable", "false");
      one.addEventListener("keydown", (event) => {
        if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        open(view, "dependencies", { part: "call", task: task.index, call });
      });
    });
  }

  function drawnGraphs(view) {
    view.place.querySelectorAll("[data-graph]").forEach((box, place) => {
      const task = view.session.tasks[Number(box.dataset.graph)];
      const svg = box.querySelector("svg.graph");
      const hint = place ? "" : t("Drag from one call to another to add a dependency; click an arrow to remove it."); // said once on a page
      const told = make("p", { class: "muted edge-told", role: "status" }, hint);
      svg.classList.add("editable");
      box.after(told);
      arrows(view, task, svg, told);
      nodes(view, task, svg);
      dragging(view, task, svg);
    });
  }

  page.extend({ drawn: drawnGraphs });
})();
