"""Models at work for reviewers in a real Chromium, by keyboard: the next tasks over a kill of the server, proposals
beside a session."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolgauge
from tests.browser.reviewing import Enter, Serve, propose
from toolgauge.review.server.serving import open_desk

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("language", ["en", "zh"])
def test_from_an_approved_session_to_a_proposal(serve: Serve, enter: Enter, tmp_path: Path, language: str) -> None:
    toolgauge.generate("builtin/oracle", paths="single,multi", language=language, out=tmp_path / "made")
    name = f"{language}-ST.MT-0"
    with open_desk(tmp_path / "made", tmp_path / "review", language) as desk:
        propose(desk, name, "Otherwise / 另外")
    review = serve(tmp_path / "made", language, tmp_path / "review")
    tab = enter("Ada", review)
    page = tab.open(f"session/{name}", ".dialogue .line")
    page.locator("#history, .toolbar.actions").first.wait_for()
    page.keyboard.press("a")
    page.locator("h1 .badge.status.approved").wait_for()

    page = tab.open("models", "#layer-3")
    assert tab.violations() == []
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    page.locator(".job").wait_for()
    page.goto("about:blank")  # a page that is open would rightly complain
    review.kill()
    review.start()
    tab.open("models", ".job.done")
    assert tab.violations() == []

    tab.open(f"session/{name}", "#task-2")
    page.locator("#proposals-heading").wait_for()
    page.keyboard.press("g")
    assert page.evaluate("document.activeElement.id") == "proposals-heading"
    assert tab.violations() == []
    page.keyboard.press("1")
    page.locator("#proposals-heading").wait_for(state="detached")
    assert page.locator(".task").count() == 3
