"""The browsers of people who take part in a review."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from tests.browser.browsing import WIDE
from tests.browser.review_server import ReviewProcess

_VIOLATIONS = "async () => (await axe.run()).violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`)"
PEOPLE = ("Ada", "Bo", "Cy")
"""Ada leads."""


class ReviewTab:
    """Somebody's browser at a review; complaints of its console are kept."""

    def __init__(
        self, browser: Any, review: ReviewProcess, name: str, size: tuple[int, int] = WIDE, **options: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        self.page = self.context.new_page()
        self.link = review.links[name]
        self.base = review.address
        self.complaints: list[str] = []
        self.page.on(
            "console", lambda one: self.complaints.append(one.text) if one.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.link)
        self.page.locator("h1").wait_for()

    def queue(self, values: str = "", language: str = "en") -> Any:
        return self._open(f"?{values}", language, "table.queue tbody tr, .none")

    def session(self, name: str, language: str = "en") -> Any:
        return self._open(f"session/{name}", language, ".dialogue")

    def _open(self, place: str, language: str, wanted: str) -> Any:
        self.page.goto("about:blank")
        self.page.goto(f"{self.base}/?ui={language}#/{place}")
        self.page.locator(wanted).first.wait_for()
        return self.page

    def violations(self) -> list[str]:
        """Of what axe-core demands of the page as it stands."""
        self.page.evaluate(str(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")))
        found: list[str] = self.page.evaluate(_VIOLATIONS)
        return found

    def overflows(self) -> bool:
        """Does the page scroll sideways?"""
        wide: bool = self.page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        return wide


Enter = Callable[..., ReviewTab]
