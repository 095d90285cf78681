"""The numbers of a benchmark of tasks: accuracy, by kind and by what it declares, its parts, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from toolgauge.analysis.facet import Facet, facet_cells, facet_columns
from toolgauge.analysis.layout import Layout, TableSection, facet_rows, frequent, named, pass_rows, section
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.reports import Report
from toolgauge.benchmarks.conversation.tasks import Task, TaskSet
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.verdict import Score, Verdict, scoring_names

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import About, ErrorExample, TaskDescriber
    from toolgauge.analysis.sheet import RateRow, Sheet
    from toolgauge.analysis.table import RunTable

ACCURACY = ("overall", "task_accuracy")
SCORING_COLUMNS = ("correct", "mistake", "detail")


def _sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    tables = metrics.scorings[scoring]
    accuracy = section(tables, language, "accuracy", ("overall", ("task_accuracy", "progress")))

    def plain(table: str) -> list[tuple[str, str, str]]:
        return [(table, row, row.replace("_", " ")) for row in tables.get(table, {})]

    return [
        accuracy._replace(rows=(*accuracy.rows, *facet_rows(BY_KIND, tables, language))),
        named("parts", plain("parts"), language),
        named("passes", pass_rows(tables, language, brief), language),
        section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {})))),
        named("failed_turns", plain("failed_turns"), language),
    ]


def _kind_rows(found: Collection[str]) -> Collection[str]:
    """None where all are of one kind."""
    return found if len(found) > 1 else ()


BY_KIND = Facet(
    name="by_kind",
    of=lambda task: [task.kind] if task.kind else [],
    rows=_kind_rows,
    label=lambda row, _language: row.replace("_", " "),
)
LAYOUT = Layout(
    "simple",
    _sections,
    ACCURACY,
    (ACCURACY,),
    (ACCURACY,),
    (ACCURACY,),
    summary=(("task_accuracy", "accuracy"),),
)


def _progress(verdict: Verdict) -> tuple[float, float]:
    done, due = verdict.progress
    return (min(done, due) / due, 1) if due else (0, 0)


def _part(name: str) -> Callable[[Verdict], tuple[float, float]]:
    def measure(verdict: Verdict) -> tuple[float, float]:
        value = (verdict.parts or {}).get(name)
        return (0, 0) if value is None else (min(max(value, 0.0), 1.0), 1)

    return measure


class TaskReport(Report):
    """Intervals and tests treat the tasks of one group together, and others as independent."""

    def __init__(self, facets: Sequence[Facet]) -> None:
        self.layout = replace(LAYOUT, facets=tuple(facets))

    def table(
        self,
        dataset: TaskSet,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        trajectories: Iterable[Trajectory],  # noqa: ARG002 - no row needs them
    ) -> RunTable:
        from toolgauge.analysis.table import Plan, RunTable

        sessions = [[(task.id, task) for task in tasks] for tasks in dataset.sessions.values()]
        return RunTable(Plan(dataset.name, sessions, lambda one: one.kind or "all"), scores, requested)

    def rows(self, sheet: Sheet) -> Iterator[RateRow]:
        verdicts = [verdict for verdict in sheet.verdicts if verdict is not None]
        yield sheet.rate(*ACCURACY)
        if any(verdict.progress[1] > 1 for verdict in verdicts):
            yield sheet.rate("overall", "progress", measure=_progress)
        yield from sheet.facet(BY_KIND)
        for name in dict.fromkeys(name for verdict in verdicts for name in verdict.parts or ()):
            yield sheet.rate("parts", name, measure=_part(name))
        wrong = {mistake for mistake in sheet.counted if mistake}
        yield from sheet.shares("mistakes", sorted(wrong), sheet.counted, sheet.wrong)
        turns = [str(one.turn + 1) if one and isinstance(one.turn, int) else None for one in sheet.verdicts]
        if any(turns):
            told = np.array([turn is not None for turn in turns]) * sheet.wrong
            yield from sheet.shares("failed_turns", sorted({turn for turn in turns if turn}, key=int), turns, told)
        yield from sheet.pass_rows("task")

    def write_details(
        self,
        path: Path,
        dataset: TaskSet,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",  # noqa: ARG002 - the rows do not name it
    ) -> None:
        from toolgauge.analysis.cells import write_rows

        scorings = scoring_names(scores)
        known = {score.task_id: score for score in scores}
        facets = self.layout.facets
        parts = {
            scoring: list(dict.fromkeys(name for one in known.values() for name in _parts(one, scoring)))
            for scoring in scorings
        }
        judged = [f"{scoring}_{name}" for scoring in scorings for name in (*SCORING_COLUMNS, *parts[scoring])]
        columns = ("task_id", "epoch", "kind", "question", "expected", "reply", "calls", *_EFFORT)
        rows = (
            self._row(task, one, known.get(one.task_id), parts) | facet_cells(facets, task)
            for task, one in ((_task(dataset, one), one) for one in trajectories)
            if task is not None
        )
        write_rows(path, (*columns, *facet_columns(facets), *judged), rows)

    def _row(
        self, task: Task, trajectory: Trajectory, score: Score | None, parts: Mapping[str, Sequence[str]]
    ) -> dict[str, object]:
        """The model's replies count: another speaker's last words are no answer."""
        replies = [step.reply for step in trajectory.steps if step.role == ASSISTANT]
        last = replies[-1] if replies else None
        row: dict[str, object] = {
            "task_id": trajectory.task_id,
            "epoch": trajectory.epoch,
            "kind": task.kind,
            "question": task.text,
            "expected": task.expected,
            "reply": last.content if last else None,
            "calls": [call.wire() for call in last.tool_calls] if last and last.tool_calls else None,
            "steps": len(replies),
            "input_tokens": sum(reply.usage.input_tokens for reply in replies),
            "output_tokens": sum(reply.usage.output_tokens for reply in replies),
            "latency": round(sum(reply.seconds for reply in replies), 3),
        }
        for scoring, names in parts.items():
            verdict = score.scorings.get(scoring) if score else None
            if verdict is not None:
                row |= {f"{scoring}_{column}": getattr(verdict, column) for column in SCORING_COLUMNS}
                row |= {f"{scoring}_{name}": (verdict.parts or {}).get(name) for name in names}
        return row

    def describer(self, dataset: TaskSet) -> TaskDescriber:
        return _Describer(dataset)


_EFFORT = ("steps", "input_tokens", "output_tokens", "latency")


def _parts(score: Score, scoring: str) -> Iterable[str]:
    verdict = score.scorings.get(scoring)
    return (verdict.parts or {}) if verdict else ()


def _task(dataset: TaskSet, trajectory: Trajectory) -> Task | None:
    task: Task | None = dataset.by_id.get(without_epoch(trajectory.task_id, trajectory.epoch))
    return task


class _Describer:
    """What error analysis knows of tasks: their kind."""

    needs: Mapping[str, str] = {}

    def __init__(self, dataset: TaskSet) -> None:
        self._dataset = dataset
        self._kinds = {(task.session, dataset.index[task.id]): task.kind for task in dataset.tasks}

    def about(self, score: Score) -> About:
        kind = self._kinds.get((score.session_id, score.task_index), "")
        return frozenset({("kind", kind)} if kind else ()), frozenset({"any"})

    def length(self, session_id: str) -> int:  # noqa: ARG002 - a task is no session
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        from toolgauge.analysis.causes.examples import LINE, ErrorExample, said_in
        from toolgauge.visible import one_line

        task = _task(self._dataset, trajectory)
        if task is not None and trajectory.task_id in wanted:
            expected = task.expected if isinstance(task.expected, str) else as_json(task.expected)
            due = () if task.expected is None else (one_line(expected, LINE),)
            done = tuple(said_in(step.reply) for step in trajectory.steps if step.role == ASSISTANT)
            yield trajectory.task_id, ErrorExample(one_line(task.text, LINE), due, done)
