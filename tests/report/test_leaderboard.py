"""The leaderboard and the overview: numbers are those of metrics.json and of the papers, in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.report.published_pages import Reader, board_page, board_pages, overview_page, run, site_of
from tests.sizes import sized
from toolgauge.analysis.decide import Better
from toolgauge.analysis.numbers import Rate
from toolgauge.report.leaderboard import incomparability, paper_of, views
from toolgauge.report.page import PairResult
from toolgauge.report.papers import published
from toolgauge.visible import tell_unseen

LANGUAGES = ("en", "zh")[: sized(1, 2)]
"""The golden record has the pages in both."""
HOSTILE = (
    "<script>alert(1)</script>",
    "\u202egnp.exe\u2066",
    "{{ 7 * 7 }}{% raw %}{0}{name}",
    '"><img src=x onerror=alert(1)>',
    "x" * 1000,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_measured_numbers_are_those_of_metrics(language: str) -> None:
    one = run()
    page = Reader(board_pages(site_of(one), language))
    for scoring, tables in one.metrics.scorings.items():
        for name, rows in (("overall", ("overall", "by_type")), ("orchestration", ("orchestration",))):
            columns, found = page.panel(name, scoring)
            row = found["made/up"]
            known = {key: rate for table in rows for key, rate in tables[table].items()}
            shown = [column for column in columns if column in known]
            assert len(shown) >= 6
            for column in shown:
                assert row[column].figure == f"{100 * (known[column].value or 0):.2f}", (scoring, column)
                assert float(row[column].attributes["data-sort"]) == known[column].value
                assert f"{known[column].correct}" in row[column].attributes["title"]
            for column in ("task_accuracy", "acc_overall"):
                if column in shown:
                    low, high = known[column].ci95 or (0, 0)
                    assert f"{100 * low:.1f} – {100 * high:.1f}" in row[column].text


def test_progress_stands_beside_the_published_by_the_published_rule() -> None:
    one = run()
    _, found = Reader(board_page(site_of(one))).panel("orchestration", "tables")
    tables = one.metrics.scorings["tables"]["orchestration"]
    published_rule, ours = tables["ap_overall_as_published"].value, tables["ap_overall"].value
    assert published_rule is not None
    assert ours is not None
    assert published_rule != ours
    assert found["made/up"]["ap_overall_as_published"].figure == f"{100 * published_rule:.2f}"
    assert found["made/up"]["ap_overall"].figure == f"{100 * ours:.2f}"
    assert found["GPT-4.1"]["ap_overall_as_published"].figure == "46.06"
    assert found["GPT-4.1"]["ap_overall"].figure == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "table", "renamed"),
    [
        ("overall", "wildtoolbench_accuracy", {f"task_{place}": f"task{place}" for place in range(1, 5)}),
        (
            "references",
            "wildtoolbench_references",
            {"later": "overall", "coreference": "coreferential_reference", "long_range": "long_range_dependency"},
        ),
        (
            "orchestration",
            "wildtoolbench_orchestration",
            {f"ap_{shape}_as_published": f"ap_{shape}" for shape in ("overall", "sequential", "mixed")},
        ),
        ("mistakes", "wildtoolbench_mistakes", {}),
        ("mistakes_main_text", "wildtoolbench_mistakes_main_text", {}),
    ],
)
def test_published_numbers_are_those_of_the_papers(
    name: str, table: str, renamed: dict[str, str], language: str
) -> None:
    columns, found = Reader(board_page(site_of(run()), language)).panel(name, "tables")
    printed = published().tables[table]
    assert set(found) == {"made/up", *printed.rows}
    for model, numbers in printed.rows.items():
        shown = {
            renamed.get(column, column): found[model][column].figure for column in columns if column != "ap_overall"
        }
        assert numbers == {column: shown[column] for column in numbers}


def rate(value: float | None, ci95: tuple[float, float] | None = None) -> Rate:
    return Rate(value=value, correct=9, total=10, ci95=ci95, requested=10, scored=10, missing=0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_acebench_is_compared_as_the_original_rounds(language: str) -> None:
    """The value as the original prints it, with the interval of the unrounded one; `exact` has only the latter."""
    exact = {"overall": {"overall": rate(0.6494, (0.61, 0.68))}, "groups": {"normal": rate(0.66)}, "categories": {}}
    released = {
        "overall": {"overall": rate(0.636943, (0.602272, 0.668482))},
        "groups": {"normal": rate(0.6421), "special": rate(0.72), "agent": rate(None)},
        "published": {"overall": rate(0.639), "normal": rate(0.642), "special": rate(0.72), "agent": rate(None)},
        "categories": {"normal_atom_bool": rate(0.51)},
    }
    scorings = {"exact": exact, "released": released}
    one = run(benchmark="acebench", metrics={"scorings": scorings, "tasks": 1023, "scored": 1023, "style": "prompt"})
    page = Reader(board_pages(site_of(one), language, "acebench-en"))
    columns, found = page.panel("overall", "released")
    assert [column for column in columns[3:] if column != "date"] == ["overall", "normal", "special", "agent"]
    assert [found["made/up"][column].figure for column in columns[3:]] == ["63.9", "64.2", "72.0", ""]
    assert "60.2 – 66.8" in found["made/up"]["overall"].text
    assert page.panel("overall", "exact")[1]["made/up"]["overall"].figure == "64.9"
    assert page.panel("categories", "released")[1]["made/up"]["normal_atom_bool"].figure == "51.0"
    for model, numbers in published().tables["acebench_accuracy"].rows.items():
        for column, printed in numbers.items():
            assert found[model][column].figure == f"{float(printed) * 100:.1f}"


def test_ranks_are_the_places_that_intervals_allow() -> None:
    """Table 6: sessions 14.45, 14.06, 12.50, 12.11, ... of 256; 0.15 with its interval is above 17 of 57 at least."""
    quiet = {"overall": {"session_accuracy": Rate(value=0.15, correct=38, total=256, ci95=(0.1, 0.2))}}
    one = run(metrics={"scorings": {"tables": quiet}})
    view = views(site_of(one).entries)[0]
    _, found = Reader(board_page(site_of(one))).panel("overall", "tables")
    assert list(found)[:4] == ["made/up", "Gemini-2.0-Thinking", "Gemini-2.5-Pro", "Claude-4-Sonnet"]
    intervals = [row.cells[0].interval for row in view.rows]
    assert len(intervals) == 58
    for row in view.rows:
        low, high = row.cells[0].interval or (0, 0)
        above = sum(other is not None and other[0] > high for other in intervals)
        below = sum(other is not None and other[1] < low for other in intervals)
        best, worst = 1 + above, len(intervals) - below
        assert found[row.name]["rank"].text == (f"{best}–{worst}" if best < worst else str(best))


def test_a_paired_comparison_decides_who_is_above() -> None:
    """Two runs whose intervals overlap are told apart where the interval of their difference is below zero."""
    site = site_of(run("a"), run("b", 2))
    (pair,) = site.pairs("wildtoolbench-en")
    view = views(site.entries)[0]
    one, other = (row.standing for row in view.rows if row.measured)
    assert not view.ranking.is_above(one, other)
    better = PairResult(Better.FIRST, {("overall", "session_accuracy"): (-0.08, -0.02)})
    view = views(site.entries, {pair: {"tables": better}})[0]
    standings = {row.name: row.standing for row in view.rows if row.measured}
    assert view.ranking.is_above(standings["a"], standings["b"])


def test_published_numbers_of_another_language_are_not_ranked_and_the_page_says_so() -> None:
    site = site_of(run("a", language="zh"), run("b", 2, language="zh"))
    html = board_page(site, name="wildtoolbench-zh")
    _, found = Reader(html).panel("overall", "tables")
    assert list(found)[:2] in (["a", "b"], ["b", "a"])
    assert {found[name]["rank"].text for name in ("a", "b")} <= {"1", "2", "1–2"}
    assert {cells["rank"].text for name, cells in found.items() if name not in ("a", "b")} == {"–"}
    assert html.index("are not ranked with them") < html.index("<table")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"history": "own"}, "own_history"),
        ({"epochs": 2}, "partial"),
        ({"metrics": {"scored": 120}}, "partial"),
        ({"model": {"name": "builtin/oracle", "provider": "builtin"}}, "builtin"),
    ],
)
def test_what_is_not_comparable_is_said_and_has_no_place(changes: dict[str, Any], reason: str | None) -> None:
    one = run(**changes)
    assert [remark.key for remark in incomparability(one, paper_of("wildtoolbench"))] == ([reason] if reason else [])
    row = next(row for row in views(site_of(one).entries)[0].rows if row.measured)
    assert (row.rank is None) == (reason is not None)


def test_data_of_ones_own_are_no_part_of_the_public_set(tmp_path: Path) -> None:
    (tmp_path / "support.jsonl").write_text("{}\n")
    own = run(data_file=str(tmp_path / "support.jsonl"), metrics={"scored": 24, "missing": 1000})
    page = Reader(board_page(site_of(own, run("public", 2))))
    _, found = page.panel("overall", "tables")
    assert (
        "not comparable: 24 tasks of support.jsonl, which is not the public data set" in found["made/up"]["model"].text
    )
    assert found["public"]["rank"].text != "–"
    whole = run(data_file=str(tmp_path / "support.jsonl"))
    assert [remark.key for remark in incomparability(whole, paper_of("wildtoolbench"))] == ["own_data"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_stay_text(language: str) -> None:
    runs = [run(name, number + 1) for number, name in enumerate(HOSTILE)]
    site = site_of(*runs)
    for html in (board_page(site, language), overview_page(site, language)):
        page = Reader(html)
        shown = {cell.name or cell.text.strip() for t in page.tables for _, r in t[2] for cell in r}
        assert {tell_unseen(one) for one in HOSTILE} <= shown
        assert "img" not in {tag for tag, _ in page.elements}
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert all("src" in script or script.get("type") == "application/json" for script in scripts)
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
        assert not [1 for _, attributes in page.elements if "style" in attributes]
        assert "\u202e" not in re.sub(r"<bdi>.*?</bdi>|\"[^\"]*\"", "", html)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_front_page_has_a_ranked_chart_of_each_board(language: str) -> None:
    wild, older = run("one"), run("one", 2, "mmtb")
    page = Reader(overview_page(site_of(wild, older), language))
    charts = [table for table in page.tables if "rank" in table[1][0].attributes.get("class", "")]
    for (_, _, rows), measured, row in zip(
        charts[::2], (wild, older), (("tables", "session_accuracy"), ("released", "task_accuracy")), strict=True
    ):
        assert len(rows) == 12
        (own,) = (cells for attributes, cells in rows if "own" in attributes.get("class", "").split())
        rate = measured.metrics.rate(row[0], "overall", row[1])
        assert rate is not None
        assert own[1].name == "one"
        assert own[2].bold == f"{100 * (rate.value or 0):.2f}"
        assert own[1].links[0].startswith("runs/")
    shown = [len(rows) for _, _, rows in charts]
    assert shown[:2] == [12, 46]  # 57 published models and the run: the rest is folded


@pytest.mark.parametrize("language", LANGUAGES)
def test_models_on_several_boards_stand_side_by_side(language: str) -> None:
    wild, older = run("one"), run("one", 2, "mmtb")
    page = Reader(overview_page(site_of(wild, older, run("two")), language))
    (rows,) = (list(rows) for attributes, _, rows in page.tables if attributes.get("id") == "side")
    ((_, (name, first, second)),) = rows
    assert name.text.strip() == "one"
    for cell, measured, scoring in ((first, wild, "tables"), (second, older, "released")):
        rate = measured.metrics.rate(scoring, "overall", "task_accuracy")
        assert rate is not None
        assert cell.figure == f"{100 * (rate.value or 0):.2f}"


def test_the_front_page_says_which_run_is_best_and_how_sure_that_is() -> None:
    good, bad = (
        {"overall": {"session_accuracy": Rate(value=value, correct=28, total=256, ci95=ends)}}
        for value, ends in ((0.11, (0.08, 0.16)), (0.02, (0.01, 0.04)))
    )
    one, alike, other = (
        run(name, number, metrics={"scorings": {"tables": tables}})
        for number, (name, tables) in enumerate((("best", good), ("alike", good), ("worse", bad)), 1)
    )
    words = " ".join(Reader(overview_page(site_of(one, alike))).words.split())
    assert "Best run here: best, session accuracy 11.00% [8.0, 16.0]." in words
    assert "It cannot be told apart from alike." in words
    assert "beside 57 published models" in words
    words = " ".join(Reader(overview_page(site_of(one, other))).words.split())
    assert "The other run is significantly worse." in words
    words = Reader(overview_page(site_of(one, other), "zh")).words
    assert "[8.0, 16.0]。另外 1 次运行显著更差。与 57 个已发表模型同列" in words
