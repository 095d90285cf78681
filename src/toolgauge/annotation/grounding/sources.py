"""Where each value of a call comes from, as `argument_sources` of a record says it (docs/data-format.md).

Beyond what stands there word for word, values may be derived: dates from the clock, numbers from words, other units and
counts (derivations.py), texts put together from several places. Such sources carry a `reading`. What only knowledge of
the world or of the tool explains (truth values, members of an enumeration, defaults, codes, coordinates, translations)
is `knowledge` with a `note`: nothing was checked there. A value without any source was invented.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolgauge.annotation.grounding.context import Context, ContextItem, ValueSource, is_plain
from toolgauge.annotation.grounding.dates import Means, moved, point_of, spans_in
from toolgauge.annotation.grounding.derivation_kinds import COUNTED_FROM, COUNTED_TIME, TIME_OF_DAY
from toolgauge.annotation.grounding.derivations import derived_number
from toolgauge.annotation.grounding.times import part_of_day
from toolgauge.annotation.grounding.values import DEEPEST, alike, folded, quote_of, words
from toolgauge.data.record import step
from toolgauge.languages import has_han

KNOWLEDGE = "knowledge"
FEW_WORDS, SHORT_SHARE, FREE_SHARE = 4, 0.5, 0.3
"""The shares of a text's words that must be in the context: of fewer words than FEW_WORDS, and of more."""
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?|[A-Z]{4}")
_PLACE = re.compile(
    r"(?:^|[_\-.])(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng|coord(?:inate)?s?|altitude|utc_?offset|time_?zone)$"
    r"|经度|纬度|坐标"
)
"""Names of parameters that say where a place lies."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COORDINATES = re.compile(r"[-+\d.,;°'\" NSEW]+|[A-Z][A-Za-z_]+/[A-Za-z_]+")
_NONE = re.compile(r"\b(?:no|none|not|without|zero|free|never|nothing)\b|n't\b|不|没|无|免|零", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'’]+")
"""A capital letter inside a sentence: a name."""
_ZONE = re.compile(r"[A-Z][A-Za-z_]+/[A-Z][A-Za-z_]+|UTC[+-]?\d*|GMT[+-]?\d*")

Source = ValueSource | None


def typed_leaves(
    value: object, schema: object, path: str = "", name: str = "", depth: int = DEEPEST
) -> Iterator[tuple[str, str, object, dict[str, object]]]:
    """(path, name of the nearest property, value, schema) of every scalar of a call's arguments."""
    known = schema if isinstance(schema, dict) else {}
    if depth <= 0:
        return
    if isinstance(value, dict):
        properties = known.get("properties")
        for key, part in value.items():
            below = properties.get(key) if isinstance(properties, dict) else None
            yield from typed_leaves(part, below, f"{path}{step(key)}".lstrip("."), key, depth - 1)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from typed_leaves(part, known.get("items"), f"{path}[{index}]", name, depth - 1)
    else:
        yield path, name, value, known


def sources_of(
    arguments: Mapping[str, object], schema: Mapping[str, object], context: Context, language: str
) -> dict[str, list[ValueSource]]:
    """Per path of an argument its sources, the likeliest first; paths without any are left out."""
    found: dict[str, list[ValueSource]] = {}
    for path, name, value, known in typed_leaves(arguments, schema):
        sources = [*_literal(value, context)] or [*_derived(value, name, known, context, language)][:1]
        if (
            sources[:1]
            and sources[0].origin == "result"
            and (meant := _date_or_time(value, context))
            and meant.quote is not None
        ):
            sources = [meant, *sources]  # a day that the user spoke of, whatever results say of it
        if sources:
            found[path] = sources
    return found


def _literal(value: object, context: Context) -> Iterator[ValueSource]:
    """Where the value stands as it is: with the user (the latest), in a result (the first), else with the agent."""
    if not is_plain(value):
        return
    said = next((source for one in context.said if (source := _spoken(value, one))), None)
    result = next((source for one in context.results if (source := _in_result(value, one))), None)
    if said:
        yield said
    if result:
        yield result
    if not said and not result:
        yield from [source for one in context.agent if (source := _spoken(value, one))][:1]


def _spoken(value: Any, one: ContextItem) -> Source:
    if isinstance(value, int | float):
        quote = one.quantities.get(value)  # an integer is equal to its float, and one too large for a float to none
        return one.source(quote) if quote else None
    quote = quote_of(value, one.text) if folded(value) in one.folded else None
    if quote is None and _is_number(value):
        spoken = one.numbers.get(float(value))
        return one.source(spoken, "the number as digits") if spoken and str(int(float(value))) == value else None
    return one.source(quote) if quote else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16


def _in_result(value: object, one: ContextItem) -> Source:
    places = sorted(one.holding(value), key=lambda place: not place[1])
    if places:
        return one.source(places[0][0])
    if isinstance(value, int | float) and value in one.quantities:
        return one.source(one.quantities[value], "a number in it")
    return None


def _derived(
    value: Any, name: str, schema: Mapping[str, object], context: Context, language: str
) -> Iterator[ValueSource]:
    """What else explains a value, the best explanation first."""
    if value is None or isinstance(value, bool):
        yield _known("a truth value, implied by the wording")
        return
    members = schema.get("enum")
    if isinstance(members, list) and value in members:
        yield _member(str(value), context)
        return
    if schema.get("default") == value or schema.get("const") == value:
        yield _known("the default")
        return
    is_text = isinstance(value, str) and point_of(value) is None
    ways: tuple[Callable[[], Source], ...] = (
        (lambda: derived_number(value, name, schema, context))
        if isinstance(value, int | float)
        else (lambda: _date_or_time(value, context)),
        lambda: _composed(value, context) if is_text else None,
        lambda: _worldly(value, name, language, context),
        lambda: _free(value, context) if is_text else None,
    )
    yield from [source for way in ways if (source := way())]


