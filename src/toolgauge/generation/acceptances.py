"""What else is right in a generated call: as its tool's schema says (defaults, sets, times, dates, numbers), and by the
judge's word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from toolgauge.data.meaning import Comparison, meaning
from toolgauge.data.record import child
from toolgauge.data.session import MAX_ENTRIES, SET_LIMIT, Acceptance
from toolgauge.generation.checks import misfits
from toolgauge.generation.dialogue import ArgumentVerdict
from toolgauge.generation.literal import Part, argument_parts

_FORMATS = {"time": Comparison.TIME, "date": Comparison.DATE, "date-time": Comparison.DATETIME}
_BY_MEANING = frozenset({Comparison.NUMBER, *_FORMATS.values()})
MOST_ACCEPTED = 8
"""Other values of one argument that a judge takes as well."""


def acceptance_of(
    arguments: Mapping[str, object], schema: Mapping[str, object], rulings: Iterable[ArgumentVerdict] = ()
) -> Acceptance | None:
    """What is right besides; None where neither schema nor judge says anything.

    By the schema: `default` of an optional parameter, arrays with `uniqueItems`, texts with the `format` of a time or
    date, numbers. rulings: the judge's, on values of these arguments.
    """
    parts = list(argument_parts(arguments, schema))
    compare: dict[str, Comparison] = {}
    for part in parts:
        word = _comparison(part)
        nested = word is Comparison.SET and any(part.pointer.startswith(f"{one}/") for one in _sets(compare))
        if word is not None and not nested and len(compare) < MAX_ENTRIES:
            compare[part.pointer] = word
    defaults = dict(islice((pair for part in parts for pair in _defaults(part)), MAX_ENTRIES))
    accept: dict[str, tuple[Any, ...]] = {}
    by_path = {part.path: part for part in parts if not isinstance(part.value, dict | list)}
    for ruled in rulings:
        if ruled.path not in by_path:
            continue
        part = by_path[ruled.path]
        others = _fitting(ruled.accept, part, compare.get(part.pointer))
        if others and sum(map(len, accept.values())) + len(others) <= MAX_ENTRIES:
            accept[part.pointer] = others
        if ruled.compare == "text" and isinstance(part.value, str) and all(isinstance(one, str) for one in others):
            compare.setdefault(part.pointer, Comparison.TEXT)
        if ruled.compare == "any":
            compare[part.pointer] = Comparison.ANY
    return Acceptance(accept=accept, compare=compare, defaults=defaults) if accept or compare or defaults else None


def _sets(compare: Mapping[str, Comparison]) -> Iterator[str]:
    return (pointer for pointer, word in compare.items() if word is Comparison.SET)


def _comparison(part: Part) -> Comparison | None:
    """How a value is compared, as its schema says."""
    value, schema = part.value, part.schema
    if isinstance(value, list):
        is_set = schema.get("uniqueItems") is True and 1 < len(value) <= SET_LIMIT
        return Comparison.SET if is_set else None
    word = _FORMATS.get(str(schema.get("format"))) if isinstance(value, str) else None
    word = Comparison.NUMBER if schema.get("type") in ("number", "float") else word
    return word if word is not None and meaning(word, value) is not None else None


def _defaults(part: Part) -> Iterator[tuple[str, object]]:
    """Defaults of an object's optional members, by their pointers; one that does not fit its own schema is none."""
    properties, required = part.schema.get("properties"), part.schema.get("required")
    for key, inner in properties.items() if isinstance(part.value, dict) and isinstance(properties, dict) else ():
        is_optional = not (isinstance(required, list) and key in required)
        if (
            is_optional
            and isinstance(inner, dict)
            and "default" in inner
            and not any(_misfits(inner["default"], inner))
        ):
            yield child(part.pointer, key), inner["default"]


def _fitting(values: Sequence[Any], part: Part, comparison: Comparison | None) -> tuple[Any, ...]:
    """Of the values that a judge takes as well, those that an annotation can hold: other ones, which fit the schema."""
    found = [one for one in values if one != part.value and not any(_misfits(one, part.schema))]
    if comparison in _BY_MEANING:
        found = [one for one in found if meaning(comparison, one) is not None]
    return tuple(found[:MOST_ACCEPTED])


def _misfits(value: object, schema: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    return misfits({"type": "object", "properties": {"value": schema}}, {"value": value})
