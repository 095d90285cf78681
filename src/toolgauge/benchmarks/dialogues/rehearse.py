"""A data set's own rehearsal.

The annotated answers must pass on every task, and silence must fail wherever a call is due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.chat import Reply, Request
from toolgauge.data.problems import Problem
from toolgauge.data.session import Dataset
from toolgauge.episode import drive


def annotated_reply(request: Request) -> Reply:
    """What the annotation has this role say now."""
    assert request.gold_hint is not None, "an evaluation's requests carry their gold hint"
    return request.gold_hint.reply


def _silence(_request: Request) -> Reply:
    return Reply("…")


def rehearse(benchmark: Benchmark, dataset: Dataset) -> Iterator[Problem]:
    """Every task on which a perfect model fails in some scoring, or on which one that never calls passes.

    Where only the closing reply is due, any text passes by the benchmarks' rules, so silence may pass there.
    """
    yield from _plays(benchmark, dataset, annotated_reply, should_pass=True)
    yield from _plays(benchmark, dataset, _silence, should_pass=False)


def _plays(
    benchmark: Benchmark, dataset: Dataset, answer: Callable[[Request], Reply], should_pass: bool
) -> Iterator[Problem]:
    for sample in benchmark.samples(dataset):
        session = dataset.by_id[sample.session_id]
        trajectory = drive(benchmark.episode(dataset, sample), answer)
        for score in benchmark.scores(dataset, trajectory):
            path = f"tasks[{score.task_index}]"
            if len(session.tasks[score.task_index].calls) == 1 and not should_pass:
                continue
            for scoring, verdict in score.scorings.items():
                if verdict.correct != should_pass:
                    what = "the annotated answer fails" if should_pass else "a model that never calls passes"
                    said = f"{what} in the scoring {scoring}"
                    if verdict.detail:
                        said = f"{said} ({verdict.detail})"
                    yield Problem(dataset.file, said, session.line, path)