def _known(note: str) -> ValueSource:
    return ValueSource(KNOWLEDGE, note=note)


def _member(value: str, context: Context) -> ValueSource:
    """An enumeration's member: by its words where the user said them, else implied."""
    parts = words(_CAMEL.sub(" ", value).replace("_", " "))
    for one in context.said:
        if parts and all(any(alike(part, word) for word in one.words) for part in parts):
            word = next(word for word in one.words if alike(parts[0], word))
            return one.source(quote_of(word, one.text) or word, f"the enum member {value}")
    return _known(f"the enum member {value}, implied by the wording")


def _date_or_time(value: object, context: Context) -> Source:
    """A date, a month, or a time, from what was said and the clock."""
    point = point_of(value)
    if point is None:
        return None
    time = _time(point.minutes, context) if point.minutes is not None else None
    if point.year is None:
        return time
    if point.minutes is not None and time is None:
        return None
    days = context.days()
    wanted = point.date
    if wanted is None:
        fitting = [day for day in (context.now.date(), *days) if (day.year, day.month) == (point.year, point.month)]
        return _of_day(fitting[0], days, context) if fitting else None
    if wanted in days:
        return _of_day(wanted, days, context)
    away = (wanted - context.now.date()).days
    if away == 0:
        return ValueSource("clock", days=0)
    spans = {(number, unit) for one in context.said for number, unit, _ in spans_in(one.text)}
    for day in days:
        if any(wanted in moved(day, number, unit) for number, unit in spans):
            return ValueSource("clock", days=away, reading=f"{COUNTED_FROM} {day.isoformat()}")
    return None


def _of_day(day: datetime.date, days: dict[datetime.date, tuple[ContextItem, Means]], context: Context) -> ValueSource:
    away = (day - context.now.date()).days
    if day not in days:
        return ValueSource("clock", days=away)
    one, means = days[day]
    if means.written or one.is_result:
        return one.source(means.quote, f"the day {day.isoformat()}")
    quote = quote_of(means.quote, one.text) or means.quote
    return ValueSource("clock", days=away, quote=quote)


def _time(minutes: int, context: Context) -> Source:
    for one in (*context.said, *context.results, *context.agent):
        if minutes in one.minutes:
            return one.source(one.minutes[minutes], f"{minutes // 60:02d}:{minutes % 60:02d}")
    for one in context.said:
        if not one.names_hours and (quote := part_of_day(minutes, one.text)):
            return one.source(quote, TIME_OF_DAY)
    clock = context.now.hour * 60 + context.now.minute
    spoken = {time for one in (*context.said, *context.results) for time in one.minutes} | {clock}
    lengths = {round(length) for one in context.said for length in one.lengths}
    if minutes in (0, 1439, clock, *lengths) or any(abs(minutes - time) in lengths for time in spoken):
        return ValueSource("clock", days=0, reading=COUNTED_TIME)
    return None


def _composed(value: str, context: Context) -> Source:
    """A text all of whose words are in the context, though not in one place or not in this order."""
    parts = words(value)
    for one in (*context.said, *context.results, *context.agent):
        if parts and all(_occurs_in(part, one) for part in parts):
            place = parts[0] if not one.is_result else ""
            quote = next((quote_of(word, one.text) for word in one.words if alike(word, place)), None) or place
            return one.source(quote, "put together from these words")
    everything = (*context.said, *context.results, *context.agent)
    if parts and all(any(_occurs_in(part, one) for one in everything) for part in parts):
        first = next(one for one in everything if _occurs_in(parts[0], one))
        return first.source("" if first.is_result else parts[0], "put together from several places")
    return None


def _occurs_in(part: str, one: ContextItem) -> bool:
    if part in one.words or (has_han(part) and part in one.folded):
        return True
    if any(char.isdigit() for char in part):
        return part.isdecimal() and len(part) < 16 and float(part) in one.numbers
    return part.isalpha() and any(alike(part, word) for word in one.words)


def _worldly(value: Any, name: str, language: str, context: Context) -> Source:
    """What one may know without having been told."""
    place = _PLACE.search(_CAMEL.sub("_", name).lower())
    if place and (not isinstance(value, str) or _COORDINATES.fullmatch(value)):
        return _known("of a place that was named")
    if not isinstance(value, str):
        if value == 0 and any(_NONE.search(one.text) for one in context.said):
            return _known("none, as the words say")
        return _known("one, where nothing else is said") if value == 1 else None
    if _CODE.fullmatch(value) or _ZONE.fullmatch(value):
        return _known("a code for what was named")
    if not any(char.isdigit() or char == "@" for char in value) and any(char.isalpha() for char in value):
        foreign = has_han(value) if language == "en" else not has_han(value)
        return _known("a translation of what was said") if foreign else None
    return _known("an empty text") if not value.strip() else None


def _free(value: str, context: Context) -> Source:
    """A text in words of its own: enough of them are in the context, and no name and no number in it is new."""
    parts = words(value)
    everything = (*context.said, *context.results, *context.agent)
    new = [part for part in parts if not any(_occurs_in(part, one) for one in everything)]
    names = {name.casefold() for name in _NAME.findall(value)}
    invented = [part for part in new if part in names or any(char.isdigit() for char in part)]
    share = FREE_SHARE if len(parts) >= FEW_WORDS else SHORT_SHARE
    if parts and not invented and "@" not in value and len(parts) - len(new) >= share * len(parts):
        return _known("worded freely")
    return None
