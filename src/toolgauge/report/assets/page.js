// What every page has: its messages, the theme, the language link, the keys.
"use strict";
const toolgauge = (() => {
  const messages = JSON.parse(document.getElementById("messages").textContent);

  // A text with {name} filled in from values.
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));

  // A message in the page's language, by its English; the page has those that its scripts use.
  const t = (message, values = {}) => filled(Object.hasOwn(messages, message) ? messages[message] : message, values);

  // A message whose English has more than one meaning; context: which.
  function pt(context, message) {
    const key = `${context}\u0004${message}`;
    return Object.hasOwn(messages, key) ? messages[key] : message;
  }

  // A whole number as the language of the page writes it, whatever the browser's.
  const count = (number) => number.toLocaleString(document.documentElement.lang);

  // A message about a number: of one, and of any other. Where there is a translation it stands for both.
  function ngettext(one, many, number, values = {}) {
    const said = Object.hasOwn(messages, many) ? messages[many] : number === 1 ? one : many;
    return filled(said, { count: count(number), ...values });
  }

  // An element with properties and children; strings become text, never markup.
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") element.className = value;
      else if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  function switchTheme() {
    const chosen = document.documentElement.dataset.theme;
    const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const theme = isDark ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("toolgauge-theme", theme);
    } catch {
      // then it holds for this page only
    }
  }

  // The same place in the other language: what is chosen and filtered stands in the hash.
  const language = document.getElementById("language");
  function keepPlace() {
    language.hash = location.hash;
  }

  const keys = new Map();
  // Bind a key on pages where it means something; typing in a field is left alone.
  function onKey(key, action) {
    keys.set(key, action);
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (typing && event.key === "Escape") typing.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys.get(event.key);
    if (action) {
      event.preventDefault();
      action();
    }
  });

  const dialog = document.getElementById("keys");
  const openKeys = () => dialog.showModal();
  onKey("?", openKeys);
  onKey("t", switchTheme);
  onKey("l", () => {
    keepPlace();
    language.click();
  });
  onKey("/", () => document.querySelector("input[type=search]")?.focus());
  document.getElementById("keys-open").addEventListener("click", openKeys);
  document.getElementById("theme").addEventListener("click", switchTheme);
  language.addEventListener("click", keepPlace);

  // Paper has no buttons: all but the numbers of charts, menus and drawers is unfolded and shown whole while a page is printed.
  const FOLDED = "main details:not([open], .numbers, .menu, .drawer)";
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [];
    for (let folded = document.querySelectorAll(FOLDED); folded.length; folded = document.querySelectorAll(FOLDED)) {
      for (const details of folded) {
        details.fill?.(); // show.js makes what is folded when it is wanted
        details.open = true;
        opened.push(details);
      }
    }
    document.querySelectorAll("main .show-all").forEach((button) => button.click());
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));

  return { t, pt, ngettext, filled, count, make, onKey };
})();
