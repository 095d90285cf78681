"""The tables of one scoring: categories, groups, overall, mistakes, error types (docs/acebench.md#tables)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolgauge.benchmarks.acebench.data import CATEGORIES, GROUPS, AceCategory
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers.rates import MeanRate, mean_rate, weighted_mean
from toolgauge.benchmarks.acebench.numbers.trials import Measure, Trial, detected, process, right, right_turns
from toolgauge.judge.mistakes import UNCLASSIFIED
from toolgauge.judge.verdict import Score

if TYPE_CHECKING:
    from toolgauge.analysis.intervals import Floats

MISTAKES = ("mistakes", "error_types")
"""Tables of wrong entries: by cause, and by the scoring's own error types."""
WEIGHTS = {"normal": 0.578, "special": 0.2676, "agent": 0.1545}
"""Weights of the groups in the overall value (docs/acebench.md#tables)."""
FORMULA = "overall = " + " + ".join(f"{weight} * {group}" for group, weight in WEIGHTS.items())

SINGLE_TURN = ("normal_single_turn_single_function", "normal_single_turn_parallel_function")
PROCESS, DETECTION = "_process", "_detection"
"""Suffixes of rows beside a category's own: the process score; whether it was noticed that something is wrong."""


def by_category(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """The trials of each category, of those that have none too."""
    found: dict[str, list[Trial]] = {name: [] for name in CATEGORIES}
    for trial in trials:
        found[trial.category.name].append(trial)
    return found


def measures_of(category: AceCategory) -> dict[str, Measure]:
    """What is measured of a category's trials: the suffix of the row's name -> how."""
    if category.multi_turn:
        return {"": right, PROCESS: right_turns}
    if category.group == "special":
        return {"": right, DETECTION: detected}
    return {"": right, PROCESS: process} if category.group == "agent" else {"": right}


def _rows(group: str, suffix: str) -> tuple[str, ...]:
    return tuple(f"{name}{suffix}" for name in GROUPS[group])


GROUP_MEMBERS: dict[str, tuple[str, ...]] = {
    "normal": GROUPS["normal"],
    "atom": GROUPS["atom"],
    "single_turn": SINGLE_TURN,
    "multi_turn": GROUPS["multi_turn"],
    "multi_turn_process": _rows("multi_turn", PROCESS),
    "special": GROUPS["special"],
    "special_detection": _rows("special", DETECTION),
    "agent": GROUPS["agent"],
    "agent_process": _rows("agent", PROCESS),
}
"""The rows of the categories table whose plain mean a group is. `normal` is the mean of twelve, not of sub-means."""


def rates(trials: Sequence[Trial], scoring: str) -> dict[str, dict[str, MeanRate]]:
    """The tables `overall`, `groups` and `categories`, whose rows are always the same."""
    categories = {
        f"{name}{suffix}": mean_rate(own, scoring, measure)
        for name, own in by_category(trials).items()
        for suffix, measure in measures_of(CATEGORIES[name]).items()
    }
    groups = {
        group: weighted_mean((row, 1 / len(members), categories[row]) for row in members)
        for group, members in GROUP_MEMBERS.items()
    }
    overall = weighted_mean((group, weight, groups[group]) for group, weight in WEIGHTS.items())
    return {"overall": {"overall": overall}, "groups": groups, "categories": categories}


def mistake_of(score: Score | None, scoring: str, table: str) -> str | None:
    """The class of a wrong entry, None for one that is right or missing. table: "mistakes", by its cause, or
    "error_types", as the scoring's own checker names it."""
    cause = score.cause(scoring) if score else None
    if score is None or cause is None:
        return None
    return cause.mistake if table == "mistakes" else score.scorings[scoring].mistake or UNCLASSIFIED


def mistakes(trials: Sequence[Trial], scorings: Sequence[str], table: str) -> dict[str, dict[str, MeanRate]]:
    """By scoring: shares of the wrong entries by class (`mistake_of`); turns of sessions count singly.

    Intervals are clustered by session.
    """
    import numpy as np

    from toolgauge.analysis.intervals import intervals

    found = {scoring: _mistakes_by_session(trials, scoring, table) for scoring in scorings}
    seen = {name for sessions in found.values() for counts in sessions.values() for name in counts}
    known = [error.value for error in AceError]
    names = [*known, *sorted(seen - set(known))]
    clusters = list(dict.fromkeys(session for sessions in found.values() for session in sessions))
    if not clusters:
        return {scoring: dict.fromkeys(names, MeanRate(None, None, 0, 0, 0, 0, 0)) for scoring in scorings}
    none: Counter[str] = Counter()
    hits = np.array(
        [[[one.get(session, none)[name] for session in clusters] for name in names] for one in found.values()],
        dtype=float,
    )
    wrong = np.broadcast_to(hits.sum(axis=1, keepdims=True), hits.shape)
    flat = (len(scorings) * len(names), len(clusters))
    bounds = intervals(hits.reshape(flat), wrong.reshape(flat)).reshape(len(scorings), len(names), 2)
    return {
        scoring: {name: _share(hits[of, row], wrong[of, row], bounds[of, row]) for row, name in enumerate(names)}
        for of, scoring in enumerate(scorings)
    }


def _share(hits: Floats, wrong: Floats, bounds: Floats) -> MeanRate:
    """The rate of hits among the wrong, both per session."""
    correct, number = float(hits.sum()), int(wrong.sum())
    if not number:
        return MeanRate(None, None, 0, 0, 0, 0, 0)
    return MeanRate(correct / number, (float(bounds[0]), float(bounds[1])), correct, number, number, number, 0)


def _mistakes_by_session(trials: Iterable[Trial], scoring: str, table: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for trial in trials:
        for score in trial.scores:
            if mistake := mistake_of(score, scoring, table):
                found.setdefault(trial.session_id, Counter())[mistake] += 1
    return found
