"""Rows of hits and trials per session: what runs are compared by is what their tables say."""

from __future__ import annotations

import pytest

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.reports import report_of, rows_of
from toolgauge.analysis.table import Sheet


@pytest.mark.parametrize("epochs", [1, 3])
def test_rows_are_those_of_the_tables(epochs: int) -> None:
    data, report = dataset(16), report_of("mini")
    made = scores(data, epochs=epochs)
    ids = [one.task_id for one in made]
    runs = [trajectory(of, index) for of in data.sessions for index in range(4)]
    tables = report.metrics("mini", data, made, ids, runs).scorings["tables"]
    rows = rows_of(report, Sheet(report.table(data, made, ids, runs), "tables"))
    assert {(row.table, row.name) for row in rows} == {(table, row) for table in tables for row in tables[table]}
    for row in rows:
        entry = tables[row.table][row.name]
        assert row.hits.shape == row.trials.shape == (16,)
        assert (row.hits.sum(), row.trials.sum()) == (entry.correct, entry.total)


def test_acebenchs_rows_have_the_values_of_its_tables() -> None:
    data, report = ace_synthetic.dataset(), report_of("acebench")
    made = ace_synthetic.scores(data)[:-1]
    ids = ace_synthetic.ids(data)
    tables = report.metrics("acebench", data, made, ids, []).scorings["released"]
    rows = rows_of(report, Sheet(report.table(data, made, ids, []), "released"))
    assert {row.table for row in rows} == {"overall", "groups", "categories", "mistakes", "error_types"}
    for row in rows:
        entry = tables[row.table][row.name]
        if entry.value is None:
            continue
        tolerance = 1e-4 if row.table == "overall" else 1e-6  # the published weights add up to 1.0001
        assert row.hits.sum() / row.trials.sum() == pytest.approx(entry.value, abs=tolerance)
        assert (row.requested, row.scored, row.missing) == (entry.requested, entry.scored, entry.missing)
