// The way to the server: what is asked for, commands that are kept until they were heard, and what others do meanwhile.
"use strict";
(() => {
  const { t, make } = toolgauge;
  const proof = document.body.dataset.proof;
  const PAUSES = [500, 1000, 2000, 5000, 10000]; // ms between tries while the server is away

  // JSON values as they were written: numbers that JavaScript would write otherwise (1.0, very long ones) stay as they
  // stand, where the browser can; what nobody edits is not changed by being read.
  const isWritten = JSON.isRawJSON ?? (() => false);
  const asWritten = (key, value, context) => (typeof value === "number" && context && context.source !== String(value) && JSON.rawJSON ? JSON.rawJSON(context.source) : value);
  const parse = (text) => JSON.parse(text, asWritten);
  const plain = (number) => (isWritten(number) ? Number(number.rawJSON) : number);
  const isNumber = (value) => typeof value === "number" || isWritten(value);
  const isNested = (value) => typeof value === "object" && value !== null && !isWritten(value);
  const isObject = (value) => isNested(value) && !Array.isArray(value);

  class Problem extends Error {
    constructor({ code, message, place = null }) {
      super(message);
      Object.assign(this, { code, place });
    }
  }

  const ui = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

  async function asked(path, values, options = {}) {
    const answer = await fetch(`${path}?${new URLSearchParams({ ...values, ui })}`, { credentials: "same-origin", ...options });
    if (!answer.ok) throw new Problem(await answer.json());
    return answer;
  }

  const get = async (path, values = {}) => (await asked(path, values)).json();
  // An answer with values of sessions in it.
  const read = async (path, values) => parse(await (await asked(path, values)).text());
  const file = async (path, values = {}) => (await asked(path, values)).blob();
  const headers = { "content-type": "application/json", "x-toolgauge-proof": proof };
  const posted = async (path, value) => (await asked(path, {}, { method: "POST", headers, body: JSON.stringify(value) })).json();
  // What an edit would lead to; nothing is changed.
  const check = (command) => posted("/api/check", { do: "edit", ...command });
  const said = (problem) => (problem instanceof Problem ? problem.message : t("The server does not answer."));

  // What a browser keeps for a review, each thing on its own, so that pages of one browser do not write over each other's.
  const store = {
    name: (kind, rest) => `toolgauge-review-${kind}-${document.body.dataset.review}/${rest}`,
    all(kind, begin = "") {
      try {
        const names = Object.keys(localStorage).filter((name) => name.startsWith(store.name(kind, begin)));
        return names.map((name) => JSON.parse(localStorage.getItem(name)));
      } catch {
        return []; // nothing is kept in this browser
      }
    },
    keep(kind, rest, value) {
      try {
        localStorage.setItem(store.name(kind, rest), JSON.stringify(value));
      } catch {
        // then it is kept as long as the page is open
      }
    },
    drop(kind, rest) {
      try {
        localStorage.removeItem(store.name(kind, rest));
      } catch {
        // it was not kept
      }
    },
  };

  // Commands in the order in which they were given: {command, order, follows, draft}. follows: it was given over the one
  // before it about the same session, so its base is what that one led to. draft: what is dropped once it was done.
  const outbox = store.all("outbox").sort((one, other) => one.order - other.order);
  const waiting = new Map(); // key -> {resolve, reject} of who waits for a command
  let sending = false;
  let tries = 0;
  let last = 0;

  let lost = ""; // why a command was not done whose author is gone, and of which no draft is left
  const tell = () => document.dispatchEvent(new CustomEvent("outbox", { detail: { count: outbox.length, away: tries > 0, lost } }));
  // Also where a page is not served over HTTPS, unlike crypto.randomUUID.
  const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");

  // Give a command; the promise is of what happened. A Problem says why it was not done, and it is not sent again.
  function send(command, draft = null) {
    const follows = outbox.some((other) => other.command.session !== undefined && other.command.session === command.session);
    last = Math.max(last + 1, Date.now());
    const item = { command: { ...command, key: newKey() }, order: last, follows, draft };
    outbox.push(item);
    store.keep("outbox", item.command.key, item);
    tell();
    const promise = new Promise((resolve, reject) => waiting.set(item.command.key, { resolve, reject }));
    flush();
    return promise;
  }

  async function flush() {
    if (sending) return;
    sending = true;
    try {
      while (outbox.length) await first();
    } finally {
      sending = false;
    }
  }

  const changes = ({ command }) => ["edit", "undo"].includes(command.do);
  // What is not the command's fault: it is sent again when that has passed.
  const LATER = ["storeerror", "person", "proof", "host", "busy"];

  async function first() {
    const item = outbox[0];
    let event = null;
    let problem = null;
    try {
      ({ event } = await posted("/api/do", item.command));
    } catch (error) {
      if (!(error instanceof Problem) || LATER.includes(error.code)) return pause();
      problem = error;
    }
    tries = 0;
    outbox.shift();
    const behind = outbox.filter((other) => other.follows && other.command.session === item.command.session);
    for (const other of behind) {
      if (event?.event !== "edited" || other.command.base === undefined) continue;
      other.command.base = event.number;
      store.keep("outbox", other.command.key, other);
    }
    settle(item, event, problem);
    // What was done over a change that is none is not done either: its places may be others.
    if (problem && behind.length && changes(item) && changes(behind[0])) {
      outbox.splice(outbox.indexOf(behind[0]), 1);
      settle(behind[0], null, problem);
    }
    tell();
  }

  function settle({ command, draft }, event, problem) {
    store.drop("outbox", command.key);
    if (draft && !problem) store.drop("draft", draft);
    const who = waiting.get(command.key);
    waiting.delete(command.key);
    if (problem && !who && !draft) lost = problem.message;
    if (problem) who?.reject(problem);
    else who?.resolve(event);
  }

  function pause() {
    const length = PAUSES[Math.min(tries, PAUSES.length - 1)];
    tries += 1;
    tell();
    return new Promise((resolve) => setTimeout(resolve, length));
  }

  // What happens: {number, at, who, event, session} as "happened". The browser asks again when it was cut off, and is told
  // what it missed. A tab that nobody sees does not listen: a person has only so many streams, a browser six connections.
  let source = null;
  let heard = Number(document.body.dataset.number); // the number of the last event that was told of
  function listen() {
    source?.close();
    if (document.hidden) return;
    source = new EventSource(`/api/events?${new URLSearchParams({ since: heard })}`);
    source.addEventListener("replaced", () => source.close());
    source.onmessage = ({ data }) => {
      const detail = JSON.parse(data);
      heard = detail.number;
      document.dispatchEvent(new CustomEvent("happened", { detail }));
    };
  }
  document.addEventListener("visibilitychange", listen);

  const button = (label, action, more = {}) => make("button", { type: "button", ...more, on: { click: action } }, label);

  const unsent = (session) => outbox.filter(({ command }) => command.session === session);
  Object.assign(toolgauge, {
    button,
    values: { parse, plain, isNumber, isNested, isObject },
    desk: { get, read, file, check, send, flush, listen, said, store, unsent, pending: () => outbox.length },
  });
})();
