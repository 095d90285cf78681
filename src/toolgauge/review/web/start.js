// The beginning: the address says what is shown; the connection says how it stands.
"use strict";
(() => {
  const { t, make, desk, queue, session } = toolgauge;
  const content = document.getElementById("content");
  const connection = document.getElementById("connection");

  async function route() {
    const [, place, id] = location.hash.split("/");
    try {
      if (place === "session") await session.open(content, decodeURIComponent(id ?? ""));
      else await queue.view(content);
      content.focus({ preventScroll: true });
    } catch (problem) {
      content.replaceChildren(make("p", { class: "note", role: "alert" }, desk.said(problem)));
    }
  }

  document.addEventListener("outbox", ({ detail }) => {
    connection.textContent = detail.away ? t("The server is away: {count} changes are kept and sent later.", { count: detail.count }) : "";
  });
  addEventListener("hashchange", route);
  desk.flush();
  route();
})();
