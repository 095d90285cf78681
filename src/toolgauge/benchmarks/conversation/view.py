"""How a benchmark of tasks is shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics, names_in
from toolgauge.benchmarks.benchmark import Published
from toolgauge.benchmarks.conversation.tasks import Outcome, Task, TaskSet
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.wrong_arguments import WrongArgument
from toolgauge.locale import _
from toolgauge.reasons import Explanation
from toolgauge.report.display import LatexTable, SubBoard, column, further
from toolgauge.report.figures import chosen_rates, mistake_chart, rate_chart
from toolgauge.report.marks import Chart
from toolgauge.report.papers import published
from toolgauge.report.task_views.differences import DifferenceRow, differences, value_text
from toolgauge.report.task_views.divergence import ComparedCall, Divergence
from toolgauge.report.task_views.task_view import (
    Pool,
    SharedSession,
    Shown,
    TaskListRow,
    called_names,
    last_words,
    said,
    turns_of,
)


class TaskJudge(Protocol):
    """What pages ask of the benchmark."""

    name: str
    title: str
    about: str
    citation: str
    published: Published | None

    def reply_text(self, task: Any, trajectory: Trajectory) -> object: ...
    def outcomes(self, task: Any, trajectory: Trajectory) -> Mapping[str, Outcome]: ...
    def explain(self, outcome: Outcome) -> Explanation: ...


class TaskDisplay:
    """The board has the headline rate and the mistakes."""

    by_category = False

    def __init__(self, benchmark: TaskJudge) -> None:
        self._benchmark = benchmark
        self.title = benchmark.title or benchmark.name
        self.about = benchmark.about
        self.citation = benchmark.citation
        self.main_published = "overall" if benchmark.published else ""

    @property
    def latex(self) -> tuple[LatexTable, ...]:
        return (LatexTable(self.title, (("accuracy", "overall", "task_accuracy"),)),)

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        main = column("overall", "task_accuracy", self._printed("overall"), drawn=True, digits=1)
        kinds = names_in("by_kind", metrics)
        columns = (main, *(column("by_kind", kind, self._printed(kind), digits=1) for kind in kinds))
        return (
            SubBoard("overall", columns, "task_accuracy", about=_("Share of tasks that were done right.")),
            *((SubBoard("parts", tuple(further("parts", (), metrics))),) if names_in("parts", metrics) else ()),
            SubBoard("causes", tuple(further("mistakes", (), metrics)), heat=True),
        )

    def _printed(self, name: str) -> Place | None:
        """Where the published table has the number."""
        table = published().tables.get(f"{self._benchmark.name}_accuracy")
        return (table.name, name) if table and name in table.columns else None

    def task_views(self, dataset: TaskSet | None) -> TaskPages:
        return TaskPages(self._benchmark, dataset)

    def figures(self, metrics: Metrics, scoring: str, language: str) -> Iterator[tuple[str, Chart | None]]:
        tables = metrics.scorings[scoring]
        kinds = tuple(tables.get("by_kind", {}))
        accuracy = chosen_rates(tables, language, overall=("task_accuracy",), by_kind=kinds)
        yield "accuracy", rate_chart(accuracy, _("accuracy"), language)
        yield "mistakes", mistake_chart(tables.get("mistakes", {}), _("share of failed tasks"), language)

    def filters(self, table: str, row: str) -> dict[str, str] | None:  # noqa: ARG002 - the common ones suffice
        return None

    def titles(self, language: str) -> dict[str, str]:  # noqa: ARG002 - kinds and mistakes are called as they are
        return {}


class _Annotation(Struct, frozen=True, omit_defaults=True):
    """A task as it is shown; answers: what is expected, as JSON text."""

    utterance: str
    kind: str
    type: str
    answers: tuple[str, ...] = ()


class _Pair(Struct, frozen=True, omit_defaults=True):
    """What is expected beside what was said; fault: why that is wrong."""

    expected: str
    made: str
    fault: Explanation | None = None
    rows: tuple[DifferenceRow, ...] = ()


class _Comparison(Struct, frozen=True, omit_defaults=True):
    """state: the expected state beside the one there is; failing: the model's last step in the turn (from 0) that is
    wrong: what a turn comes to is known at its end."""

    pairs: tuple[_Pair, ...] = ()
    state: tuple[DifferenceRow, ...] | None = None
    failing: int | None = None
    turn: int | None = None


class TaskPages:
    """What was said, and what was expected beside it. dataset: None where it is not at hand."""

    def __init__(self, benchmark: TaskJudge, dataset: TaskSet | None) -> None:
        self._benchmark, self._dataset = benchmark, dataset

    def row(self, session_id: str, key: str) -> TaskListRow:  # noqa: ARG002 - the id says all
        task = self._task(key)
        return TaskListRow(task.text, task.kind, task.kind) if task else TaskListRow()

    def key(self, task_index: int, task_id: str) -> str:  # noqa: ARG002
        return without_epoch(task_id)

    def annotate(self, shared: SharedSession, key: str) -> None:
        task = self._task(key)
        if task is not None:
            answers = () if task.expected is None else (value_text(task.expected),)
            shared.annotate(key, _Annotation(task.text, task.kind, task.kind, answers))

    def shown(self, trajectory: Trajectory, shared: SharedSession, own: Pool) -> Iterator[Shown]:
        key = self.key(0, trajectory.task_id)
        self.annotate(shared, key)
        steps, task = trajectory.steps, self._task(key)
        row = self.row(trajectory.session_id, key)
        compared, divergence = self._compared(task, trajectory) if task and steps else (None, Divergence())
        said_by_model = [step for step in steps if step.role == ASSISTANT]
        yield Shown(
            trajectory.task_id,
            replace(row, text=row.text or last_words(steps), **said(steps, called_names(said_by_model))),
            {
                "tools": shared.tools.place(trajectory.tools) if trajectory.tools else None,
                "turns": tuple(turns_of(steps, shared.messages, own, is_opening_shared=True)),
                "stopped": trajectory.stopped,
                "comparison": compared,
            },
            divergence,
        )

    def _task(self, key: str) -> Task | None:
        return self._dataset.by_id.get(key) if self._dataset else None

    def _compared(self, task: Task, trajectory: Trajectory) -> tuple[_Comparison, Divergence]:
        outcomes = self._benchmark.outcomes(task, trajectory).values()
        outcome = next((one for one in outcomes if one.mistake is not None), next(iter(outcomes), Outcome()))
        fault = None if outcome.mistake is None else self._benchmark.explain(outcome)
        turn = None if fault is None else outcome.turn
        places = [place for place, step in enumerate(trajectory.steps) if (step.role, step.turn) == (ASSISTANT, turn)]
        failing = places[-1] if places else None
        if outcome.states is not None or task.expected is None:
            rows = None if outcome.states is None else differences(*outcome.states)
            compared = (ComparedCall("", rows=rows),) if rows and fault else ()
            return _Comparison(state=rows, failing=failing, turn=turn), Divergence(failing, compared=compared)
        actual = self._benchmark.reply_text(task, trajectory)
        pair = _Pair(_text(task.expected), _text(actual), fault, differences(task.expected, actual))
        return _Comparison((pair,), failing=failing, turn=turn), _divergence(pair, failing or 0)


def _divergence(pair: _Pair, step: int) -> Divergence:
    if pair.fault is None:
        return Divergence()
    differing = [row for row in pair.rows if row.state != "same"]
    wrong = [WrongArgument("", row.path, row.actual, row.expected, pair.fault) for row in differing]
    return Divergence(step, compared=(ComparedCall("", tuple(wrong)),))


def _text(value: object) -> str:
    return value if isinstance(value, str) else as_json(value)
