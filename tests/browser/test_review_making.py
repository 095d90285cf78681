"""Models at work for reviewers in a real Chromium, by keyboard: a rejected dialogue taken, the next tasks over a kill
of the server, proposals beside a session."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.browser.review_server import ReviewProcess
from tests.generation.rejected_dialogues import rejected_generation

pytestmark = pytest.mark.browser
_VIOLATIONS = "async () => (await axe.run()).violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`)"


def violations(page: Any) -> list[str]:
    """Of what axe-core demands of the page as it stands."""
    pytest.importorskip("axe_playwright_python", reason="install with .[browser]")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(_VIOLATIONS)
    return found


@pytest.fixture(params=["en", "zh"])
def review(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReviewProcess]:
    """Of a generation that rejected dialogues, in the language of the test."""
    rejected_generation(tmp_path / "made", language=request.param)
    started = ReviewProcess(tmp_path / "made", tmp_path / "review", request.param)
    yield started
    started.kill()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that may not complain, but for a server that is away."""
    context = browser.new_context(viewport={"width": 1300, "height": 950})
    complaints: list[str] = []
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert [one for one in complaints if "Failed to load resource" not in one and "net::ERR_" not in one] == []


def test_from_a_rejected_dialogue_to_a_proposal(review: ReviewProcess, page: Any, request: Any) -> None:
    language = request.node.callspec.params["review"]
    page.goto(review.links["Ada"])
    page.goto(f"{review.address}/?ui={language}#/rejected")
    name = f"{language}-ST.MT-0:0"
    page.get_by_role("link", name=name).wait_for()
    assert violations(page) == []
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator("#take").wait_for()
    assert violations(page) == []
    page.keyboard.press("a")
    page.locator(".dialogue .line").first.wait_for()
    page.locator("#history, .toolbar.actions").first.wait_for()
    page.keyboard.press("a")
    page.locator("h1 .badge.status.approved").wait_for()

    page.goto(f"{review.address}/?ui={language}#/models")
    page.locator("#layer-3").wait_for()
    assert violations(page) == []
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    page.locator(".job").wait_for()
    review.kill()
    review.start()
    page.goto("about:blank")
    page.goto(f"{review.address}/?ui={language}#/models")
    page.locator(".job.done").wait_for()
    assert violations(page) == []

    review.enter(page, "Ada", name.replace(":", "%3A"), language)
    page.locator("#task-2").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("g")
    page.locator("dialog[open]").wait_for()
    assert violations(page) == []
    page.keyboard.press("Enter")
    page.locator("#proposals-heading").wait_for()
    page.keyboard.press("g")
    assert page.evaluate("document.activeElement.id") == "proposals-heading"
    assert violations(page) == []
    page.keyboard.press("1")
    page.locator("#proposals-heading").wait_for(state="detached")
    assert page.locator(".task").count() == 3
