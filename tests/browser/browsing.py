"""A tab of the browser: where it goes, what its console says, what it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WIDE, NARROW = (1400, 1000), (390, 844)


class Tab:
    """A page, what its console said, and what it asked for outside the site."""

    def __init__(self, page: Any, site: Path) -> None:
        self.page, self.site = page, site
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._interrupted)
        page.on("request", lambda request: self.asked.append(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _interrupted(self, dialog: Any) -> None:
        self.complaints.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def open(self, place: str) -> Any:
        """Go to a page of the site ("zh/index.html#...")."""
        self.page.goto(f"{self.site.as_uri()}/{place}", wait_until="load")
        return self.page

    def check(self) -> None:
        """No complaint, and nothing asked for outside the folder."""
        assert self.complaints == [], self.complaints
        root = self.site.as_uri() + "/"
        assert [url for url in self.asked if not url.startswith((root, "data:", "blob:"))] == []
