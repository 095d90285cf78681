// Why a task failed, in the page's language: the rules of analysis/reasons.py over the same table.
"use strict";
(() => {
  const LONGEST = 2000;
  const PLACES = 4;
  const PLACE = /^[^\s(:{'"]{1,200}(?:\([^()]{0,500}\))?: (?=\S)/;
  const SLOT = /\{(\w+)\}/;
  const { sentences, codes, endings } = JSON.parse(document.getElementById("reasons").textContent);
  const isChinese = document.documentElement.lang.startsWith("zh");

  const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const expression = (form) => form.split(SLOT).map((part, at) => (at % 2 ? `(?<${part}>[\\s\\S]*?)` : escaped(part))).join("");
  let patterns = null; // made when the first text is told
  const made = () => (patterns ??= Object.keys({ ...codes, ...sentences }).map((form) => [form, new RegExp(`^${expression(form)}$`)]));

  // Where a form may begin, best first, and whether one with a slot at its start may.
  function* starts(text) {
    yield [0, false];
    const place = PLACE.exec(text);
    if (place) yield [place[0].length, true];
    let start = 0;
    for (let turn = 0; turn < PLACES; turn++) {
      start = text.indexOf(": ", start) + 2;
      if (start < 2) break;
      yield [start, false];
    }
    yield [0, true];
  }

  // {place, form, values, core, ending}, or null for a text of no known form.
  function takenApart(detail) {
    if (detail.length > LONGEST) return null;
    let text = detail;
    let ending = "";
    for (let found; (found = Object.keys(endings).find((one) => text.endsWith(one))); ) {
      text = text.slice(0, -found.length);
      ending = (isChinese ? endings[found] : found) + ending;
    }
    for (const [start, isOpen] of starts(text)) {
      const core = text.slice(start);
      for (const [form, pattern] of made()) {
        const found = isOpen || !form.startsWith("{") ? pattern.exec(core) : null;
        if (found) return { place: text.slice(0, start), form, values: found.groups ?? {}, core, ending };
      }
    }
    return null;
  }

  function inWords(detail) {
    const reason = takenApart(detail);
    if (!reason) return detail;
    const { place, form, values, core, ending } = reason;
    const meaning = Object.hasOwn(codes, form) ? codes[form][isChinese ? "zh" : "en"] : "";
    if (!isChinese) return meaning ? `${place}${meaning} (${core})${ending}` : detail;
    const filled = () => sentences[form].replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
    return `${place ? place.replace(/: $/, "：") : ""}${meaning ? `${meaning}（${core}）` : filled()}${ending}`;
  }

  const known = new Map();
  // The text for the reader; most texts come often.
  function because(detail) {
    if (!known.has(detail)) known.set(detail, inWords(detail));
    return known.get(detail);
  }

  Object.assign(toolgauge, { because });
})();
