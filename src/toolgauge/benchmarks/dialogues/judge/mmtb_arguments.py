"""MMTB's argument rule: a call has a score from 0 to 1 and is right from 0.7 on (docs/rules.md#mmtbs-rule).

The rule is the released evaluator's. Where that one raises (M1 of docs/rules.md#defect-by-defect), the call scores 0
with a fault that says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from toolgauge.judge.arguments import ArgumentFault, BadJson, fault, join
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.similarity import comparable, rouge_l, segment

PASS_MARK = 0.7
"""A call at or above this score is right."""

_SEVERITY = {
    mistake: rank
    for rank, mistake in enumerate(
        (
            Mistake.BAD_JSON,
            Mistake.MISSING_REQUIRED,
            Mistake.UNDEFINED_PARAM,
            Mistake.WRONG_TYPE,
            Mistake.EXTRA_VALUE,
            Mistake.WRONG_VALUE,
            Mistake.MISSING_VALUE,
        )
    )
}
"""Which of a call's faults names its class (docs/rules.md#mmtbs-rule)."""

_EXACT_TYPES = frozenset({"integer", "boolean", "float", "number"})
"""Types whose values are equal or wrong, nothing between."""
_COORDINATES = re.compile(r"^\d+\.\d+,\d+\.\d+$")


class _NoRule(Exception):
    """Two unequal values of a type that their schema does not name: the released evaluator raises, the call fails."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class CallScore(Struct, frozen=True):
    """score: 0 to 1; faults: everything that was noted, also in a call that passes, in the order of the prediction."""

    score: float
    faults: tuple[ArgumentFault, ...] = ()


def check_lenient(schema: Mapping[str, object], predicted: object, gold: Mapping[str, object]) -> ArgumentFault | None:
    """None where the call passes, else the gravest of its faults."""
    return leading_fault(score_arguments(schema, predicted, gold))


def leading_fault(judged: CallScore) -> ArgumentFault | None:
    """None for a score that passes, else the gravest fault, which names the task's class."""
    if judged.score >= PASS_MARK:
        return None
    return min(judged.faults, key=lambda found: _SEVERITY[found.mistake])


def score_arguments(schema: Mapping[str, object], predicted: object, gold: Mapping[str, object]) -> CallScore:
    """The score of a call against one annotated call, and what is wrong with it.

    schema: the tool's parameters as they are sent; predicted: what `read_arguments` gave. A score below PASS_MARK
    always comes with a fault.
    """
    if isinstance(predicted, BadJson):
        return _refused(DialogueCode.SCORED_NOT_JSON, "", Mistake.BAD_JSON)
    if not isinstance(predicted, dict):
        return _refused(DialogueCode.SCORED_TYPE, "", Mistake.WRONG_TYPE)
    schema, gold = _mapping(schema), _mapping(gold)
    required = schema.get("required")
    for key in required if isinstance(required, list) else ():
        if isinstance(key, str) and key not in predicted:
            return _refused(DialogueCode.SCORED_REQUIRED, key, Mistake.MISSING_REQUIRED)
    if not predicted:
        return (
            _refused(DialogueCode.SCORED_NO_ARGUMENTS, next(iter(gold)), Mistake.MISSING_VALUE)
            if gold
            else CallScore(1.0)
        )
    properties = _mapping(schema.get("properties"))
    faults: list[ArgumentFault] = []
    try:
        scores = [_argument_score(key, predicted[key], gold, properties, faults) for key in predicted]
    except _NoRule as unjudged:
        return _refused(DialogueCode.SCORED_VALUE, unjudged.path, Mistake.WRONG_VALUE)
    return CallScore(_mean(scores), tuple(faults))


def _refused(code: DialogueCode, path: str, mistake: Mistake) -> CallScore:
    return CallScore(0.0, (fault(code, path, mistake),))


def _argument_score(
    key: str, value: object, gold: Mapping[str, object], properties: Mapping[str, object], faults: list[ArgumentFault]
) -> float:
    if key not in properties:
        faults.append(fault(DialogueCode.SCORED_UNDEFINED, key, Mistake.UNDEFINED_PARAM))
        return 0.0
    if key in gold:
        return _value_score(value, gold[key], _mapping(properties[key]), key, faults)
    return _unasked_score(value, properties[key], key, faults)


