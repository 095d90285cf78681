"""The comparison of two runs: what the terminal, the site and `--json` show. See docs/results.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import overload

from msgspec import UNSET, Struct, UnsetType

from toolgauge.analysis.binomial import LEVEL
from toolgauge.analysis.compare.pairing import (
    Counted,
    Note,
    Scored,
    Side,
    asked_of,
    counted,
    differences,
    notes_on,
    paired,
    pairs_of,
    require_comparable,
    say_one_model,
)
from toolgauge.analysis.decide import (
    Better,
    Crosstab,
    PairedRow,
    PairedTable,
    PairedTest,
    better_run,
    holm,
    paired_tests,
)
from toolgauge.analysis.intervals import FEWEST_CLUSTERS
from toolgauge.analysis.layout import Place
from toolgauge.analysis.notes import Note as ScoreNote
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Floor
from toolgauge.analysis.reports import report_of
from toolgauge.artefacts import DIGITS
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT

VERSION = 3
RESULTS = "results"
"""The kind of the tables of results that are no run of toolgauge."""
FEWEST_TASKS = 10
"""A row with fewer in one of the runs, or from fewer than `FEWEST_CLUSTERS` sessions, is marked."""


class Compared(Struct, frozen=True):
    """A run: its folder, its model, how many of its tasks are scored, and what stands beside its scores. told: where
    both are of one model, in which settings it differs from the other; floor: what silence scores."""

    run: str
    model: str
    scored: int
    notes: list[ScoreNote] = []
    told: list[str] = []
    floor: Floor | UnsetType = UNSET


class Method(Struct, frozen=True):
    """How intervals and tests were made. family: within what p-values are corrected."""

    level: float = LEVEL
    test: str = "cluster-robust paired t"
    below_sessions: int = FEWEST_CLUSTERS
    test_below: str = "exact sign flips"
    family: str = "table"


class Changed(Struct, frozen=True):
    """A task that one run has right; mistake: the other's."""

    task_id: str
    mistake: str


class Difference(Struct, frozen=True, kw_only=True):
    """A row of two runs. a, b: their rates, of mistakes those of all tasks (or whole sessions); difference: b minus a,
    with its interval; p_holm: corrected in the table.

    exact: p is of an exact test. correct, total: of both runs. few: there are too few tasks to be sure. fixed, broken:
    tasks; None for rows that do not count right tasks. cohens_h: the difference on the arcsine scale (Cohen,
    Statistical Power Analysis, 2nd ed. 1988, ch. 6, who calls 0.2 small, 0.5 medium and 0.8 large).
    """

    a: float | None
    b: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    exact: bool | None
    correct: tuple[float, float]
    total: tuple[float, float]
    sessions: int
    few: bool
    fixed: int | None
    broken: int | None
    cohens_h: float | None


Differences = dict[str, dict[str, Difference]]
"""By table, then row."""


class ScoringComparison(Struct, frozen=True):
    """better: which run is, by the measure that decides; moves: how often one mistake (or "correct") became another."""

    better: Better
    tasks: Crosstab
    sessions: Crosstab
    tables: Differences
    moves: dict[str, dict[str, int]]
    fixed: list[Changed]
    broken: list[Changed]


