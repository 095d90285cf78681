"""The index of a run: what its list of tasks shows and searches, as columns, a value per task in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from toolgauge.judge.mistakes import UNCLASSIFIED
from toolgauge.judge.verdict import NOT_JUDGEABLE, Score
from toolgauge.reasons import Explanation
from toolgauge.report.task_views.divergence import Contrast
from toolgauge.report.task_views.task_view import Causes, TaskListRow

MAX_TEXT, MAX_DETAIL, MAX_NAMED = 400, 300, 80
"""Characters of what the user wanted, and of an explanation, that the list searches, and of what a cause names; the
task's page has all."""


class Planned(Struct, frozen=True):
    """A task in its place: the session it belongs to, the key of its annotation there, and its chunk's number."""

    task_id: str
    session_id: str
    key: str
    epoch: int
    chunk: int


class ScoringColumns(Struct, frozen=True):
    """result: "correct", "failed", "not_judgeable" or "missing"; mistake, why, contrast: of the cause; counted: the
    class by the scoring's own procedure."""

    result: list[str]
    mistake: list[str | None]
    counted: list[str | None]
    why: list[Explanation | None]
    contrast: list[Contrast | None]


class TaskIndex(Struct, frozen=True):
    """columns: by name, a value per task; scorings: the same of each scoring."""

    count: int
    columns: dict[str, list[object]]
    scorings: dict[str, ScoringColumns]


def index_of(
    planned: Sequence[Planned],
    rows: Mapping[str, TaskListRow],
    scores: Mapping[str, Score],
    causes: Mapping[str, Causes],
    scorings: Sequence[str],
) -> TaskIndex:
    shown = [rows[one.task_id] for one in planned]
    columns: dict[str, list[object]] = {
        "id": [one.task_id for one in planned],
        "session": [one.session_id for one in planned],
        "epoch": [one.epoch for one in planned],
        "chunk": [one.chunk for one in planned],
        "text": [row.text if len(row.text) <= MAX_TEXT else f"{row.text[:MAX_TEXT]}…" for row in shown],
    }
    for name in (
        "kind", "type", "reference", "position", "tools", "steps", "input_tokens", "output_tokens", "latency", "route",
    ):  # fmt: skip
        columns[name] = [getattr(row, name) for row in shown]
    found = [scores.get(one.task_id) for one in planned]
    whys = [causes.get(one.task_id, {}) for one in planned]
    return TaskIndex(len(planned), columns, {name: _results(found, whys, name) for name in scorings})


def _results(scores: Sequence[Score | None], whys: Sequence[Causes], scoring: str) -> ScoringColumns:
    verdicts = [score.scorings.get(scoring) if score else None for score in scores]
    causes = [found.get(scoring) for found in whys]
    return ScoringColumns(
        [_result(score, scoring) for score in scores],
        [None if one is None or one.mistake == UNCLASSIFIED else one.mistake for one in causes],
        [None if one is None or one.correct else one.mistake for one in verdicts],
        [one.why.cut(MAX_DETAIL) if one and one.why else None for one in causes],
        [one.contrast.cut(MAX_NAMED) if one and one.contrast else None for one in causes],
    )


def _result(score: Score | None, scoring: str) -> str:
    verdict = score.scorings.get(scoring) if score else None
    if verdict is not None:
        return "correct" if verdict.correct else "failed"
    return "missing" if score is None or score.is_judgeable(scoring) else NOT_JUDGEABLE
