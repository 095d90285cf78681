"""The numbers of a benchmark of single answers: accuracy, by kind of question, and what went wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from toolgauge.analysis.layout import Layout, TableSection, frequent, section
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.simple.questions import Question, QuestionSet
from toolgauge.data.lines import as_json
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score, scoring_names

if TYPE_CHECKING:
    from toolgauge.analysis.compare.pairing import Pairs, Side
    from toolgauge.analysis.decide import PairedTable
    from toolgauge.analysis.error_analysis.cases import About, ErrorExample, TaskDescriber
    from toolgauge.analysis.rates import RateRow

ACCURACY = ("overall", "task_accuracy")
SCORING_COLUMNS = ("correct", "mistake", "detail")


def _sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:  # noqa: ARG001 - few tables
    tables = metrics.scorings[scoring]
    kinds = [("by_kind", kind, kind.replace("_", " ")) for kind in tables.get("by_kind", {})]
    accuracy = section(tables, language, "accuracy", ("overall", ("task_accuracy",)))
    return [
        accuracy._replace(rows=(*accuracy.rows, *kinds)),
        section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {})))),
    ]


LAYOUT = Layout(
    "simple",
    _sections,
    ACCURACY,
    (ACCURACY,),
    (ACCURACY,),
    (ACCURACY,),
    summary=(("task_accuracy", "accuracy"),),
)


class SimpleReport(Struct, frozen=True):
    """Every question is a session of its own: intervals and tests treat them as independent."""

    sheets: tuple[str, ...] = ()
    layout: Layout = LAYOUT

    def metrics(
        self,
        benchmark: str,
        dataset: QuestionSet,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Metrics:
        from toolgauge.analysis.effort import Meter
        from toolgauge.analysis.rates import tables_of
        from toolgauge.analysis.sensitivity import Judged, differences, sensitivity

        meter = Meter(model)
        for _trajectory in meter.watch(trajectories):
            pass
        scorings = scoring_names(scores)
        judged = [
            Judged(score.task_id, _kind(dataset, score), {name: one.correct for name, one in score.scorings.items()})
            for score in scores
        ]
        pairs = sensitivity(judged, scorings)
        scored = {score.task_id for score in scores}
        return Metrics(
            benchmark=benchmark,
            tables=self.layout.kind,
            language=dataset.language,
            tasks=len(dataset.questions),
            sessions=len(dataset.questions),
            requested=len(requested),
            scored=len(scored),
            missing=len(set(requested) - scored),
            effort=meter.effort(scores),
            differences=differences(pairs, scorings),
            sensitivity=pairs,
            scorings=tables_of({name: self.rows(dataset, scores, requested, (), name) for name in scorings}),
        )

    def rows(
        self,
        dataset: QuestionSet,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],  # noqa: ARG002 - no row needs them
        scoring: str,
    ) -> list[RateRow]:
        from toolgauge.benchmarks.simple.numbers.rows import rate_rows

        return rate_rows(dataset, scores, requested, scoring)

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
        names = (*columns, *(f"{scoring}_{column}" for scoring in scorings for column in SCORING_COLUMNS))
        asked = ((dataset.by_id.get(trajectory.session_id), trajectory) for trajectory in trajectories)
        rows = (_row(one, said, known.get(said.task_id), scorings) for one, said in asked if one is not None)
        write_rows(path, names, rows)

    def features(
        self,
        dataset: QuestionSet,  # noqa: ARG002 - scores are enough
        scores: Sequence[Score],  # noqa: ARG002
        trajectories: Iterable[Trajectory],  # noqa: ARG002
    ) -> Mapping[str, object]:
        return {}

    def compare(self, sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, PairedTable]:
        from toolgauge.benchmarks.simple.numbers.rows import compare_rows

        return {scoring: compare_rows(sides[0].dataset, pairs, scoring) for scoring in scorings}

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
        from toolgauge.analysis.error_analysis.call_text import LINE
        from toolgauge.analysis.error_analysis.cases import ErrorExample
        from toolgauge.analysis.error_analysis.examples import said_in
        from toolgauge.visible import one_line

        question = self._dataset.by_id.get(trajectory.session_id)
        if question is not None and trajectory.task_id in wanted:
            expected = question.expected if isinstance(question.expected, str) else as_json(question.expected)
            done = tuple(said_in(reply) for reply in trajectory.replies)
            example = ErrorExample(one_line(question.text, LINE), (one_line(expected, LINE),), done)
            yield trajectory.task_id, example
