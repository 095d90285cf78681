"""The rule of `exact`: are the arguments of a call what was annotated?

Numbers are equal by value. Texts are equal, or alike by WildToolBench's measure and then the same in every number,
date, negation, operator and identifier. An annotation may say what else is right (docs/files.md#annotations):
further values, arrays as sets, defaults, and how a value is compared. Source: docs/rules.md#arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from msgspec.json import encode as to_json

from toolgauge.chat import Json
from toolgauge.data.meaning import Comparison, same_meaning
from toolgauge.data.record import child
from toolgauge.data.session import SET_LIMIT, Acceptance, Call
from toolgauge.judge.alignment import align
from toolgauge.judge.arguments import (
    ArgumentFault,
    Faults,
    fault,
    join,
    keys_fault,
    schema_faults,
    unreadable_faults,
)
from toolgauge.judge.literals import disagreement
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.similarity import same_but_spacing, unlike
from toolgauge.reasons import Parameter, ReasonCode

MAX_PAIRED_TEXT = 1_000_000
"""Characters that are compared to pair the items of a set; where it would take more, their order counts. Each item is
compared with each, and texts come from models."""

_NOTHING = Acceptance()
_BY_MEANING = {
    Comparison.TIME: DialogueCode.TIME_DIFFERS,
    Comparison.DATE: DialogueCode.DATE_DIFFERS,
    Comparison.DATETIME: DialogueCode.DATETIME_DIFFERS,
    Comparison.NUMBER: DialogueCode.NUMBER_DIFFERS,
}
_LITERALS = {
    "negations": DialogueCode.NEGATION_DIFFERS,
    "identifiers": DialogueCode.IDENTIFIER_DIFFERS,
    "operators": DialogueCode.OPERATOR_DIFFERS,
    "code": DialogueCode.IDENTIFIER_DIFFERS,
}


def exact_faults(schema: Mapping[str, object], predicted: object, call: Call) -> Faults:
    """What does not fit the tool's schema, then what is not as annotated. The `ArgumentRule` of `exact`."""
    if not isinstance(predicted, dict):
        yield from unreadable_faults(predicted)
        return
    misfits = schema_faults(_whole_numbers(predicted), schema)
    first = next(misfits, None)
    if first is not None and not _is_gold_misjudged(schema, call):
        yield from chain((first,), misfits)
    yield from _Comparer(call.acceptance or _NOTHING).faults(predicted, call.arguments, "", "")


def count_right(predicted: object, call: Call) -> int:
    """How many of the annotated arguments are right, each by itself; to choose the nearest annotated call."""
    if not isinstance(predicted, dict):
        return 0
    acceptance, gold = call.acceptance or _NOTHING, call.arguments
    comparer, arguments = _Comparer(acceptance), acceptance.defaults_of.get("", {}) | predicted
    return sum(
        key in arguments and not any(comparer.faults(arguments[key], gold[key], child("", key), key)) for key in gold
    )


def _is_gold_misjudged(schema: Mapping[str, object], call: Call) -> bool:
    """Whether the check of the schema refuses the annotated arguments themselves and JSON Schema admits them: the check
    knows no `oneOf`, `const` or free objects, and then a prediction is only compared (docs/rules.md, Q9)."""
    if not any(schema_faults(call.arguments, schema)):
        return False
    from toolgauge.data.validation import argument_validator

    validator = argument_validator(to_json(schema), strict=False)
    return validator is None or not validator.check(call.arguments, most=1).errors


