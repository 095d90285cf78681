// Why a task is wrong, in one sentence that names the value or the call that differs: made of the cause's class, code and
// values (report/task_views/divergence.py), never of another sentence.
"use strict";
(() => {
  const { t, ngettext, make, show, because } = toolgauge;
  const reasons = JSON.parse(document.getElementById("reasons").textContent);
  const SHOWN = 4; // names that are listed
  const OTHER_TEXT = "other"; // a kind of text that says nothing

  // An annotated call as a sentence calls it.
  function called(name) {
    if (name === "ask_user_for_required_parameters") return t("a question to the user");
    if (name === "prepare_to_answer") return t("the final reply");
    return make("code", {}, show.clipped(name, 80));
  }

  // Names, each once with how often it comes.
  function list(names) {
    const counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const shown = [...counts].slice(0, SHOWN).flatMap(([name, many], place) => [place ? ", " : "", called(name), many > 1 ? ` ×${many}` : ""]);
    return counts.size > SHOWN ? [...shown, ", …"] : shown;
  }

  // Which argument a contrast is about, as nodes; nothing where it is about an answer as a whole.
  function subject({ tool, path }) {
    const names = { path: make("code", {}, show.clipped(path ?? "", 120)), tool: make("code", {}, show.clipped(tool ?? "", 80)) };
    if (path) return show.sentence(tool ? t("{path} of {tool}") : "{path}", names);
    return tool ? show.sentence(t("what {tool} was given"), names) : null;
  }

  function ofValues(contrast) {
    const about = subject(contrast);
    const { made, expected, more } = contrast;
    const nodes = { subject: about, made: made === undefined ? null : show.value(made, expected), expected: expected === undefined ? null : show.value(expected, made) };
    const pick = () => {
      if (!about) return made === undefined ? t("expected {expected}") : t("answered {made}, expected {expected}");
      if (made === undefined) return t("{subject} is missing, expected {expected}");
      return expected === undefined ? t("{subject} is {made}; no such argument is expected") : t("{subject} is {made}, expected {expected}");
    };
    return [...show.sentence(pick(), nodes), more ? " " : "", more ? ngettext("({count} more argument is wrong)", "({count} more arguments are wrong)", more) : ""];
  }

  function ofStep({ called: made = [], said = "", due = [] }) {
    const nodes = { made: list(made), said: ["“", show.clipped(said.replace(/\s+/g, " ").trim(), 120), "”"], due: list(due) };
    const pick = () => {
      if (made.length) return due.length ? t("called {made}, expected {due}") : t("called {made}");
      if (said) return due.length ? t("said {said}, expected {due}") : t("said {said}");
      return t("expected {due}");
    };
    return show.sentence(pick(), nodes);
  }

  // What the recorded reason adds to what came and what was expected: of a text its kind, of calls nothing.
  function added(why, contrast) {
    if (!why) return "";
    if (!contrast) return because({ ...why, counted: false });
    if (contrast.called?.length && contrast.due?.length) return "";
    const own = Object.hasOwn(reasons, why.code ?? "") ? reasons[why.code] : null;
    const kind = why.values?.kind ?? "";
    const ofKind = Object.hasOwn(reasons, kind) && kind !== OTHER_TEXT ? reasons[kind].text : "";
    return contrast.due?.length && own?.text.includes("{names}") ? ofKind : because({ ...why, place: "", counted: false });
  }

  // The sentence as nodes, without the class of the mistake. cause: {why, contrast}.
  function words({ why, contrast }) {
    if (contrast && (contrast.made !== undefined || contrast.expected !== undefined)) return ofValues(contrast);
    const reason = added(why, contrast);
    const parts = contrast ? ofStep(contrast) : [];
    const text = reason ? [show.clipped(reason, 600)] : [];
    return text.length && parts.length ? [...text, t("; "), ...parts] : [...text, ...parts];
  }

  // cause: {mistake, why, contrast}; title: what the class of its mistake is called.
  function sentence(cause, title) {
    const said = words(cause);
    return said.length ? [make("b", {}, title), t(": "), ...said] : [make("b", {}, title)];
  }

  Object.assign(toolgauge, { cause: { sentence, called } });
})();
