"""What holds on every kind of page: axe-core finds nothing, nothing unseen stands in a text, nothing is too wide; and
pictures of all of them, for people to look at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.browsing import Tab
from tests.browser.page_kinds import DESK, PHONE, kinds, settled, violations
from toolgauge.visible import UNSEEN

pytestmark = pytest.mark.browser

LOOKS = {"light": (DESK, "light"), "dark": (DESK, "dark"), "phone": (PHONE, "light")}
"""Size and colours."""
PICTURES = "TOOLGAUGE_PICTURES"
"""The folder for pictures; without it none are made."""
_TEXTS = """() => {
    const named = [...document.querySelectorAll("[title], [aria-label], [placeholder], option")];
    const told = named.flatMap((one) => [one.title, one.ariaLabel, one.placeholder, one.textContent]);
    return [document.body.innerText, document.title, ...told].filter(Boolean).join("\\n");
}"""

each_look = pytest.mark.parametrize("look", LOOKS)
each_language = pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])


@pytest.fixture
def opened(open_tab: Callable[..., Tab]) -> Callable[[str], Tab]:
    """A tab with a look."""

    def make(look: str) -> Tab:
        size, colours = LOOKS[look]
        return open_tab(size, color_scheme=colours, reduced_motion="reduce")

    return make


@each_language
@each_look
def test_axe_finds_nothing(opened: Callable[[str], Tab], site: Path, look: str, language: str) -> None:
    tab = opened(look)
    found = {}
    for kind, address in kinds(site).items():
        tab.page.goto("about:blank")  # else only the hash changes
        page = tab.open(language + address)
        settled(page)
        found[kind] = violations(page)
    assert {kind: some for kind, some in found.items() if some} == {}


@each_language
def test_nothing_is_wider_than_a_phone(opened: Callable[[str], Tab], site: Path, language: str) -> None:
    tab = opened("phone")
    wide = []
    for kind, address in kinds(site).items():
        tab.page.goto("about:blank")
        page = tab.open(language + address)
        settled(page)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(kind)
    assert wide == []


def test_nothing_unseen_stands_in_a_text(opened: Callable[[str], Tab], site: Path) -> None:
    tab = opened("light")
    hostile = next(path.stem.removesuffix("-task") for path in (site / "runs").glob("*pwned*-task.html"))
    places = [
        "index.html",
        "mini-en.html",
        "compare/mini-en.html",
        f"runs/{hostile}.html",
        f"runs/{hostile}-tasks.html",
    ]
    places += [f"runs/{hostile}-task.html#mini_{session}/{task}" for session in (0, 1) for task in range(4)][:5]
    found = []
    for place in places:
        tab.page.goto("about:blank")
        page = tab.open(place)
        page.wait_for_load_state("networkidle")
        if UNSEEN.search(page.evaluate(_TEXTS)):
            found.append(place)
    assert found == []


@pytest.mark.skipif(PICTURES not in os.environ, reason=f"set {PICTURES} to a folder for pictures of all kinds of pages")
@each_language
@each_look
def test_pictures(opened: Callable[[str], Tab], site: Path, look: str, language: str) -> None:
    folder = Path(os.environ[PICTURES])
    folder.mkdir(parents=True, exist_ok=True)
    tab = opened(look)
    for kind, address in kinds(site).items():
        tab.page.goto("about:blank")
        page = tab.open(language + address)
        settled(page)
        page.screenshot(path=folder / f"{kind}-{look}-{language.strip('/') or 'en'}.png", full_page=True)
