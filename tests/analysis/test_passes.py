"""pass@k and pass^k: the definition by enumeration, epochs with gaps, ACEBench's weighted value."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from tests.analysis.synthetic import metrics, score, session, verdict
from tests.benchmarks.acebench import ace_building
from toolgauge.analysis.sheet import subsets
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.data.session import Dataset, TaskType
from toolgauge.judge.verdict import Score

Table = Any


def test_subsets_are_what_the_names_say() -> None:
    for n in range(1, 7):
        for k in range(1, n + 1):
            for right in range(n + 1):
                drawn = list(combinations([True] * right + [False] * (n - right), k))
                found = subsets(n, k)
                assert found.number == len(drawn)
                assert found.some[right] == sum(map(any, drawn))
                assert found.every[right] == sum(map(all, drawn))


def repeated(*sessions: tuple[str, ...]) -> tuple[Dataset, list[Score]]:
    """Sessions of two tasks; for each a text per pass: "+" right, "-" wrong, " " not scored."""
    made = tuple(session(number, (TaskType.SINGLE_TOOL, TaskType.CHAT)) for number in range(len(sessions)))
    found = [
        score(of, index, {"exact": verdict(sign == "+")}, epoch)
        for of, passes in zip(made, sessions, strict=True)
        for epoch, signs in enumerate(passes)
        for index, sign in enumerate(signs)
        if sign != " "
    ]
    return Dataset("repeated", "en", "0" * 64, made), found


def passes(data: Dataset, made: list[Score], epochs: int) -> Table:
    ids = [of.task_id(index, epoch) for epoch in range(epochs) for of in data.sessions for index in range(2)]
    found: Table = metrics("mini", data, made, ids).scorings["exact"]["passes"]
    return found


def test_tasks_and_sessions_over_three_passes() -> None:
    """Tasks right 3, 1 and 2, 0 of 3 times; the first session is right once (its first pass), the second never.

    One of two: of three pairs 3, 2, 3, 0 have a right one; 3, 0, 1, 0 are all right.
    """
    rows = passes(*repeated(("++", "+-", "+-"), ("+-", "--", "+-")), 3)
    assert list(rows) == [f"{what}_pass{sign}{k}" for what in ("task", "session") for k in (1, 2, 3) for sign in "@^"]
    counts = {row: (entry.correct, entry.total) for row, entry in rows.items()}
    assert counts["task_pass@1"] == counts["task_pass^1"] == (6, 12)
    assert counts["task_pass@2"] == (8, 12)
    assert counts["task_pass^2"] == (4, 12)
    assert counts["task_pass@3"] == (3, 4)
    assert counts["task_pass^3"] == (1, 4)
    assert counts["session_pass@1"] == (1, 6)
    assert counts["session_pass@2"] == (2, 6)
    assert counts["session_pass^2"] == (0, 6)
    assert counts["session_pass@3"] == (1, 2)
    assert [getattr(rows["task_pass@2"], key) for key in ("requested", "scored", "missing")] == [4, 4, 0]
    assert [getattr(rows["session_pass@2"], key) for key in ("requested", "scored", "missing")] == [2, 2, 0]


def test_only_what_is_scored_in_every_pass_counts() -> None:
    """A task without a score in the second pass: it and its session are missing, its neighbour counts."""
    rows = passes(*repeated(("++", "+ "), ("++", "-+")), 2)
    task, whole = rows["task_pass@1"], rows["session_pass@1"]
    assert (task.correct, task.total, task.requested, task.missing) == (5, 6, 4, 1)
    assert (whole.correct, whole.total, whole.requested, whole.missing) == (1, 2, 2, 1)


def test_acebench_over_two_passes() -> None:
    """Two sessions of two turns: the first is right in one of two passes, the second in none."""
    data = ace_building.dataset([ace_building.ADJUST], 2)
    made = ace_building.marked(data, "+++-") + ace_building.marked(data, "+---", epoch=1)
    ids = [f"{one}{end}" for end in ("", "#1") for one in ace_building.ids(data)]
    content = AceReport().metrics("acebench", data, made, ids)
    rows: Any = content.scorings["exact"]["passes"]
    counts = {row: (entry.correct, entry.total) for row, entry in rows.items()}
    assert counts["task_pass@1"] == (4, 8)  # the turns are right 2, 1, 1, 0 times
    assert counts["task_pass@2"] == (3, 4)
    assert counts["task_pass^2"] == (1, 4)
    assert counts["session_pass@1"] == (1, 4)
    assert counts["session_pass@2"] == (1, 2)
    assert counts["session_pass^2"] == (0, 2)
    assert rows["overall_pass@1"].value is None
    assert "normal_atom_bool" in rows["overall_pass@1"].incomplete
    once = AceReport().metrics("acebench", data, ace_building.marked(data, "+++-"), ace_building.ids(data))
    assert "passes" not in once.scorings["exact"]
