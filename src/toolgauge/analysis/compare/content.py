"""The comparison of two runs: what the terminal, the site and `--json` show. See docs/results.md."""

from __future__ import annotations

import math
from collections import Counter
from typing import overload

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from toolgauge.analysis.binomial import LEVEL
from toolgauge.analysis.compare.pairing import (
    Note,
    Scored,
    SheetRows,
    Side,
    asked_of,
    differences,
    notes_on,
    paired,
    pairs_of,
    require_comparable,
    say_one_model,
    sheet_rows,
)
from toolgauge.analysis.decide import (
    Better,
    Crosstab,
    PairedRows,
    PairedTable,
    PairedTest,
    better_run,
    holm,
    tests_of,
)
from toolgauge.analysis.intervals import FEWEST_CLUSTERS, Floats
from toolgauge.analysis.layout import Place
from toolgauge.analysis.notes import Note as ScoreNote
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Floor
from toolgauge.analysis.reports import report_of
from toolgauge.analysis.table import Mask
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
    return Comparison(
        benchmark=a.run.benchmark.name,
        tables=report.layout.kind,
        language=a.run.language,
        dataset=a.run.manifest.data,
        headline=a.run.benchmark.headline,
        decides=report.layout.decides,
        a=_described(a.run, b.run),
        b=_described(b.run, a.run),
        same_model=same_model or say_one_model(a.run, b.run),
        tasks=len(pairs.a),
        notes=notes_on(a.run, b.run, pairs),
        scorings={
            name: _scoring(*sheet_rows(report, (a, b), pairs, name), report.layout.decides)
            for name in ([scoring] if scoring else pairs.scorings)
        },
    )


def _described(run: Scored, other: Scored) -> Compared:
    told = differences(asked_of(run), [asked_of(other)]) if run.model == other.model else []
    return Compared(str(run.folder), run.model, len(run.scores), notes(run.metrics), told, run.metrics.floor)


def _scoring(one: SheetRows, other: SheetRows, decides: Place) -> ScoringComparison:
    befores, afters = one.sheet.outcomes, other.sheet.outcomes
    moves: dict[str, dict[str, int]] = {}
    for (before, after), tasks in Counter(zip(befores, afters, strict=True)).items():
        if before is not None and after is not None:
            moves.setdefault(before, {})[after] = tasks
    changed = [
        (task_id, before, after)
        for task_id, before, after in zip(one.sheet.table.ids, befores, afters, strict=True)
        if before != after and before is not None and after is not None
    ]
    return scoring_comparison(
        paired(one, other),
        decides,
        {before: dict(sorted(row.items())) for before, row in sorted(moves.items())},
        [Changed(task_id, before) for task_id, before, after in changed if after == CORRECT],
        [Changed(task_id, after) for task_id, before, after in changed if before == CORRECT],
    )


def scoring_comparison(
    table: PairedTable,
    decides: Place,
    moves: dict[str, dict[str, int]],
    fixed: list[Changed],
    broken: list[Changed],
) -> ScoringComparison:
    """Test every row of the paired table; p is corrected within each of the tables that its rows belong to."""
    tables = _differences(table.rows)
    deciding = tables.get(decides[0], {}).get(decides[1])
    return ScoringComparison(
        better=better_run(deciding.ci95 if deciding else None),
        tasks=table.tasks,
        sessions=table.sessions,
        tables=tables,
        moves=moves,
        fixed=fixed,
        broken=broken,
    )


def _differences(rows: PairedRows) -> Differences:
    tests = tests_of(rows.hits, rows.trials)
    hits, trials = rows.hits.sum(axis=2).tolist(), rows.trials.sum(axis=2).tolist()
    few = _few(rows.trials).tolist()
    for place, parts in rows.parts.items():  # the counts of a weighted mean are those of its parts together
        own_hits, own_trials = np.stack([part.hits for part in parts]), np.stack([part.trials for part in parts])
        hits[place], trials[place] = own_hits.sum(axis=(0, 2)).tolist(), own_trials.sum(axis=(0, 2)).tolist()
        few[place] = bool(_few(own_trials).any())
    numbers: dict[str, list[int]] = {}
    for number, (table, _name) in enumerate(rows.places):
        numbers.setdefault(table, []).append(number)
    found: Differences = {}
    for table, own in numbers.items():
        corrected = holm([tests[number].p for number in own])
        found[table] = {
            rows.places[number][1]: _difference(
                tests[number], p, hits[number], trials[number], few[number], rows.fixed[number], rows.broken[number]
            )
            for number, p in zip(own, corrected, strict=True)
        }
    return found


def _difference(
    test: PairedTest,
    p_holm: float | None,
    hits: list[float],
    trials: list[float],
    few: bool,
    fixed: int | None,
    broken: int | None,
) -> Difference:
    one, other = test.rates
    return Difference(
        a=rounded(one),
        b=rounded(other),
        difference=rounded(test.difference),
        ci95=None if test.interval is None else (rounded(test.interval[0]), rounded(test.interval[1])),
        p=rounded(test.p),
        p_holm=rounded(p_holm),
        exact=test.exact if test.p is not None else None,
        correct=_counts(hits),
        total=_counts(trials),
        sessions=test.sessions,
        few=few,
        fixed=fixed,
        broken=broken,
        cohens_h=None if one is None or other is None else rounded(2 * (_angle(other) - _angle(one))),
    )


def _few(trials: Floats) -> Mask:
    """Which rates are of too few tasks or sessions to be sure. trials: shape (rates, 2, sessions)."""
    sessions = np.count_nonzero(trials.any(axis=1), axis=1)
    few: Mask = (sessions < FEWEST_CLUSTERS) | (trials.sum(axis=2).min(axis=1) < FEWEST_TASKS)
    return few


def _angle(proportion: float) -> float:
    return math.asin(math.sqrt(min(1.0, max(0.0, proportion))))


def _counts(numbers: list[float]) -> tuple[float, float]:
    one, other = (int(number) if number.is_integer() else round(number, DIGITS) for number in numbers)
    return one, other


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """To 6 digits after the point; a p-value or a bound that is nearer to 0 keeps its first digits."""
    if value is None:
        return None
    return float(f"{value:.4g}") if 0 < abs(value) < 1e-4 else round(value, DIGITS) + 0.0  # no -0.0
