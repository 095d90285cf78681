"""The released reading of normal entries: the public scorer label for label, quirks included.

Source: docs/acebench.md#normal-entries; keys such as Q10: docs/acebench.md#readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.data.keys import unnumbered
from toolgauge.benchmarks.acebench.judge.types import Declared, type_test
from toolgauge.benchmarks.acebench.judge.values import value_fault
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceError,
    Answer,
    CallFault,
    CandidateFunction,
    ReferenceCrash,
    member,
    names,
)
from toolgauge.models.dialects.ace import AceCall


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
    return CallFault(AceError.WRONG_FUNCTIONS_NUMBER, f"{len(calls)} calls given, {len(answer)} expected")


def names_fault(calls: Sequence[AceCall], expected: Sequence[str]) -> CallFault | None:
    """The three ways in which called and expected names can differ, in the reference's order."""
    called = [call.name for call in calls]
    foreign = [name for name in called if name not in expected]
    if foreign:
        return CallFault(AceError.FUNCTION_MISMATCH, f"called but not expected: {names(foreign)}", function=foreign[0])
    missing = [name for name in expected if name not in called]
    if missing:
        return CallFault(AceError.FUNCTION_MISMATCH, f"expected but not called: {names(missing)}", function=missing[0])
    if Counter(called) != Counter(expected):
        return CallFault(AceError.FUNCTION_MISMATCH, "a function is called too often, another too rarely")
    return None


def _description(functions: Sequence[CandidateFunction], key: str) -> CandidateFunction:
    """The first candidate whose name occurs anywhere in the key (Q10)."""
    for function in functions:
        if function.name in key:
            return function
    raise ReferenceCrash(CallFault(AceError.WRONG_FUNCTION_NAME, f"no function is described for {names([key])}"))


def _key_fault(function: CandidateFunction, name: str, want: Any, calls: Sequence[AceCall]) -> CallFault | None:
    """None where any call passes, calls not used up (Q11), else the fault of the last one looked at (Q12)."""
    fault = CallFault(AceError.UNCLEAR, "another function is called", function=name)
    for call in calls:
        if call.name != name:
            fault = CallFault(AceError.UNCLEAR, f"{names([call.name])} is another function", function=name)
            continue
        found = _call_fault(function, call, want)
        if found is None:
            return None
        fault = CallFault(found.error, found.detail, found.path, name)
    return fault


def _call_fault(function: CandidateFunction, call: AceCall, want: Mapping[str, Any]) -> CallFault | None:
    """One call against one expected set of arguments (4.4)."""
    given, schema = call.arguments, function.parameters
    if not given and not schema:
        return None
    if not given or not schema:
        return CallFault(AceError.WRONG_PARAM, "no arguments are given" if schema else "the function has no parameters")
    properties = schema.get("properties", {})
    if want == properties:
        return None
    if not want:
        return CallFault(AceError.WRONG_PARAM, "no arguments are expected")
    if function.name != call.name:
        return CallFault(AceError.WRONG_FUNCTION_NAME, f"the description found is that of {function.name}")
    for required in schema.get("required", ()):
        if required not in given:
            return CallFault(AceError.LACK_ARGS, "required but not given", member("", required))
    for key, value in given.items():
        fault = _argument_fault(key, value, properties, want)
        if fault is not None:
            return fault
    return None


def _argument_fault(key: str, value: Any, properties: Mapping[str, Any], want: Mapping[str, Any]) -> CallFault | None:
    path = member("", key)
    if key not in properties:
        return CallFault(AceError.ADDITION_ARGS, "not a parameter of the function", path)
    if key not in want:
        return CallFault(AceError.ADDITION_ARGS, "not expected", path)
    declared = Declared(properties[key])
    value = declared.prepare(value)
    passes, unchecked = type_test(value, want[key], declared)
    if not passes:
        return CallFault(AceError.TYPE_ERROR, f"{type(value).__name__} given, {declared.name} declared", path)
    return None if unchecked else value_fault(value, want[key], declared, path)
