"""The pages of runs and of comparisons, parsed: their numbers are those of metrics.json and of the comparison."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from msgspec.structs import replace

import toolgauge
from tests.report.page_reading import Element, read, specs
from toolgauge.analysis.compare.content import Changed, Comparison
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.benchmarks.manifest import DataRecord, ModelRecord
from toolgauge.judge.mistakes import PAPER_COLUMNS, Mistake
from toolgauge.report.display import display_of
from toolgauge.report.page import Refused, RunEntry, Site, entries_of
from toolgauge.report.pages import comparison, run
from toolgauge.report.pages.links import filters_of
from toolgauge.report.rendering import options, render
from toolgauge.results import open_runs
from toolgauge.runs.scored import ScoredRun
from toolgauge.visible import tell_unseen

FIXTURES = Path(__file__).parents[1] / "fixtures"
HOSTILE = "<script>alert(1)</script>{{7*7}}<img src=x onerror=alert(2)>\u202e"
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[ScoredRun]:
    """Two runs of mini, one of half of it with a hostile name, two of ACEBench's sample."""
    root = tmp_path_factory.mktemp("runs")
    for name in ("noisy?seed=1", "noisy?seed=2"):
        toolgauge.run("mini", f"builtin/{name}", out=root / name[-1])
        toolgauge.run("acebench", f"builtin/{name}", data=FIXTURES / "acebench", out=root / f"ace{name[-1]}")
    toolgauge.run("mini", "builtin/silent", out=root / "part", limit=16)
    found = open_runs([root / name for name in ("1", "2", "part", "ace1", "ace2")])
    found[2] = replace(
        found[2], manifest=replace(found[2].manifest, model=ModelRecord(name=HOSTILE, more={"note": HOSTILE}))
    )
    return found


@pytest.fixture(scope="module")
def site(runs: list[ScoredRun]) -> Site:
    entries = entries_of(runs)
    return Site(entries, comparison.comparisons(entries))


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
@pytest.mark.parametrize("number", range(5))
def test_tables_equal_the_metrics(site: Site, pages: Pages, number: int, language: str) -> None:
    entry = site.entries[number]
    page, metrics = pages.read(entry.page, language), entry.run.metrics
    found = 0
    for part in page.every("section", kind="reading"):
        reading = part.attributes["data-reading"]
        for table in part.every("table", kind="rates"):
            for row in table.one("tbody").every("tr"):
                rate, beside, total = _expected(metrics, reading, row)
                cells = [cell.text.strip() for cell in row.every("td")]
                assert cells == [shown(rate), *beside, total]
                found += 1
    assert found >= 60 * len(metrics.readings) if entry.benchmark == "mini" else found > 20


def _expected(metrics: Metrics, reading: str, row: Element) -> tuple[Rate, list[str], str]:
    table, name = row.attributes["data-table"], row.attributes["data-row"]
    rate = metrics.readings[reading][table][name]
    exact = metrics.readings["exact"].get(table, {}).get(name)
    beside = [] if reading == "exact" else [percent(exact.value) if exact else "–"]
    total = rate.total
    return rate, beside, f"{total:,.0f}" if total == int(total) else f"{total:,.1f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_tiles_show_the_headline_reading(site: Site, pages: Pages, language: str) -> None:
    for entry in (site.entries[0], site.entries[3]):
        metrics = entry.run.metrics
        tiles = pages.read(entry.page, language).one("div", kind="tiles").every("div", kind="tile")
        assert len(tiles) == 4
        for tile in tiles:
            rate = metrics.readings[str(metrics.headline)][tile.attributes["data-table"]][tile.attributes["data-row"]]
            assert tile.one("div", kind="value").text == f"{percent(rate.value)}%"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_matrix_says_value_and_counts_of_every_cell(site: Site, pages: Pages, language: str) -> None:
    entry = site.entries[0]
    for part in pages.read(entry.page, language).every("section", kind="reading"):
        layers = entry.run.metrics.readings[part.attributes["data-reading"]]["layers"]
        cells = part.one("table", kind="matrix").every("td", data_table="layers")
        assert {cell.attributes["data-row"] for cell in cells} == set(layers)
        for cell in cells:
            rate = layers[cell.attributes["data-row"]]
            said = cell.one("a").attributes["title"]
            assert cell.text == percent(rate.value)
            assert percent(rate.value) in said
            assert f"{rate.correct} / {rate.total}" in said


