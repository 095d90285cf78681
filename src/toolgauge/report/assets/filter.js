// What the address asks for: a task, and filters over the index of a run. The list and the task's page share it.
"use strict";
(() => {
  const PAPER = "paper:"; // before a class of a paper: some of them are called like a class of ours and hold more
  const FIELDS = ["scoring", "result", "type", "position", "reference", "mistake", "other", "text", "epoch", "route", "sort", "page", "in", "with"];

  const [LONGEST, MOST, AT_ONCE] = [20000, 16e6, 8]; // characters of a task's replies and of a run's, files at once
  const AROUND = 50; // characters of a reply around what was found

  // A text as a part of an address; a lone surrogate, which no address can hold, becomes U+FFFD.
  function encode(text) {
    const whole = String(text).replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
    return encodeURIComponent(whole).replace(/%2F/g, "/");
  }

  function decode(text) {
    try {
      return decodeURIComponent(text.replace(/\+/g, "%20"));
    } catch {
      return text;
    }
  }

  // {id, scoring, result, ...} of "#<id>&scoring=...&..."; what is not there is "".
  function read(hash) {
    const state = { id: "" };
    for (const field of FIELDS) state[field] = "";
    for (const part of hash.replace(/^#/, "").split("&")) {
      const at = part.indexOf("=");
      if (at < 0 && part && !state.id) state.id = decode(part);
      const field = at > 0 ? part.slice(0, at) : "";
      if (FIELDS.includes(field)) state[field] = decode(part.slice(at + 1));
    }
    return state;
  }

  function write(state, id = "") {
    const parts = id ? [encode(id)] : [];
    for (const field of FIELDS) if (state[field]) parts.push(`${field}=${encode(state[field])}`);
    return `#${parts.join("&")}`;
  }

  function scoringOf(index, state, config) {
    const names = Object.keys(index.scorings);
    if (Object.hasOwn(index.scorings, state.scoring)) return state.scoring;
    return names.includes(config.headline) ? config.headline : names[0];
  }

  // The words of a row that are searched, made once.
  function haystack(index, row, results) {
    const texts = (index.texts ??= []);
    texts[row] ??= `${index.columns.id[row]}\n${index.columns.text[row]}\n${index.columns.tools[row].join("\n")}`.toLowerCase();
    const why = results ? results.why[row] : null;
    if (!why) return texts[row];
    const { tool = "", path = "", made = "", expected = "", said = "", called = [], due = [] } = results.contrast[row] ?? {};
    return [texts[row], results.mistake[row], why.detail, toolgauge.because(why), tool, path, made, expected, said, ...called, ...due].join("\n").toLowerCase();
  }

  // "correct:<run>" and "failed:<run>" ask what another run on these data made of a task. Only known runs are loaded.
  const otherRun = (state, config) => config.others.find((one) => one.slug === state.other.slice(state.other.indexOf(":") + 1))?.slug;
  const inReplies = (state) => state.in === "replies" && Boolean(state.text);

  function isReady(index, state, config) {
    const slug = otherRun(state, config);
    return (!slug || Boolean(index.elsewhere?.has(slug))) && (!inReplies(state) || Boolean(index.replies));
  }

  // Load what the filters need besides the run's own index. told: hears how many of the run's files were searched.
  async function ready(index, state, config, told = () => {}) {
    const slug = otherRun(state, config);
    if (slug && !index.elsewhere?.has(slug)) {
      const { columns, scorings } = await toolgauge.load(`runs/${slug}/index`);
      const results = Object.entries(scorings).map(([name, { result }]) => [name, new Map(columns.id.map((id, row) => [id, result[row]]))]);
      (index.elsewhere ??= new Map()).set(slug, new Map(results));
    }
    if (inReplies(state) && !index.replies) index.replies = await (index.loading ??= replies(index, config, told));
  }

  // What a task's replies say and call, as one text of bounded length.
  function replyText({ turns = [] }) {
    const parts = [];
    let left = LONGEST;
    for (const { reply } of turns) {
      for (const part of [reply.content, ...(reply.tool_calls ?? []).flatMap((one) => [one.name, typeof one.arguments === "string" ? one.arguments : JSON.stringify(one.arguments ?? null)])]) {
        if (typeof part !== "string" || left <= 0) continue;
        parts.push(part.slice(0, left));
        left -= part.length;
      }
    }
    return parts.join("\n");
  }

  // The texts of the replies, row by row, from the run's own data files, a few at a time; what is beyond the bound is "".
  async function replies(index, config, told) {
    const rowOf = new Map(index.columns.id.map((id, row) => [id, row]));
    const found = new Array(index.count).fill("");
    const chunks = [...new Set(index.columns.chunk)];
    let left = MOST;
    for (let at = 0; at < chunks.length && left > 0; at += AT_ONCE) {
      told(at, chunks.length);
      const contents = await Promise.all(chunks.slice(at, at + AT_ONCE).map((chunk) => toolgauge.load(`runs/${config.slug}/${chunk}`, { keep: false })));
      for (const one of contents.flatMap(({ tasks }) => tasks)) {
        const text = replyText(one).slice(0, Math.max(0, left));
        left -= text.length;
        found[rowOf.get(one.task_id)] = text;
      }
    }
    index.unread = left <= 0;
    return found;
  }

  // A pattern that finds a word whatever its case.
  const pattern = (word) => new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");

  // Where the first of the searched words stands in a task's replies: [before, word, after], null where none does.
  function snippet(index, state, row) {
    const text = inReplies(state) ? index.replies?.[row] : "";
    for (const word of text ? state.text.split(/\s+/).filter(Boolean) : []) {
      const found = pattern(word).exec(text);
      if (found) return [text.slice(Math.max(0, found.index - AROUND), found.index), found[0], text.slice(found.index + found[0].length, found.index + found[0].length + AROUND)];
    }
    return null;
  }

  function fits(field, wanted, row, { index, results, there, config, words, replied }) {
    const columns = index.columns;
    if (field === "result") return results.result[row] === wanted;
    if (field === "type") return columns.type[row] === wanted || columns.kind[row] === wanted || (wanted === "atom" && columns.type[row].startsWith("normal_atom_"));
    if (field === "position") return String(columns.position[row]) === wanted;
    if (field === "reference") return columns.reference[row] === wanted;
    if (field === "route") return columns.route[row] === wanted;
    if (field === "epoch") return String(columns.epoch[row] + 1) === wanted;
    if (field === "mistake") {
      const mistake = results.mistake[row];
      if (wanted === "unclassified") return results.result[row] === "failed" && !mistake;
      if (!wanted.startsWith(PAPER)) return mistake === wanted;
      const counted = results.counted[row];
      const name = wanted.slice(PAPER.length);
      return counted === null ? name === "unclassified" && results.result[row] === "failed" : (Object.hasOwn(config.classes, counted) ? config.classes[counted].includes(name) : counted === name);
    }
    if (field === "other") return there.get(columns.id[row]) === wanted.split(":", 1)[0];
    const found = haystack(index, row, results);
    return words.every(([word, match]) => found.includes(word) || (replied && match.test(replied[row])));
  }

  const CHECKED = ["result", "type", "position", "reference", "epoch", "route", "mistake", "other", "text"];

  // The numbers of the rows that fit, in the order that is asked for. but: a field that is left out.
  function rows(index, state, config, but = "") {
    const scoring = scoringOf(index, state, config);
    const results = index.scorings[scoring] ?? { result: [], mistake: [], counted: [], why: [], contrast: [] };
    const there = index.elsewhere?.get(otherRun(state, config))?.get(scoring);
    const checked = CHECKED.filter((field) => state[field] && field !== but && (field !== "other" || there));
    const words = state.text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => [word, pattern(word)]);
    const context = { index, results, there, config, words, replied: inReplies(state) ? index.replies : null };
    const found = [];
    for (let row = 0; row < index.count; row++) {
      if (checked.every((field) => fits(field, state[field], row, context))) found.push(row);
    }
    return state.sort ? sorted(found, state.sort, index, results) : found;
  }

  function sorted(found, sort, index, results) {
    const down = sort.startsWith("-");
    const name = sort.replace(/^-/, "");
    const columns = index.columns;
    const values = { result: results.result, mistake: results.mistake, id: null, type: columns.type, text: columns.text,
      position: columns.position, steps: columns.steps, latency: columns.latency, reference: columns.reference }[name];
    const value = name === "tokens" ? (row) => columns.input_tokens[row] + columns.output_tokens[row] : (row) => (values ? values[row] : row);
    const before = (one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a === b) return one - other;
      if (a === null || a === "") return 1;
      if (b === null || b === "") return -1;
      return (a < b ? -1 : 1) * (down ? -1 : 1);
    };
    return found.sort(before);
  }

  Object.assign(toolgauge, { filter: { read, write, rows, isReady, ready, scoringOf, snippet, encode } });
})();
