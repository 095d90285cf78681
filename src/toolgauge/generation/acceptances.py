"""What else is right in a generated call, as far as its tool says so: defaults, sets, times, dates and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolgauge.data.meaning import Comparison, meaning
from toolgauge.data.record import child
from toolgauge.data.session import MAX_ENTRIES, SET_LIMIT, Acceptance

_FORMATS = {"time": Comparison.TIME, "date": Comparison.DATE, "date-time": Comparison.DATETIME}
_NUMBERS = ("number", "float")
DEEPEST = 16
"""Levels of a schema that are looked at."""


def acceptance_of(arguments: Mapping[str, object], schema: Mapping[str, object]) -> Acceptance | None:
    """What the schema of a tool's parameters makes right besides; None where it says nothing.

    `default` of an optional parameter, arrays with `uniqueItems`, texts with the `format` of a time or date, numbers.
    """
    compare = dict(list(_comparisons(arguments, schema))[:MAX_ENTRIES])
    sets = [f"{pointer}/" for pointer, word in compare.items() if word is Comparison.SET]
    nested = [p for p, word in compare.items() if word is Comparison.SET and any(p.startswith(one) for one in sets)]
    compare = {pointer: word for pointer, word in compare.items() if pointer not in nested}
    defaults = dict(list(_defaults(arguments, schema))[:MAX_ENTRIES])
    return Acceptance(compare=compare, defaults=defaults) if compare or defaults else None


def _comparisons(
    value: object, schema: object, pointer: str = "", depth: int = DEEPEST
) -> Iterator[tuple[str, Comparison]]:
    if not isinstance(schema, dict) or depth <= 0:
        return
    word = _FORMATS.get(str(schema.get("format"))) if isinstance(value, str) else None
    word = Comparison.NUMBER if schema.get("type") in _NUMBERS else word
    if word is not None and meaning(word, value) is not None:
        yield pointer, word
    if isinstance(value, dict):
        properties = schema.get("properties")
        for key, part in value.items():
            inner = properties.get(key) if isinstance(properties, dict) else None
            yield from _comparisons(part, inner, child(pointer, key), depth - 1)
    elif isinstance(value, list):
        if schema.get("uniqueItems") is True and 1 < len(value) <= SET_LIMIT:
            yield pointer, Comparison.SET
        for index, part in enumerate(value):
            yield from _comparisons(part, schema.get("items"), child(pointer, index), depth - 1)


def _defaults(value: object, schema: object, pointer: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, object]]:
    """Defaults of optional members; one that does not fit its own schema is none."""
    if not isinstance(schema, dict) or depth <= 0:
        return
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _defaults(part, schema.get("items"), child(pointer, index), depth - 1)
    properties, required = schema.get("properties"), schema.get("required")
    if not (isinstance(value, dict) and isinstance(properties, dict)):
        return
    for key, inner in properties.items():
        if not isinstance(inner, dict):
            continue
        optional = not (isinstance(required, list) and key in required)
        if optional and "default" in inner and _fits(inner["default"], inner):
            yield child(pointer, key), inner["default"]
        if key in value:
            yield from _defaults(value[key], inner, child(pointer, key), depth - 1)


def _fits(value: object, schema: Mapping[str, object]) -> bool:
    from toolgauge.data.validation import SchemaValidator

    outcome = SchemaValidator(schema, strict=True).check(value, most=1)
    return not (outcome.errors or outcome.undecided)
