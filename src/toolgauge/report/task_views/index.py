"""The index of a run: what its list of tasks shows and searches, as columns, a value per task in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from toolgauge.judge.verdict import NOT_JUDGEABLE, Score, Verdict
from toolgauge.reasons import Explanation
from toolgauge.report.task_views.task_view import TaskListRow

MAX_TEXT, MAX_DETAIL = 400, 300
"""Characters of what the user wanted, and of an explanation, that the list searches; the task's page has all."""


class Planned(Struct, frozen=True):
    """A task in its place: the session it belongs to, the key of its annotation there, and its chunk's number."""

    task_id: str
    session_id: str
    key: str
    epoch: int
    chunk: int


class ReadingColumns(Struct, frozen=True):
    """result: "correct", "failed", "not_judgeable" or "missing"."""

    result: list[str]
    mistake: list[str | None]
    why: list[Explanation | None]


class TaskIndex(Struct, frozen=True):
    """columns: by name, a value per task; readings: the same of each reading."""

    count: int
    columns: dict[str, list[object]]
    readings: dict[str, ReadingColumns]


def index_of(
    planned: Sequence[Planned], rows: Mapping[str, TaskListRow], scores: Mapping[str, Score], readings: Sequence[str]
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
    return TaskIndex(len(planned), columns, {name: _results(found, name) for name in readings})


def _results(scores: Sequence[Score | None], reading: str) -> ReadingColumns:
    verdicts = [score.readings.get(reading) if score else None for score in scores]
    return ReadingColumns(
        [_result(score, reading) for score in scores],
        [None if one is None or one.correct else one.mistake for one in verdicts],
        [_why(one) for one in verdicts],
    )


def _result(score: Score | None, reading: str) -> str:
    verdict = score.readings.get(reading) if score else None
    if verdict is not None:
        return "correct" if verdict.correct else "failed"
    return "missing" if score is None or score.is_judgeable(reading) else NOT_JUDGEABLE


def _why(verdict: Verdict | None) -> Explanation | None:
    why = None if verdict is None or verdict.correct else verdict.why
    return why.cut(MAX_DETAIL) if why else None
