"""The comparison of two runs: what the terminal, the site and `--json` show. See docs/compare.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from msgspec import Struct

from toolgauge.analysis.binomial import LEVEL
from toolgauge.analysis.compare.pairing import (
    Note,
    Pairs,
    Scored,
    Side,
    are_same,
    notes_on,
    pairs_of,
    require_comparable,
    say_one_model,
)
from toolgauge.analysis.compare.rows import Differences, Outcomes, RunComparison
from toolgauge.analysis.compare.significance import EXCHANGES
from toolgauge.analysis.intervals import REPLICATES, SEED
from toolgauge.analysis.notes import Note as ScoreNote
from toolgauge.analysis.notes import notes
from toolgauge.analysis.reports import report_of
from toolgauge.analysis.told_apart import asked_of, differences
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT, Score

VERSION = 2


class Compared(Struct, frozen=True):
    """A run: its folder, its model, how many of its tasks are scored, and what stands beside its scores. told: where
    both are of one model, in which settings it differs from the other."""

    run: str
    model: str
    scored: int
    notes: list[ScoreNote]
    told: list[str] = []


class Method(Struct, frozen=True):
    """How intervals and tests were made. family: within what p-values are corrected."""

    level: float = LEVEL
    replicates: int = REPLICATES
    exchanges: int = EXCHANGES
    seed: int = SEED
    family: str = "table"


class Changed(Struct, frozen=True):
    """A task that one run has right; mistake: the other's."""

    task_id: str
    mistake: str


class ScoringComparison(Struct, frozen=True):
    """moves: how often one mistake (or "correct") became another."""

    tasks: Outcomes
    sessions: Outcomes
    tables: Differences
    moves: dict[str, dict[str, int]]
    fixed: list[Changed]
    broken: list[Changed]


class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs over the tasks that both have. tables: the kind of the tables; same_model: are they of one model, so
    that what only the second has right was fixed?"""

    version: int = VERSION
    benchmark: str
    tables: str
    language: str
    dataset: DataRecord
    headline: str
    a: Compared
    b: Compared
    same_model: bool
    tasks: int
    notes: list[Note]
    method: Method = Method()
    scorings: dict[str, ScoringComparison]


class Comparisons(Struct, frozen=True):
    comparisons: list[Comparison]


def compare_runs(
    a: Side,
    b: Side,
    scoring: str | None = None,
    same_model: bool = False,
    tables: Collection[str] | None = None,
) -> Comparison:
    """Compare run b with run a, over the tasks that both have, in one scoring or in all that both have.

    same_model: they are of one model, also where they do not say so themselves. tables: those that are wanted, None for
    all; a report may give more.

    Every difference is b minus a. Sides are made by `side_of`. The same runs give the same object; exchanged, they
    give its mirror image. Raises UsageError where the runs are not comparable or have no such scoring.
    """
    require_comparable(a.run, b.run)
    pairs = pairs_of(a, b)._replace(tables=None if tables is None else frozenset(tables))
    if scoring is not None and scoring not in pairs.scorings:
        raise UsageError(f"unknown scoring {scoring!r}; these runs have in common: {', '.join(pairs.scorings)}")
    scorings = [scoring] if scoring else list(pairs.scorings)
    report = report_of(a.run.benchmark.name)
    found = report.compare((a, b), pairs, scorings)
    return Comparison(
        benchmark=a.run.benchmark.name,
        tables=report.layout.kind,
        language=a.run.language,
        dataset=a.run.manifest.data,
        headline=a.run.benchmark.headline,
        a=_described(a.run, b.run),
        b=_described(b.run, a.run),
        same_model=same_model or say_one_model(a.run, b.run),
        tasks=len(pairs.a),
        notes=notes_on(a.run, b.run, pairs),
        scorings={name: _scoring(comparison, (a, b), pairs, name) for name, comparison in found.items()},
    )


def _described(run: Scored, other: Scored) -> Compared:
    told = differences(asked_of(run), [asked_of(other)]) if run.model == other.model else []
    return Compared(str(run.folder), run.model, len(run.scores), notes(run.metrics), told)


def _scoring(comparison: RunComparison, sides: tuple[Side, Side], pairs: Pairs, scoring: str) -> ScoringComparison:
    befores, afters = _outcomes(sides[0], pairs.a, scoring), _outcomes(sides[1], pairs.b, scoring)
    moves: dict[str, dict[str, int]] = {}
    for (before, after), tasks in Counter(zip(befores, afters, strict=True)).items():
        if before is not None and after is not None:
            moves.setdefault(before, {})[after] = tasks
    changed = [
        (one.task_id, before, after)
        for one, before, after in zip(pairs.a, befores, afters, strict=True)
        if before != after and before is not None and after is not None
    ]
    return ScoringComparison(
        tasks=comparison.tasks.entry(),
        sessions=comparison.sessions.entry(),
        tables=comparison.tables(),
        moves={before: dict(sorted(row.items())) for before, row in sorted(moves.items())},
        fixed=[Changed(task_id, before) for task_id, before, after in changed if after == CORRECT],
        broken=[Changed(task_id, after) for task_id, before, after in changed if before == CORRECT],
    )


class _Outcomes(NamedTuple):
    """Of a run's scores in a scoring, for its next comparison."""

    scores: list[Score]
    names: list[str | None]


def _outcomes(side: Side, scores: list[Score], scoring: str) -> list[str | None]:
    """The mistake of each task, or "correct"; None without a verdict."""
    key = f"outcomes {scoring}"
    known = side.kept.get(key) if side.kept is not None else None
    if isinstance(known, _Outcomes) and are_same(known.scores, scores):
        return known.names
    names = [(score.mistake(scoring) or CORRECT) if scoring in score.scorings else None for score in scores]
    if side.kept is not None:
        side.kept[key] = _Outcomes(scores, names)
    return names
