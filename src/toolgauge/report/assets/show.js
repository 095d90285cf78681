// Texts of models and data on a page: always text, with what is invisible made visible, and cut where they are long.
"use strict";
(() => {
  const { t, pt, filled, count, make } = toolgauge;
  const reasons = JSON.parse(document.getElementById("reasons").textContent);
  const MAX_REASON = 500;
  const CUT = 6000;
  const SLICE = 20000;
  // Controls, marks that turn the direction of a text, invisible characters and tags; joiners of emoji stay.
  const HIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

  // A text for one line or one value; bidi controls in it are shown, not obeyed.
  function text(value) {
    const whole = make("bdi");
    let at = 0;
    for (const found of value.matchAll(HIDDEN)) {
      const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      whole.append(value.slice(at, found.index), make("span", { class: "hidden-character", title: `U+${code}` }, `U+${code}`));
      at = found.index + found[0].length;
    }
    whole.append(value.slice(at));
    return whole;
  }

  function clipped(value, limit) {
    return text(value.length > limit ? `${value.slice(0, limit)}…` : value);
  }

  // A long text: its beginning, and the rest on demand, a slice per frame so that the page never stands still.
  function block(value, attributes = {}) {
    const box = make("div", { ...attributes, class: `text ${attributes.class ?? ""}` });
    if (value.length <= CUT) {
      box.append(text(value));
      return box;
    }
    const start = text(value.slice(0, CUT));
    const button = make("button", { type: "button", class: "show-all" }, t("Show all {count} characters", { count: count(value.length) }));
    const rest = make("div", { class: "slices" });
    const showAll = () => {
      button.remove();
      let at = CUT;
      const more = () => {
        for (let slices = 0; slices < 4 && at < value.length; slices++, at += SLICE) rest.append(make("div", {}, text(value.slice(at, at + SLICE))));
        if (at < value.length) requestAnimationFrame(more);
      };
      more();
    };
    button.addEventListener("click", showAll);
    box.append(start, rest, button);
    return box;
  }

  // A template with {name} filled in from nodes, as nodes.
  function sentence(template, nodes) {
    return template.split(/(\{\w+\})/).filter(Boolean).flatMap((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name && Object.hasOwn(nodes, name) ? nodes[name] : [part];
    });
  }

  // The lengths of the beginning and the end that two texts share, whole words of them.
  function shared(one, other) {
    const most = Math.min(one.length, other.length);
    let start = 0;
    while (start < most && one[start] === other[start]) start++;
    let end = 0;
    while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
    const inWord = (text, at) => /[A-Za-z0-9]/.test(text[at] ?? "") && /[A-Za-z0-9]/.test(text[at - 1] ?? "");
    while (start > 0 && (inWord(one, start) || inWord(other, start))) start--;
    while (end > 0 && (inWord(one, one.length - end) || inWord(other, other.length - end))) end--;
    return [start, end];
  }

  // A value given as JSON text: a text in quotation marks, all else as JSON; what is not in the other value is marked.
  function value(json, other) {
    const plain = (text) => {
      if (text === undefined || !/^"[^\\]*"$/s.test(text)) return text;
      return `“${text.slice(1, -1)}”`;
    };
    const [one, two] = [plain(json), plain(other)];
    const code = make("code");
    if (two === undefined || two === one || one.length > 2000) code.append(clipped(one, 1500));
    else {
      const [start, end] = shared(one, two);
      const middle = one.slice(start, one.length - end);
      if (start + end < 3 || !middle) code.append(make("mark", {}, text(one)));
      else code.append(text(one.slice(0, start)), make("mark", {}, text(middle)), text(one.slice(one.length - end)));
    }
    return code;
  }

  // A text with the first occurrence of each of some quotes marked.
  function marked(whole, quotes) {
    const found = quotes.map((quote) => [whole.indexOf(quote), quote]).filter(([at, quote]) => at >= 0 && quote);
    found.sort(([one, a], [other, b]) => one - other || b.length - a.length);
    const box = make("div", { class: "text" });
    let at = 0;
    for (const [start, quote] of found) {
      if (start < at) continue;
      box.append(text(whole.slice(at, start)), make("mark", {}, text(quote)));
      at = start + quote.length;
    }
    box.append(text(whole.slice(at)));
    return box;
  }

  // The members of JSON text that is an object, [key, text of the value] each, as they were written; null of any other.
  function members(json) {
    if (json.length > 200000 || !/^\s*\{[^]*\}\s*$/.test(json)) return null;
    const found = [];
    let [depth, quoted, from, key] = [0, false, 0, null];
    const take = (to) => {
      const part = json.slice(from, to).trim();
      if (key !== null && part) found.push([key, part]);
      key = null;
      from = to + 1;
    };
    for (let at = 0; at < json.length; at++) {
      const letter = json[at];
      if (quoted) {
        if (letter === "\\") at++;
        else if (letter === '"') quoted = false;
      } else if (letter === '"') quoted = true;
      else if ("{[".includes(letter)) {
        if (++depth === 1) from = at + 1;
      } else if ("}]".includes(letter)) {
        if (--depth === 0) take(at);
      } else if (depth === 1 && letter === ",") take(at);
      else if (depth === 1 && letter === ":" && key === null) {
        key = json.slice(from, at).trim().replace(/^"|"$/g, "");
        from = at + 1;
      }
    }
    return depth || quoted ? null : found;
  }

  // JSON text set out over lines by its characters alone: numbers and escapes stay as they were written.
  function pretty(json) {
    if (json.length < 60 || json.length > 200000 || !/^\s*[[{]/.test(json)) return json;
    let out = "";
    let depth = 0;
    let quoted = false;
    for (let at = 0; at < json.length; at++) {
      const letter = json[at];
      if (quoted) {
        out += letter;
        if (letter === "\\") out += json[++at] ?? "";
        else if (letter === '"') quoted = false;
      } else if (letter === '"') {
        quoted = true;
        out += letter;
      } else if ("{[".includes(letter)) {
        const empty = /^\s*[}\]]/.exec(json.slice(at + 1, at + 20));
        out += letter;
        if (empty) {
          out += empty[0].trim();
          at += empty[0].length;
        } else out += `\n${"  ".repeat(Math.min(++depth, 40))}`;
      } else if ("}]".includes(letter)) out += `\n${"  ".repeat(Math.max(0, Math.min(--depth, 40)))}${letter}`;
      else if (letter === ",") out += `,\n${"  ".repeat(Math.max(0, Math.min(depth, 40)))}`;
      else if (letter === ":") out += ": ";
      else if (!/\s/.test(letter)) out += letter;
    }
    return out;
  }

  function fold(summary, content, attributes = {}) {
    const { open, ...others } = attributes;
    const details = make("details", { ...others, open }, make("summary", {}, summary));
    const fill = () => {
      if (details.childElementCount === 1) details.append(typeof content === "function" ? content() : content);
    };
    details.fill = fill;
    if (open) fill();
    details.addEventListener("toggle", () => details.open && fill());
    return details;
  }

  // Why something is wrong, in the page's language; the recorded English text where the benchmark has no text for its
  // code. The rules are those of Explanation.in_words (reasons.py).
  function inWords({ detail, code = "", values = {}, place = "", also = [], counted = false }) {
    if (!Object.hasOwn(reasons, code)) return detail;
    const { text, meaning } = reasons[code];
    let why = filled(text, values);
    if (why.length > MAX_REASON) why = `${why.slice(0, MAX_REASON)}…`;
    if (meaning && meaning !== text) why = filled(reasons._meaning.text, { meaning, why });
    if (place) why = filled(reasons._place.text, { place, why });
    if (Object.hasOwn(reasons, values.kind) && !text.includes("{kind}")) why = filled(reasons._kind.text, { why, kind: reasons[values.kind].text });
    for (const one of also) if (Object.hasOwn(reasons, one)) why = filled(reasons._also.text, { why, also: reasons[one].text });
    return counted ? filled(reasons._counted.text, { why }) : why;
  }

  // The same in short: without the place, what follows, and a published evaluator's own words.
  function briefly({ detail, code = "", values = {} }) {
    if (!Object.hasOwn(reasons, code)) return detail;
    const { text, meaning } = reasons[code];
    return filled(meaning || text, values);
  }

  const known = new WeakMap(); // the search asks for each again with every letter
  function because(explanation) {
    if (!known.has(explanation)) known.set(explanation, inWords(explanation));
    return known.get(explanation);
  }

  const outcomes = { correct: pt("outcome", "correct"), failed: t("failed"), not_judgeable: t("not judgeable"), missing: t("missing") };
  const signs = { correct: "✓", failed: "✗", not_judgeable: "?", missing: "–" };
  const mark = (result, words = "") => make("span", { class: `mark ${result}` }, `${signs[result]} ${words || outcomes[result]}`);

  Object.assign(toolgauge, { because, briefly, outcomes, signs, mark, show: { text, clipped, block, pretty, fold, sentence, shared, value, marked, members } });
})();
