"""Every number that pages of runs and of comparisons show is that of the files beside them, whatever made the page."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import Tab
from tests.browser.page_kinds import settled

pytestmark = pytest.mark.browser

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
