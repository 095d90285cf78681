"""The exact scoring of normal entries: what the benchmark means, its scorer's defects removed.

Source: the column `exact` of docs/acebench.md#scorings, which explains keys such as Q04.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.entries import AceFunction, called_name
from toolgauge.benchmarks.acebench.decoder.decode import AceCall
from toolgauge.benchmarks.acebench.judge.released import PYTHON_TYPES, TRUTH, count_fault, names_fault, normalized
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceCode,
    AceError,
    Answer,
    CallFault,
    counted,
    differs,
    member,
)
from toolgauge.judge.alignment import align
from toolgauge.reasons import Reason, reason


def exact_fault(functions: Sequence[AceFunction], answer: Answer, calls: Sequence[AceCall]) -> CallFault | None:
    """None where the calls are the answer, in any order, each expected call met by a call of its own (Q11)."""
    if len(calls) != len(answer):
        return count_fault(calls, answer)
    schemas = {function.name: function.parameters for function in functions}
    keys = [(called_name(key, schemas), want) for key, want in answer.items()]
    fault = names_fault(calls, [name for name, _ in keys])
    if fault is not None:
        return fault
    for name in dict.fromkeys(name for name, _ in keys):
        wanted = [want for other, want in keys if other == name]
        fault = _group_fault(schemas.get(name, {}), wanted, [call for call in calls if call.name == name])
        if fault is not None:
            return replace(fault, function=name)
    return None


def _group_fault(schema: Mapping[str, object], wanted: Sequence[Any], calls: Sequence[AceCall]) -> CallFault | None:
    """None where calls and expectations of one function pair up, as many as each other."""
    faults = [[call_fault(schema, want, call) for call in calls] for want in wanted]
    everyone = (1 << len(calls)) - 1
    places = align(
        [(everyone,)] * len(wanted),
        lambda row, place: sum(  # the nearest call, whose fault is told (Q12)
            key in calls[place].arguments and not any(differences(calls[place].arguments[key], value))
            for key, value in wanted[row].items()
        ),
        lambda row, place: faults[row][place] is None,
    )
    told = (row[place] for row, place in zip(faults, places, strict=True) if place is not None)
    return next((fault for fault in told if fault is not None), None)


def call_fault(schema: Mapping[str, Any], want: Mapping[str, object], call: AceCall) -> CallFault | None:
    """None where a call meets an expected set of arguments, else the fault that comes first."""
    return next(call_faults(schema, want, call), None)


def call_faults(schema: Mapping[str, Any], want: Mapping[str, object], call: AceCall) -> Iterator[CallFault]:
    """One call against one expected set of arguments: all of them, no others, equal values (Q04 to Q08, Q13, Q22).

    What the schema requires besides can only be an annotation's gap: giving it or not is both right. Leaving out what
    is annotated as null is giving null.
    """
    given = call.arguments
    for key, value in want.items():
        if key not in given and value is not None:
            yield CallFault(AceError.LACK_ARGS, Reason(AceCode.NOT_GIVEN), member("", key), expected=value)
    if call.positional:
        yield CallFault(AceError.ADDITION_ARGS, reason(AceCode.UNNAMED_ARGUMENTS, count=call.positional))
    properties, required = schema.get("properties", {}), schema.get("required", ())
    for key, value in given.items():
        path = member("", key)
        if key in want:
            faults = differences(value, want[key], path)
            if _fits(value, properties.get(key)):
                yield from faults
            elif fault := next(faults, None):
                yield CallFault(AceError.TYPE_ERROR, fault.why, path, given=value, expected=want[key])
        elif key not in required:
            code = AceCode.NOT_EXPECTED if key in properties else AceCode.NO_PARAMETER
            yield CallFault(AceError.ADDITION_ARGS, Reason(code), path, given=value)


def differences(given: object, expected: object, path: str = "") -> Iterator[CallFault]:
    """Nothing where two values mean the same: numbers by value, texts by N, lists in order (a tuple is a list, Q15).

    `true` and `false` written as words are the booleans where booleans are expected, and text where text is (Q16).
    """
    if isinstance(expected, dict):
        yield from _object_differences(given, expected, path)
    elif isinstance(expected, list):
        yield from _list_differences(given, expected, path)
    elif isinstance(expected, str):
        yield from _text_difference(given, expected, path)
    else:
        value = TRUTH.get(given, given) if isinstance(expected, bool) and isinstance(given, str) else given
        if isinstance(value, bool) != isinstance(expected, bool) or value != expected:
            yield _fault(AceError.VALUE, value, expected, path)


def _fault(error: AceError, given: object, expected: object, path: str, code: AceCode = AceCode.DIFFERS) -> CallFault:
    return CallFault(error, differs(given, expected, code), path, given=given, expected=expected)


def _text_difference(given: object, expected: str, path: str) -> Iterator[CallFault]:
    if not isinstance(given, str):
        yield _fault(AceError.VALUE_STRING, given, expected, path)
        return
    one, other = normalized(given), normalized(expected)
    if one != other:
        code = AceCode.CONTAINS if other in one else AceCode.DIFFERS  # the released rule accepts the former (Q07)
        yield _fault(AceError.VALUE_STRING, given, expected, path, code)


def _list_differences(given: object, expected: list[object], path: str) -> Iterator[CallFault]:
    if not isinstance(given, list | tuple):
        yield _fault(AceError.VALUE_LIST, given, expected, path)
    elif len(given) != len(expected):
        objects = bool(expected) and all(isinstance(item, dict) for item in expected)
        error = AceError.VALUE_LIST_DICT_COUNT if objects else AceError.VALUE_LIST
        why = counted(AceCode.ELEMENT_NUMBER, given, expected)
        yield CallFault(error, why, path, given=given, expected=expected)
    else:
        for position, (one, other) in enumerate(zip(given, expected, strict=True)):
            for fault in differences(one, other, member(path, position)):
                yield fault if isinstance(other, dict) else replace(fault, error=AceError.VALUE_LIST)


def _object_differences(given: object, expected: dict[str, object], path: str) -> Iterator[CallFault]:
    if not isinstance(given, dict):
        yield _fault(AceError.VALUE, given, expected, path)
        return
    for key, value in expected.items():
        if key not in given:
            yield CallFault(AceError.VALUE, Reason(AceCode.NOT_GIVEN), member(path, key), expected=value)
    for key, value in given.items():
        place = member(path, key)
        if key not in expected:
            yield CallFault(AceError.VALUE, Reason(AceCode.NOT_EXPECTED), place, given=value)
        else:
            for fault in differences(value, expected[key], place):
                yield replace(fault, error=AceError.VALUE)


def _fits(value: object, schema: object) -> bool:
    """Whether a wrong value is at least of the declared type; unknown types fit everything."""
    kind = PYTHON_TYPES.get(str(schema.get("type"))) if isinstance(schema, dict) else None
    if kind is None:
        return True
    if kind is list:
        return isinstance(value, list | tuple)
    if kind is bool and isinstance(value, str):
        return value in TRUTH
    if kind in (int, float) and not isinstance(value, bool):
        return isinstance(value, float | int)
    return type(value) is kind
