// The frame of the views: the address says which one is shown, a view names its keys, messages find their words.
"use strict";
(() => {
  const { t, make, values } = toolgauge;

  // Keys of the view that is shown: [key, what it does in words, action] each; "" as words leaves one out of the dialog.
  const GENERAL = [["?", t("these keys")], ["l", t("the other language")], ["t", t("light or dark")]];
  let current = new Map();
  function useKeys(keys) {
    current = new Map(keys.map(([key, , action]) => [key, action]));
    const lines = [...keys, ...GENERAL].filter(([, words]) => words);
    document.getElementById("keys-list").replaceChildren(...lines.flatMap(([key, words]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, words)]));
  }

  document.addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = current.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  });

  // Views by name. The address: "#/session/ID?state=new", "#/?state=new" (the queue), "#/team".
  const nav = document.getElementById("places");
  const views = new Map(); // name -> open(place, rest, values)

  // open(content, rest, values): draws a view, returns (a promise of) {happened(detail)?, close()?}; rest: what follows
  // its name in the address; values: a Map of what stands behind `?`. label: of its link, for those that have one.
  function add(name, open, label = "") {
    views.set(name, open);
    if (label) nav.append(make("a", { href: `#/${name}`, "data-view": name }, label));
  }

  function here() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [name, rest = ""] = path.split("/");
    let said = rest;
    try {
      said = decodeURIComponent(rest);
    } catch {
      // what cannot be read names nothing
    }
    return { name, rest: said, values: new Map(new URLSearchParams(query)) };
  }

  function address(name, rest = "", asked = new Map()) {
    const query = new URLSearchParams([...asked].filter(([, value]) => value)).toString();
    return `#/${name}${rest ? `/${encodeURIComponent(rest)}` : ""}${query ? `?${query}` : ""}`;
  }

  const go = (...place) => (location.hash = address(...place));

  // name: of the view that is shown; a session is one of the queue.
  function mark(name) {
    for (const link of nav.children) {
      if (link.dataset.view === (name === "session" ? "" : name)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // What things are called.
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
  const REFERENCES = {
    first_turn: t("first turn"),
    coreference: t("coreference"),
    partial_information: t("partial information"),
    long_range: t("long range"),
  };
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
    if (task === null) return PARTS[part];
    const isSpoken = ["question", "answer", "reply"].includes(part);
    const where = call === null || isSpoken ? t("task {task}", { task: task + 1 }) : t("task {task}, call {call}", { task: task + 1, call: call + 1 });
    const what = path || (part === "call" ? "" : PARTS[part]);
    return what ? t("{where}: {what}", { where, what }) : where;
  }

  const path = (kinds) => kinds.map((kind) => TYPES[kind] ?? "?").join(" → ");
  const needs = (after) => (after.length ? t("needs call {calls}", { calls: after.map((one) => one + 1).join(", ") }) : t("needs no other call"));

  // A moment, in seconds since the epoch, as the language writes it.
  const moment = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const when = (seconds) => moment.format(new Date(values.plain(seconds) * 1000));

  Object.assign(toolgauge, {
    keys: { use: useKeys },
    places: { add, here, address, go, mark, view: (name) => views.get(name) ?? views.get("") },
    names: { ASK, FINAL, STATUSES, TYPES, MEANINGS, REFERENCES, PARTS, placed, path, needs, when },
  });
})();
