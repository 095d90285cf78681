"""Values that nobody checked: what a call may do with them, and how they look in JSON.

Environments do not check types, as the public ones do not; an operation that a value does not support makes the call
`Impossible`, which is an outcome of the call and the only exception that is ever raised here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from toolgauge.benchmarks.acebench.environments.words import BilingualText

T = TypeVar("T")

MAX_DEPTH, MAX_PARTS = 80, 20_000
"""An argument may be nested this deep and consist of this many values."""
MAX_BITS = 1_000
"""Whole numbers beyond this size are not reckoned with: they would not fit beside a decimal number."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class Impossible(Exception):
    """A call cannot be carried out with the values that it was given; the words say why."""

    def __init__(self, words: BilingualText, **gaps: object) -> None:
        super().__init__(words.en)
        self.words, self.gaps = words, gaps


class Defect(Impossible):
    """The published environment breaks here, however right the call was."""


def copied(value: object) -> Any:
    """A copy of an argument; Impossible if it is nested too deeply, too large or no plain data."""
    return _copy(value, MAX_DEPTH, [MAX_PARTS])


def _copy(value: Any, depth: int, room: list[int]) -> Any:
    room[0] -= 1
    if depth < 0 or room[0] < 0:
        raise Impossible(BilingualText("an argument is nested too deeply or too large", "参数嵌套过深或过大"))
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        return {key: _copy(item, depth - 1, room) for key, item in value.items()}
    if kind is list:
        return [_copy(item, depth - 1, room) for item in value]
    if kind is tuple:
        return tuple(_copy(item, depth - 1, room) for item in value)
    raise Impossible(BilingualText("an argument is no plain value", "参数不是普通的值"))


def find(table: Mapping[Any, T], key: object) -> T | None:
    """The entry under a key, None if there is none; Impossible if the value cannot be a key (a list)."""
    try:
        return table.get(key)
    except TypeError:
        raise Impossible(BilingualText("a list or an object cannot be a name", "列表或对象不能作为名称")) from None


def number(value: object) -> int | float:
    """The value as something to reckon with; Impossible otherwise. True and False count as 1 and 0."""
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= MAX_BITS):
        return value
    raise Impossible(BilingualText("a value that must be a number is none", "应为数字的值不是数字"))


def lowered(value: object) -> str:
    """A text for a comparison that ignores case; Impossible for anything else."""
    if isinstance(value, str):
        return value.lower()
    raise Impossible(BilingualText("a value that must be a text is none", "应为文本的值不是文本"))


def members(value: object) -> Iterable[Any]:
    """What a list, tuple, text or the keys of a dictionary hold; Impossible for anything else."""
    if isinstance(value, (list, tuple, dict, str, bytes)):
        return value
    raise Impossible(BilingualText("a value that must be a list is none", "应为列表的值不是列表"))


def as_json(value: object) -> Any:
    """A value as JSON can hold it: keys are texts, tuples lists; what JSON has no form for becomes its text."""
    if isinstance(value, dict):
        return {_key(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 64 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return repr(value)


def _key(key: object) -> str:
    plain = as_json(key)
    return plain if isinstance(plain, str) else json.dumps(plain)
