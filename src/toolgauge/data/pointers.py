"""JSON Pointers (RFC 6901): how a place inside a JSON value is written in annotations, such as `/stay/check_in`.

`argument_sources` has paths of another notation for the same places: `stay.check_in` is `/stay/check_in`,
`items[0].sku` is `/items/0/sku` (docs/data-format.md#places-in-arguments).
"""

from __future__ import annotations

import re
from typing import Any

Steps = tuple[str, ...]
"""A pointer taken apart: keys, and positions in arrays as they are written; () is the whole value."""

INDEX = re.compile("0|[1-9][0-9]{0,8}")
"""A position in an array, as a step."""
_ESCAPE = re.compile("~(?![01])")


def parse_pointer(text: str) -> Steps:
    """The steps of a pointer; raises ValueError for what is none."""
    if text and not text.startswith("/"):
        raise ValueError("a JSON Pointer must begin with /")
    if _ESCAPE.search(text):
        raise ValueError("in a JSON Pointer, write ~0 for ~ and ~1 for /")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def child(pointer: str, key: str | int) -> str:
    """The pointer of a member or item of what stands at a pointer."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def find(value: object, steps: Steps) -> Any:
    """What stands at a place; raises LookupError where there is nothing."""
    for step in steps:
        if isinstance(value, dict):
            value = value[step]
        elif isinstance(value, list) and INDEX.fullmatch(step):
            value = value[int(step)]
        else:
            raise LookupError(step)
    return value


def put(value: object, steps: Steps, new: object) -> Any:
    """A copy with another value at a place, which need not exist in its object; raises LookupError where its holder
    is missing."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        return {**value, step: put(value[step], rest, new) if rest else new}
    if isinstance(value, list) and INDEX.fullmatch(step):
        position = int(step)
        return [*value[:position], put(value[position], rest, new), *value[position + 1 :]]
    raise LookupError(step)
