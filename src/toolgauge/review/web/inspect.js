// A session of an inspection round: its inspector marks errors where they are, or says that there is none; who mends it
// sees them there.
"use strict";
(() => {
  const { t, ngettext, count, make, desk, dialogue, names, places, session, show } = toolgauge;
  const KINDS = {
    utterance: t("what the user says"),
    task_type: t("task type"),
    tool: t("wrong tool"),
    argument: t("wrong argument"),
    result: t("result"),
    dependency: t("dependency"),
    redundant_call: t("unnecessary call"),
    reply: t("closing reply"),
    reference: t("reference to what was said before"),
  };
  // The class that is most likely at a part.
  const LIKELY = { utterance: "utterance", type: "task_type", reference: "reference", call: "tool", arguments: "argument", dependencies: "dependency", result: "result", question: "reply", answer: "utterance", reply: "reply" };
  const drafts = new Map(); // session -> [fault] that its inspector has not said yet

  const kind = (name) => (Object.hasOwn(KINDS, name) ? show.text(KINDS[name]) : show.clipped(name, 80));
  const isMine = (view) => view.session.inspection?.mine ?? false;
  // What is marked: what the inspector marks now, else what was found and is to be mended.
  const marked = (view) => drafts.get(view.id) ?? view.session.inspection?.faults ?? [];
  const words = (fault) => make("span", {}, kind(fault.kind), fault.note ? ": " : "", fault.note ? show.clipped(fault.note, 500) : null);

  function change(view, faults) {
    drafts.set(view.id, faults);
    return view.draw();
  }

  // The part in focus, else the whole session.
  function placeInFocus(view) {
    const box = document.activeElement?.closest?.("[data-part]") ?? document.getElementById(view.attended ?? "");
    return box?.dataset.part ? JSON.parse(box.dataset.part) : { part: "session" };
  }

  function ask(view) {
    if (!isMine(view)) return;
    const place = placeInFocus(view);
    const known = view.session.inspection.kinds;
    const select = make("select", { id: "fault-kind" }, ...known.map((name) => make("option", { value: name }, KINDS[name] ?? name.slice(0, 80))), make("option", { value: "" }, t("another class…")));
    select.value = LIKELY[place.part] ?? known[0];
    const own = make("input", { maxlength: 80, "aria-label": t("Name of the class"), hidden: true });
    select.addEventListener("change", () => {
      own.hidden = select.value !== "";
      own.required = !own.hidden;
    });
    const note = make("textarea", { id: "fault-note", rows: 2, maxlength: 2000 });
    const fields = [
      make("p", { class: "muted" }, names.placed(place)),
      make("label", { for: "fault-kind" }, t("Class of the error")),
      select,
      own,
      make("label", { for: "fault-note" }, t("What is wrong? (optional)")),
      note,
    ];
    const form = session.ask(view, t("Mark an error"), fields, t("Mark"), () => change(view, [...marked(view), { kind: select.value || own.value.trim() || "?", place, note: note.value.trim() }]));
    note.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.requestSubmit());
    select.focus();
  }

  // The inspector is done with the session: with these errors, or it is clean. On to the next one of the round.
  async function done(view) {
    if (!isMine(view)) return;
    const { id, version } = view.session;
    const faults = marked(view).map(({ kind: name, place, note = "" }) => ({ kind: name, place, note }));
    try {
      await desk.send({ do: "inspect", session: id, base: version, faults });
    } catch (problem) {
      await view.done(Promise.reject(problem));
      return;
    }
    drafts.delete(id);
    const { mine } = await desk.get("/api/rounds");
    location.hash = mine.length ? places.address("session", mine[0], new Map()) : places.address("rounds", "", new Map());
  }

  function item(view, fault, place) {
    const gone = () => change(view, marked(view).filter((_, other) => other !== place));
    const where = names.placed(fault.place ?? {});
    const take = isMine(view) ? make("button", { type: "button", class: "small", "aria-label": t("Remove mark: {where}", { where }), on: { click: gone } }, t("Remove mark")) : null;
    return make("li", {}, where, " – ", words(fault), " ", take);
  }

  function panel(view) {
    const { inspection } = view.session;
    const faults = marked(view);
    const list = faults.length ? make("ul", {}, ...faults.map((fault, place) => item(view, fault, place))) : null;
    const heading = make("h2", { id: "inspection-heading" }, t("Inspection round {number}", { number: inspection.round }));
    const attributes = { class: "boxed", "aria-labelledby": "inspection-heading" };
    if (!inspection.mine) return make("section", attributes, heading, make("p", {}, t("Errors were marked. Fix them and approve the session again.")), list);
    const said = inspection.is_done && !drafts.has(view.id) ? t("You have inspected this session; you can still change your result.") : t("You are inspecting this session for errors.");
    const finish = faults.length ? ngettext("Done: {count} error", "Done: {count} errors", faults.length) : t("No error");
    const buttons = make("div", { class: "toolbar" }, make("button", { type: "button", title: "m", id: "mark-error", on: { click: () => ask(view) } }, t("Mark an error here")), make("button", { type: "button", title: "y", id: "inspected", on: { click: () => done(view) } }, finish));
    return make("section", attributes, heading, make("p", { class: "muted" }, said), list, buttons);
  }

  session.extend({
    drawn(view) {
      if (view.session.inspection) view.place.querySelector(".toolbar.actions")?.after(panel(view));
    },
    decorate(view, place, element) {
      const here = dialogue.key(dialogue.home(place));
      const faults = marked(view).filter((fault) => fault.place && fault.place.part !== "session" && dialogue.key(dialogue.home(fault.place)) === here);
      for (const fault of faults) element.append(make("p", { class: "warn" }, t("Error found by inspection:"), " ", words(fault)));
    },
    keys: (view) =>
      isMine(view)
        ? [
            ["m", t("mark an error at this part"), () => ask(view)],
            ["y", t("inspected: no error, or those marked"), () => done(view)],
          ]
        : [],
  });

  Object.assign(toolgauge, { inspection: { kind } });
})();
