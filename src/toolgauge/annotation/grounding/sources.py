"""Where each value of a call comes from, as `argument_sources` of a record says it (docs/data-format.md).

Beyond what stands there word for word, values may be derived: dates from the clock, numbers from words, other units and
counts (derivations.py), texts put together from several places. Such sources carry a `reading`. What only knowledge of
the world or of the tool explains (truth values, members of an enumeration, defaults, codes, coordinates, translations)
is `knowledge` with a `note`. A text that was written for the call is `composed`; what it claims without a source stands
in `unsaid`. A value without any source was invented.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import json
from msgspec.structs import replace

from toolgauge.annotation.grounding.composed import COMPOSED, composed, file_named, label, put_together
from toolgauge.annotation.grounding.contacts import is_mail, mail, telephone
from toolgauge.annotation.grounding.context import Context, ContextItem, ValueSource, is_plain
from toolgauge.annotation.grounding.derivations import derived_amount, derived_number, same_unit
from toolgauge.annotation.grounding.knowledge import known, worldly
from toolgauge.annotation.grounding.moments import cron, date_or_time, is_cron, moment_of, period, span, weekdays
from toolgauge.annotation.grounding.parameters import Parameter
from toolgauge.annotation.grounding.parameters import ParameterKind as K
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.stale import is_stale
from toolgauge.annotation.grounding.values import DEEPEST, alike, folded, leaves, quote_of, words
from toolgauge.data.record import step
from toolgauge.languages import has_han

FEW_WORDS, SHORT_SHARE, HAN_SHARE, FREE_SHARE = 4, 0.5, 0.6, 0.3
"""The shares of a text's words that must be in the context: of fewer than FEW_WORDS (of Chinese ones), and of more."""
MOST_LISTED = 30
"""Items of a list in a text that are looked at."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'’]+")
"""A capital letter inside a sentence: a name."""
_ADDRESS = re.compile(r"^(?:mr|mrs|ms|miss|dr)\.? |先生$|女士$|小姐$|老师$|医生$|(?<=..)[市省区县镇]$", re.IGNORECASE)
_OPTIONS = re.compile(
    r"\boptions?\b|\bone of\b|\bchoices\b|\beither\b|\w or \w|候选|可选|取值|选项|[\w'’”]或", re.IGNORECASE
)
_PREFIXED = re.compile(r"([A-Za-z]{1,6})[-_ #]?(\d{3,15})")
_SEVERAL = re.compile(r"[,，、;；|]|\s(?=#)")
_SENTENCE = re.compile(r"[.!?。！？]\s|[\n。！？]")

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
        items = known.get("items")
        told = {key: known[key] for key in ("description",) if key in known}
        for index, part in enumerate(value):
            below = told | items if isinstance(items, dict) else told
            yield from typed_leaves(part, below, f"{path}[{index}]", name, depth - 1)
    else:
        yield path, name, value, known


def sources_of(
    arguments: Mapping[str, object], schema: Mapping[str, object], context: Context, language: str, tool: str = ""
) -> dict[str, list[ValueSource]]:
    """Per path of an argument its sources, the likeliest first; paths without any are left out.

    tool: what the tool is called and says of itself.
    """
    found: dict[str, list[ValueSource]] = {}
    for path, name, value, known_schema in typed_leaves(arguments, schema):
        sources = value_sources(value, Parameter(name, known_schema, tool), context, language)
        if sources:
            found[path] = sources
    return found


def value_sources(value: object, parameter: Parameter, context: Context, language: str) -> list[ValueSource]:
    """The sources of one value, the likeliest first; none where it was invented."""
    sources = [*_literal(value, parameter, context)]
    if sources and is_stale(sources[0], value, context):
        return []
    if not sources:
        return [*_derived(value, parameter, context, language)][:1]
    if sources[0].origin == "result" and (meant := date_or_time(value, context)) and meant.quote is not None:
        return [meant, *sources]  # a day that the user spoke of, whatever results say of it
    return sources


def _literal(value: object, parameter: Parameter, context: Context) -> Iterator[ValueSource]:
    """Where the value stands as it is: with the user (the latest), in a result (the first), else with the agent."""
    if not is_plain(value):
        return
    said = next((source for one in context.said if (source := _spoken(value, one, parameter))), None)
    result = next((source for one in context.results if (source := _in_result(value, one, parameter))), None)
    if said:
        yield said
    if result:
        yield result
    if not said and not result:
        yield from [source for one in context.agent if (source := _spoken(value, one, parameter))][:1]


def _spoken(value: Any, one: ContextItem, parameter: Parameter) -> Source:
    if isinstance(value, int | float):
        quote = one.counted(parameter).get(value)  # an integer is equal to its float, one too large for a float to none
        return one.source(quote) if quote else None
    quote = quote_of(value, one.text) if folded(value) in one.folded else None
    if quote is None and _is_number(value) and K.ID not in parameter.kinds:
        spoken = one.numbers.get(float(value))
        return one.source(spoken, "the number as digits") if spoken and str(int(float(value))) == value else None
    return one.source(quote) if quote else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16


def _in_result(value: object, one: ContextItem, parameter: Parameter) -> Source:
    places = sorted(one.holding(value), key=lambda place: not place[1])
    if places:
        return one.source(places[0][0])
    if isinstance(value, int | float) and value in one.counted(parameter):
        return one.source(one.counted(parameter)[value], "a number in it")
    return None


def _derived(value: Any, parameter: Parameter, context: Context, language: str) -> Iterator[ValueSource]:
    """What else explains a value, the best explanation first."""
    if value is None or isinstance(value, bool):
        yield known("a truth value, implied by the wording")
        return
    members = parameter.schema.get("enum")
    if isinstance(members, list) and value in members:
        yield _member(str(value), context)
        return
    if parameter.schema.get("default") == value or parameter.schema.get("const") == value:
        yield known("the default")
        return
    ways: tuple[Callable[[], Source], ...]
    if isinstance(value, str):
        ways = tuple(_ways_of_text(value, parameter, context, language))
    else:
        ways = (
            lambda: derived_number(value, parameter, context),
            lambda: moment_of(value, parameter, context),
            lambda: worldly(value, parameter, language, context),
        )
    yield from [source for way in ways if (source := way())][:1]


def _ways_of_text(value: str, parameter: Parameter, context: Context, language: str) -> Iterator[Callable[[], Source]]:
    if point_of(value):
        yield lambda: date_or_time(value, context)
        return
    yield lambda: span(value, context)
    yield lambda: derived_amount(value, context)
    yield lambda: telephone(value, context)
    if is_cron(value):
        yield lambda: cron(value, context)
        return
    kinds = parameter.kinds
    if K.CONTACT in kinds or is_mail(value):
        yield lambda: mail(value, context)
        return
    yield lambda: weekdays(value, context)
    yield lambda: period(value, context)
    yield lambda: _in_words(value, context)
    if kinds & {K.FILE, K.PATTERN}:
        yield lambda: put_together(value, context)
    if K.FILE in kinds and not parameter.is_shape:
        yield lambda: file_named(value, context)
    if "unit" in parameter.about or "单位" in parameter.about:
        yield lambda: same_unit(value, context)
    if kinds & {K.PERSON, K.PLACE}:
        yield lambda: _addressed(value, context)
    yield lambda: _prefixed(value, parameter, context)
    yield lambda: _defined(value, parameter)
    if not parameter.is_composed:
        yield lambda: _listed(value, parameter, context, language)
    if K.TITLE not in kinds and K.BODY not in kinds:
        yield lambda: label(value, parameter)
    yield lambda: worldly(value, parameter, language, context)
    yield lambda: composed(value, parameter, context)
    if not (parameter.is_strict or parameter.is_composed or parameter.is_address):
        yield lambda: None if _SEVERAL.search(value) else _free(value, context)


def _prefixed(value: str, parameter: Parameter, context: Context) -> Source:
    """A number that was said, with the letters before it that the parameter's description demands."""
    found = _PREFIXED.fullmatch(value)
    if found and re.search(
        rf"(?<![A-Za-z]){found[1]}(?:[-_\d]| and |\s?[后加]|开头|前缀|\s[a-z])", parameter.description
    ):
        for one in context.by_weight:
            if quote := quote_of(found[2], one.text):
                return one.source(quote, "the number with its letters")
    return None


