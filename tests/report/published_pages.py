"""Boards for tests: made-up runs of the public data sets' structure, and tables read back from HTML."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.analysis.synthetic import dataset, metrics, scores
from toolgauge.analysis.numbers import Metrics
from toolgauge.artefacts import read
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.report.page import Page, Refused, Site, entries_of
from toolgauge.report.pages import board, overview
from toolgauge.report.rendering import render
from toolgauge.runs.scored import METRICS_VERSION, ScoredRun


@cache
def _numbers(seed: int, sessions: int) -> Metrics:
    data = dataset(sessions)
    return metrics("wildtoolbench", data, scores(data, 0.4, seed))


def run(
    name: str = "made/up", seed: int = 1, benchmark: str = "wildtoolbench", sessions: int = 256, **more: Any
) -> ScoredRun:
    """A run with metrics of made-up scores; more: other entries of its manifest; `metrics` replaces parts of those."""
    chosen = find_benchmark(benchmark)
    content = replace(
        _numbers(seed, sessions),
        benchmark=benchmark,
        version=METRICS_VERSION,
        headline=chosen.headline,
        **more.pop("metrics", {}),
    )
    manifest = {
        "benchmark": benchmark,
        "language": "en",
        "model": {"name": name, "provider": "openai"},
        "history": "gold",
        "epochs": 1,
    } | more
    return ScoredRun(Path(f"runs/{seed}"), read(manifest, Manifest), content, [], chosen)


def site_of(*runs: ScoredRun) -> Site:
    """A site in which all runs of a board are compared."""
    entries = entries_of(runs)
    found = Site(entries, {})
    boards = {board: combinations(found.board(board), 2) for board in found.boards}
    return Site(entries, {board: {(a.slug, b.slug): Refused("data") for a, b in own} for board, own in boards.items()})


def board_page(site: Site, language: str = "en", name: str = "wildtoolbench-en", scoring: str = "") -> str:
    """The page of a board in a scoring; in the headline's without one."""
    path = f"{name}-in-{scoring}.html" if scoring else f"{name}.html"
    return _html(site, language, next(page for page in board.pages(site, language) if page.path == path))


def board_pages(site: Site, language: str = "en", name: str = "wildtoolbench-en") -> str:
    """The pages of a board in all its scorings, one after the other."""
    found = [page for page in board.pages(site, language) if page.path.startswith((f"{name}.", f"{name}-in-"))]
    return "".join(_html(site, language, page) for page in found)


def overview_page(site: Site, language: str = "en") -> str:
    return _html(site, language, next(iter(overview.pages(site, language))))


def _html(site: Site, language: str, page: Page) -> str:
    return render(page, language, site)


class Cell:
    """A cell: its attributes, its text without footnote marks, what is bold, the name in it, marks, links."""

    def __init__(self, attributes: dict[str, str]) -> None:
        self.attributes = attributes
        self.text = self.bold = self.name = ""
        self.marks: list[str] = []
        self.links: list[str] = []

    @property
    def figure(self) -> str:
        """Its number; "" where it has none."""
        return (self.bold or self.text).strip().removesuffix("–")


class Reader(HTMLParser):
    """The tables of a page: tables[n] is (attributes of the section around it, head cells, rows of cells)."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[tuple[dict[str, str], list[Cell], list[tuple[dict[str, str], list[Cell]]]]] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words = ""
        self._section: dict[str, str] = {}
        self._inside: list[str] = []
        self._cell: Cell | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes))
        if tag in ("sup", "b", "bdi", "script", "thead", "tbody"):
            self._inside.append(tag)
        if tag == "section":
            self._section = attributes
        elif tag == "table":
            self.tables.append((self._section or attributes, [], []))
        elif tag == "tr":
            self._start_row(attributes)
        elif tag in ("td", "th"):
            self._cell = Cell(attributes)
            row = self.tables[-1][2][-1][1] if "tbody" in self._inside else self.tables[-1][1]
            row.append(self._cell)
        elif tag == "a" and self._cell and "sup" not in self._inside:
            self._cell.links.append(attributes["href"])

    def _start_row(self, attributes: dict[str, str]) -> None:
        if "tbody" in self._inside:
            self.tables[-1][2].append((attributes, []))
        else:
            self.tables[-1][1].clear()  # the last head row counts

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        if tag == "section":
            self._section = {}
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if "script" not in self._inside:
            self.words += data
        if self._cell is None:
            return
        if "sup" in self._inside:
            self._cell.marks += [data.strip()] if data.strip() else []
            return
        self._cell.text += data
        if "b" in self._inside:
            self._cell.bold += data
        if "bdi" in self._inside:
            self._cell.name += data

    def panel(self, name: str, scoring: str) -> tuple[list[str], dict[str, dict[str, Cell]]]:
        """The table of a board in a scoring: its columns, and by model the cells by column."""
        _, head, rows = next(
            table
            for table in self.tables
            if (table[0].get("data-board"), table[0].get("data-scoring")) == (name, scoring)
        )
        columns = [cell.attributes.get("data-column") or cell.attributes["class"].split()[-1] for cell in head]
        found = {}
        for _, cells in rows:
            by_column = dict(zip(columns, cells, strict=True))
            found[by_column["model"].name] = by_column
        return columns, found
