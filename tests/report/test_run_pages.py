"""The pages of runs, parsed: their numbers are those of metrics.json and of error analysis."""

from __future__ import annotations

from collections import Counter
from functools import cache
from urllib.parse import parse_qsl

import pytest
from msgspec.structs import replace

from tests.report.page_reading import Element, read
from tests.report.task_data import five_runs
from tests.sizes import sized
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.dialogues.judge.scorings import PAPER_COLUMNS
from toolgauge.benchmarks.manifest import ModelRecord
from toolgauge.report.marks import Kind
from toolgauge.report.page import RunEntry, Site, entries_of
from toolgauge.report.pages import comparison, run
from toolgauge.report.pages.effort import ScoredCost, score_against_cost
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import SiteFolder
from toolgauge.runs.scored import ScoredRun
from toolgauge.visible import tell_unseen

HOSTILE = "<script>alert(1)</script>{{7*7}}<img src=x onerror=alert(2)>\u202e"
LANGUAGES = ("en", "zh")[: sized(1, 2)]
"""The golden record has the pages in both."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[ScoredRun]:
    """Two runs of mini, one of half of it with a hostile name, two of ACEBench's sample."""
    found = five_runs(tmp_path_factory.mktemp("runs"))
    found[2] = replace(
        found[2], manifest=replace(found[2].manifest, model=ModelRecord(name=HOSTILE, more={"note": HOSTILE}))
    )
    return found


@pytest.fixture(scope="module")
def site(runs: list[ScoredRun], tmp_path_factory: pytest.TempPathFactory) -> Site:
    entries, folder = entries_of(runs), tmp_path_factory.mktemp("data")
    made = Site(entries)
    comparison.write_pairs(made, SiteFolder(folder))
    return made