def test_the_headline_reading_comes_first(site: Site, pages: Pages) -> None:
    for number, order in ((0, ["exact", "released", "tables"]), (3, ["released", "exact"])):
        page = pages.read(site.entries[number].page, "en")
        assert [part.attributes["data-reading"] for part in page.every("section", kind="reading")] == order
        buttons = page.every("button")
        assert [button.attributes["data-choose"] for button in buttons if "data-choose" in button.attributes] == order


def test_a_link_leads_to_as_many_tasks_as_its_row_counts(site: Site, pages: Pages) -> None:
    entry = site.entries[0]
    columns: dict[str, str] = {mistake.value: column for mistake, column in PAPER_COLUMNS.items()}
    checked = 0
    for part in pages.read(entry.page, "en").every("section", kind="reading"):
        reading = part.attributes["data-reading"]
        failed = [s.readings[reading] for s in entry.run.scores if not s.readings[reading].correct]
        ours = Counter(cause.mistake for score in entry.run.scores if (cause := score.cause(reading)))
        papers = Counter(columns[str(verdict.mistake)] for verdict in failed)
        for row in part.every("tr"):
            table, name = row.attributes.get("data-table"), row.attributes.get("data-row", "")
            if table not in ("mistakes", "mistakes_paper"):
                continue
            link = row.one("a").attributes["href"]
            assert link.startswith(f"../runs/{entry.slug}-tasks.html#")
            chosen = dict(parse_qsl(link.partition("#")[2]))
            named, counts = (name, ours) if table == "mistakes" else (f"paper:{name}", papers)
            assert chosen == {"reading": reading, "result": "failed", "mistake": named}
            assert counts[name] == entry.run.metrics.readings[reading][table][name].correct
            checked += 1
    assert checked > 20


def test_filters_of_rows() -> None:
    assert filters_of("layers", "multi@2") == {"type": "multi", "position": "2"}
    assert filters_of("layers", "all@2") == {"position": "2"}
    assert filters_of("layers", "all@all") == {}
    assert filters_of("references", "first_turn") == {"position": "1"}
    assert filters_of("references", "coreference") == {"reference": "coreference"}
    assert filters_of("references", "later") is None
    assert display_of("acebench").filters("categories", "agent_multi_turn") == {"type": "agent_multi_turn"}
    assert display_of("acebench").filters("categories", "agent_multi_turn_process") is None
    assert filters_of("mistakes_mmtb", "early stop") == {"result": "failed", "mistake": "paper:early stop"}
    assert filters_of("transitions", "0") is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_tasks_that_readings_judge_otherwise_are_listed(site: Site, pages: Pages, language: str) -> None:
    listed = 0
    for entry in (site.entries[0], site.entries[3]):
        for part in pages.read(entry.page, language).every("section", kind="reading"):
            differ = entry.run.metrics.differences[part.attributes["data-reading"]]
            for other in part.every("details", kind="differing"):
                tasks = other.one("ul", kind="tasks").every("li")
                assert len(tasks) == differ[other.attributes["data-other"]]
                listed += len(tasks)
    assert listed


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_biggest_losses_stand_in_their_order(site: Site, pages: Pages, language: str) -> None:
    entry = site.entries[0]
    losses = pages.read(entry.page, language).one("ol", kind="losses")
    counts = Counter(score.readings["exact"].mistake for score in entry.run.scores)
    del counts[None]
    shown_losses = [item for item in losses.every("li") if "data-mistake" in item.attributes]
    sizes = [counts[item.attributes["data-mistake"]] for item in shown_losses]
    assert sizes == [number for _, number in counts.most_common(3)]
    points = [f"−{100 * size / 128:.1f}" for size in sizes]
    assert [item.one("span", kind="points").text for item in shown_losses] == points
    ids = {score.task_id for score in entry.run.scores if not score.readings["exact"].correct}
    examples = [link for item in shown_losses for link in item.one("ul", kind="examples").every("a")]
    assert examples
    assert {link.text for link in examples} <= ids
    assert all(link.attributes["href"].startswith(f"../runs/{entry.slug}-task.html#") for link in examples)


