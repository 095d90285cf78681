// What things are called: the site's words for kinds of tasks and references, those of the review for states and parts.
"use strict";
(() => {
  const { t, values } = toolgauge;
  const ASK = "ask_user_for_required_parameters";
  const FINAL = "prepare_to_answer";
  const STATUSES = { new: t("new"), in_work: t("in progress"), approved: t("approved"), rejected: t("rejected"), conflict: t("opinions differ") };
  const TYPES = {
    single_tool: t("single-tool"),
    parallel_tools: t("parallel tools"),
    sequential_tools: t("sequential tools"),
    mixed_tools: t("mixed tools"),
    multi: t("multi-tool"),
    clarify: t("clarify"),
    chat: t("chat"),
  };
  // The kinds that a generation deals out.
  const DEALT = { single: TYPES.single_tool, multi: TYPES.multi, clarify: TYPES.clarify, chat: TYPES.chat };
  // What each means, in a line: docs/data-format.md.
  const MEANINGS = {
    single_tool: t("one call"),
    parallel_tools: t("several independent calls"),
    sequential_tools: t("several calls, each needs the one before"),
    mixed_tools: t("several calls, some sequential, some parallel"),
    clarify: t("something has to be asked first"),
    chat: t("no tool is needed"),
    first_turn: t("nothing was said before"),
    coreference: t("refers to something said before (“the second one”)"),
    partial_information: t("leaves out what was said before (“and tomorrow?”)"),
    long_range: t("needs something said more than a task ago"),
  };
  const REFERENCES = {
    first_turn: t("first turn"),
    coreference: t("coreference"),
    partial_information: t("partial information"),
    long_range: t("long range"),
  };
  const PARTS = {
    session: t("session"),
    utterance: t("what the user says"),
    type: t("task type"),
    reference: t("reference to what was said before"),
    call: t("call"),
    arguments: t("arguments"),
    dependencies: t("calls that it needs"),
    result: t("result"),
    question: t("question"),
    answer: t("the user's answer"),
    reply: t("closing reply"),
  };

  // Where a place is, in words: "task 2, call 1: result".
  function placed({ part = "session", task = null, call = null, path = "" }) {
    if (task === null || task === undefined) return PARTS[part];
    const where = call === null || call === undefined || ["question", "answer", "reply"].includes(part) ? t("task {task}", { task: task + 1 }) : t("task {task}, call {call}", { task: task + 1, call: call + 1 });
    const what = path ? path : part === "call" ? "" : PARTS[part];
    return what ? t("{where}: {what}", { where, what }) : where;
  }

  const coarse = (kind) => (kind.endsWith("_tools") ? "multi" : kind);
  const path = (kinds) => kinds.map((kind) => TYPES[kind] ?? "?").join(" → ");

  // A moment, in seconds since the epoch, as the language writes it.
  const moment = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const when = (seconds) => moment.format(new Date(values.plain(seconds) * 1000));

  Object.assign(toolgauge, { names: { ASK, FINAL, STATUSES, TYPES, DEALT, MEANINGS, REFERENCES, PARTS, placed, coarse, path, when } });
})();
