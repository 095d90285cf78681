"""A review that is served for the browser: people with links of their own, each in a browser of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from tests.browser.browsing import WIDE

PATIENCE = 5_000
"""Milliseconds in which a page has to show what is waited for."""


class Reader:
    """Somebody's page of the review, and what it complained of."""

    def __init__(self, page: Any, origin: str, ui: str) -> None:
        self.page, self.origin, self.ui = page, origin, ui
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if (
            kind in ("error", "warning") and "Failed to load resource" not in text
        ):  # what the server refuses is said on the page
            self.complaints.append(text)

    def open(self, place: str) -> Any:
        """A view by its address ("team", "session/mini_0")."""
        self.page.goto("about:blank")  # else only the hash changes, and what was there before is taken for the view
        self.page.goto(f"{self.origin}/?ui={self.ui}#/{place}", wait_until="load")
        self.page.wait_for_selector("main h1")
        return self.page

    def violations(self) -> list[str]:
        """What axe-core finds on the page."""
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run().then((told) => told.violations)")
        return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]

    def check(self) -> None:
        assert self.complaints == []
        assert [url for url in self.asked if not url.startswith((f"{self.origin}/", "data:"))] == []


@contextmanager
def served(file: Path, folder: Path, people: Sequence[str]) -> Iterator[dict[str, str]]:
    """The links of the people of a review that is served as long as the context lasts; the first of them leads."""
    import uvicorn

    from toolgauge.review.server.serving import serving

    with serving(file, folder, people, ("127.0.0.1", 0), "en") as started:
        server = uvicorn.Server(uvicorn.Config(started.app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [started._listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield started.links
        finally:
            server.should_exit = True
            thread.join()


Enter = Callable[..., Reader]


@contextmanager
def entering(browser: Any, links: dict[str, str]) -> Iterator[Enter]:
    """Opens personal links, each in a browser context of its own; every page is checked at the end."""
    contexts, readers = [], []

    def enter(name: str, size: tuple[int, int] = WIDE, link: str = "", ui: str = "en", **options: Any) -> Reader:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        contexts.append(context)
        address = link or links[name]
        reader = Reader(context.new_page(), address.partition("/enter")[0], ui)
        readers.append(reader)
        reader.page.goto(address)
        return reader

    try:
        yield enter
    finally:
        for context in contexts:
            context.close()
    for reader in readers:
        reader.check()
