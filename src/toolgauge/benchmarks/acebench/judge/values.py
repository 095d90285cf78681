"""The released value test: strings by containment, lists, objects, lists of objects.

Source: docs/acebench.md#comparing-values; keys such as Q04: docs/acebench.md#scorings.
"""

from __future__ import annotations

from typing import Any

from toolgauge.benchmarks.acebench.judge.reasons import AceCode
from toolgauge.benchmarks.acebench.judge.types import TRUTH, Declared
from toolgauge.benchmarks.acebench.judge.verdict import AceError, CallFault, ReferenceCrash, counted, differs, member
from toolgauge.reasons import Reason

_DELETED = str.maketrans(dict.fromkeys(" ,./-_*^") | {"'": '"'})


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
