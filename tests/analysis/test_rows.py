"""Rows of hits and trials per session: what runs are compared by is what their tables say."""

from __future__ import annotations

import pytest

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.reports import report_of


def test_rows_stand_for_the_sessions_of_the_data_set() -> None:
    """Scores of the sessions 3 and 5 only: the numbers stand there, whatever else was asked for."""
    data = dataset(8)
    made = [one for one in scores(data) if one.session_id in {"made_up_3", "made_up_5"}]
    rows = report_of("mini").rows(data, made, None, [], "exact")
    accuracy = next(row for row in rows if row.name == "task_accuracy")
    assert accuracy.trials.tolist() == [0, 0, 0, 4, 0, 4, 0, 0]
    right = sum(one.scorings["exact"].correct for one in made if one.session_id == "made_up_3")
    assert accuracy.hits[3] == right
    assert (accuracy.requested, accuracy.scored) == (None, 8)
    assert report_of("mini").rows(data, made, None, [], "nobody's") == []


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


def test_acebenchs_incomplete_means_have_no_row() -> None:
    data = ace_synthetic.dataset([ace_synthetic.BOOL], 2)
    rows = report_of("acebench").rows(data, ace_synthetic.marked(data, "+-"), None, [], "exact")
    names = {row.name for row in rows if row.table != "categories"}
    assert names == set()
    assert next(row for row in rows if row.name == ace_synthetic.BOOL).hits.tolist() == [1, 0]
