"""How a benchmark of single answers is shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics, names_in
from toolgauge.benchmarks.simple.questions import Question, QuestionSet
from toolgauge.chat import Reply
from toolgauge.data.lines import as_json
from toolgauge.episode import Trajectory
from toolgauge.judge.wrong_arguments import WrongArgument
from toolgauge.locale import _
from toolgauge.reasons import Explanation
from toolgauge.report.display import LatexTable, SubBoard, column, further
from toolgauge.report.figures import chosen_rates, mistake_chart, rate_chart
from toolgauge.report.marks import Chart
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


class AnswerJudge(Protocol):
    """What pages ask of the benchmark. fault: why a reply is wrong, None of a right one."""

    name: str
    title: str
    citation: str

    def actual(self, reply: Reply) -> object: ...
    def fault(self, question: Question, reply: Reply) -> Explanation | None: ...


class SimpleDisplay:
    """The board has the headline rate and the mistakes."""

    by_category = False
    main_published = ""

    def __init__(self, benchmark: AnswerJudge) -> None:
        self._benchmark = benchmark
        self.title = benchmark.title or benchmark.name
        self.citation = benchmark.citation

    @property
    def latex(self) -> tuple[LatexTable, ...]:
        return (LatexTable(self.title, (("accuracy", "overall", "task_accuracy"),)),)

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        main = column("overall", "task_accuracy", drawn=True, digits=1)
        kinds = names_in("by_kind", metrics)
        columns = (main, *(column("by_kind", kind, digits=1) for kind in kinds))
        return (
            SubBoard("overall", columns, "task_accuracy", about=_("Share of tasks that were done right.")),
            SubBoard("mistakes", tuple(further("mistakes", (), metrics)), heat=True),
        )

    def task_views(self, dataset: QuestionSet | None) -> SimpleTaskViews:
        return SimpleTaskViews(self._benchmark, dataset)

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
    """A question as it is shown; answers: what is expected, as JSON text."""

    utterance: str
    kind: str
    type: str
    answers: tuple[str, ...]


class _Pair(Struct, frozen=True, omit_defaults=True):
    """What is expected beside what was said; fault: why that is wrong."""

    expected: str
    made: str
    fault: Explanation | None = None
    rows: tuple[DifferenceRow, ...] = ()


class _Comparison(Struct, frozen=True):
    pairs: tuple[_Pair, ...]


class SimpleTaskViews:
    """Messages, what was expected and what was said. dataset: None where it is not at hand."""

    def __init__(self, benchmark: AnswerJudge, dataset: QuestionSet | None) -> None:
        self._benchmark, self._dataset = benchmark, dataset

    def row(self, session_id: str, key: str) -> TaskListRow:  # noqa: ARG002 - a question has one task
        question = self._question(session_id)
        return TaskListRow(question.text, question.kind, question.kind) if question else TaskListRow()

    def key(self, task_index: int, task_id: str) -> str:  # noqa: ARG002
        return "0"

    def annotate(self, shared: SharedSession, key: str) -> None:
        question = self._question(shared.id)
        if question is not None:
            shared.annotate(
                key, _Annotation(question.text, question.kind, question.kind, (value_text(question.expected),))
            )

    def shown(self, trajectory: Trajectory, shared: SharedSession, own: Pool) -> Iterator[Shown]:
        self.annotate(shared, "0")
        steps, question = trajectory.steps, self._question(trajectory.session_id)
        row = self.row(trajectory.session_id, "0")
        compared = self._compared(question, trajectory) if question and steps else None
        yield Shown(
            trajectory.task_id,
            replace(row, text=row.text or last_words(steps), **said(steps, called_names(steps))),
            {
                "tools": shared.tools.place(trajectory.tools) if trajectory.tools else None,
                "turns": tuple(turns_of(steps, shared.messages, own, is_opening_shared=True)),
                "stopped": trajectory.stopped,
                "comparison": compared,
            },
            _divergence(compared.pairs[0]) if compared else Divergence(),
        )

    def _question(self, session_id: str) -> Question | None:
        return self._dataset.by_id.get(session_id) if self._dataset else None

    def _compared(self, question: Question, trajectory: Trajectory) -> _Comparison:
        reply = trajectory.steps[-1].reply
        actual, fault = self._benchmark.actual(reply), self._benchmark.fault(question, reply)
        pair = _Pair(_text(question.expected), _text(actual), fault, differences(question.expected, actual))
        return _Comparison((pair,))


def _divergence(pair: _Pair) -> Divergence:
    if pair.fault is None:
        return Divergence()
    differing = [row for row in pair.rows if row.state != "same"]
    wrong = [WrongArgument("", row.path, row.actual, row.expected, pair.fault) for row in differing]
    return Divergence(0, compared=(ComparedCall("", tuple(wrong)),))


def _text(value: object) -> str:
    return value if isinstance(value, str) else as_json(value)
