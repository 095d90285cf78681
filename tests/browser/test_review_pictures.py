"""The pictures of docs/review.md, of demonstration data; `make pictures` writes them to docs/images/review."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.reviewing import PHONE, Enter, Serve, press
from tests.browser.test_review_everywhere import opinions_of_three

pytestmark = pytest.mark.browser
SIZE = (1000, 620)
LARGEST = 120_000  # bytes


def test_pictures_of_the_review(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    folder = Path(os.environ.get("TOOLGAUGE_PICTURES") or tmp_path / "pictures")
    opinions_of_three(tmp_path / "review")
    review = serve(folder=tmp_path / "review")
    tab = enter("Ada", review, size=SIZE)
    tab.queue().locator(".c-warnings .nothing").first.wait_for()
    tab.page.screenshot(path=folder / "queue.png")
    page = tab.session("mini_0")
    press(page, "j", "j")
    page.screenshot(path=folder / "session.png")
    page.locator("#part-call-3-0").focus()
    press(page, "e")
    page.locator("[data-name=nights] input").fill('"two"')
    page.locator("form.edit .told > *").first.wait_for()
    page.locator("form.edit .toolbar").last.scroll_into_view_if_needed()
    page.screenshot(path=folder / "edit.png")
    tab.open("opinions", "table th a").screenshot(path=folder / "opinions.png")
    enter("Ada", review, size=PHONE, color_scheme="dark").session("mini_0").screenshot(path=folder / "phone.png")
    assert max(one.stat().st_size for one in folder.glob("*.png")) < LARGEST
