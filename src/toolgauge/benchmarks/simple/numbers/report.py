"""The numbers of a benchmark of single answers: accuracy, by kind of question, and what went wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolgauge.analysis.facet import Facet, facet_cells, facet_columns
from toolgauge.analysis.layout import Layout, TableSection, facet_rows, frequent, named, pass_rows, section
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.reports import TableReport
from toolgauge.benchmarks.simple.questions import Question, QuestionSet
from toolgauge.data.lines import as_json
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score, scoring_names

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import About, ErrorExample, TaskDescriber
    from toolgauge.analysis.table import RateRow, RunTable, Sheet

ACCURACY = ("overall", "task_accuracy")
SCORING_COLUMNS = ("correct", "mistake", "detail")


def _sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    tables = metrics.scorings[scoring]
    accuracy = section(tables, language, "accuracy", ("overall", ("task_accuracy",)))
    return [
        accuracy._replace(rows=(*accuracy.rows, *facet_rows(BY_KIND, tables, language))),
        named("passes", pass_rows(tables, language, brief), language),
        section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {})))),
    ]


def _kind_rows(found: Collection[str]) -> Collection[str]:
    """None where all are of one kind."""
    return found if len(found) > 1 else ()


BY_KIND = Facet(
    name="by_kind",
    of=lambda question: [question.kind] if question.kind else [],
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


class SimpleReport(TableReport):
    """Every question is a session of its own: intervals and tests treat them as independent.

    facets: by what else the benchmark groups its questions.
    """

    def __init__(self, facets: tuple[Facet, ...] = ()) -> None:
        self.layout = replace(LAYOUT, facets=facets)

    def table(
        self,
        dataset: QuestionSet,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        trajectories: Iterable[Trajectory],  # noqa: ARG002 - no row needs them
    ) -> RunTable:
        from toolgauge.analysis.table import Plan, RunTable

        sessions = [[(question.id, question)] for question in dataset.questions]
        return RunTable(Plan(dataset.name, sessions, lambda one: one.kind or "all"), scores, requested)

    def rows(self, sheet: Sheet) -> Iterator[RateRow]:
        yield sheet.rate("overall", "task_accuracy")
        yield from sheet.facet(BY_KIND)
        wrong = {mistake for mistake in sheet.counted if mistake}
        yield from sheet.shares("mistakes", sorted(wrong), sheet.counted, sheet.wrong)
        yield from sheet.pass_rows("task")

    def write_details(
        self,
        path: Path,
        dataset: QuestionSet,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",  # noqa: ARG002 - the rows do not name it
    ) -> None:
        from toolgauge.analysis.cells import write_rows

        scorings = scoring_names(scores)
        known = {score.task_id: score for score in scores}
        columns = ("task_id", "epoch", "kind", "question", "expected", "reply", "calls", *_EFFORT)
        judged = tuple(f"{scoring}_{column}" for scoring in scorings for column in SCORING_COLUMNS)
        asked = ((dataset.by_id.get(trajectory.session_id), trajectory) for trajectory in trajectories)
        facets = self.layout.facets
        rows = (
            _row(one, said, known.get(said.task_id), scorings) | facet_cells(facets, one)
            for one, said in asked
            if one is not None
        )
        write_rows(path, (*columns, *facet_columns(facets), *judged), rows)

    def describer(self, dataset: QuestionSet) -> TaskDescriber:
        return _Describer(dataset)


_EFFORT = ("steps", "input_tokens", "output_tokens", "latency")


def _row(question: Question, trajectory: Trajectory, score: Score | None, scorings: Sequence[str]) -> dict[str, object]:
    reply = trajectory.steps[-1].reply if trajectory.steps else None
    usage = trajectory.usage
    row: dict[str, object] = {
        "task_id": trajectory.task_id,
        "epoch": trajectory.epoch,
        "kind": question.kind,
        "question": question.text,
        "expected": question.expected,
        "reply": reply.content if reply else None,
        "calls": [call.wire() for call in reply.tool_calls] if reply and reply.tool_calls else None,
        "steps": len(trajectory.steps),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "latency": round(sum(reply.seconds for reply in trajectory.replies), 3),
    }
    for scoring in scorings:
        verdict = score.scorings.get(scoring) if score else None
        if verdict is not None:
            row |= {f"{scoring}_{column}": getattr(verdict, column) for column in SCORING_COLUMNS}
    return row


def _kind(dataset: QuestionSet, score: Score) -> str:
    question = dataset.by_id.get(score.session_id)
    return question.kind if question and question.kind else "all"


class _Describer:
    """What error analysis knows of questions: their kind."""

    needs: Mapping[str, str] = {}

    def __init__(self, dataset: QuestionSet) -> None:
        self._dataset = dataset

    def about(self, score: Score) -> About:
        kind = _kind(self._dataset, score)
        return frozenset({("kind", kind)} if kind != "all" else ()), frozenset({"any"})

    def length(self, session_id: str) -> int:  # noqa: ARG002 - a question is no session
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        from toolgauge.analysis.causes.examples import LINE, ErrorExample, said_in
        from toolgauge.visible import one_line

        question = self._dataset.by_id.get(trajectory.session_id)
        if question is not None and trajectory.task_id in wanted:
            expected = question.expected if isinstance(question.expected, str) else as_json(question.expected)
            done = tuple(said_in(reply) for reply in trajectory.replies)
            example = ErrorExample(one_line(question.text, LINE), (one_line(expected, LINE),), done)
            yield trajectory.task_id, example
