"""The tables of ACEBench in one scoring: categories, groups, overall, mistakes, error types (docs/acebench.md#tables).

What counts once is an entry, or a whole session of a multi-turn category: a pass through a session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from toolgauge.analysis.facet import Measure, accuracy
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.sheet import RateRow, Sheet, mean_row
from toolgauge.analysis.table import Mask, Plan, RunTable
from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, GROUPS, AceCategory, AceDataset, AceEntry
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.judge.causes import OTHERWISE
from toolgauge.judge.verdict import Score, Verdict

WEIGHTS = {"normal": 0.578, "special": 0.2676, "agent": 0.1545}
"""Weights of the groups in the overall value (docs/acebench.md#tables)."""
FORMULA = "overall = " + " + ".join(f"{weight} * {group}" for group, weight in WEIGHTS.items())

SINGLE_TURN = ("normal_single_turn_single_function", "normal_single_turn_parallel_function")
PROCESS, DETECTION = "_process", "_detection"
"""Suffixes of rows beside a category's own: the process score; whether it was noticed that something is wrong."""


def ace_table(dataset: AceDataset, scores: Iterable[Score], requested: Iterable[str] | None) -> RunTable:
    """A run as a table. Entries that stand alone are sessions of their own."""
    sessions: dict[str, list[tuple[str, AceEntry]]] = {}
    for entry in dataset.entries:
        sessions.setdefault(entry.session_id, []).append((entry.id, entry))
    plan = Plan(dataset.name, list(sessions.values()), lambda entry: entry.kind.name)
    return RunTable(plan, scores, requested)


def process(verdict: Verdict) -> tuple[float, float]:
    """The process score of an agent entry."""
    return verdict.process if isinstance(verdict.process, float | int) else verdict.correct, 1


def detected(verdict: Verdict) -> tuple[float, float]:
    """Of a special entry: it was noticed that something is wrong, whether or not it was named rightly, or the reply is
    unfinished."""
    return (verdict.parameters or {}).get(OTHERWISE, verdict.mistake) != AceError.DETECTION, 1


def measures_of(category: AceCategory) -> dict[str, tuple[Measure, bool]]:
    """What is measured of a category: the suffix of the row's name -> of what the mean is taken over the entries of a
    session, and whether all of them must be hits for it to count."""
    if category.multi_turn:
        return {"": (accuracy, True), PROCESS: (accuracy, False)}
    if category.group == "special":
        return {"": (accuracy, True), DETECTION: (detected, False)}
    return {"": (accuracy, True), PROCESS: (process, False)} if category.group == "agent" else {"": (accuracy, True)}


def unit_scores(sheet: Sheet, measure: Measure, whole: bool) -> Floats:
    """What each pass through a session scores, from 0 to 1."""
    return sheet.units.perfect.astype(float) if whole else sheet.unit_means(measure)


def members_of(sheet: Sheet, category: str) -> Mask:
    """The passes through sessions of a category."""
    return np.array([sheet.table.kinds[start] == category for start in sheet.table.unit_starts], dtype=bool)


def _with(group: str, suffix: str) -> tuple[str, ...]:
    return tuple(f"{name}{suffix}" for name in GROUPS[group])


GROUP_MEMBERS: dict[str, tuple[str, ...]] = {
    "normal": GROUPS["normal"],
    "atom": GROUPS["atom"],
    "single_turn": SINGLE_TURN,
    "multi_turn": GROUPS["multi_turn"],
    "multi_turn_process": _with("multi_turn", PROCESS),
    "special": GROUPS["special"],
    "special_detection": _with("special", DETECTION),
    "agent": GROUPS["agent"],
    "agent_process": _with("agent", PROCESS),
}
"""The rows of the categories table whose plain mean a group is. `normal` is the mean of twelve, not of sub-means."""


def ace_rows(sheet: Sheet) -> Iterator[RateRow]:
    """Every table of a run in a scoring."""
    categories = list(_categories(sheet))
    named = {row.name: row for row in categories}
    groups = {group: _group(group, [named[name] for name in members]) for group, members in GROUP_MEMBERS.items()}
    yield _overall("overall", "overall", groups.__getitem__)
    yield from groups.values()
    yield from categories
    known = [error.value for error in AceError]
    yield from sheet.shares("mistakes", known, sheet.mistakes, sheet.wrong)
    yield from sheet.shares("error_types", known, sheet.counted, sheet.wrong)
    yield from _passes(sheet)


def _categories(sheet: Sheet) -> Iterator[RateRow]:
    for name, category in CATEGORIES.items():
        own = members_of(sheet, name)
        for suffix, (measure, whole) in measures_of(category).items():
            scores = unit_scores(sheet, measure, whole)
            yield sheet.sessions("categories", f"{name}{suffix}", scores, of=own, of_right=whole)


def _group(name: str, rows: Sequence[RateRow]) -> RateRow:
    return mean_row("groups", name, [(1 / len(rows), row) for row in rows])


def _overall(table: str, name: str, group: Callable[[str], RateRow]) -> RateRow:
    return mean_row(table, name, [(weight, group(own)) for own, weight in WEIGHTS.items()])


def _passes(sheet: Sheet) -> Iterator[RateRow]:
    """Several passes over the same entries and sessions, and over all, weighted as the overall value is."""
    yield from sheet.pass_rows("task")
    yield from sheet.pass_rows("session")
    names = [name for group in WEIGHTS for name in GROUP_MEMBERS[group]]
    own = {
        name: {row.name: row._replace(name=name) for row in sheet.pass_rows("session", members_of(sheet, name))}
        for name in names
    }
    for row in own[names[0]]:
        groups = {group: _group(group, [own[name][row] for name in GROUP_MEMBERS[group]]) for group in WEIGHTS}
        yield _overall("passes", row.replace("session", "overall"), groups.__getitem__)


PLACES = 3
_SUMMARIES = ("atom", "single_turn", "multi_turn", "normal", "special", "agent")

SUMMARY_COLUMNS: dict[str, str] = {
    "bool": "normal_atom_bool",
    "enum": "normal_atom_enum",
    "number": "normal_atom_number",
    "list": "normal_atom_list",
    "object_short": "normal_atom_object_short",
    "object_deep": "normal_atom_object_deep",
    "atom": "atom",
    "single function": "normal_single_turn_single_function",
    "parallel function": "normal_single_turn_parallel_function",
    "single_turn": "single_turn",
    "switch": "normal_multi_turn_user_switch",
    "adjust": "normal_multi_turn_user_adjust",
    "multi_turn": "multi_turn",
    "similar_api": "normal_similar_api",
    "preference": "normal_preference",
    "normal": "normal",
    "incomplete": "special_incomplete",
    "error": "special_error_param",
    "irrelevant": "special_irrelevant",
    "special": "special",
    "agent multi-turn": "agent_multi_turn",
    "agent multi-turn process": "agent_multi_turn_process",
    "agent multi-step": "agent_multi_step",
    "agent multi-step process": "agent_multi_step_process",
    "agent": "agent",
    "overall": "overall",
}
"""The original's columns behind the model's name -> rows of ours; its exchange of two columns (Q19) is not made."""


_PLACE = {row: place for place, row in enumerate(SUMMARY_COLUMNS.values())}


def published(sheet: Sheet) -> dict[str, float | None]:
    """Every number that the original prints: categories, summaries, overall; None where something is missing."""
    values: dict[str, float | None] = {}
    for name, category in CATEGORIES.items():
        scored = members_of(sheet, name) & sheet.units.complete
        for suffix, (measure, whole) in measures_of(category).items():
            if suffix != DETECTION:
                scores = unit_scores(sheet, measure, whole)[scored].tolist()
                values[f"{name}{suffix}"] = _category_value(category, scores)
    for group in _SUMMARIES:  # added up in the order of the sheet: it can decide about a tie
        members = sorted(GROUP_MEMBERS[group], key=_PLACE.__getitem__)
        values[group] = _rounded(_mean([values[row] for row in members]))
    values["overall"] = _printed_overall(values)
    return values


def _category_value(category: AceCategory, scores: Sequence[float]) -> float | None:
    """The mean of the sessions that are scored whole; special categories keep all digits."""
    mean = _mean([round(score, PLACES) if category.multi_turn else score for score in scores])
    return mean if category.group == "special" else _rounded(mean)


def _printed_overall(values: Mapping[str, float | None]) -> float | None:
    total = 0.0
    for group, weight in WEIGHTS.items():
        value = values[group]
        if value is None:
            return None
        total += weight * value
    return round(total, PLACES)


def _mean(values: Sequence[float | None]) -> float | None:
    """The sum, number by number, over the count; None where one is missing, or all are."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)
