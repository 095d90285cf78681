"""Places in JSON values, as mapping files name them.

    path   = steps *( " | " steps )       the first that is there
    steps  = "." / [ name ] *( "." name / "[" number "]" / "[*]" / "[" JSON text "]" )

`turns[*].parts[0].text` are the texts of the first part of every turn; `.` is the value itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

_STEP = re.compile(r'\.?([^\W\d][\w-]*)|\[(\*|-?\d{1,6})\]|\[("(?:[^"\\]|\\.)*")\]')
_EVERY = "*"


class Place:
    """A path. alternatives: the steps of each: a `_Key` for a field, a number for an element, `_EVERY` for all."""

    def __init__(self, alternatives: tuple[tuple[str | int, ...], ...]) -> None:
        self.alternatives = alternatives

    def all(self, value: object) -> list[object]:
        """What is there: of the first alternative that is."""
        for steps in self.alternatives:
            found = [value]
            for step in steps:
                found = [part for one in found for part in _inside(one, step)]
            if found:
                return found
        return []

    def first(self, value: object) -> object:
        """The first that is there and is not null; None where nothing is."""
        return next((one for one in self.all(value) if one is not None), None)


class _Key(str):
    """A key, also one that is called `*`."""

    __slots__ = ()


def read_place(text: str) -> Place:
    """A path. Raises ValueError where it is none."""
    return Place(tuple(_steps(part.strip()) for part in text.split(" | ")))


def _steps(text: str) -> tuple[str | int, ...]:
    if text == ".":
        return ()
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None or (at == 0 and found[0].startswith(".")) or (at and found[1] and found[0][0] != "."):
            raise ValueError(text)
        name, place, key = found.groups()
        steps.append(_Key(name or json.loads(key)) if place is None else place if place == _EVERY else int(place))
        at = found.end()
    if not steps:
        raise ValueError(text)
    return tuple(steps)


def _inside(value: object, step: str | int) -> Iterable[object]:
    if isinstance(step, _Key):
        return [value[step]] if isinstance(value, Mapping) and step in value else []
    if not isinstance(value, list):
        return []
    if step == _EVERY:
        return value
    place = int(step)
    return [value[place]] if -len(value) <= place < len(value) else []
