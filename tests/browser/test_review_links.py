"""Personal links as people get them: clicked in webmail and chats, mistyped, and opened in more tabs than one needs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.browser.reviewing import PATIENCE, ReviewProcess, Serve

pytestmark = pytest.mark.browser


@contextmanager
def another_site(link: str) -> Iterator[str]:
    """A page elsewhere ("localhost" is another site than 127.0.0.1) that holds a link."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<!doctype html><title>Mail</title><h1>Mail</h1><a href="{link}">your link</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()


def clicked(browser: Any, link: str) -> Any:
    """The page behind a link that somebody clicks in a browser that has never been here."""
    with another_site(link) as mail:
        page = browser.new_context().new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(mail)
        page.get_by_role("link").click()
        page.locator("main").wait_for()
        return page


def test_a_link_in_a_mail_opens_and_stays_open(browser: Any, serve: Serve) -> None:
    review: ReviewProcess = serve()
    page = clicked(browser, review.links["Bo"])
    page.locator("table.queue tbody tr").first.wait_for()
    assert "token" not in page.url
    page.reload()
    page.locator("table.queue tbody tr").first.wait_for()
    assert page.evaluate("toolgauge.desk.get('/api/queue').then((told) => told.you)") == "Bo"


@pytest.mark.parametrize(("language", "words"), [("en", "This link is invalid"), ("zh-CN", "链接")])
def test_a_link_that_is_none_leads_to_a_page(browser: Any, serve: Serve, language: str, words: str) -> None:
    address = serve().address
    context = browser.new_context(locale=language)
    for path in ("/enter?token=guessed", "/"):
        page = context.new_page()
        page.goto(address + path)
        told = page.locator("main [role=alert]").inner_text()
        assert "{" not in told
        assert words in told or path == "/"
        assert page.locator("html").get_attribute("lang") == {"en": "en", "zh-CN": "zh-Hans"}[language]
