"""The numbers as the original prints them: rounded to three decimals at every stage.

The difference from the unrounded tables is in the third decimal. A group that lacks a category has no number, where
the original would count 0 for it (Q33). Source: docs/acebench.md#tables; keys: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolgauge.analysis.table import Sheet
from toolgauge.benchmarks.acebench.data import CATEGORIES, AceCategory
from toolgauge.benchmarks.acebench.numbers.tables import (
    DETECTION,
    GROUP_MEMBERS,
    WEIGHTS,
    measures_of,
    members_of,
    unit_scores,
)

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
    values["overall"] = _overall(values)
    return values


def _category_value(category: AceCategory, scores: Sequence[float]) -> float | None:
    """The mean of the sessions that are scored whole; special categories keep all digits."""
    mean = _mean([round(score, PLACES) if category.multi_turn else score for score in scores])
    return mean if category.group == "special" else _rounded(mean)


def _overall(values: Mapping[str, float | None]) -> float | None:
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