def test_effort_equals_the_metrics(site: Site, pages: Pages) -> None:
    entry = site.entries[0]
    (row,) = pages.read(entry.page, "en").every("tr", data_amount="steps")
    steps = entry.run.metrics.effort.amounts["steps"]
    cells = [float(cell.text.replace(",", "")) for cell in row.every("td")]
    assert cells == pytest.approx([steps.total, steps.per_task, steps.per_correct_task["exact"]], rel=1e-3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_charts_have_names_of_their_own(site: Site, pages: Pages, language: str) -> None:
    page = pages.read(site.entries[0].page, language)
    names = ("accuracy", "mistakes", "transitions", "routes", "orchestration")
    drawn = specs(page)
    assert len(drawn) == len(page.every("figure", kind="chart"))
    assert {f"{name}-{reading}" for name in names for reading in ("exact", "released", "tables")} <= set(drawn)
    assert all("title" not in spec for spec in drawn.values())


def test_a_missing_task_is_said_to_be_missing(site: Site, runs: list[ScoredRun]) -> None:
    metrics = replace(runs[0].metrics, missing=7, scored=121)
    entry = replace(site.entries[0], run=replace(runs[0], metrics=metrics))
    alone = Pages(Site((entry,), {}))
    assert "7 tasks have no score" in alone.read(entry.page, "en").text
    assert "有 7 个任务没有评分" in alone.read(entry.page, "zh").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_without_scores_has_a_page(site: Site, runs: list[ScoredRun], language: str) -> None:
    nothing = Metrics(benchmark="mini", language="en", tasks=128, requested=128, missing=128, headline="exact")
    entry = replace(site.entries[0], run=replace(runs[0], metrics=nothing, scores=[]))
    page = Pages(Site((entry,), {})).read(entry.page, language)
    assert page.every("p", kind="note")
    assert not page.every("section", kind="reading")


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_stay_text(site: Site, pages: Pages, language: str) -> None:
    entry = site.entries[2]
    paths = [entry.page, *(f"compare/{a}--{b}.html" for a, b in site.comparisons if entry.slug in (a, b))]
    assert len(paths) == 3
    for path in paths:
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
    for path in (site.entries[0].page, _path(site, 0, 1)):
        for script in pages.read(path, "en").every("script"):
            assert script.attributes.get("type") == "application/json" or script.attributes["src"].startswith("../")


def _path(site: Site, a: int, b: int) -> str:
    return f"compare/{site.entries[a].slug}--{site.entries[b].slug}.html"


def _content(site: Site, a: int, b: int) -> Comparison:
    content = site.comparisons[site.entries[a].slug, site.entries[b].slug]
    assert isinstance(content, Comparison)
    return content


def test_every_two_runs_of_a_board_are_compared(site: Site) -> None:
    slugs = [entry.slug for entry in site.entries]
    pairs = [(0, 1), (0, 2), (1, 2), (3, 4)]
    assert set(site.comparisons) == {(slugs[a], slugs[b]) for a, b in pairs}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (3, 4)])
def test_comparisons_show_what_was_compared(site: Site, pages: Pages, pair: tuple[int, int], language: str) -> None:
    content, page = _content(site, *pair), pages.read(_path(site, *pair), language)
    parts = page.every("section", kind="reading")
    assert [part.attributes["data-reading"] for part in parts] == list(dict.fromkeys((content.headline, "exact")))
    for part in parts:
        found = content.readings[part.attributes["data-reading"]]
        rows = [row for table in part.every("table", kind="sortable differences") for row in table.every("tr")]
        rows = [row for row in rows if "data-row" in row.attributes]
        assert len(rows) > 20
        for row in rows:
            _check_difference(row, found.tables[row.attributes["data-table"]][row.attributes["data-row"]], language)
        for bar in part.every("div", kind="crosstab"):
            counts = getattr(found, bar.attributes["data-unit"])
            said = {b.attributes["data-outcome"]: b.text for b in bar.every("b")}
            assert said == {name: f"{getattr(counts, name):,}" for name in ("both", "fixed", "broken", "neither")}
            assert sum(float(rect.attributes["width"]) for rect in bar.every("rect")) == pytest.approx(1000, abs=0.1)


