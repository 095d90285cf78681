"""What holds on every kind of page, in Firefox too: axe-core finds nothing, nothing is too wide, numbers are right."""

from __future__ import annotations

import asyncio
import csv
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import Tab
from tests.browser.firefox import FIREFOX, Firefox, firefox
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


Key = tuple[str, str, str]
"""Scoring, table and row."""
_ROWS = """() => [...document.querySelectorAll("main [data-table][data-row]")].map((one) => ({
    table: one.dataset.table,
    row: one.dataset.row,
    tile: one.classList.contains("tile"),
    cells: [...one.querySelectorAll("td.number, .value, .value + div")].map((cell) =>
        [...cell.childNodes].map((part) => part.textContent).join(" ")),
}))"""
_NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?")


def numbers_of(file: Path) -> dict[Key, dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return {(row["scoring"], row["table"], row["row"]): row for row in csv.DictReader(stream)}


def percents(*values: str) -> list[str]:
    """Rates of a file as pages show them; what is empty is not shown."""
    return [f"{100 * float(value):.1f}" for value in values if value]


def said(text: str) -> list[str]:
    """The numbers in a text, without signs and separators of thousands."""
    return [found.lstrip("+-−").replace(",", "") for found in _NUMBER.findall(text)]


def run_pages(site: Path) -> Iterator[tuple[str, str]]:
    """The pages of runs, and the file with their numbers."""
    for file in sorted((site / "tables").glob("*.csv")):
        if (site / "data/runs" / file.stem).is_dir():
            for page in sorted((site / "runs").glob(f"{file.stem}*.html")):
                if page.stem == file.stem or page.stem.startswith(f"{file.stem}-in-"):
                    yield f"runs/{page.name}", file.name


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_pages_of_runs_show_the_numbers_of_their_files(tab: Tab, site: Path, language: str) -> None:
    seen = 0
    for address, file in run_pages(site):
        numbers = numbers_of(site / "tables" / file)
        page = tab.open(language + address)
        scoring = page.locator(".bar-of-page").get_attribute("data-scoring")
        for shown in page.evaluate(_ROWS):
            row = numbers[scoring, shown["table"], shown["row"]]
            expected = percents(row["value"], row["low"], row["high"])
            if not shown["tile"]:
                expected.append(row["total"])
            assert said(" ".join(shown["cells"])) == expected, (address, shown)
            seen += len(expected)
    assert seen > 1000


def test_comparisons_show_the_numbers_of_their_files(tab: Tab, site: Path) -> None:
    seen = 0
    for file in sorted((site / "tables").glob("mini-en*--*.csv")):
        numbers = numbers_of(file)
        for scoring in sorted({scoring for scoring, _table, _row in numbers}):
            folder = "" if scoring == "exact" else f"{scoring}/"
            page = tab.open(f"compare/{folder}{file.stem}.html")
            settled(page)
            seen += sum(_agrees(numbers[scoring, row["table"], row["row"]], row) for row in page.evaluate(_ROWS))
    assert seen > 1000


def _agrees(row: dict[str, str], shown: dict[str, Any]) -> int:
    """A, B and their difference with its interval; how many numbers that is."""
    values = (row["a"], row["b"], row["difference"], row["low"], row["high"])
    expected = [text.lstrip("-") for text in percents(*values)]
    found = said(" ".join(cell.replace("*", "") for cell in shown["cells"][:3]))
    assert found == expected, (row, shown)
    return len(expected)


_LOADED = """new Promise((done) => {
    const parts = ["#task", "#task-list", "#pair"];
    const look = () => {
        const shown = parts.map((one) => `${one}:not([hidden])`);
        const ready = !document.querySelector(parts) || document.querySelector(shown);
        return ready ? done("true") : requestAnimationFrame(look);
    };
    look();
})"""
_IN_FIREFOX = """axe.run(document, {resultTypes: ["violations"], preload: false}).then((found) => JSON.stringify(
    found.violations.flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.html.slice(0, 160)}`))))"""
_TOO_WIDE = "JSON.stringify(document.documentElement.scrollWidth > innerWidth)"
_TIP = """(() => {
    const term = [...document.querySelectorAll("main button.term")].find((one) => one.checkVisibility());
    if (!term) return "true";
    term.click();
    const tip = document.querySelector(".tip:popover-open")?.getBoundingClientRect();
    const box = term.getBoundingClientRect();
    const near = tip && (Math.abs(tip.top - box.bottom) < 12 || Math.abs(box.top - tip.bottom) < 12);
    return JSON.stringify(Boolean(near && tip.left >= 0 && tip.right <= innerWidth));
})()"""


@pytest.mark.skipif(FIREFOX is None, reason="no Firefox here")
@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_every_kind_of_page_in_firefox(site: Path, tmp_path: Path, size: tuple[int, int], language: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="install with .[browser]")
    with ThreadPoolExecutor(1) as own:  # in this thread the other browser's tests have left a loop running
        found, complaints = own.submit(asyncio.run, _look(site, language, tmp_path, size)).result()
    assert (found, complaints) == ({}, [])


async def _look(
    site: Path, language: str, profile: Path, size: tuple[int, int]
) -> tuple[dict[str, list[str]], list[str]]:
    found = {}
    async with firefox(profile, size) as tab:
        for kind, address in kinds(site).items():
            await tab.open(f"{site.as_uri()}/{language}{address}")
            await tab.evaluate(_LOADED)
            if wrong := [one async for one in _wrong(tab)]:
                found[kind] = wrong
        return found, tab.complaints


async def _wrong(tab: Firefox) -> AsyncIterator[str]:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    await tab.evaluate(f"{axe}; null")
    for one in await tab.evaluate(_IN_FIREFOX):
        yield one
    if await tab.evaluate(_TOO_WIDE):
        yield "wider than the window"
    if not await tab.evaluate(_TIP):
        yield "the tip of the first term does not open beside it"
