"""Rows of hits and trials per session: what runs are compared by is what their tables say."""

from __future__ import annotations

import pytest

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.reports import report_of


@pytest.mark.parametrize("epochs", [1, 3])
def test_rows_are_those_of_the_tables(epochs: int) -> None:
    data = dataset(16)
    made = scores(data, epochs=epochs)
    ids = [one.task_id for one in made]
    runs = [trajectory(of, index) for of in data.sessions for index in range(4)]
    tables = report_of("mini").metrics("mini", data, made, ids, runs).scorings["tables"]
    rows = report_of("mini").rows(data, made, ids, runs, "tables")
    assert {(row.table, row.name) for row in rows} == {(table, row) for table in tables for row in tables[table]}
    for row in rows:
        entry = tables[row.table][row.name]
        assert row.hits.shape == row.trials.shape == (16,)
        assert (row.hits.sum(), row.trials.sum()) == (entry.correct, entry.total)


def test_acebenchs_rows_have_the_values_of_its_tables() -> None:
    data = ace_synthetic.dataset()
    made = ace_synthetic.scores(data)[:-1]
    ids = ace_synthetic.ids(data)
    tables = report_of("acebench").metrics("acebench", data, made, ids, []).scorings["released"]
    rows = report_of("acebench").rows(data, made, ids, [], "released")
    assert {row.table for row in rows} == {"overall", "groups", "categories"}
    for row in rows:
        entry = tables[row.table][row.name]
        tolerance = 1e-4 if row.table == "overall" else 1e-6  # the published weights add up to 1.0001
        assert row.hits.sum() / row.trials.sum() == pytest.approx(entry.value, abs=tolerance)
        assert (row.requested, row.scored, row.missing) == (entry.requested, entry.scored, entry.missing)
    assert report_of("acebench").rows(data, made, None, [], "nobody's") == []
