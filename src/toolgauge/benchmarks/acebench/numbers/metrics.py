"""From scores to the content of ACEBench's metrics.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from toolgauge.analysis.effort import Meter
from toolgauge.analysis.numbers import Metrics, Tables
from toolgauge.analysis.sensitivity import Judged, differences, sensitivity
from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.benchmarks.acebench.numbers.passes import ace_passes
from toolgauge.benchmarks.acebench.numbers.published import published
from toolgauge.benchmarks.acebench.numbers.tables import FORMULA, MISTAKES, mistakes, rates
from toolgauge.benchmarks.acebench.numbers.trials import Trial, collect_trials, parse_key, sessions_of
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import RELEASED, Score, scoring_names


def ace_metrics(
    benchmark: str,
    dataset: AceDataset,
    scores: Sequence[Score],
    requested: Sequence[str],
    trajectories: Iterable[Trajectory] = (),
    model: str = "",
) -> Metrics:
    """What dialogues have, with ACEBench's tables and its formula.

    Every value is a rate from 0 to 1, null where nothing was scored, or a part of it: a missing entry is never counted
    as wrong. In multi-turn categories a whole session counts once, so the groups add up to the sizes behind the
    published weights; the counts at the top and of error types are entries. Table `published` in the scoring
    `released`: the numbers as the original rounds and prints them. Raises ToolgaugeError for an entry that the data set
    does not have.
    """
    trials = collect_trials(dataset, scores, requested)
    meter = Meter(model)
    style, ended_by = _said_of_runs(meter.watch(trajectories))
    scorings = scoring_names(scores)
    asked = {parse_key(dataset, task_id) for task_id in requested}
    scored = {parse_key(dataset, score.task_id) for score in scores}
    pairs = sensitivity(_judged(trials), scorings)
    return Metrics(
        benchmark=benchmark,
        tables="acebench",
        language=dataset.language,
        tasks=len(dataset.entries),
        sessions=len(sessions_of(dataset)),
        requested=len(asked),
        scored=len(scored),
        missing=len(asked - scored),
        formula=FORMULA,
        style=style,
        ended_by=ended_by,
        effort=meter.effort(scores),
        differences=differences(pairs, scorings),
        sensitivity=pairs,
        scorings=_scorings(trials, scorings),
    )


def _scorings(trials: Sequence[Trial], scorings: Sequence[str]) -> dict[str, Tables]:
    """The tables of each scoring."""
    wrong = {table: mistakes(trials, scorings, table) for table in MISTAKES}
    content = {}
    for scoring in scorings:
        tables = rates(trials, scoring) | {table: found[scoring] for table, found in wrong.items()}
        if repeated := ace_passes(trials, scoring):
            tables["passes"] = repeated
        shown = {table: {row: rate.entry() for row, rate in rows.items()} for table, rows in tables.items()}
        if scoring == RELEASED:
            every = tables["categories"] | tables["groups"] | tables["overall"]
            printed = published(trials, scoring)
            shown["published"] = {
                row: replace(every[row]._replace(interval=None).entry(), value=value) for row, value in printed.items()
            }
        content[scoring] = shown
    return content


def _judged(trials: Iterable[Trial]) -> list[Judged]:
    """Entry by entry, in the order of the data."""
    return [
        Judged(score.task_id, trial.category.name, {name: one.correct for name, one in score.scorings.items()})
        for trial in trials
        for score in trial.scores
        if score is not None
    ]


def _said_of_runs(trajectories: Iterable[Trajectory]) -> tuple[str | None, dict[str, int]]:
    """In which styles was asked, and who ended the agents' conversations."""
    styles: set[str] = set()
    ends: Counter[str] = Counter()
    for trajectory in trajectories:
        style, end = trajectory.extra.get("style"), trajectory.extra.get("ended_by")
        styles |= {style} if isinstance(style, str) else set()
        ends.update([end] if isinstance(end, str) else [])
    return ", ".join(sorted(styles)) or None, dict(sorted(ends.items()))
