"""Things in results, known by their ids, and whether what is told of one accords with what was told before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.annotation.grounding.values import folded, words
from toolgauge.data.toolnames import name_words

_ID_WORDS = frozenset({"id", "uuid", "isbn", "sku", "symbol", "iban", "no"})
_NO_IDS = frozenset({"phone", "mobile", "fax", "house", "page", "line", "total"})
_LASTING = frozenset(
    {"name", "title", "year", "date", "price", "author", "artist", "director", "carrier", "brand", "address", "phone"}
    | {"email", "birthday", "category", "publisher", "airline"}
)
"""Facts that stay the same while nobody writes. Not so a status, a stock, a balance, a temperature."""
_DEEPEST = 8
_LONG = 60
"""Characters of a text that may be worded anew."""


class Thing(NamedTuple):
    """place: of what list ("hotels"), "" of the one thing a result is about; key: "hotel_id"; value: the id; facts."""

    place: str
    key: str
    value: str
    facts: dict[str, object]

    @property
    def id(self) -> tuple[str, str]:
        """By which it is known, whatever the case and the blanks."""
        return self.key, folded(self.value)


def is_id(name: str) -> bool:
    """Is it a field for ids, by its name? An invoice number is one, a page's or a phone's is none."""
    parts = name_words(name)
    is_number = parts[1:] == ["number"] and parts[0] not in _NO_IDS
    return bool(parts) and (parts[-1] in _ID_WORDS or is_number)


def things_in(response: object, place: str = "", depth: int = _DEEPEST) -> Iterator[Thing]:
    """The things in a result: objects with exactly one id of their own."""
    if depth and isinstance(response, dict):
        ids = [(key, value) for key, value in response.items() if is_id(key) and isinstance(value, str | int)]
        if len(ids) == 1 and _tells(*ids[0]):
            ((key, value),) = ids
            facts: dict[str, object] = {name: response[name] for name in response if name in _LASTING}
            yield Thing(place, key, str(value), facts)
        for name, part in response.items():
            yield from things_in(part, name if isinstance(part, list) else place, depth - 1)
    elif depth and isinstance(response, list):
        for part in response:
            yield from things_in(part, place or "[]", depth - 1)


def _tells(key: str, value: object) -> bool:
    """Does an id say what it is of? A bare `id` of a digit or two may be anything's."""
    text = str(value)
    return key.lower() != "id" or (len(text) > 3 and any(map(str.isdigit, text)) and any(map(str.isalpha, text)))


def contradiction(told: Thing, before: Thing) -> tuple[str, object, object] | None:
    """(fact, now, before) that differs between two accounts of one thing (of the same id); None where they accord."""
    if told.place and before.place and told.place != before.place:
        return None
    for name in sorted(told.facts.keys() & before.facts.keys()):
        now, then = told.facts[name], before.facts[name]
        if isinstance(now, str | int | float) and isinstance(then, str | int | float) and _differ(now, then):
            return name, now, then
    return None


_NUMBER = re.compile(r"[^\d.,-]*(\d+(?:\.\d+)?)[^\d]*")


def _differ(now: object, before: object) -> bool:
    """Surely another value: of texts no word is the same, of numbers and of what has digits not these."""
    one, other = str(now), str(before)
    if max(len(one), len(other)) > _LONG or folded(one) in folded(other) or folded(other) in folded(one):
        return False
    if (a := _NUMBER.fullmatch(one)) and (b := _NUMBER.fullmatch(other)):
        return float(a[1]) != float(b[1])
    if one.isascii() is not other.isascii():
        return False
    return not set(words(one)) & set(words(other))
