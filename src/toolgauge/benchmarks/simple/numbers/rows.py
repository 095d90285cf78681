"""Rates over questions: of one run, and of two runs over the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from toolgauge.analysis.compare.pairing import Pairs
from toolgauge.analysis.decide import Crosstab, PairedRow, PairedTable
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.rates import RateRow
from toolgauge.benchmarks.simple.questions import QuestionSet
from toolgauge.judge.mistakes import UNCLASSIFIED
from toolgauge.judge.verdict import Score, Verdict

Counted = tuple[str, Verdict]
"""A question's id and the verdict on it."""


def rate_rows(
    dataset: QuestionSet, scores: Sequence[Score], requested: Sequence[str] | None, scoring: str
) -> list[RateRow]:
    """`overall`, `by_kind` and, of the wrong ones, `mistakes`; none for a scoring that the scores do not have."""
    found = [(score.session_id, score.scorings[scoring]) for score in scores if scoring in score.scorings]
    if not found:
        return []
    asked = None if requested is None else [task_id.partition("#")[0] for task_id in requested]
    rows = [_rate(dataset, "overall", "task_accuracy", found, asked, _right)]
    for kind in kinds(dataset):
        own = {question.id for question in dataset.questions if question.kind == kind}
        inside = [one for one in found if one[0] in own]
        of_kind = None if asked is None else [name for name in asked if name in own]
        rows.append(_rate(dataset, "by_kind", kind, inside, of_kind, _right))
    wrong = [one for one in found if not one[1].correct]
    names = sorted({_mistake(verdict) for _, verdict in wrong})
    return rows + [_rate(dataset, "mistakes", name, wrong, None, _is(name)) for name in names]


def kinds(dataset: QuestionSet) -> list[str]:
    """The kinds of the questions, in the order of the data; none where all are of one."""
    found = list(dict.fromkeys(question.kind for question in dataset.questions if question.kind))
    return found if len(found) > 1 else []


def compare_rows(dataset: QuestionSet, pairs: Pairs, scoring: str) -> PairedTable:
    """Both runs over the questions of the pairs."""
    one, other = (rate_rows(dataset, side, None, scoring) for side in (pairs.a, pairs.b))
    used = np.flatnonzero(one[0].trials + other[0].trials)
    theirs = {(row.table, row.name): row for row in other}
    ours = {(row.table, row.name): row for row in one}
    rows = []
    for table, name in dict.fromkeys((*ours, *theirs)):
        both = [side.get((table, name)) for side in (ours, theirs)]
        hits = np.stack([row.hits[used] if row else np.zeros(len(used)) for row in both])
        mistake = table == "mistakes"  # in shares of all questions: each run has others wrong
        asked = [
            side["overall", "task_accuracy"] if mistake else row for side, row in zip((ours, theirs), both, strict=True)
        ]
        trials = np.stack([row.trials[used] if row else np.zeros(len(used)) for row in asked])
        counts = (None, None) if mistake else Crosstab.of(hits[0], hits[1], trials[0]).changed
        rows.append(PairedRow(table, name, hits, trials, *counts))
    rows.sort(key=lambda row: ("overall", "by_kind", "mistakes").index(row.table))
    verdicts = ([one.scorings[scoring] for one in side if scoring in one.scorings] for side in (pairs.a, pairs.b))
    right = [np.array([verdict.correct for verdict in found], dtype=float) for found in verdicts]
    tasks = Crosstab.of(right[0], right[1], np.ones(len(right[0])))
    return PairedTable(tasks, tasks, rows)


def _right(verdict: Verdict) -> bool:
    return verdict.correct


def _mistake(verdict: Verdict) -> str:
    return verdict.mistake or UNCLASSIFIED


def _is(name: str) -> Callable[[Verdict], bool]:
    return lambda verdict: _mistake(verdict) == name


def _rate(
    dataset: QuestionSet,
    table: str,
    name: str,
    among: Sequence[Counted],
    asked: Sequence[str] | None,
    hit: Callable[[Verdict], bool],
) -> RateRow:
    """The share of the counted ones with a hit; asked: ids that were requested, one for each epoch."""
    hits, trials = _summed(dataset, [one for one in among if hit(one[1])]), _summed(dataset, among)
    requested = None if asked is None else len(asked)
    missing = None if requested is None else max(0, requested - len(among))
    return RateRow(table, name, hits, trials, requested, len(among), missing)


def _summed(dataset: QuestionSet, among: Iterable[Counted]) -> Floats:
    counts = np.zeros(len(dataset.questions))
    for session_id, _ in among:
        counts[dataset.places[session_id]] += 1
    return counts
