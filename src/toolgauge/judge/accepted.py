"""Are the arguments of an annotated call right that says what else is right? The scoring `exact` alone asks.

Further values, arrays as sets, defaults, and values compared by meaning (docs/data-format.md#annotations); everything
that is not annotated so is compared by WildToolBench's rule (arguments.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from toolgauge.chat import Json
from toolgauge.data.meaning import Comparison, same_meaning
from toolgauge.data.record import child
from toolgauge.data.session import SET_LIMIT, Acceptance
from toolgauge.judge.alignment import align
from toolgauge.judge.arguments import (
    ArgumentFault,
    BadJson,
    compared_faults,
    differences,
    fault,
    join,
    keys_mismatch,
    misfits,
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


def accepted_faults(
    schema: Mapping[str, object] | None, predicted: object, gold: Mapping[str, object], acceptance: Acceptance
) -> Iterator[ArgumentFault]:
    """What is wrong, told against the annotated values; nothing where the arguments are right. schema: None where it is
    not asked."""
    if isinstance(predicted, BadJson) or not isinstance(predicted, dict):
        yield from compared_faults(predicted, gold)
        return
    if schema is not None:
        by_number = Comparison.NUMBER in acceptance.compare.values()
        yield from misfits(_with_whole_numbers(predicted) if by_number else predicted, schema)
    yield from _Rule(acceptance).faults(predicted, gold, "", "")


def count_accepted(predicted: object, gold: Mapping[str, object], acceptance: Acceptance) -> int:
    """How many of the annotated arguments are right, each by itself; to choose the nearest annotated call."""
    if not isinstance(predicted, dict):
        return 0
    rule = _Rule(acceptance)
    filled = acceptance.defaults_of.get("", {}) | predicted
    return sum(1 for key in gold if key in filled and not any(rule.faults(filled[key], gold[key], child("", key), key)))


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

    def faults(
        self, made: object, gold: object, pointer: str, path: str, alternatives: bool = True
    ) -> Iterator[ArgumentFault]:
        """alternatives: whether further values count; an accepted value stands as it is written, with none inside."""
        found = self._faults(made, gold, pointer, path, alternatives)
        first = next(found, None)
        others = self.accept.get(pointer, ()) if alternatives and first is not None else ()
        if first is None or any(not any(self._faults(made, other, pointer, path, False)) for other in others):
            return
        if others and not isinstance(gold, (dict, list)):
            yield fault(DialogueCode.NOT_ACCEPTED, path, Mistake.WRONG_VALUE, made=made, expected=gold)
        else:
            yield from chain((first,), found)

    def _faults(
        self, made: object, gold: object, pointer: str, path: str, alternatives: bool
    ) -> Iterator[ArgumentFault]:
        comparison = self.compare.get(pointer)
        if comparison is not None and comparison is not Comparison.SET:
            if not same_meaning(comparison, made, gold):
                yield fault(_DIFFERS[comparison], path, Mistake.WRONG_VALUE, made=made, expected=gold)
        elif isinstance(made, dict) and isinstance(gold, dict):
            yield from self._object_faults(made, gold, pointer, path, alternatives)
        elif isinstance(made, list) and isinstance(gold, list):
            if len(made) != len(gold):
                yield fault(DialogueCode.LENGTH_DIFFERS, path, Mistake.WRONG_VALUE, made=made, expected=gold, at=path)
            elif comparison is Comparison.SET and _can_be_paired(made, gold):
                yield from self._set_faults(made, gold, pointer, path, alternatives)
            else:
                for index, value in enumerate(gold):
                    place = f"{path}[{index}]"
                    yield from self.faults(made[index], value, child(pointer, index), place, alternatives)
        else:
            yield from differences(made, gold, path)

    def _object_faults(
        self, made: Json, gold: Json, pointer: str, path: str, alternatives: bool
    ) -> Iterator[ArgumentFault]:
        defaults = self.defaults.get(pointer, {})
        made, gold = {**made, **_lacking(made, defaults)}, {**gold, **_lacking(gold, defaults)}
        if made.keys() != gold.keys():
            yield keys_mismatch(made, gold, path)
        for key, value in gold.items():
            if key in made:
                yield from self.faults(made[key], value, child(pointer, key), join(path, key), alternatives)

    def _set_faults(
        self, made: list[object], gold: list[object], pointer: str, path: str, alternatives: bool
    ) -> Iterator[ArgumentFault]:
        """Each item against one of its own, as many right ones as there can be."""

        def item_faults(row: int, column: int) -> Iterator[ArgumentFault]:
            return self.faults(made[row], gold[column], child(pointer, column), f"{path}[{row}]", alternatives)

        def nearness(row: int, column: int) -> int:
            return _members_alike(made[row], gold[column])

        everyone = (1 << len(gold)) - 1
        columns = align([(everyone,)] * len(made), nearness, lambda row, column: not any(item_faults(row, column)))
        for row, column in enumerate(columns):
            if column is not None:
                yield from item_faults(row, column)


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
