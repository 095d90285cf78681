"""Templates of the embedded tools: how users ask for them, example values, results; and how templates are filled.

The files templates.<language>.jsonl are compiled from authoring/tools by authoring/build_tools.py; nobody edits them.

A template is JSON whose texts may hold slots:

| slot | becomes |
|---|---|
| `{city}`, `{guest.name}`, `{items[0]}` | an argument of the call, or a part of it |
| `{###}` | as many digits, the first one not 0 |
| `{3..9}`, `{1.50..9.75}` | a number of that range, with as many decimals as the lower end has |
| `{red|green|blue}` | one of them |
| `{city?Rome=FCO|Oslo=OSL|ZRH}` | what stands beside the argument's value, else the last one; `{a/b?x/y=z|w}` for two |
| `{day}`, `{day+3}`, `{day-1}` | that day, counted from the dialogue's clock, YYYY-MM-DD |
| `{month}`, `{month-1}` | that month, YYYY-MM |
| `{now}` | the dialogue's clock, YYYY-MM-DD HH:MM |

A text that is nothing but one slot becomes the value itself, with its type.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.languages import has_han
from toolgauge.tools.toollist import library_file

_SLOT = re.compile(r"\{([^{}]+)\}")
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")
_CLOCK = re.compile(r"(day|month)([+-]\d+)?")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+|\*)\]")
_ENDS = tuple(".?!。？！…")


class Link(Struct, frozen=True):
    """Where an argument can come from: a path (`flights[0].id`, `devices[*].id`) in the result of another tool."""

    tool: str
    path: str


class ParameterTemplates(Struct, frozen=True, omit_defaults=True):
    """How one parameter is spoken of.

    values: example values (templates: a day is relative to the clock); said: how a user says each, same order.
    ask: the question when the value is missing; mention: a sentence that adds it to a request, `None` where it is
    required. links: the results that it can be taken from.
    """

    values: tuple[object, ...]
    said: tuple[str, ...]
    ask: str
    mention: str | None = None
    links: tuple[Link, ...] = ()


class ToolTemplates(Struct, frozen=True, omit_defaults=True):
    """How one tool is asked for and what it answers.

    say: requests with a slot per required parameter; vague: a request that gives none of them (`None` where nothing is
    required); follow: a request after the linked tools have answered, without slots for what comes from their
    results (`None` without links). result: a template; reply: the summary of a result, with slots for arguments and
    for paths in the result.
    """

    say: tuple[str, ...]
    result: dict[str, object]
    reply: str
    parameters: dict[str, ParameterTemplates]
    vague: str | None = None
    follow: str | None = None


class ChatTemplates(Struct, frozen=True):
    """Something people say near these tools that needs none of them, and a sensible answer."""

    user: str
    reply: str


class ToolListTemplates(Struct, frozen=True):
    """The templates of one tool list in one language; tools by name."""

    id: str
    tools: dict[str, ToolTemplates]
    chat: tuple[ChatTemplates, ...]


@cache
def scripted_templates(language: str) -> dict[str, ToolListTemplates]:
    """The templates of the tool library, by list id, in the library's order.

    Raises UsageError for a language other than "en" and "zh".
    """
    lines = Path(__file__).with_name(f"templates.{library_file(language).name}").read_bytes().splitlines()
    return {one.id: one for one in (msgspec.json.decode(line, type=ToolListTemplates) for line in lines)}


def slots(template: object) -> list[str]:
    """What stands between braces in the texts of a template, in order."""
    if isinstance(template, str):
        return _SLOT.findall(template)
    parts = template.values() if isinstance(template, dict) else template if isinstance(template, list | tuple) else ()
    return [slot for part in parts for slot in slots(part)]


def is_generated(slot: str) -> bool:
    """True for slots that need no argument: digits, ranges, choices and the clock."""
    if "?" in slot:
        return False
    return bool(set(slot) == {"#"} or "|" in slot or _RANGE.fullmatch(slot) or _CLOCK.fullmatch(slot) or slot == "now")


def arguments_of(slot: str) -> list[str]:
    """The arguments that a slot needs: none where it is generated."""
    if is_generated(slot):
        return []
    return [re.split(r"[.\[]", path)[0] for path in slot.partition("?")[0].split("/")]


def fill(template: object, arguments: Mapping[str, object], now: datetime.datetime, draw: random.Random) -> Any:
    """The template with every slot filled in; raises KeyError for a missing argument."""
    if isinstance(template, dict):
        return {key: fill(part, arguments, now, draw) for key, part in template.items()}
    if isinstance(template, list | tuple):
        return [fill(part, arguments, now, draw) for part in template]
    if not isinstance(template, str):
        return template
    if whole := _SLOT.fullmatch(template):
        return _value(whole[1], arguments, now, draw)
    return _SLOT.sub(lambda found: as_text(_value(found[1], arguments, now, draw)), template)


def speak(phrase: str, said: dict[str, str], result: object = None) -> str:
    """A wording with its slots filled: by what is said for a parameter, else by a path in a result.

    Raises KeyError where neither has it.
    """

    comma = "、" if has_han(phrase) else ", "

    def words(found: re.Match[str]) -> str:
        return said[found[1]] if found[1] in said else as_text(follow(result, found[1]), comma)

    return _SLOT.sub(words, phrase)


def compose(request: str, mentions: list[str], language: str) -> str:
    """A request and the sentences that add optional values to it."""
    text, space, stop = request, " " if language == "en" else "", "." if language == "en" else "，"
    for mention in mentions:
        text += ("" if text.endswith(_ENDS) else stop) + space + mention
    return text


def follow(value: Any, path: str) -> object:
    """The part of a JSON value at a path; `[*]` collects a list from every item. Raises KeyError for a wrong path."""
    steps = _STEP.findall(path)
    for position, (name, index) in enumerate(steps):
        if index == "*" and isinstance(value, list):
            rest = path.split("[*]", 1)[1].lstrip(".")
            return [follow(item, rest) for item in value] if rest else value
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError, ValueError):
            raise KeyError(f"{path} (at step {position})") from None
    return value


def as_text(value: object, comma: str = ", ") -> str:
    """A JSON value inside a sentence: 12, 9.5, 12 for 12.0, a text as it is, a list with commas between."""
    if isinstance(value, list):
        parts = [as_text(part, comma) for part in value]
        return ("、" if any(has_han(part) for part in parts) else comma).join(parts)
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _value(slot: str, arguments: Mapping[str, object], now: datetime.datetime, draw: random.Random) -> object:
    if slot in arguments:
        return arguments[slot]  # before the clock's {day} and {month}
    if set(slot) == {"#"}:
        return str(draw.randrange(10 ** (len(slot) - 1), 10 ** len(slot)))
    if "?" in slot:
        paths, _, table = slot.partition("?")
        wanted = "/".join(as_text(follow(arguments, path)) for path in paths.split("/"))
        *rows, otherwise = table.split("|")
        return dict(row.split("=", 1) for row in rows).get(wanted, otherwise)
    if "|" in slot:
        return draw.choice(slot.split("|"))
    if ends := _RANGE.fullmatch(slot):
        return _number(ends[1], ends[2], draw)
    if slot == "now":
        return f"{now:%Y-%m-%d %H:%M}"
    if clock := _CLOCK.fullmatch(slot):
        return _date(clock[1], int(clock[2] or 0), now)
    return follow(arguments, slot)


def _number(low: str, high: str, draw: random.Random) -> int | float:
    decimals = len(low.partition(".")[2])
    scale = 10**decimals
    drawn = draw.randint(round(float(low) * scale), round(float(high) * scale))
    return drawn / scale if decimals else drawn


def _date(unit: str, away: int, now: datetime.datetime) -> str:
    if unit == "day":
        return (now.date() + datetime.timedelta(days=away)).isoformat()
    months = now.year * 12 + now.month - 1 + away
    return f"{months // 12:04d}-{months % 12 + 1:02d}"
