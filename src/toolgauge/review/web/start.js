// The beginning: the address says what is shown; what happens is told to the view; the connection says how it stands.
"use strict";
(() => {
  const { t, ngettext, make, desk, places } = toolgauge;
  const content = document.getElementById("content");
  const connection = document.getElementById("connection");
  let view = null;
  let shown = "";
  let turn = 0;

  async function route() {
    const { name, rest, values } = places.current();
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
    const session = name === "session" ? rest : "";
    if (shown !== session || !desk.isListening()) desk.listen(session);
    shown = session;
    if (!content.contains(document.activeElement)) content.focus({ preventScroll: true });
  }

  document.addEventListener("happened", ({ detail }) => view?.happened?.(detail));
  document.addEventListener("here", ({ detail }) => view?.here?.(detail));
  document.addEventListener("outbox", ({ detail }) => {
    connection.textContent = detail.away ? ngettext("The server is unreachable: {count} change is kept and sent later.", "The server is unreachable: {count} changes are kept and sent later.", detail.count) : "";
  });
  addEventListener("hashchange", route);
  desk.flush();
  route();
})();