class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs over the tasks that both have. tables: the kind of the tables; decides: table and row of the measure
    that decides which is better; same_model: are they of one model, so that what only the second has right was fixed?
    """

    version: int = VERSION
    benchmark: str
    tables: str
    language: str
    dataset: DataRecord | None
    headline: str
    decides: Place
    a: Compared
    b: Compared
    same_model: bool
    tasks: int
    notes: list[Note]
    method: Method = Method()
    scorings: dict[str, ScoringComparison]


class Comparisons(Struct, frozen=True):
    comparisons: list[Comparison]


def side_of(run: Scored, beside: Side | None = None) -> Side:
    """A run made ready for comparisons; made once, it serves any number of them.

    beside: a run on the same data. Raises UsageError where the data are not there.
    """
    dataset = beside.dataset if beside else run.required_dataset()
    table = report_of(run.benchmark.name).table(dataset, run.scores, None, run.trajectories())
    if beside is not None:
        table.plan = beside.table.plan
    return Side(run, dataset, {score.task_id: score for score in run.scores}, table, {})


def compare_runs(
    a: Side,
    b: Side,
    scoring: str | None = None,
    same_model: bool = False,
) -> Comparison:
    """Compare run b with run a, over the tasks that both have, in one scoring or in all that both have.

    same_model: they are of one model, also where they do not say so themselves.

    Every difference is b minus a. Sides are made by `side_of`. The same runs give the same object; exchanged, they
    give its mirror image. Raises UsageError where the runs are not comparable or have no such scoring.
    """
    require_comparable(a.run, b.run)
    pairs = pairs_of(a, b)
    if scoring is not None and scoring not in pairs.scorings:
        raise UsageError(f"unknown scoring {scoring!r}; these runs have in common: {', '.join(pairs.scorings)}")
    report = report_of(a.run.benchmark.name)
    decides, judged = report.layout.decides, not any(pairs.unjudged)
    by_scoring = {}
    for name in [scoring] if scoring else pairs.scorings:
        sides = [counted(report, side, own, name, judged) for side, own in ((a, pairs.a), (b, pairs.b))]
        by_scoring[name] = scoring_comparison(paired(*sides), decides, *_changes(*sides))
    return Comparison(
        benchmark=a.run.benchmark.name,
        tables=report.layout.kind,
        language=a.run.language,
        dataset=a.run.manifest.data,
        headline=a.run.benchmark.headline,
        decides=decides,
        a=_described(a.run, b.run),
        b=_described(b.run, a.run),
        same_model=same_model or say_one_model(a.run, b.run),
        tasks=len(pairs.a),
        notes=notes_on(a.run, b.run, pairs),
        scorings=by_scoring,
    )


def _described(run: Scored, other: Scored) -> Compared:
    told = differences(asked_of(run), [asked_of(other)]) if run.model == other.model else []
    return Compared(str(run.folder), run.model, len(run.scores), notes(run.metrics), told, run.metrics.floor)


def _changes(a: Counted, b: Counted) -> tuple[dict[str, dict[str, int]], list[Changed], list[Changed]]:
    """How often one outcome became another, in the order of their names; the tasks that were fixed, and broken."""
    outcomes = [
        (task_id, before, after)
        for task_id, before, after in zip(a.sheet.table.ids, a.sheet.outcomes, b.sheet.outcomes, strict=True)
        if before is not None and after is not None
    ]
    moves: dict[str, dict[str, int]] = {}
    for (before, after), tasks in sorted(Counter((before, after) for _id, before, after in outcomes).items()):
        moves.setdefault(before, {})[after] = tasks
    changed = [move for move in outcomes if move[1] != move[2]]
    fixed = [Changed(task_id, before) for task_id, before, after in changed if after == CORRECT]
    broken = [Changed(task_id, after) for task_id, before, after in changed if before == CORRECT]
    return moves, fixed, broken


def scoring_comparison(
    table: PairedTable,
    decides: Place,
    moves: dict[str, dict[str, int]],
    fixed: list[Changed],
    broken: list[Changed],
) -> ScoringComparison:
    """Test every row of the paired table; p is corrected within each of the tables that its rows belong to."""
    tested: dict[str, list[tuple[PairedRow, PairedTest]]] = {}
    for row, test in zip(table.rows, paired_tests(table.rows), strict=True):
        tested.setdefault(row.table, []).append((row, test))
    tables: Differences = {}
    for name, rows in tested.items():
        corrected = holm([test.p for _row, test in rows])
        tables[name] = {row.name: _difference(row, test, p) for (row, test), p in zip(rows, corrected, strict=True)}
    deciding = tables.get(decides[0], {}).get(decides[1])
    better = better_run(deciding.ci95 if deciding else None)
    return ScoringComparison(better, table.tasks, table.sessions, tables, moves, fixed, broken)


def _difference(row: PairedRow, test: PairedTest, p_holm: float | None) -> Difference:
    """The counts of a weighted mean are those of its parts together."""
    first, second = test.rates
    parts = paired_tests(row.parts) or [test]
    return Difference(
        a=rounded(first),
        b=rounded(second),
        difference=rounded(test.difference),
        ci95=None if test.interval is None else (rounded(test.interval[0]), rounded(test.interval[1])),
        p=rounded(test.p),
        p_holm=rounded(p_holm),
        exact=test.exact if test.p is not None else None,
        correct=(_count(part.hits[0] for part in parts), _count(part.hits[1] for part in parts)),
        total=(_count(part.trials[0] for part in parts), _count(part.trials[1] for part in parts)),
        sessions=test.sessions,
        few=any(part.sessions < FEWEST_CLUSTERS or min(part.trials) < FEWEST_TASKS for part in parts),
        fixed=row.fixed,
        broken=row.broken,
        cohens_h=None if first is None or second is None else rounded(2 * (_angle(second) - _angle(first))),
    )


def _angle(proportion: float) -> float:
    return math.asin(math.sqrt(min(1.0, max(0.0, proportion))))


def _count(numbers: Iterable[float]) -> float:
    """Their sum; a whole number is whole."""
    total = math.fsum(numbers)
    return int(total) if total.is_integer() else round(total, DIGITS)


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """To 6 digits after the point; a p-value or a bound that is nearer to 0 keeps its first digits."""
    if value is None:
        return None
    return float(f"{value:.4g}") if 0 < abs(value) < 1e-4 else round(value, DIGITS) + 0.0  # no -0.0
