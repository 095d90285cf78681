// The sessions of the queue as the server told of them, those that filters leave, and their order. The filters are the
// values of the address: {state, kind, path, warnings, edited, who, comments, q, sort}.
"use strict";
(() => {
  const { desk, names } = toolgauge;
  const lines = new Map(); // id -> line
  const FIELDS = ["state", "kind", "path", "warnings", "edited", "who", "comments"];
  const ORDER = Object.keys(names.STATUSES);
  let told = null; // the last answer without its lines
  let numbers = {};

  // Ask for what is new; returns the ids of the lines that differ.
  async function refresh() {
    const { sessions, ...rest } = await desk.get("/api/queue", numbers);
    const changed = sessions.map((line) => line.id);
    for (const line of sessions) lines.set(line.id, { kinds: [], warnings: null, at: 0, begins: "", ...line });
    told = rest;
    numbers = { since: rest.number, found: rest.found };
    return changed;
  }

  const sum = (warnings) => (warnings ? Object.values(warnings).reduce((all, one) => all + one, 0) : -1);

  // The values of a filter that a line has.
  function valuesOf(line, field) {
    switch (field) {
      case "state":
        return [line.status];
      case "kind":
        return [...new Set(line.kinds)];
      case "path":
        return [line.kinds.map(names.coarse).join("-")];
      case "warnings":
        return line.warnings === null ? ["unknown"] : [sum(line.warnings) ? "yes" : "no", ...Object.keys(line.warnings)];
      case "edited":
        return [line.is_edited ? "yes" : "no"];
      case "comments":
        return [line.comments ? "open" : "none"];
      case "who":
        return [...(line.mine ? ["mine"] : []), ...(line.reviewers.length ? line.reviewers.map((name) => `=${name}`) : ["nobody"])];
      default:
        return [];
    }
  }

  const KEYS = {
    state: (line) => ORDER.indexOf(line.status),
    tasks: (line) => line.approved,
    warnings: (line) => sum(line.warnings),
    edits: (line) => Number(line.is_edited),
    comments: (line) => line.comments,
    changed: (line) => line.at,
  };
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  function sorted(found, sort = "") {
    const name = sort.replace(/^-/, "");
    const sign = sort.startsWith("-") ? -1 : 1;
    if (name === "id") return found.sort((one, other) => sign * collator.compare(one.id, other.id));
    if (name === "who") return found.sort((one, other) => sign * collator.compare(one.reviewers.join(), other.reviewers.join()));
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : null;
    return key ? found.sort((one, other) => sign * (key(one) - key(other))) : found;
  }

  const fits = (line, values, but) => FIELDS.every((field) => field === but || !values.get(field) || valuesOf(line, field).includes(values.get(field)));

  // The lines that the filters leave, in their order. ids: those that the search found, null without one.
  const matching = (values, ids) => sorted([...lines.values()].filter((line) => fits(line, values) && (!ids || ids.has(line.id))), values.get("sort"));

  // How many lines each value of a filter would leave, given the others.
  function counted(field, values, ids) {
    const counts = new Map();
    for (const line of lines.values()) if ((!ids || ids.has(line.id)) && fits(line, values, field)) for (const value of valuesOf(line, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  }

  // The ids of the sessions that have every word; null where nothing is searched.
  async function searched(words) {
    return words?.trim() ? new Set(await desk.get("/api/search", { words })) : null;
  }

  // The session before or after one in the order of the queue (by: -1 or 1), null at an end; where it is itself no longer
  // in it, the first or the last. wanted: which ones count; then it goes on at the other end.
  async function beside(id, by, values, wanted = null) {
    await refresh();
    const found = matching(values, await searched(values.get("q")));
    const at = found.findIndex((line) => line.id === id);
    if (wanted) return [...found.slice(at + 1), ...found.slice(0, Math.max(at, 0))].find(wanted)?.id ?? null;
    return (at < 0 ? found.at(by > 0 ? 0 : -1) : at + by < 0 ? null : found[at + by])?.id ?? null;
  }

  Object.assign(toolgauge, { sessions: { FIELDS, refresh, matching, counted, searched, beside, sum, line: (id) => lines.get(id), told: () => told } });
})();
