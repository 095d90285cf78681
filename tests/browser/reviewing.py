"""Reviews that are served for the browser, each by a process of its own that can be killed and started again where it
was, and the browsers of people who take part, each in a context of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import WIDE

PEOPLE = ("Ada", "Bo", "Cy")
"""Ada leads."""
PHONE = (360, 780)
LINK = re.compile(r"(\w+): (http://\S+)")
PATIENCE = 60_000
"""Milliseconds in which a page has to show what is waited for."""
_VIOLATIONS = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
    .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`))"""


class ReviewProcess:
    """`toolgauge review` over a file. links: by name, of everybody who takes part."""

    def __init__(self, file: Path, folder: Path, language: str = "en", more: tuple[str, ...] = ()) -> None:
        self.links: dict[str, str] = {}
        self.folder, self.language, self._port = folder, language, "0"
        named = [part for name in PEOPLE for part in ("--reviewer", name)]
        self._command = [str(file), "--out", str(folder), "--language", language, *named, *more]
        self.start()

    def start(self) -> None:
        """Start it, again where it was before."""
        command = [sys.executable, "-m", "toolgauge", "review", *self._command, "--port", self._port]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout is not None
        told = []
        for line in self._process.stdout:
            told.append(line)
            if found := LINK.match(line):
                self.links[found[1]] = found[2]
            if "Ctrl-C" in line:
                break
        assert self.links, "".join(told)
        self._port = self.address.rpartition(":")[2]

    @property
    def address(self) -> str:
        return next(iter(self.links.values())).partition("/enter")[0]

    def kill(self) -> None:
        """At once, as kill -9 does."""
        self._process.kill()
        if self._process.stdout and not self._process.stdout.closed:
            self._process.communicate()


class ReviewTab:
    """Somebody's browser at a review; what its pages complained of, and asked for. ui: the language of the interface,
    that of the review by default; link: a personal link, that of the name by default."""

    def __init__(
        self,
        browser: Any,
        review: ReviewProcess,
        name: str = "Ada",
        *,
        size: tuple[int, int] = WIDE,
        ui: str = "",
        link: str = "",
        **options: Any,
    ) -> None:
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        self.context.set_default_timeout(PATIENCE)
        self.context.on("page", self._listen)
        self.review, self.ui = review, ui or review.language
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page = self.context.new_page()
        self.page.goto(link or review.links[name])
        self.page.locator("main h1").wait_for()

    def _listen(self, page: Any) -> None:
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"a dialog opened: {dialog.message}"))
        page.on("request", lambda request: self.asked.append(request.url))

    def _heard(self, message: Any) -> None:
        """What the server refuses, or does not answer, is said on the page."""
        if message.type in ("error", "warning") and "/api/" not in message.location["url"]:
            self.complaints.append(message.text)

    def again(self) -> None:
        """Close the page and open another one in the same browser."""
        self.page.close()
        self.page = self.context.new_page()

    def open(self, place: str, wanted: str = "main h1") -> Any:
        """A view by its address ("team", "session/mini_0"). wanted: what is waited for."""
        self.page.goto("about:blank")  # else only the hash changes, and what was there before is taken for the view
        self.page.goto(f"{self.review.address}/?ui={self.ui}#/{place}")
        self.page.locator(wanted).first.wait_for()
        return self.page

    def queue(self, values: str = "") -> Any:
        return self.open(f"?{values}", "table.queue tbody tr, .none")

    def session(self, name: str) -> Any:
        return self.open(f"session/{name}", ".dialogue .line")

    def violations(self) -> list[str]:
        """Of what axe-core demands of the page as it stands."""
        pytest.importorskip("axe_playwright_python", reason="install with .[browser]")
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        found: list[str] = self.page.evaluate(_VIOLATIONS)
        return found

    def overflows(self) -> bool:
        """Does the page scroll sideways?"""
        wide: bool = self.page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        return wide

    def check(self) -> None:
        """No complaint, and nothing asked for elsewhere."""
        assert self.complaints == []
        own = (f"{self.review.address}/", "data:", "blob:")
        assert [url for url in self.asked if not url.startswith(own)] == []


Serve = Callable[..., ReviewProcess]
Enter = Callable[..., ReviewTab]


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
