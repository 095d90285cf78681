"""The tables of one reading: categories, groups, overall, error types (spec 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from toolgauge.analysis.acebench.rates import Rate, mean_rate, weighted_mean
from toolgauge.analysis.acebench.trials import Measure, Trial, detected, process, right, right_turns
from toolgauge.data.acebench import CATEGORIES, GROUPS, Category
from toolgauge.judge.ace.verdict import AceError

WEIGHTS = {"normal": 0.578, "special": 0.2676, "agent": 0.1545}
"""Of the overall value (spec 8.2)."""
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


def measures_of(category: Category) -> dict[str, Measure]:
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


def rates(trials: Sequence[Trial], reading: str) -> dict[str, dict[str, Rate]]:
    """The tables `overall`, `groups` and `categories`, whose rows are always the same."""
    categories = {
        f"{name}{suffix}": mean_rate(own, reading, measure)
        for name, own in by_category(trials).items()
        for suffix, measure in measures_of(CATEGORIES[name]).items()
    }
    groups = {
        group: weighted_mean((row, 1 / len(members), categories[row]) for row in members)
        for group, members in GROUP_MEMBERS.items()
    }
    overall = weighted_mean((group, weight, groups[group]) for group, weight in WEIGHTS.items())
    return {"overall": {"overall": overall}, "groups": groups, "categories": categories}


def error_types(trials: Sequence[Trial], reading: str) -> dict[str, Rate]:
    """Shares of the wrong entries by error type, intervals clustered by session; turns of sessions count singly."""
    from toolgauge.analysis.intervals import intervals

    found = _mistakes_by_session(trials, reading)
    totals = sum(found.values(), Counter[str]())
    known = [error.value for error in AceError]
    names, number = [*known, *sorted(totals.keys() - set(known))], totals.total()
    if not number:
        return dict.fromkeys(names, Rate(None, None, 0, 0, 0, 0, 0))
    hits = np.array([[counts[name] for counts in found.values()] for name in names], dtype=float)
    wrong = np.tile(hits.sum(axis=0), (len(names), 1))
    bounds = [(float(low), float(high)) for low, high in intervals(hits, wrong)]
    return {
        name: Rate(totals[name] / number, interval, totals[name], number, number, number, 0)
        for name, interval in zip(names, bounds, strict=True)
    }


def _mistakes_by_session(trials: Iterable[Trial], reading: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for trial in trials:
        for score in trial.scores:
            verdict = score.readings.get(reading) if score else None
            if verdict is not None and not verdict.correct:
                found.setdefault(trial.session_id, Counter())[verdict.mistake or "unclassified"] += 1
    return found
