"""Models at work for reviewers in a real Chromium, by keyboard: a rejected dialogue taken, the next tasks over a kill
of the server, proposals beside a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.reviewing import Enter, Serve
from tests.generation.rejected_dialogues import rejected_generation

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("language", ["en", "zh"])
def test_from_a_rejected_dialogue_to_a_proposal(serve: Serve, enter: Enter, tmp_path: Path, language: str) -> None:
    rejected_generation(tmp_path / "made", language=language)
    review = serve(tmp_path / "made", language)
    tab = enter("Ada", review)
    page = tab.open("rejected")
    name = f"{language}-ST.MT-0:0"
    page.get_by_role("link", name=name).wait_for()
    assert tab.violations() == []
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator("#take").wait_for()
    assert tab.violations() == []
    page.keyboard.press("a")
    page.locator(".dialogue .line").first.wait_for()
    page.locator("#history, .toolbar.actions").first.wait_for()
    page.keyboard.press("a")
    page.locator("h1 .badge.status.approved").wait_for()

    page = tab.open("models", "#layer-3")
    assert tab.violations() == []
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    page.locator(".job").wait_for()
    review.kill()
    review.start()
    tab.open("models", ".job.done")
    assert tab.violations() == []

    tab.open(f"session/{name.replace(':', '%3A')}", "#task-2")
    page.keyboard.press("j")
    page.keyboard.press("g")
    page.locator("dialog[open]").wait_for()
    assert tab.violations() == []
    page.keyboard.press("Enter")
    page.locator("#proposals-heading").wait_for()
    page.keyboard.press("g")
    assert page.evaluate("document.activeElement.id") == "proposals-heading"
    assert tab.violations() == []
    page.keyboard.press("1")
    page.locator("#proposals-heading").wait_for(state="detached")
    assert page.locator(".task").count() == 3
