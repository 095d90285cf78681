"""The numbers of the site as CSV and JSON: those of metrics.json, of comparisons and of the list of tasks."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.task_data import mini, played, run_directory
from toolgauge.analysis.compare.content import compare_runs, side_of
from toolgauge.analysis.numbers import encode_metrics
from toolgauge.report.page import entries_of
from toolgauge.report.site import build_site
from toolgauge.report.table_files import as_csv
from toolgauge.runs.scored import ScoredRun


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[ScoredRun]:
    benchmark, data = mini()
    folder = tmp_path_factory.mktemp("runs")
    names = ("one", "=other")
    return [
        run_directory(folder / f"{seed}", benchmark, data, played(benchmark, data, seed=seed), model=name)
        for seed, name in enumerate(names)
    ]


@pytest.fixture(scope="module")
def tables(runs: list[ScoredRun], tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("made") / "site"
    build_site(runs, site)
    return site / "tables"


def rows_of(file: Path) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def number(text: str) -> float | None:
    return float(text) if text else None


def test_a_runs_numbers_are_those_of_its_metrics(runs: list[ScoredRun], tables: Path) -> None:
    entry, metrics = entries_of(runs)[0], runs[0].metrics
    assert (tables / f"{entry.slug}.json").read_bytes() == encode_metrics(metrics)
    found = {(row["scoring"], row["table"], row["row"]): row for row in rows_of(tables / f"{entry.slug}.csv")}
    for scoring, of in metrics.scorings.items():
        for table, rates in of.items():
            for name, rate in rates.items():
                row = found.pop((scoring, table, name))
                bounds = (number(row["low"]), number(row["high"]))
                assert number(row["value"]) == rate.value
                assert bounds == (rate.ci95 or (None, None))
                assert (float(row["correct"]), int(row["total"])) == (rate.correct, rate.total)
    assert number(found["", "effort", "steps.total"]["value"]) == metrics.effort.amounts["steps"].total
    assert {table for _scoring, table, _row in found} == {"effort", "latency"}


def test_a_comparison_is_that_of_the_page_and_names_no_folder(runs: list[ScoredRun], tables: Path) -> None:
    a, b = entries_of(runs)
    content = compare_runs(side_of(a.run), side_of(b.run))
    name = f"{a.slug}--{b.slug}"
    text = (tables / f"{name}.json").read_text(encoding="utf-8")
    (written,) = json.loads(text)["comparisons"]
    assert (written["a"]["run"], written["b"]["run"]) == (a.slug, b.slug)
    assert str(runs[0].folder.parent) not in text
    rows = rows_of(tables / f"{name}.csv")
    for row in rows:
        one = content.scorings[row["scoring"]].tables[row["table"]][row["row"]]
        assert (number(row["a"]), number(row["b"]), number(row["difference"])) == (one.a, one.b, one.difference)
        assert (number(row["p"]), number(row["p_holm"])) == (one.p, one.p_holm)
    assert len(rows) == sum(len(of) for part in content.scorings.values() for of in part.tables.values())


def test_the_list_of_tasks_has_a_row_for_each(runs: list[ScoredRun], tables: Path) -> None:
    entry = entries_of(runs)[0]
    rows = rows_of(tables / f"{entry.slug}-tasks.csv")
    assert [str(row["task"]) for row in json.loads((tables / f"{entry.slug}-tasks.json").read_bytes())] == [
        row["task"] for row in rows
    ]
    scores = {score.task_id: score for score in runs[0].scores}
    assert {row["task"] for row in rows} == set(scores)
    for row in rows:
        verdict = scores[row["task"]].scorings["exact"]
        assert row["exact_result"] == ("correct" if verdict.correct else "failed")
        assert row["exact_mistake"] == (verdict.mistake or "")


def test_no_cell_is_a_formula() -> None:
    assert as_csv([{"a": "=1+1", "b": -0.5}]) == b"a,b\n'=1+1,-0.5\n"
    assert as_csv([]) == b""