def _whole_numbers(value: object) -> Any:
    """3.0 as 3, which JSON Schema takes for an integer and the check does not."""
    if isinstance(value, dict):
        return {key: _whole_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(made: object, gold: object) -> bool:
    """Letter for letter; numbers by value, and no boolean is a number."""
    if isinstance(made, dict) and isinstance(gold, dict):
        return made.keys() == gold.keys() and all(_equal(made[key], gold[key]) for key in gold)
    if isinstance(made, list) and isinstance(gold, list):
        return len(made) == len(gold) and all(map(_equal, made, gold))
    return made == gold and (type(made) is type(gold) or (_is_number(made) and _is_number(gold)))


def _text_fault(made: str, gold: str, path: str, *, by_wording: bool) -> ArgumentFault | None:
    """by_wording: similarity alone decides."""
    if made == gold or same_but_spacing(made, gold):
        return None
    values: dict[str, Any] = {"made": made, "expected": gold}
    if (difference := unlike(made, gold)) is not None:
        return _wrong_value(difference.code, path, score=difference.score, **values)
    if by_wording or (differing := disagreement(made, gold)) is None:
        return None
    code = _LITERALS.get(differing.kind, DialogueCode.LITERAL_DIFFERS)
    words: dict[str, Parameter] = {"here": ", ".join(differing.made), "there": ", ".join(differing.expected)}
    return _wrong_value(code, path, **values, **words)


def _wrong_value(code: ReasonCode, path: str, **values: Any) -> ArgumentFault:
    return fault(code, path, Mistake.WRONG_VALUE, **values)


class _Comparer:
    """Compares values with annotated ones. pointer: where in the annotated arguments; path: where in those made."""

    def __init__(self, acceptance: Acceptance) -> None:
        self.accept, self.compare, self.defaults = acceptance.accept, acceptance.compare, acceptance.defaults_of

    def faults(self, made: object, gold: object, pointer: str, path: str, alternatives: bool = True) -> Faults:
        """alternatives: whether further values count; an accepted value stands as it is written, with none inside."""
        faults = self._faults(made, gold, pointer, path, alternatives)
        first = next(faults, None)
        others = self.accept.get(pointer, ()) if alternatives and first is not None else ()
        if first is None or any(not any(self._faults(made, other, pointer, path, False)) for other in others):
            return
        if others and not isinstance(gold, (dict, list)):
            yield _wrong_value(DialogueCode.NOT_ACCEPTED, path, made=made, expected=gold)
        else:
            yield from chain((first,), faults)

    def _faults(self, made: Any, gold: Any, pointer: str, path: str, alternatives: bool) -> Faults:
        comparison = self.compare.get(pointer)
        if comparison is Comparison.ANY:
            return
        values: dict[str, Any] = {"made": made, "expected": gold}
        if comparison in _BY_MEANING:
            if not same_meaning(comparison, made, gold):
                yield _wrong_value(_BY_MEANING[comparison], path, **values)
        elif comparison is Comparison.EQUAL or (_is_number(made) and _is_number(gold)):
            if not _equal(made, gold):
                yield _wrong_value(DialogueCode.VALUE_DIFFERS, path, **values)
        elif type(made) is not type(gold):
            yield fault(DialogueCode.TYPE_DIFFERS, path, Mistake.WRONG_TYPE, **values)
        elif isinstance(gold, dict):
            yield from self._object_faults(made, gold, pointer, path, alternatives)
        elif isinstance(gold, list):
            yield from self._array_faults(made, gold, pointer, path, alternatives)
        elif isinstance(gold, str):
            difference = _text_fault(made, gold, path, by_wording=comparison is Comparison.TEXT)
            yield from () if difference is None else (difference,)
        elif made != gold:
            yield _wrong_value(DialogueCode.VALUE_DIFFERS, path, **values)

    def _object_faults(self, made: Json, gold: Json, pointer: str, path: str, alternatives: bool) -> Faults:
        defaults = self.defaults.get(pointer, {})
        made, gold = {**defaults, **made}, {**gold, **{key: defaults[key] for key in defaults if key not in gold}}
        if made.keys() != gold.keys():
            yield keys_fault(made, gold, path)
        for key, value in gold.items():
            if key in made:
                yield from self.faults(made[key], value, child(pointer, key), join(path, key), alternatives)

    def _array_faults(
        self, made: list[object], gold: list[object], pointer: str, path: str, alternatives: bool
    ) -> Faults:
        """In order, or as a set: each item against one of its own, as many right ones as there can be."""
        if len(made) != len(gold):
            yield _wrong_value(DialogueCode.LENGTH_DIFFERS, path, made=made, expected=gold)
            return

        def item_faults(row: int, column: int) -> Faults:
            return self.faults(made[row], gold[column], child(pointer, column), f"{path}[{row}]", alternatives)

        def members_alike(row: int, column: int) -> int:
            """Which item a wrong object was meant to be."""
            one, other = made[row], gold[column]
            if not (isinstance(one, dict) and isinstance(other, dict)):
                return 0
            return sum(key in one and one[key] == other[key] for key in other)

        columns: list[int | None] = list(range(len(gold)))
        if self.compare.get(pointer) is Comparison.SET and _can_be_paired(made, gold):
            everyone = ((1 << len(gold)) - 1,)
            columns = align(
                [everyone] * len(made), members_alike, lambda row, column: not any(item_faults(row, column))
            )
        for row, column in enumerate(columns):
            if column is not None:
                yield from item_faults(row, column)


def _can_be_paired(made: list[object], gold: list[object]) -> bool:
    """Whether comparing each item with each is bounded work."""
    return len(gold) <= SET_LIMIT and len(gold) * (len(repr(made)) + len(repr(gold))) <= MAX_PAIRED_TEXT
