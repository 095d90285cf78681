// The way to the server: what is asked for, commands that are kept until they were heard, and what others do meanwhile.
"use strict";
(() => {
  const { t, values } = toolgauge;
  const proof = document.body.dataset.proof;
  const PAUSES = [500, 1000, 2000, 5000, 10000]; // ms between tries while the server is away

  class Problem extends Error {
    constructor({ code, message, version = null, place = null }) {
      super(message);
      Object.assign(this, { code, version, place });
    }
  }

  const ui = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

  async function asked(path, options = {}) {
    const answer = await fetch(`${path}${path.includes("?") ? "&" : "?"}ui=${ui}`, { credentials: "same-origin", ...options });
    if (!answer.ok) throw new Problem(await answer.json());
    return answer;
  }

  const answered = async (path, options) => (await asked(path, options)).json();
  // An answer with values of sessions in it.
  const read = async (path, about) => values.parse(await (await asked(`${path}?${new URLSearchParams(about)}`)).text());
  const get = (path, values = {}) => answered(`${path}?${new URLSearchParams(values)}`);
  const file = (path, values = {}) => asked(`${path}?${new URLSearchParams(values)}`).then((answer) => answer.blob());
  const posted = (path, value, more = {}) => answered(path, { method: "POST", headers: { "content-type": "application/json", "x-toolgauge-proof": proof }, body: JSON.stringify(value), ...more });
  // What an edit would lead to; nothing is changed. signal: as fetch has it.
  const check = (command, signal) => posted("/api/check", { do: "edit", ...command }, { signal });

  // Commands in the order in which they were given: {command, order, follows, problem?}. follows: it was given over the one
  // before it about the same session, so its base is what that one led to. problem: why it was not done; such a one waits
  // for its author's word. Each is kept on its own, so that pages of one browser do not write over each other's.
  const KEPT = `toolgauge-review-outbox-${document.body.dataset.review}/`;
  let outbox = [];
  let refused = [];
  try {
    const kept = Object.keys(localStorage).filter((name) => name.startsWith(KEPT));
    const items = kept.map((name) => JSON.parse(localStorage.getItem(name))).sort((one, other) => one.order - other.order);
    outbox = items.filter((one) => !one.problem);
    refused = items.filter((one) => one.problem);
  } catch {
    // nothing is kept in this browser
  }
  const waiting = new Map(); // key -> {resolve, reject} of who waits for a command
  let sending = false;
  let tries = 0;
  let last = 0;

  function keep(item) {
    try {
      localStorage.setItem(KEPT + item.command.key, JSON.stringify(item));
    } catch {
      // then it is kept as long as the page is open
    }
  }

  function forget({ command }) {
    try {
      localStorage.removeItem(KEPT + command.key);
    } catch {
      // it was not kept
    }
  }

  const tell = (why = "") => document.dispatchEvent(new CustomEvent("outbox", { detail: { count: outbox.length, away: tries > 0, refused: refused.length, why } }));

  // Also where a page is not served over HTTPS, unlike crypto.randomUUID.
  const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");

  // Give a command; the promise is of what happened. A Problem says why it was not done, and it is not sent again.
  function send(command) {
    const follows = outbox.some((other) => other.command.session !== undefined && other.command.session === command.session);
    last = Math.max(last + 1, Date.now());
    const item = { command: { ...command, key: newKey() }, order: last, follows };
    outbox.push(item);
    keep(item);
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
  const LATER = ["storeerror", "person", "proof", "host"];

  async function first() {
    const item = outbox[0];
    let event = null;
    let problem = null;
    try {
      ({ event } = await posted("/api/do", item.command));
    } catch (error) {
      if (!(error instanceof Problem) || LATER.includes(error.code)) {
        await pause(error instanceof Problem ? error.message : "");
        return;
      }
      problem = error;
    }
    tries = 0;
    outbox.shift();
    const next = outbox.find((other) => other.command.session === item.command.session && other.follows);
    if (event?.event === "edited") {
      for (const other of outbox) {
        if (other.command.session !== item.command.session || !other.follows || other.command.base === undefined) continue;
        other.command.base = event.number;
        keep(other);
      }
    }
    settle(item, event, problem);
    // What was done over a change that is none is not done either: its places may be others.
    if (problem && next && changes(item) && changes(next)) {
      outbox.splice(outbox.indexOf(next), 1);
      settle(next, null, problem);
    }
    tell();
  }

  function settle(item, event, problem) {
    const { key } = item.command;
    const who = waiting.get(key);
    waiting.delete(key);
    if (!problem) who?.resolve(event);
    else if (who) who.reject(problem);
    else keepRefused(item.command, problem);
    forget(item);
  }

  // A command that was not done, and that its author has not seen refused, waits for a word.
  function keepRefused(command, { code, message, version }) {
    const item = { command: { ...command, key: newKey() }, order: (last = Math.max(last + 1, Date.now())), follows: false, problem: { code, message, version } };
    refused.push(item);
    keep(item);
    tell();
  }

  function drop(key) {
    refused.filter(({ command }) => command.key === key).forEach(forget);
    refused = refused.filter(({ command }) => command.key !== key);
    tell();
  }

  addEventListener("storage", ({ key, newValue }) => {
    if (!key?.startsWith(KEPT) || newValue !== null) return;
    refused = refused.filter(({ command }) => KEPT + command.key !== key);
    tell();
  });

  function pause(why) {
    const length = PAUSES[Math.min(tries, PAUSES.length - 1)];
    tries += 1;
    tell(why);
    return new Promise((resolve) => setTimeout(resolve, length));
  }

  // What happens: {number, at, who, event, session} as "happened", and who else has the same session open as "here":
  // {session, count, names}. The browser asks again when it was cut off, and is told what it missed.
  // A tab that nobody sees does not listen: a person has only so many streams, and a browser only six connections.
  let source = null;
  let shown = "";
  let heard = Number(document.body.dataset.number); // the number of the last event that was told of
  function listen(session = "") {
    shown = session;
    source?.close();
    if (document.hidden) return;
    source = new EventSource(`/api/events?${new URLSearchParams({ session, since: heard })}`);
    source.onmessage = ({ data }) => {
      const detail = JSON.parse(data);
      heard = detail.number;
      document.dispatchEvent(new CustomEvent("happened", { detail }));
    };
    source.addEventListener("replaced", () => source.close());
    source.addEventListener("here", ({ data }) => document.dispatchEvent(new CustomEvent("here", { detail: JSON.parse(data) })));
  }

  document.addEventListener("visibilitychange", () => source && listen(shown));

  const said = (problem) => (problem instanceof Problem ? problem.message : t("The server does not answer."));
  const of = (items, session) => items.filter(({ command }) => command.session === session);
  const lists = { newKey,  pending: () => outbox.length, unsent: (session) => of(outbox, session), refused: (session) => of(refused, session), allRefused: () => refused };
  Object.assign(toolgauge, { desk: { get, read, file, posted, check, send, flush, listen, isListening: () => source !== null, said, Problem, keepRefused, drop, ...lists } });
})();
