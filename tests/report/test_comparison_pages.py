"""The page of comparisons and its data files: what analysis/compare found between any two runs of a board."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.report.page_reading import Element, read, read_chunk
from tests.report.task_data import five_runs
from tests.sizes import sized
from toolgauge.analysis.compare.content import Comparison, compare_runs, side_of
from toolgauge.analysis.compare.sentences import verdict_lines
from toolgauge.analysis.decide import Better, better_run
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.report.comparisons import PairData, write_comparisons
from toolgauge.report.display import display_of
from toolgauge.report.page import Refused, RunEntry, Site, entries_of
from toolgauge.report.pages import comparison
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import SiteFolder
from toolgauge.runs.scored import ScoredRun

LANGUAGES = ("en", "zh")[: sized(1, 2)]
"""The golden record has the pages in both."""


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
    return Site(entries, write_comparisons(entries, SiteFolder(folder)))


def compared(a: RunEntry, b: RunEntry) -> Comparison:
    return compare_runs(side_of(a.run), side_of(b.run))


def data_of(folder: Path, a: RunEntry, b: RunEntry) -> PairData:
    key, content = read_chunk(folder / "data" / "compare" / f"{a.slug}--{b.slug}.js")
    assert key == f"compare/{a.slug}--{b.slug}"
    return msgspec.convert(content, PairData)


def page(site: Site, path: str, language: str) -> Element:
    made = next(page for page in comparison.pages(site, language) if page.path == path)
    return read(render(made, language, site))


def test_every_two_runs_of_a_board_are_compared_in_every_scoring(site: Site, folder: Path) -> None:
    slugs = [entry.slug for entry in site.entries]
    pairs = [(0, 1), (0, 2), (1, 2), (3, 4)]
    assert {pair for board in site.comparisons.values() for pair in board.pairs} == {
        (slugs[a], slugs[b]) for a, b in pairs
    }
    for a, b in pairs:
        data = data_of(folder, site.entries[a], site.entries[b])
        assert list(data.scorings) == list(site.entries[a].run.metrics.scorings)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (3, 4)])
def test_data_files_hold_what_was_compared(site: Site, folder: Path, pair: tuple[int, int]) -> None:
    a, b = (site.entries[number] for number in pair)
    content, data = compared(a, b), data_of(folder, a, b)
    assert (data.tasks, data.same_model, data.notes) == (content.tasks, content.same_model, content.notes)
    for name, scoring in data.scorings.items():
        found = content.scorings[name]
        assert scoring.found == replace(found, tables=scoring.found.tables)
        rows = {(table, row): entry for table, own in scoring.found.tables.items() for row, entry in own.items()}
        assert all(found.tables[table][row] == entry for (table, row), entry in rows.items())
        assert {place for _key, places in scoring.sections for place in places} <= set(rows)
        certain = {place for place, one in rows.items() if one.p_holm is not None and one.p_holm < 0.05}
        assert {(one.table, one.row) for one in scoring.significant} <= certain


def test_ranks_terminal_and_page_give_one_verdict(site: Site, folder: Path) -> None:
    """By the measure that the benchmark declares: the board's ranking, the pair's page, and what `compare` prints."""
    for board, own in site.comparisons.items():
        for (one, other), intervals in own.pairs.items():
            assert not isinstance(intervals, Refused)
            a, b = (next(entry for entry in site.board(board) if entry.slug == slug) for slug in (one, other))
            content = compared(a, b)
            for scoring, found in content.scorings.items():
                interval = intervals[scoring][content.decides]
                row = found.tables[content.decides[0]][content.decides[1]]
                assert interval == row.ci95
                assert found.better is better_run(interval)
                assert row.p is not None
                assert (found.better is Better.UNCLEAR) == (row.p >= 0.05)
                assert data_of(folder, a, b).scorings[scoring].found.better is found.better
                said = verdict_lines(content, scoring)[0]
                assert said.startswith(SAID[found.better])


def test_every_benchmark_declares_what_its_board_ranks_by() -> None:
    for name, row in DECIDES.items():
        assert layout_of(name).decides == ("overall", row)
        assert next(board.ranked for board in display_of(find_benchmark(name)).boards([])) == row


DECIDES = {
    "mini": "task_accuracy",
    "wildtoolbench": "session_accuracy",
    "mmtb": "task_accuracy",
    "acebench": "overall",
}
SAID = {Better.FIRST: "A is better: ", Better.SECOND: "B is better: ", Better.UNCLEAR: "A and B cannot be told apart: "}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_a_heading_for_everything_in_its_data(site: Site, folder: Path, language: str) -> None:
    config = json.loads(page(site, "compare/mini-en.html", language).one("script", id="comparison-config").text)
    assert [run["slug"] for run in config["runs"]] == [entry.slug for entry in site.board("mini-en")]
    for a, b in combinations(site.board("mini-en"), 2):
        for scoring in data_of(folder, a, b).scorings.values():
            for key, places in scoring.sections:
                assert config["sections"][key]
                assert all(config["rows"][f"{table}/{row}"] for table, row in places)
            for name in scoring.found.tables["mistakes"]:
                assert config["mistakes"][name] == title(name, language)
            assert {change.mistake for change in (*scoring.found.fixed, *scoring.found.broken)} <= set(
                config["mistakes"]
            )
    assert "part" in config["notes"]
    assert "{a}" in config["notes"]["part"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_runs_on_other_data_are_not_compared(site: Site, runs: list[ScoredRun], tmp_path: Path, language: str) -> None:
    other = replace(runs[1], manifest=replace(runs[1].manifest, dataset=DataRecord("mini", "0" * 64)))
    entries = (site.entries[0], RunEntry(other, "other", "other"))
    refused = Site(entries, write_comparisons(entries, SiteFolder(tmp_path)))
    assert list(refused.comparisons["mini-en"].pairs.values()) == [Refused("data")]
    assert not list(tmp_path.rglob("*.js"))
    config = json.loads(page(refused, "compare/mini-en.html", language).one("script", id="comparison-config").text)
    assert config["refused"][f"{entries[0].slug}--other"]


def test_boards_rank_by_the_intervals_that_were_compared(site: Site) -> None:
    for board, own in site.comparisons.items():
        for (one, other), intervals in own.pairs.items():
            a, b = (next(entry for entry in site.board(board) if entry.slug == slug) for slug in (one, other))
            content = compared(a, b)
            assert not isinstance(intervals, Refused)
            assert set(intervals) == set(content.scorings)
            for scoring, found in intervals.items():
                tables = content.scorings[scoring].tables
                assert found
                assert all(tables[table][row].ci95 == bounds for (table, row), bounds in found.items())
