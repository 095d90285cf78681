"""The page of comparisons: what it draws of two runs is what analysis/compare found between them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.report.page_reading import Element, read
from tests.report.task_data import five_runs
from toolgauge.analysis.compare.content import Comparison, compare_runs, side_of
from toolgauge.analysis.compare.sentences import verdict_lines
from toolgauge.analysis.decide import Better, better_run
from toolgauge.analysis.layout import layout_of
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.report.display import display_of
from toolgauge.report.page import Refused, RunEntry, Site, entries_of, pair_page
from toolgauge.report.pages import comparison
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import SiteFolder
from toolgauge.runs.scored import ScoredRun

DECIDES = {
    "mini": "task_accuracy",
    "wildtoolbench": "session_accuracy",
    "mmtb": "task_accuracy",
    "acebench": "overall",
}
SAID = {Better.FIRST: "A is better: ", Better.SECOND: "B is better: ", Better.UNCLEAR: "A and B cannot be told apart: "}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[ScoredRun]:
    """Two runs of mini, one of a model that says nothing to half of it, two of ACEBench's sample."""
    return five_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def site(runs: list[ScoredRun], folder: Path) -> Site:
    entries = entries_of(runs)
    made = Site(entries)
    comparison.write_pairs(made, SiteFolder(folder))
    return made


def pages_of(site: Site, folder: Path, a: RunEntry, b: RunEntry, language: str = "") -> dict[str, Element]:
    """The pages of a pair by scoring."""
    found = site.pairs(a.board)[a.slug, b.slug]
    assert not isinstance(found, Refused)
    return {name: read((folder / language / pair_page(a, b, name)).read_text(encoding="utf-8")) for name in found}


def pairs(site: Site) -> list[tuple[RunEntry, RunEntry, Comparison]]:
    boards = [site.board(board) for board in site.boards]
    found = [pair for entries in boards for pair in combinations(entries, 2)]
    assert [(a.slug, b.slug) for a, b in found] == [pair for board in site.boards for pair in site.pairs(board)]
    return [(a, b, compare_runs(side_of(a.run), side_of(b.run))) for a, b in found]


def percent(number: float | None) -> str:
    return "–" if number is None else f"{100 * number:.1f}".replace("-", "−")


def test_every_row_shows_what_was_compared_in_every_scoring(site: Site, folder: Path) -> None:
    for a, b, content in pairs(site):
        parts = pages_of(site, folder, a, b)
        assert list(parts) == list(content.scorings) == list(a.run.metrics.scorings)
        for scoring, part in parts.items():
            rows = [row for row in part.every("tr") if "data-row" in row.attributes]
            assert {"overall", "mistakes"} <= {row.attributes["data-table"] for row in rows}
            for row in rows:
                entry = content.scorings[scoring].tables[row.attributes["data-table"]][row.attributes["data-row"]]
                assert entry.difference is not None
                cells = [cell.text for cell in row.every("td")]
                assert cells[:2] == [percent(entry.a), percent(entry.b)]
                assert cells[2].lstrip("+").startswith(percent(entry.difference).removeprefix("−0.0"))
                assert ("*" in cells[2]) == entry.few
                assert not entry.ci95 or cells[2].endswith(", ".join(map(percent, entry.ci95)) + "]")
                certain = entry.p_holm is not None and entry.p_holm < 0.05 and bool(entry.difference)
                assert ("significant" in row.attributes.get("class", "")) == certain
            for name, changed in (
                ("fixed", content.scorings[scoring].fixed),
                ("broken", content.scorings[scoring].broken),
            ):
                section = part.one("section", id=name)
                assert section.one("span", kind="badge").text == str(len(changed))
                links = [link.attributes["href"] for link in section.one("ul", kind="changed").every("a")]
                assert len(links) == min(len(changed), comparison.TASKS_LISTED)
                assert all(f"scoring={scoring}&with={(b if name == 'fixed' else a).slug}" in link for link in links)


def test_ranks_terminal_and_page_give_one_verdict(site: Site, folder: Path) -> None:
    """By the measure that the benchmark declares: the board's ranking, the pair's page, and what `compare` prints."""
    for a, b, content in pairs(site):
        results = site.pairs(a.board)[a.slug, b.slug]
        assert not isinstance(results, Refused)
        parts = pages_of(site, folder, a, b)
        for scoring, found in content.scorings.items():
            row = found.tables[content.decides[0]][content.decides[1]]
            assert results[scoring].intervals[content.decides] == row.ci95
            assert results[scoring].better is found.better is better_run(row.ci95)
            assert row.p is not None
            assert (found.better is Better.UNCLEAR) == (row.p >= 0.05)
            for said in (verdict_lines(content, scoring)[0], parts[scoring].one("p", id="verdict").text):
                assert said.startswith(SAID[found.better])


def test_every_benchmark_declares_what_its_board_ranks_by() -> None:
    for name, row in DECIDES.items():
        assert layout_of(name).decides == ("overall", row)
        assert next(board.ranked for board in display_of(find_benchmark(name)).boards([])) == row


def test_both_languages_show_the_same_rows_under_their_own_headings(site: Site, folder: Path) -> None:
    a, b, _content = pairs(site)[0]
    english, chinese = (pages_of(site, folder, a, b, language)["exact"] for language in ("", "zh"))
    rows = [
        [[cell.text for cell in row.every("td")] for row in part.every("tr") if "data-row" in row.attributes]
        for part in (english, chinese)
    ]
    assert rows[0] == rows[1]
    headings = [[head.text for head in part.every("th")] for part in (english, chinese)]
    assert len(headings[0]) == len(headings[1])
    same = {one for one, other in zip(*headings, strict=True) if one == other}
    assert same < {"", "A", "B", "A (%)", "B (%)", "B − A", "h", "p", "model", "provider"} | {
        one for one in same if not one[:1].isupper()
    }


def test_runs_on_other_data_are_not_compared(site: Site, runs: list[ScoredRun], tmp_path: Path) -> None:
    other = replace(runs[1], manifest=replace(runs[1].manifest, dataset=DataRecord("mini", "0" * 64)))
    entries = (site.entries[0], RunEntry(other, "other", "other"))
    refused = Site(entries)
    comparison.write_pairs(refused, SiteFolder(tmp_path))
    assert list(refused.pairs("mini-en").values()) == [Refused("data")]
    assert not list(tmp_path.iterdir())
    (page,) = comparison.pages(refused, "en")
    assert "different data" in read(render(page, "en", refused)).one("table", id="pairs").text
    assert refused.comparison_page(*entries) == ""


def test_all_pairs_are_listed_with_their_results(site: Site) -> None:
    page = next(page for page in comparison.pages(site, "en") if page.path == "compare/mini-en.html")
    table = read(render(page, "en", site)).one("table", id="pairs")
    links = [link.attributes["href"].removeprefix("../") for link in table.every("a")]
    assert links == [site.comparison_page(b, a) for a, b in combinations(site.board("mini-en"), 2)]
    assert {link.text for link in table.every("a")} <= {"A is better", "B is better", "cannot be told apart"}