def _addressed(value: str, context: Context) -> Source:
    """A name with a form of address, or a place with what it is (杭州市)."""
    name = _ADDRESS.sub("", value).strip()
    if not name or name == value:
        return None
    found = ((one, quote_of(name, one.text)) for one in context.said if folded(name) in one.folded)
    return next((one.source(quote, "with its title") for one, quote in found if quote), None)


def _defined(value: str, parameter: Parameter) -> Source:
    """A word that the description puts in quotation marks, or among the options that it lists; no example of an id."""
    quoted = any(
        f"{left}{value}{right}" in parameter.description for left, right in ("''", '""', "``", "“”", "‘’", "「」")
    )
    listed = len(value) > 1 and _OPTIONS.search(parameter.description) and quote_of(value, parameter.description)
    plain = not any(char.isdigit() for char in value)
    return known("the tool's definition") if plain and (quoted or listed) else None


def _listed(value: str, parameter: Parameter, context: Context, language: str) -> Source:
    """A list written as a text, in JSON or with marks between: all of its items have sources."""
    parts: list[object] = []
    if value[:1] in ("[", "{") and len(value) < 5000:
        try:
            parts = [leaf for _, leaf in leaves(json.decode(value))]
        except (ValueError, RecursionError):
            return None
    elif _SEVERAL.search(value) and not _SENTENCE.search(value):
        parts = [part.strip() for part in _SEVERAL.split(value) if part.strip()]
    if not 0 < len(parts) <= MOST_LISTED or parts == [value]:
        return None
    plain = Parameter(parameter.name, {"description": parameter.description}, parameter.tool)
    found = [value_sources(part, plain, context, language) for part in parts]
    if all(sources and sources[0].origin != COMPOSED for sources in found):
        return replace(found[0][0], reading="a list of what was said")
    return None