def _check_difference(row: Element, entry: Any, language: str) -> None:
    a, b, difference, counts, effect, raw, p = (re.sub(r"\s+", " ", cell.text.strip()) for cell in row.every("td"))

    def points(value: float) -> str:
        shown = f"{100 * value:+.1f}"
        return "0.0" if float(shown) == 0 else shown.replace("-", "−")

    to = {"en": " to ", "zh": " 至 "}[language]
    bounds = to.join(map(points, entry.ci95)) if entry.ci95 else "–"
    assert (a, b) == (percent(entry.a), percent(entry.b))
    assert difference == f"{points(entry.difference)}{'*' if entry.few else ''}{bounds}"
    assert counts == ("–" if entry.fixed is None else f"{entry.fixed} / {entry.broken}")
    assert effect == ("" if entry.cohens_h is None else f"{entry.cohens_h:+.2f}".replace("-", "−"))
    holm = entry.p_holm
    for shown, value in ((raw, entry.p), (p, holm)):
        assert shown == ("–" if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}")
    significant = holm is not None and holm < 0.05 and entry.difference != 0
    assert ("significant" in row.attributes.get("class", "")) == significant


def test_something_is_marked_as_significant(site: Site, pages: Pages) -> None:
    """The silent player has every task that needs a tool wrong."""
    rows = pages.read(_path(site, 0, 2), "en").every("tr", kind="significant worse", data_row="multi")
    assert rows
    assert all("▼" in row.one("th").text for row in rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_fixed_and_broken_tasks_are_listed(site: Site, pages: Pages, language: str) -> None:
    content, page = _content(site, 3, 4), pages.read(_path(site, 3, 4), language)
    found = content.readings[content.headline]
    wrong = {"fixed": site.entries[3].slug, "broken": site.entries[4].slug}
    for name, slug in wrong.items():
        items = page.one("section", data_list=name).every("li")
        assert [item.every("a")[0].text for item in items] == [task.task_id for task in getattr(found, name)]
        for item in items:
            assert item.every("a")[0].attributes["href"].startswith(f"../runs/{slug}-task.html#")


@pytest.mark.parametrize(("name", "wrong", "right"), [("fixed", 0, 1), ("broken", 1, 0)])
def test_long_lists_end_and_lead_to_the_list_of_all(site: Site, name: str, wrong: int, right: int) -> None:
    tasks = [Changed(f"mini_{n}/0", Mistake.REFUSAL.value) for n in range(230)]
    made = comparison._list(site.entries[0], site.entries[1], "exact", name, tasks, "en")
    assert (made.number, len(made.tasks)) == (230, 50)
    page, right_there = f"runs/{site.entries[wrong].slug}-tasks.html", f"correct%3A{site.entries[right].slug}"
    assert made.all == f"{page}#reading=exact&result=failed&other={right_there}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_runs_on_other_data_are_not_compared(site: Site, runs: list[ScoredRun], language: str) -> None:
    other = replace(runs[1], manifest=replace(runs[1].manifest, dataset=DataRecord("mini", "0" * 64)))
    entries = (site.entries[0], RunEntry(other, "other", "other"))
    found = comparison.comparisons(entries)
    assert list(found.values()) == [Refused("data")]
    page = Pages(Site(entries, found)).read(f"compare/{entries[0].slug}--other.html", language)
    assert page.one("p", data_refused="data").text
    assert not page.every("table")


def test_notes_on_comparisons_are_shown(site: Site, pages: Pages) -> None:
    assert "only part of the tasks is in both" in pages.read(_path(site, 0, 2), "en").text
    assert "双方只有部分任务相同" in pages.read(_path(site, 0, 2), "zh").text


def test_many_runs_are_compared_briefly(site: Site, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "FEW_PAIRS", 0)
    found = comparison.comparisons(site.entries[:2])
    (content,) = found.values()
    assert isinstance(content, Comparison)
    assert list(content.readings) == ["exact"]
    brief, path = Pages(Site(site.entries[:2], found)), _path(site, 0, 1)
    assert len(brief.read(path, "en").every("section", kind="reading")) == 1
    rows, all_rows = (len(page.read(path, "en").every("tr")) for page in (brief, pages))
    assert 20 < rows < all_rows / 2


def test_no_address_of_an_endpoint_is_told(site: Site, runs: list[ScoredRun]) -> None:
    model = ModelRecord(name="m", provider="openai", base_url="https://inside.example/v1")
    entry = replace(site.entries[0], run=replace(runs[0], manifest=replace(runs[0].manifest, model=model)))
    html = Pages(Site((entry,), {})).html(entry.page, "en")
    assert "inside.example" not in html
    assert "provider=openai" in html


def test_commands_and_options_in_sentences_stand_as_code() -> None:
    said = options("see `toolgauge probe --json` and --max-tokens, not <b> or a`b")
    assert said == "see <code>toolgauge probe --json</code> and <code>--max-tokens</code>, not &lt;b&gt; or a`b"
