"""Several passes over ACEBench: pass@k and pass^k of single entries, of sessions, and of the overall value.

The estimators and their source: analysis/passes.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolgauge.benchmarks.acebench.numbers.rates import MeanRate, weighted_mean
from toolgauge.benchmarks.acebench.numbers.tables import GROUP_MEMBERS, WEIGHTS
from toolgauge.benchmarks.acebench.numbers.trials import Trial

if TYPE_CHECKING:
    from toolgauge.analysis.intervals import Floats


class Tally(NamedTuple):
    """An entry or a session over all passes: its category and session, in how many passes it was scored and right."""

    category: str
    session_id: str
    scored: int
    right: int
    asked: int


def ace_passes(trials: Sequence[Trial], scoring: str) -> dict[str, MeanRate]:
    """Rows `task_pass@k` (entries), `session_pass@k` (what counts once) and `overall_pass@k` (weighted as the overall
    value is), the same with `pass^k`; nothing with one pass. Only what is scored in all passes counts."""
    entries, sessions = _entries(trials, scoring), _sessions(trials, scoring)
    n = max((max(tally.scored, tally.asked) for tally in sessions), default=0)
    if n < 2:
        return {}
    rows = _rates("task", entries, n) | _rates("session", sessions, n)
    members = [name for group in WEIGHTS for name in GROUP_MEMBERS[group]]
    own = {name: _rates(name, [tally for tally in sessions if tally.category == name], n) for name in members}
    for sign in _signs(n):
        groups = {group: _mean(group, own, sign) for group in WEIGHTS}
        rows[f"overall_{sign}"] = weighted_mean((group, weight, groups[group]) for group, weight in WEIGHTS.items())
    return rows


def _mean(group: str, own: Mapping[str, Mapping[str, MeanRate]], sign: str) -> MeanRate:
    members = GROUP_MEMBERS[group]
    return weighted_mean((name, 1 / len(members), own[name][f"{name}_{sign}"]) for name in members)


def _signs(n: int) -> list[str]:
    return [f"pass{sign}{k}" for k in range(1, n + 1) for sign in ("@", "^")]


def _entries(trials: Iterable[Trial], scoring: str) -> list[Tally]:
    found: dict[tuple[str, int], list[int]] = {}
    categories: dict[str, str] = {}
    for trial in trials:
        categories[trial.session_id] = trial.category.name
        for turn, (score, asked) in enumerate(zip(trial.scores, trial.asked, strict=True)):
            verdict = score.scorings.get(scoring) if score else None
            counts = found.setdefault((trial.session_id, turn), [0, 0, 0])
            _count(counts, verdict is not None, verdict is not None and verdict.correct, asked)
    return [Tally(categories[session_id], session_id, *counts) for (session_id, _), counts in found.items()]


def _sessions(trials: Iterable[Trial], scoring: str) -> list[Tally]:
    found: dict[tuple[str, str], list[int]] = {}
    for trial in trials:
        verdicts = trial.verdicts(scoring)
        counts = found.setdefault((trial.category.name, trial.session_id), [0, 0, 0])
        right = verdicts is not None and all(verdict.correct for verdict in verdicts)
        _count(counts, verdicts is not None, right, trial.requested)
    return [Tally(category, session_id, *counts) for (category, session_id), counts in found.items()]


def _count(counts: list[int], scored: bool, right: bool, asked: bool) -> None:
    counts[0] += scored
    counts[1] += right
    counts[2] += asked


def _rates(name: str, tallies: Sequence[Tally], n: int) -> dict[str, MeanRate]:
    """A rate for every k, all with the same trials, clustered by session."""
    import numpy as np

    from toolgauge.analysis.intervals import intervals
    from toolgauge.analysis.passes import subsets

    whole = [tally for tally in tallies if tally.scored == n]
    requested = sum(tally.asked == n for tally in tallies)
    missing = sum(tally.asked == n and tally.scored != n for tally in tallies)
    counts = (requested, len(whole), missing)
    if not whole:
        return {f"{name}_{sign}": MeanRate(None, None, 0, 0, *counts) for sign in _signs(n)}
    clusters = {session_id: number for number, session_id in enumerate(dict.fromkeys(one.session_id for one in whole))}
    where = np.array([clusters[tally.session_id] for tally in whole])
    right = np.array([tally.right for tally in whole])
    hits: list[Floats] = []
    trials: list[Floats] = []
    for k in range(1, n + 1):
        found = subsets(n, k)
        for counted in (found.some, found.every):
            hits.append(np.bincount(where, np.array(counted, dtype=float)[right]).astype(float))
            trials.append(np.bincount(where).astype(float) * found.number)
    bounds = intervals(np.stack(hits), np.stack(trials))
    rows = zip(_signs(n), hits, trials, bounds, strict=True)
    return {f"{name}_{sign}": _rate(hit, trial, bound, counts) for sign, hit, trial, bound in rows}


def _rate(hits: Floats, trials: Floats, bounds: Floats, counts: tuple[int, int, int]) -> MeanRate:
    correct, total = float(hits.sum()), int(trials.sum())
    return MeanRate(correct / total, (float(bounds[0]), float(bounds[1])), correct, total, *counts)
