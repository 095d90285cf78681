"""The released scoring of normal entries: the public scorer label for label, quirks included.

Source: docs/acebench.md#normal-entries; keys such as Q10: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.data.keys import unnumbered
from toolgauge.benchmarks.acebench.decoder.decode import AceCall
from toolgauge.benchmarks.acebench.judge.reasons import AceCode
from toolgauge.benchmarks.acebench.judge.types import Declared, type_test
from toolgauge.benchmarks.acebench.judge.values import value_fault
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceError,
    Answer,
    CallFault,
    CandidateFunction,
    ReferenceCrash,
    counted,
    member,
    names,
)
from toolgauge.reasons import Reason, reason


def released_fault(
    functions: Sequence[CandidateFunction], answer: Answer, calls: Sequence[AceCall]
) -> CallFault | None:
    """None where the calls are the answer, in any order. Raises ReferenceCrash."""
    if len(calls) != len(answer):
        return count_fault(calls, answer)
    keys = {key: unnumbered(key) for key in answer}
    fault = names_fault(calls, list(keys.values()))
    if fault is not None:
        return fault
    for key, name in keys.items():
        fault = _key_fault(_description(functions, key), name, answer[key], calls)
        if fault is not None:
            return fault
    return None


def count_fault(calls: Sequence[AceCall], answer: Answer) -> CallFault:
    return CallFault(AceError.WRONG_FUNCTIONS_NUMBER, counted(AceCode.CALL_NUMBER, calls, answer))


def names_fault(calls: Sequence[AceCall], expected: Sequence[str]) -> CallFault | None:
    """The three ways in which called and expected names can differ, in the reference's order."""
    called = [call.name for call in calls]
    foreign = [name for name in called if name not in expected]
    if foreign:
        why = reason(AceCode.UNEXPECTED_CALLS, names=names(foreign))
        return CallFault(AceError.FUNCTION_MISMATCH, why, function=foreign[0])
    missing = [name for name in expected if name not in called]
    if missing:
        why = reason(AceCode.MISSING_CALLS, names=names(missing))
        return CallFault(AceError.FUNCTION_MISMATCH, why, function=missing[0])
    if Counter(called) != Counter(expected):
        return CallFault(AceError.FUNCTION_MISMATCH, Reason(AceCode.CALLS_PER_FUNCTION))
    return None


def _description(functions: Sequence[CandidateFunction], key: str) -> CandidateFunction:
    """The first candidate whose name occurs anywhere in the key (Q10)."""
    for function in functions:
        if function.name in key:
            return function
    why = reason(AceCode.NO_DESCRIPTION, name=names([key])[0])
    raise ReferenceCrash(CallFault(AceError.WRONG_FUNCTION_NAME, why))


def _key_fault(function: CandidateFunction, name: str, want: Any, calls: Sequence[AceCall]) -> CallFault | None:
    """None where any call passes, calls not used up (Q11), else the fault of the last one looked at (Q12)."""
    fault = CallFault(AceError.UNCLEAR, Reason(AceCode.OTHER_FUNCTION), function=name)
    for call in calls:
        if call.name != name:
            why = reason(AceCode.NAMED_OTHER_FUNCTION, name=names([call.name])[0])
            fault = CallFault(AceError.UNCLEAR, why, function=name)
            continue
        found = _call_fault(function, call, want)
        if found is None:
            return None
        fault = CallFault(found.error, found.why, found.path, name)
    return fault


def _call_fault(function: CandidateFunction, call: AceCall, want: Mapping[str, object]) -> CallFault | None:
    """One call against one expected set of arguments (4.4)."""
    given, schema = call.arguments, function.parameters
    if not given and not schema:
        return None
    if not given or not schema:
        return CallFault(AceError.WRONG_PARAM, Reason(AceCode.ARGUMENTS_MISSING if schema else AceCode.NO_PARAMETERS))
    properties = schema.get("properties", {})
    if want == properties:
        return None
    if not want:
        return CallFault(AceError.WRONG_PARAM, Reason(AceCode.ARGUMENTS_EXTRA))
    if function.name != call.name:
        return CallFault(AceError.WRONG_FUNCTION_NAME, reason(AceCode.OTHER_DESCRIPTION, name=function.name))
    for required in schema.get("required", ()):
        if required not in given:
            return CallFault(AceError.LACK_ARGS, Reason(AceCode.REQUIRED_MISSING), member("", required))
    for key, value in given.items():
        fault = _argument_fault(key, value, properties, want)
        if fault is not None:
            return fault
    return None


def _argument_fault(
    key: str, value: object, properties: Mapping[str, object], want: Mapping[str, object]
) -> CallFault | None:
    path = member("", key)
    if key not in properties:
        return CallFault(AceError.ADDITION_ARGS, Reason(AceCode.NO_PARAMETER), path)
    if key not in want:
        return CallFault(AceError.ADDITION_ARGS, Reason(AceCode.NOT_EXPECTED), path)
    declared = Declared(properties[key])
    value = declared.prepare(value)
    passes, unchecked = type_test(value, want[key], declared)
    if not passes:
        why = reason(AceCode.OTHER_TYPE, given=type(value).__name__, declared=str(declared.name))
        return CallFault(AceError.TYPE_ERROR, why, path)
    return None if unchecked else value_fault(value, want[key], declared, path)