def _unasked_score(value: object, schema: object, path: str, faults: list[ArgumentFault]) -> float:
    """A value that the annotation does not give is right if the parameter's description mentions it."""
    if _is_mentioned(value, _mapping(schema).get("description")):
        return 1.0
    faults.append(fault(DialogueCode.SCORED_NOT_GIVEN, path, Mistake.EXTRA_VALUE))
    return 0.0


def _is_mentioned(value: object, description: object) -> bool:
    text = description.lower() if isinstance(description, str) else ""
    try:
        written = str(value).lower()
    except ValueError:  # an integer of thousands of digits
        return False
    return written in text or (written == "none" and "null" in text)


def _value_score(value: Any, gold: Any, schema: Mapping[str, object], path: str, faults: list[ArgumentFault]) -> float:
    """The score of one value; equal values are right whatever the schema says of them."""
    value, gold = _as_float(value), _as_float(gold)
    if type(value) is not type(gold):
        faults.append(fault(DialogueCode.SCORED_TYPE, path, Mistake.WRONG_TYPE))
        return 0.0
    if value == gold or (isinstance(value, str) and _same_but_case(value, gold)):
        return 1.0
    if isinstance(value, dict):
        return _object_score(value, gold, schema, path, faults)
    kind = schema.get("type")
    score = 0.0
    if kind == "array" and isinstance(value, list):
        if len(value) == len(gold):
            return _array_score(value, gold, schema, path, faults)
    elif kind == "string" and isinstance(value, str):
        score = _text_score(value, gold)
    elif not (isinstance(kind, str) and kind in _EXACT_TYPES):
        raise _NoRule(path)
    if score <= PASS_MARK:
        faults.append(fault(DialogueCode.SCORED_VALUE, path, Mistake.WRONG_VALUE))
    return score


def _text_score(text: str, gold: str) -> float:
    """Two coordinates are alike whatever they are; other texts as far as their words agree."""
    if _COORDINATES.match(text) and _COORDINATES.match(gold):
        return 1.0
    return rouge_l(segment(gold), segment(text)) if comparable(text, gold) else 0.0


def _same_but_case(text: str, gold: str) -> bool:
    return text.lower() == gold.lower() or "".join(text.split()).lower() == "".join(gold.split()).lower()


def _object_score(
    value: Mapping[str, object],
    gold: Mapping[str, object],
    schema: Mapping[str, object],
    path: str,
    faults: list[ArgumentFault],
) -> float:
    """Mean over the predicted members; an unknown one makes the whole object worthless and its only fault."""
    members = _members(schema)
    found: list[ArgumentFault] = []
    scores: list[float] = []
    for key, member in value.items():
        place = join(path, key)
        if key not in members:
            faults.append(fault(DialogueCode.SCORED_UNDEFINED, place, Mistake.UNDEFINED_PARAM))
            return 0.0
        if key in gold:
            scores.append(_value_score(member, gold[key], _mapping(members[key]), place, found))
        else:
            scores.append(_unasked_score(member, members[key], place, found))
    if not scores:
        found.append(fault(DialogueCode.SCORED_VALUE, path, Mistake.WRONG_VALUE))
    faults += found
    return _mean(scores)


def _members(schema: Mapping[str, object]) -> dict[str, object]:
    """Where an object's members are described: under `items` or `properties`, or in the schema itself.

    That order, and the second look for `properties`, are the released evaluator's; its data write lists of objects
    as objects with `items`, and `_array_score` hands down the members themselves.
    """
    inner = _mapping(schema.get("items", schema.get("properties", schema)))
    return _mapping(inner.get("properties", inner))


def _array_score(
    value: list[object], gold: list[object], schema: Mapping[str, object], path: str, faults: list[ArgumentFault]
) -> float:
    """Mean over the elements, both sides in the order of their JSON texts: the order sent does not count."""
    items = _mapping(schema.get("items", {"type": "string"}))
    items = _mapping(items.get("properties", items))
    order = sorted(range(len(value)), key=lambda index: _json_text(value[index]))
    pairs = zip(order, sorted(gold, key=_json_text), strict=True)
    return _mean([_value_score(value[index], other, items, f"{path}[{index}]", faults) for index, other in pairs])


def _json_text(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except ValueError:  # an integer of thousands of digits
        return ""


def _as_float(value: object) -> object:
    if type(value) is not int:
        return value
    try:
        return float(value)
    except OverflowError:
        return value


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _mean(scores: list[float]) -> float:
    """Plain additions: `sum` rounds otherwise from Python 3.12 on, and the last digit can decide at 0.7."""
    total = 0.0
    for score in scores:
        total += score
    return total / len(scores) if scores else 0.0
