"""Annotations that say what they mean: what an annotated call takes besides its arguments, what a reply must mention.

They stand in data of one's own, in WildToolBench's format (docs/data-format.md#annotations), and only the scoring
`exact` looks at them. Public data have none.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from toolgauge.data.meaning import Comparison
from toolgauge.data.pointers import parse_pointer

MAX_ENTRIES = 100
"""Places, values or facts of one field at most."""
SET_LIMIT = 50
"""Items of a set at most; longer arrays are compared item by item, in their order."""

Fact = tuple[str | int | float, ...]
"""A fact that a reply must mention: texts and numbers, any one of which will do."""


class Acceptance(Struct, frozen=True, omit_defaults=True, dict=True):
    """What a call takes besides its annotated arguments; keys are JSON Pointers into these.

    accept: further values. compare: by what values are compared. defaults: what the tool takes where an argument is
    not given, so that giving that value and leaving it out are the same.
    """

    accept: dict[str, tuple[object, ...]] = {}
    compare: dict[str, Comparison] = {}
    defaults: dict[str, object] = {}

    @cached_property
    def defaults_of(self) -> dict[str, dict[str, object]]:
        """The defaults by the pointer of the object that they are members of."""
        grouped: dict[str, dict[str, object]] = {}
        for pointer, value in self.defaults.items():
            grouped.setdefault(pointer.rpartition("/")[0], {})[parse_pointer(pointer)[-1]] = value
        return grouped
