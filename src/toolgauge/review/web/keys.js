// The keys of the view that is shown, and what they do; the dialog lists them. A view names its own, those before go.
"use strict";
(() => {
  const { t, make } = toolgauge;
  const list = document.getElementById("keys-list");
  const GENERAL = [
    ["?", t("these keys")],
    ["l", t("the other language")],
    ["t", t("light or dark")],
  ];
  let current = new Map();

  // keys: [key, what it does in words, action] each; "" as words leaves a key out of the list.
  function use(keys) {
    current = new Map(keys.map(([key, , action]) => [key, action]));
    const lines = [...keys, ...GENERAL].filter(([, words]) => words);
    list.replaceChildren(...lines.flatMap(([key, words]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, words)]));
  }

  document.addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = current.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  });

  Object.assign(toolgauge, { keys: { use } });
})();
