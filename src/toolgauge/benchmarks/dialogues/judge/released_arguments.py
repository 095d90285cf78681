"""WildToolBench's argument rule as its public evaluator has it: a check against the schema, then a comparison.

Values and error texts are the evaluator's: docs/rules.md#wildtoolbenchs-rule. The rule of `exact` repairs it
(judge/values.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgauge.data.session import Call
from toolgauge.judge.arguments import Faults, fault, join, keys_fault, schema_faults, unreadable_faults
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.similarity import same_but_spacing, unlike


def released_faults(schema: Mapping[str, object], predicted: object, call: Call) -> Faults:
    """What does not fit the schema, then what is not as annotated. An `ArgumentRule`."""
    if isinstance(predicted, dict):
        yield from schema_faults(predicted, schema)
        yield from differences(predicted, call.arguments, "")
    else:
        yield from unreadable_faults(predicted)


def differences(predicted: Any, gold: Any, path: str) -> Faults:
    """Where a value is not the annotated one, in the order of the annotation.

    `200` and `200.0` differ, `true` and `1` too (Q2).
    """
    values = {"made": predicted, "expected": gold}
    if type(predicted) is not type(gold):
        yield fault(DialogueCode.TYPE_DIFFERS, path, Mistake.WRONG_TYPE, **values)
    elif isinstance(gold, str):
        if predicted != gold and not same_but_spacing(predicted, gold) and (unlikeness := unlike(predicted, gold)):
            yield fault(unlikeness.code, path, Mistake.WRONG_VALUE, score=unlikeness.score, **values)
    elif isinstance(gold, dict):
        if predicted.keys() != gold.keys():
            yield keys_fault(predicted, gold, path)
        for key, value in gold.items():
            if key in predicted:
                yield from differences(predicted[key], value, join(path, key))
    elif isinstance(gold, list):
        if len(predicted) != len(gold):
            yield fault(DialogueCode.LENGTH_DIFFERS, path, Mistake.WRONG_VALUE, **values)
            return
        for index, value in enumerate(gold):
            yield from differences(predicted[index], value, f"{path}[{index}]")
    elif predicted != gold:
        yield fault(DialogueCode.VALUE_DIFFERS, path, Mistake.WRONG_VALUE, **values)
