// The beginning: the view of the address is shown, what happens is told to it, the connection says how it stands.
"use strict";
(() => {
  const { t, ngettext, make, desk, places } = toolgauge;
  const content = document.getElementById("content");
  let view = null;
  let turn = 0;

  async function route() {
    const { name, rest, values } = places.here();
    const mine = ++turn;
    view?.close?.();
    view = null;
    places.mark(name);
    try {
      const opened = await places.view(name)(content, rest, values);
      if (mine !== turn) return opened?.close?.();
      view = opened;
    } catch (problem) {
      if (mine !== turn) return;
      content.replaceChildren(make("h1", { class: "unseen" }, t("Review")), make("p", { class: "note", role: "alert" }, desk.said(problem)));
    }
    if (!content.contains(document.activeElement)) content.focus({ preventScroll: true });
  }

  document.addEventListener("happened", ({ detail }) => view?.happened?.(detail));
  document.addEventListener("outbox", ({ detail }) => {
    const away = ngettext("The server is unreachable: {count} change is kept and sent later.", "The server is unreachable: {count} changes are kept and sent later.", detail.count);
    document.getElementById("connection").textContent = detail.away ? away : detail.lost && t("One of your changes was not applied: {why}", { why: detail.lost });
  });
  addEventListener("hashchange", route);
  desk.flush();
  desk.listen();
  route();
})();
