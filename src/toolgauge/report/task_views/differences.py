"""Expected against actual, path by path: what a diff of arguments or of states shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from msgspec import Struct

from toolgauge.data.lines import as_json
from toolgauge.judge.arguments import join

MAX_ROWS, MAX_DEPTH, MAX_TEXT = 300, 30, 4000
"""Of one diff: its rows, its depth (what lies deeper is compared whole), and the characters of a value."""

State = Literal["same", "different", "missing", "extra"]


class DifferenceRow(Struct, frozen=True, omit_defaults=True):
    """One line of a diff. path: as the judges write it (`key`, `a.b`, `a[0]`); values: as JSON text, cut at MAX_TEXT.

    missing: expected and not there; extra: there and not expected.
    """

    path: str
    state: State
    expected: str | None = None
    actual: str | None = None


def differences(expected: object, actual: object) -> tuple[DifferenceRow, ...]:
    """The rows of two values, in the order of the expected one, extra members behind theirs.

    Top-level members stand in rows of their own; below, what is equal is one row. Values are equal if their JSON is:
    `1` and `1.0` differ, `true` and `1` too; tuples count as lists.
    """
    return tuple(islice(_rows(expected, actual, "", 0), MAX_ROWS))


def _rows(expected: object, actual: object, path: str, depth: int) -> Iterator[DifferenceRow]:
    if depth and _is_same(expected, actual):
        text = value_text(expected)
        yield DifferenceRow(path, "same", text, text if isinstance(expected, str) else value_text(actual))
    elif isinstance(expected, dict) and isinstance(actual, dict) and depth < MAX_DEPTH:
        yield from _members(expected, actual, path, depth)
    elif _is_list(expected) and _is_list(actual) and depth < MAX_DEPTH:
        yield from _elements(expected, actual, path, depth)
    else:
        state: State = "same" if _is_same(expected, actual) else "different"
        yield DifferenceRow(path, state, value_text(expected), value_text(actual))


def _members(
    expected: dict[object, object], actual: dict[object, object], path: str, depth: int
) -> Iterator[DifferenceRow]:
    for key, value in expected.items():
        place = join(path, str(key))
        if key in actual:
            yield from _rows(value, actual[key], place, depth + 1)
        else:
            yield DifferenceRow(place, "missing", expected=value_text(value))
    for key, value in actual.items():
        if key not in expected:
            yield DifferenceRow(join(path, str(key)), "extra", actual=value_text(value))


def _elements(expected: Any, actual: Any, path: str, depth: int) -> Iterator[DifferenceRow]:
    for index in range(max(len(expected), len(actual))):
        place = f"{path}[{index}]"
        if index >= len(actual):
            yield DifferenceRow(place, "missing", expected=value_text(expected[index]))
        elif index >= len(expected):
            yield DifferenceRow(place, "extra", actual=value_text(actual[index]))
        else:
            yield from _rows(expected[index], actual[index], place, depth + 1)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_same(expected: object, actual: object) -> bool:
    if isinstance(expected, str) and isinstance(actual, str):
        return expected == actual  # most arguments are texts
    return _text(expected) == _text(actual)


def _text(value: object) -> str:
    return as_json(_sorted(value, 0))


def _sorted(value: Any, depth: int) -> Any:
    """Objects with their members in order, so that equal ones have equal texts."""
    if depth > 4 * MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {str(key): _sorted(value[key], depth + 1) for key in sorted(value, key=str)}
    return [_sorted(item, depth + 1) for item in value] if _is_list(value) else value


def value_text(value: object) -> str:
    """A value as JSON text, of bounded length."""
    text = as_json(value)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
