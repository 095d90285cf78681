// The way to the server: what is asked for, commands that are kept until they were heard, and what others do meanwhile.
"use strict";
(() => {
  const { t } = toolgauge;
  const proof = document.body.dataset.proof;
  const KEPT = `toolgauge-review-outbox-${document.body.dataset.review}`;
  const PAUSES = [500, 1000, 2000, 5000, 10000]; // ms between tries while the server is away

  class Problem extends Error {
    constructor({ code, message, version = null }) {
      super(message);
      Object.assign(this, { code, version });
    }
  }

  async function answered(path, options = {}) {
    const answer = await fetch(path, { credentials: "same-origin", ...options });
    const told = await answer.json();
    if (!answer.ok) throw new Problem(told);
    return told;
  }

  const get = (path, values = {}) => answered(`${path}?${new URLSearchParams(values)}`);
  const post = (command) => answered("/api/do", { method: "POST", headers: { "content-type": "application/json", "x-toolgauge-proof": proof }, body: JSON.stringify(command) });

  // Commands in the order in which they were given: {command, follows}. follows: it was given over the one before it
  // about the same session, so its base is what that one led to.
  let outbox = [];
  try {
    outbox = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
  } catch {
    // nothing is kept in this browser
  }
  const waiting = new Map(); // key -> {resolve, reject} of who waits for a command
  const led = new Map(); // session -> the version to which our last command led
  let sending = false;
  let tries = 0;

  function keep() {
    try {
      localStorage.setItem(KEPT, JSON.stringify(outbox));
    } catch {
      // then they are kept as long as the page is open
    }
    document.dispatchEvent(new CustomEvent("outbox", { detail: { count: outbox.length, away: tries > 0 } }));
  }

  // Give a command; the promise is of what happened. A Problem says why it was not done, and it is not sent again.
  function send(command) {
    const follows = outbox.some((other) => other.command.session === command.session);
    const whole = { ...command, key: crypto.randomUUID() };
    outbox.push({ command: whole, follows });
    keep();
    const promise = new Promise((resolve, reject) => waiting.set(whole.key, { resolve, reject }));
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

  async function first() {
    const { command, follows } = outbox[0];
    const base = follows && led.has(command.session) ? led.get(command.session) : command.base;
    let settle;
    try {
      const { event } = await post(base === undefined ? command : { ...command, base });
      if (event.event === "edited") led.set(command.session, event.number);
      settle = ({ resolve }) => resolve(event);
    } catch (error) {
      if (!(error instanceof Problem) || error.code === "storeerror") {
        await pause();
        return;
      }
      settle = ({ reject }) => reject(error);
      document.dispatchEvent(new CustomEvent("refused", { detail: { command, problem: error } }));
    }
    tries = 0;
    outbox.shift();
    keep();
    const who = waiting.get(command.key);
    waiting.delete(command.key);
    if (who) settle(who);
  }

  function pause() {
    const length = PAUSES[Math.min(tries, PAUSES.length - 1)];
    tries += 1;
    keep();
    return new Promise((resolve) => setTimeout(resolve, length));
  }

  // What happens: {number, at, who, event, session} as "happened", and who else has the same session open as "here":
  // {session, count, names}. The browser asks again when it was cut off, and is told what it missed.
  let source = null;
  let heard = null; // the number of the last event that was told of
  function listen(session = "") {
    source?.close();
    const since = heard === null ? {} : { since: heard };
    source = new EventSource(`/api/events?${new URLSearchParams({ session, ...since })}`);
    source.onmessage = ({ data }) => {
      const detail = JSON.parse(data);
      heard = detail.number;
      document.dispatchEvent(new CustomEvent("happened", { detail }));
    };
    source.addEventListener("here", ({ data }) => document.dispatchEvent(new CustomEvent("here", { detail: JSON.parse(data) })));
  }

  const said = (problem) => (problem instanceof Problem ? problem.message : t("The server does not answer."));
  Object.assign(toolgauge, { desk: { get, send, flush, listen, isListening: () => source !== null, said, Problem, pending: () => outbox.length } });
})();