def _member(value: str, context: Context) -> ValueSource:
    """An enumeration's member: by its words where the user said them, else implied."""
    parts = words(_CAMEL.sub(" ", value).replace("_", " "))
    for one in context.said:
        if parts and all(any(alike(part, word) for word in one.words) for part in parts):
            word = next(word for word in one.words if alike(parts[0], word))
            return one.source(quote_of(word, one.text) or word, f"the enum member {value}")
    return known(f"the enum member {value}, implied by the wording")


def _in_words(value: str, context: Context) -> Source:
    """A text all of whose words are in the context, though not in one place or not in this order."""
    parts = words(value)
    for one in context.by_weight:
        if parts and all(_occurs_in(part, one) for part in parts):
            place = parts[0] if not one.is_result else ""
            quote = next((quote_of(word, one.text) for word in one.words if alike(word, place)), None) or place
            return one.source(quote, "put together from these words")
    everything = context.by_weight
    if parts and all(any(_occurs_in(part, one) for one in everything) for part in parts):
        first = next(one for one in everything if _occurs_in(parts[0], one))
        return first.source("" if first.is_result else parts[0], "put together from several places")
    return None


def _occurs_in(part: str, one: ContextItem) -> bool:
    if one.has_word(part) or (has_han(part) and part in one.folded):
        return True
    return part.isdecimal() and len(part) < 16 and float(part) in one.numbers


def _free(value: str, context: Context) -> Source:
    """A text in words of its own: enough of them are in the context, and no name and no number in it is new."""
    parts = words(value)
    everything = context.by_weight
    new = [part for part in parts if not any(_occurs_in(part, one) for one in everything)]
    names = {name.casefold() for name in _NAME.findall(value)}
    meant = (context.now.date(), *context.days())
    dates = {form for day in meant for form in (str(day.year), f"{day:%B}".casefold(), f"{day:%b}".casefold())}
    invented = [part for part in new if part not in dates and (part in names or any(map(str.isdigit, part)))]
    share = FREE_SHARE if len(parts) >= FEW_WORDS else HAN_SHARE if has_han(value) else SHORT_SHARE
    if parts and not invented and "@" not in value and len(parts) - len(new) >= share * len(parts):
        return known("worded freely")
    return None