class Pages:
    """The pages of a site, rendered when they are asked for."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.html = cache(self._html)

    def _html(self, path: str, language: str) -> str:
        kind = run if path.startswith("runs/") else comparison
        made = next(page for page in kind.pages(self.site, language) if page.path == path)
        return render(made, language, self.site)

    def read(self, path: str, language: str) -> Element:
        return read(self.html(path, language))


@pytest.fixture(scope="module")
def pages(site: Site) -> Pages:
    return Pages(site)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def shown(rate: Rate | None) -> str:
    """A rate as a cell of a table shows it."""
    if rate is None or rate.value is None:
        return "–"
    interval = " – ".join(map(percent, rate.ci95)) if rate.ci95 else ""
    return percent(rate.value) + interval


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_sentence_has_the_number_its_interval_and_the_main_cause(
    site: Site, pages: Pages, language: str
) -> None:
    for entry in (site.entries[0], site.entries[3]):
        for scoring in entry.run.metrics.scorings:
            said = pages.read(entry.page_in(scoring), language).one("p", kind="verdict").text
            rate = entry.run.metrics.rate(scoring, *layout_of(entry.benchmark).main)
            losses = site.failures(entry, scoring).losses
            assert rate
            assert rate.ci95
            assert f"{percent(rate.value)}%" in said
            assert f"[{percent(rate.ci95[0])}, {percent(rate.ci95[1])}]" in said
            assert title(losses.losses[0].mistake, language) in said
            assert f"{losses.losses[0].points:.1f}" in said
            assert f"{losses.points:.1f}" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_causes_have_the_points_that_error_analysis_finds(site: Site, pages: Pages, language: str) -> None:
    for entry in (site.entries[0], site.entries[3]):
        found = site.failures(entry, "exact").losses
        page = pages.read(entry.page_in("exact"), language)
        rows = [
            row for table in page.one("section", id="summary").every("table") for row in table.every("tr", kind="own")
        ]
        assert [row.one("a").text for row in rows] == [title(loss.mistake, language) for loss in found.losses]
        assert [row.one("b").text for row in rows] == [f"{loss.points:.1f}" for loss in found.losses]
        ids = {score.task_id for score in entry.run.scores if not score.scorings["exact"].correct}
        causes = [item for item in page.every("li") if "data-mistake" in item.attributes]
        examples = [link for item in causes for link in item.one("ul", kind="examples").every("a")]
        assert [item.attributes["data-mistake"] for item in causes] == [loss.mistake for loss in found.losses]
        assert {link.text for link in examples} <= ids
        assert all(link.attributes["href"].startswith(f"../runs/{entry.slug}-task.html#") for link in examples)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("number", "field"), [(0, "kind"), (3, "category")])
def test_the_map_counts_failed_tasks_by_cause_and_kind(
    site: Site, pages: Pages, number: int, field: str, language: str
) -> None:
    entry = site.entries[number]
    crossing = site.failures(entry, "exact").crossing
    assert crossing
    assert crossing.dimension == field
    page = pages.read(entry.page_in("exact"), language)
    tables = [table for part in page.every("div", kind="scroll of-failures") for table in part.every("table")]
    rows = [row for table in tables for row in table.one("tbody").every("tr")]
    assert len(rows) == 1 + len(crossing.failed)
    for row, (mistake, counts) in zip(rows[1:], crossing.failed.items(), strict=True):
        assert row.one("th").text == title(mistake, language)
        for cell, (name, scored) in zip(row.every("td")[1:], crossing.scored.items(), strict=True):
            tasks = counts.get(name, 0)
            assert cell.text == (f"{100 * tasks / scored:.1f}" if tasks else "–")
            if tasks:
                chosen = dict(parse_qsl(cell.one("a").attributes["href"].partition("#")[2]))
                wanted = {"scoring": "exact", "result": "failed", "mistake": mistake, "type": name}
                assert chosen == wanted


def test_a_link_leads_to_as_many_tasks_as_its_row_counts(site: Site, pages: Pages) -> None:
    entry = site.entries[0]
    columns: dict[str, str] = {mistake.value: column for mistake, column in PAPER_COLUMNS.items()}
    checked = 0
    for scoring in entry.run.metrics.scorings:
        failed = [s.scorings[scoring] for s in entry.run.scores if not s.scorings[scoring].correct]
        ours = Counter(cause.mistake for score in entry.run.scores if (cause := score.cause(scoring)))
        papers = Counter(columns[str(verdict.mistake)] for verdict in failed)
        for row in pages.read(entry.page_in(scoring), "en").every("tr"):
            table, name = row.attributes.get("data-table"), row.attributes.get("data-row", "")
            if table not in ("mistakes", "mistakes_paper"):
                continue
            link = row.one("a").attributes["href"]
            assert link.startswith(f"../runs/{entry.slug}-tasks.html#")
            chosen = dict(parse_qsl(link.partition("#")[2]))
            named, counts = (name, ours) if table == "mistakes" else (f"paper:{name}", papers)
            assert chosen == {"scoring": scoring, "result": "failed", "mistake": named}
            assert counts[name] == entry.run.metrics.scorings[scoring][table][name].correct
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_without_scores_has_a_page(site: Site, runs: list[ScoredRun], language: str) -> None:
    nothing = Metrics(benchmark="mini", language="en", tasks=128, requested=128, missing=128, headline="exact")
    entry = replace(site.entries[0], run=replace(runs[0], metrics=nothing, scores=[]))
    page = Pages(Site((entry,), {})).read(entry.page, language)
    assert page.every("p", kind="note")
    assert [part.attributes["id"] for part in page.every("section", kind="tab")] == ["setup"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_stay_text(site: Site, pages: Pages, language: str) -> None:
    entry = site.entries[2]
    for path in (entry.page, f"compare/{entry.board}.html"):
        html, page = pages.html(path, language), pages.read(path, language)
        assert "<script>alert" not in html
        assert "alert(1)</script>" not in html
        assert not page.every("img")
        assert not [name for element in _all(page) for name in element.attributes if name.startswith("on")]
        assert not [element for element in _all(page) if "style" in element.attributes]
        assert tell_unseen(HOSTILE) in page.text
        assert "49" not in page.one("h1").text


def _all(element: Element) -> list[Element]:
    own = [child for child in element.children if isinstance(child, Element)]
    return own + [inner for child in own for inner in _all(child)]


def test_every_script_is_a_file_or_data(site: Site, pages: Pages) -> None:
    for path in (site.entries[0].page, "compare/mini-en.html"):
        for script in pages.read(path, "en").every("script"):
            assert script.attributes.get("type") == "application/json" or script.attributes["src"].startswith("../")


def test_no_address_of_an_endpoint_is_told(site: Site, runs: list[ScoredRun]) -> None:
    model = ModelRecord(name="m", provider="openai", base_url="https://inside.example/v1")
    entry = replace(site.entries[0], run=replace(runs[0], manifest=replace(runs[0].manifest, model=model)))
    html = Pages(Site((entry,), {})).html(entry.page, "en")
    assert "inside.example" not in html
    assert "provider=openai" in html


def test_score_against_cost_is_drawn_where_two_runs_know_their_dollars(site: Site) -> None:
    def costs(entry: RunEntry, dollars: float | None) -> ScoredCost:
        effort = entry.run.metrics.effort
        amounts = effort.amounts | {"dollars": replace(effort.amounts["steps"], total=dollars, per_task=dollars)}
        metrics = replace(entry.run.metrics, effort=replace(effort, amounts=amounts))
        return ScoredCost("x", replace(entry, run=replace(entry.run, metrics=metrics)), 0.1, (0.05, 0.14), Kind.OWN)

    entry = site.entries[0]
    assert score_against_cost([costs(entry, 0.02), costs(entry, None)], "score", "en") is None
    scatter = score_against_cost([costs(entry, 0.02), costs(entry, 0.5), costs(entry, None)], "score", "en")
    assert scatter
    assert scatter.caption.endswith("; not known of 1 of 3 runs")
    assert scatter.x_title == "US dollars per task"
    assert [placed.point.x for placed in scatter.points] == [0.02, 0.5]
    assert scatter.y.high == pytest.approx(0.15), "it ends behind the highest"
