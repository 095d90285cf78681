"""The released scoring of normal entries: the public scorer label for label, quirks included.

First the calls, then the type test of an argument, then the value test. Source: docs/acebench.md#normal-entries and
#types and #comparing-values there; keys such as Q10: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.data.entries import AceFunction, unnumbered
from toolgauge.benchmarks.acebench.decoder.decode import AceCall
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceCode,
    AceError,
    Answer,
    CallFault,
    ReferenceCrash,
    counted,
    differs,
    member,
    names,
)
from toolgauge.reasons import Reason, reason

PYTHON_TYPES: dict[str, type | None] = {
    "string": str,
    "any": str,
    "integer": int,
    "int": int,
    "number": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "objectArray": list,
    "list": list,
    "list(string)": list,
    "list(enum)": list,
    "object": dict,
    "dict": dict,
    "enum": None,
}
"""Types are compared exactly, `number` means a whole number, and no value is of the type that `enum` means."""
_WITH_INNER = frozenset({"array", "tuple", "objectArray", "list(string)", "list(enum)", "object"})
TRUTH = {"true": True, "false": False}
_DELETED = str.maketrans(dict.fromkeys(" ,./-_*^") | {"'": '"'})


def released_fault(functions: Sequence[AceFunction], answer: Answer, calls: Sequence[AceCall]) -> CallFault | None:
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


def _description(functions: Sequence[AceFunction], key: str) -> AceFunction:
    """The first candidate whose name occurs anywhere in the key (Q10)."""
    for function in functions:
        if function.name in key:
            return function
    why = reason(AceCode.NO_DESCRIPTION, name=names([key])[0])
    raise ReferenceCrash(CallFault(AceError.WRONG_FUNCTION_NAME, why))


def _key_fault(function: AceFunction, name: str, want: Any, calls: Sequence[AceCall]) -> CallFault | None:
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


def _call_fault(function: AceFunction, call: AceCall, want: Mapping[str, object]) -> CallFault | None:
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


class Declared:
    """A parameter's declared type. Raises ReferenceCrash for one that the reference does not know."""

    def __init__(self, schema: object) -> None:
        schema = schema if isinstance(schema, dict) else {}
        self.name = schema.get("type")
        self.kind = _python_type(self.name)
        self.has_inner = self.name in _WITH_INNER
        self.inner: type | None = None
        items = schema.get("items")
        if self.has_inner and isinstance(items, dict) and "type" in items:
            self.inner = _python_type(items["type"])
        elif self.has_inner and "enum" not in str(self.name):
            self.inner = str if "string" in str(self.name) else dict

    def prepare(self, value: object) -> object:
        """The value as the type test and the value test see it."""
        if self.name == "tuple" and type(value) is tuple:
            return list(value)
        if self.name == "float" and type(value) is int:
            return float(value)
        return value


def _python_type(name: object) -> type | None:
    if not isinstance(name, str) or name not in PYTHON_TYPES:
        raise ReferenceCrash(CallFault(AceError.TYPE_ERROR, reason(AceCode.UNKNOWN_TYPE, name=repr(name))))
    return PYTHON_TYPES[name]


def type_test(value: object, expected: object, declared: Declared) -> tuple[bool, bool]:
    """(passes, unchecked): whether the type is right, and whether the value is then left alone (Q05).

    value: prepared. The texts "true" and "false" count as booleans here (Q16).
    """
    if type(value) is str:
        value = TRUTH.get(value, value)
    kind, empty_text = declared.kind, isinstance(expected, str) and not expected
    unchecked = not empty_text and type(expected) is not kind
    if type(value) is kind:
        return not declared.has_inner or _inner_passes(value, expected, declared.inner), unchecked
    passes = not empty_text and (type(value) is type(expected) or value == expected)
    return passes, passes


def _inner_passes(value: Any, expected: Any, inner: type | None) -> bool:
    """Whether a list or object has members of the inner type; one expected member that is no list settles it.

    Nothing expected: never (Q13). An `array` without an item type is one of objects (Q14).
    """
    try:
        members = iter(expected)
    except TypeError:
        raise ReferenceCrash(CallFault(AceError.TYPE_ERROR, differs(value, expected))) from None
    for one in members:
        if not isinstance(one, list):
            return True
        if all(type(item) is inner or isinstance(item, list) or item == one for item in value):
            return True
    return False


def normalized(text: str) -> str:
    """The normal form N of a text: without blanks and ,./-_*^, in lower case, with double quotes for single ones."""
    return text.translate(_DELETED).lower()


def value_fault(given: Any, expected: Any, declared: Declared, path: str) -> CallFault | None:
    """None where the value passes. Whole numbers, floats and booleans are never compared (Q04)."""
    if declared.kind is dict:
        return object_fault(given, expected, path)
    if declared.kind is list:
        if declared.has_inner and declared.inner is dict:
            return _objects_fault(given, expected, declared, path)
        if [_loose(item) for item in given] == [_loose(item) for item in expected]:
            return None
        return CallFault(AceError.VALUE_LIST, differs(given, expected), path)
    if declared.kind is str and normalized(expected) not in normalized(given):
        return CallFault(AceError.VALUE_STRING, differs(given, expected), path)
    return None


def _loose(value: object) -> object:
    return normalized(value) if isinstance(value, str) else value


def _objects_fault(given: list[object], expected: list[object], declared: Declared, path: str) -> CallFault | None:
    counts = counted(AceCode.ELEMENT_NUMBER, given, expected)
    if declared.name == "objectArray":
        fault = CallFault(AceError.VALUE_DICT_ITEMS, counts, path)
        if len(given) == len(expected):
            raise ReferenceCrash(fault)
        return fault
    if len(given) != len(expected):
        return CallFault(AceError.VALUE_LIST_DICT_COUNT, counts, path)
    for position, (one, other) in enumerate(zip(given, expected, strict=True)):
        difference = object_fault(one, other, member(path, position))
        if difference is not None:
            return difference
    return None


def object_fault(given: object, expected: object, path: str) -> CallFault | None:
    """None where both have the same keys and every expected value's text occurs in the given one's (Q08)."""
    if not isinstance(given, dict):
        return CallFault(AceError.VALUE, differs(given, expected), path)
    if not isinstance(expected, dict):
        raise ReferenceCrash(CallFault(AceError.VALUE, differs(given, expected), path))
    if len(given) != len(expected):
        return CallFault(AceError.VALUE, counted(AceCode.KEY_NUMBER, given, expected), path)
    for key, value in given.items():
        place = member(path, key)
        if key not in expected:
            return CallFault(AceError.VALUE, Reason(AceCode.NOT_EXPECTED), place)
        if isinstance(value, str):
            value = TRUTH.get(value, value)  # noqa: PLW2901
        if isinstance(expected[key], dict):
            inner = object_fault(value, expected[key], place)
            if inner is not None:
                return inner
        elif str(_loose(expected[key])) not in str(_loose(value)):
            return CallFault(AceError.VALUE, differs(value, expected[key]), place)
    return None
