"""Are the arguments of an annotated call right that says what else is right? The reading `exact` alone asks.

Further values, arrays as sets, defaults, and values compared by meaning (docs/data-format.md#annotations); everything
that is not annotated so is compared by WildToolBench's rule (arguments.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgauge.chat import Json
from toolgauge.data.acceptance import SET_LIMIT, Acceptance
from toolgauge.data.meaning import Comparison, same_meaning
from toolgauge.data.pointers import child
from toolgauge.judge.alignment import align
from toolgauge.judge.arguments import (
    ArgumentFault,
    BadJson,
    compare_arguments,
    difference,
    fault,
    join,
    keys_mismatch,
    misfit,
)
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode

MAX_PAIRED_TEXT = 1_000_000
"""Characters that are compared to pair the items of a set; where it would take more, their order counts. Each item is
compared with each, and texts come from models."""
_DIFFERS = {
    Comparison.TIME: DialogueCode.TIME_DIFFERS,
    Comparison.DATE: DialogueCode.DATE_DIFFERS,
    Comparison.DATETIME: DialogueCode.DATETIME_DIFFERS,
    Comparison.NUMBER: DialogueCode.NUMBER_DIFFERS,
}


def check_accepted(
    schema: Mapping[str, object] | None, predicted: object, gold: Mapping[str, object], acceptance: Acceptance
) -> ArgumentFault | None:
    """None where the arguments are right, else the fault that comes first, told against the annotated values.

    schema: None where it is not asked.
    """
    if isinstance(predicted, BadJson) or not isinstance(predicted, dict):
        return compare_arguments(predicted, gold)
    by_number = Comparison.NUMBER in acceptance.compare.values()
    fitted = _with_whole_numbers(predicted) if by_number else predicted
    return (misfit(fitted, schema) if schema is not None else None) or _Rule(acceptance).fault(predicted, gold, "", "")


def count_accepted(predicted: object, gold: Mapping[str, object], acceptance: Acceptance) -> int:
    """How many of the annotated arguments are right, each by itself; to choose the nearest annotated call."""
    if not isinstance(predicted, dict):
        return 0
    rule = _Rule(acceptance)
    filled = acceptance.defaults_of.get("", {}) | predicted
    return sum(1 for key in gold if key in filled and rule.fault(filled[key], gold[key], child("", key), key) is None)


def _with_whole_numbers(value: object) -> Any:
    """3.0 as 3, which JSON Schema takes for an integer and the published check does not."""
    if isinstance(value, dict):
        return {key: _with_whole_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _Rule:
    """Compares values with annotated ones. pointer: where in the annotated arguments; path: where in those made."""

    def __init__(self, acceptance: Acceptance) -> None:
        self.accept, self.compare = acceptance.accept, acceptance.compare
        self.defaults = acceptance.defaults_of

    def fault(
        self, made: object, gold: object, pointer: str, path: str, alternatives: bool = True
    ) -> ArgumentFault | None:
        """alternatives: whether further values count; an accepted value stands as it is written, with none inside."""
        found = self._fault(made, gold, pointer, path, alternatives)
        others = self.accept.get(pointer, ()) if alternatives and found is not None else ()
        if not others:
            return found
        if any(self._fault(made, other, pointer, path, False) is None for other in others):
            return None
        if isinstance(gold, (dict, list)):
            return found
        return fault(DialogueCode.NOT_ACCEPTED, path, Mistake.WRONG_VALUE)

    def _fault(self, made: object, gold: object, pointer: str, path: str, alternatives: bool) -> ArgumentFault | None:
        comparison = self.compare.get(pointer)
        if comparison is not None and comparison is not Comparison.SET:
            if same_meaning(comparison, made, gold):
                return None
            return fault(_DIFFERS[comparison], path, Mistake.WRONG_VALUE)
        if isinstance(made, dict) and isinstance(gold, dict):
            return self._object_fault(made, gold, pointer, path, alternatives)
        if isinstance(made, list) and isinstance(gold, list):
            if len(made) != len(gold):
                return fault(DialogueCode.LENGTH_DIFFERS, path, Mistake.WRONG_VALUE, at=path)
            if comparison is Comparison.SET and _can_be_paired(made, gold):
                return self._set_fault(made, gold, pointer, path, alternatives)
            return self._array_fault(made, gold, pointer, path, alternatives)
        return difference(made, gold, path)

    def _object_fault(
        self, made: Json, gold: Json, pointer: str, path: str, alternatives: bool
    ) -> ArgumentFault | None:
        defaults = self.defaults.get(pointer, {})
        made, gold = {**made, **_lacking(made, defaults)}, {**gold, **_lacking(gold, defaults)}
        if made.keys() != gold.keys():
            return keys_mismatch(sorted(gold.keys() - made.keys()), sorted(made.keys() - gold.keys()), path)
        for key, value in gold.items():
            found = self.fault(made[key], value, child(pointer, key), join(path, key), alternatives)
            if found is not None:
                return found
        return None

    def _array_fault(
        self, made: list[object], gold: list[object], pointer: str, path: str, alternatives: bool
    ) -> ArgumentFault | None:
        for index, value in enumerate(gold):
            found = self.fault(made[index], value, child(pointer, index), f"{path}[{index}]", alternatives)
            if found is not None:
                return found
        return None

    def _set_fault(
        self, made: list[object], gold: list[object], pointer: str, path: str, alternatives: bool
    ) -> ArgumentFault | None:
        """Each item against one of its own, as many right ones as there can be."""

        def item_fault(row: int, column: int) -> ArgumentFault | None:
            return self.fault(made[row], gold[column], child(pointer, column), f"{path}[{row}]", alternatives)

        def nearness(row: int, column: int) -> int:
            return _members_alike(made[row], gold[column])

        everyone = (1 << len(gold)) - 1
        columns = align([(everyone,)] * len(made), nearness, lambda row, column: item_fault(row, column) is None)
        told = (item_fault(row, column) for row, column in enumerate(columns) if column is not None)
        return next((found for found in told if found is not None), None)


def _can_be_paired(made: list[object], gold: list[object]) -> bool:
    """Whether comparing each item with each is bounded work."""
    return len(gold) <= SET_LIMIT and len(gold) * (len(repr(made)) + len(repr(gold))) <= MAX_PAIRED_TEXT


def _lacking(value: Mapping[str, object], defaults: Mapping[str, object]) -> dict[str, object]:
    return {key: default for key, default in defaults.items() if key not in value}


def _members_alike(made: object, gold: object) -> int:
    """For objects how many members are equal: which item a wrong one was meant to be."""
    if not (isinstance(made, dict) and isinstance(gold, dict)):
        return 0
    return sum(1 for key in gold if key in made and made[key] == gold[key])
