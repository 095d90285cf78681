"""Values for parameters of any tool: from its enumerations, examples and formats, else plausible ones."""

from __future__ import annotations

import datetime
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

from toolgauge.chat import Json, Tool
from toolgauge.data.sessions import parse_clock
from toolgauge.data.toolnames import name_words
from toolgauge.generation.checks import misfits

MOST_ITEMS, MOST_NUMBER = 50, 1e15
"""Of an array that is made up, and of a number."""
TRIES = 12
"""Values that are drawn before a parameter counts as one without any."""
_NOON = datetime.datetime(2024, 6, 3, 12, 0)
_EXAMPLE = re.compile(
    r"(?:for example|e\.g\.|such as|例如|比如|如)[,:： ]*[\"“'`]?([^\"”'`,，.。;；()（）]{2,30})", re.IGNORECASE
)
_IDS = frozenset({"id", "ids", "code", "key", "number", "no", "ref", "reference", "token", "uuid", "sku", "isbn"})
_PEOPLE = frozenset({"person", "guest", "user", "author", "assignee", "owner", "customer", "recipient", "patient"})
_PHRASES = frozenset({"query", "text", "title", "note", "comment", "message", "subject", "topic", "body", "reason",
                      "description", "content", "question", "complaint", "summary"})  # fmt: skip
_STRETCH = ("date", "day", "deadline", "since", "until", "from", "to", "start", "end")


class Values:
    """Values of one draw. words: the texts of a language; clock: the date and time of the dialogue."""

    def __init__(self, draw: random.Random, words: Mapping[str, str], clock: str) -> None:
        self.draw, self.words, self.now = draw, words, parse_clock(clock) or _NOON

    def arguments(self, tool: Tool, keep: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """All required arguments, those of `keep` as they are; None where there is no value for one."""
        made: dict[str, Any] = {}
        for name in tool.required:
            value = (keep or {}).get(name) if name in (keep or {}) else self.of(tool, name)
            if value is None:
                return None
            made[name] = value
        made = {**(keep or {}), **made}
        return {name: made[name] for name in sorted(made, key=[*tool.properties, *made].index)}

    def of(self, tool: Tool, name: str, other: object = None) -> Any:
        """A value of a parameter that is not `other`; None where none is found."""
        schema = tool.properties.get(name)
        if not isinstance(schema, dict):
            return None
        alone = {"type": "object", "properties": {name: schema}} | _definitions(tool.parameters)
        for _ in range(TRIES):
            value = self.value(schema, name)
            if value is not None and value != other and not any(misfits(alone, {name: value})):
                return value
        return None

    def value(self, schema: Json, name: str, depth: int = 4) -> Any:
        """A value of a schema; None where there is no way to make one."""
        if depth <= 0:
            return None
        if "const" in schema:
            return schema["const"]
        known = [*_listed(schema, "enum"), *_listed(schema, "examples")]
        if "example" in schema:
            known.append(schema["example"])
        members = [one for one in known if one is not None and one != schema.get("default")] or known
        if members:
            return self.draw.choice(members)
        for key in ("anyOf", "oneOf", "allOf"):
            parts = [part for part in _listed(schema, key) if isinstance(part, dict) and part.get("type") != "null"]
            if parts:
                return self.value(schema | parts[0] | {key: None}, name, depth - 1)
        kind = schema.get("type", "string")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "string")
        makers: dict[object, Callable[[Json, str, int], Any]] = {
            "integer": self._integer,
            "number": self._number,
            "boolean": self._boolean,
            "array": self._array,
            "object": self._object,
        }
        return makers.get(kind, self._string)(schema, name, depth)

    def _string(self, schema: Json, name: str, _depth: int) -> str | None:
        said = str(schema.get("description", ""))
        form, words = str(schema.get("format", "")), name_words(name)
        moment = self.now + datetime.timedelta(days=self.draw.randint(1, 9), minutes=15 * self.draw.randint(0, 30))
        if form == "date-time" or "ISO 8601" in said or ("HH:MM" in said and "YYYY" in said):
            text = moment.isoformat(timespec="seconds") + ("Z" if form == "date-time" else "")
            return text if form == "date-time" or "T" in said else f"{moment:%Y-%m-%d %H:%M}"
        if form == "time" or "HH:MM" in said:
            return f"{moment:%H:%M:%SZ}" if form == "time" else f"{moment:%H:%M}"
        if form == "date" or "YYYY-MM-DD" in said:
            return f"{moment:%Y-%m-%d}"
        if "YYYY-MM" in said:
            return f"{moment:%Y-%m}"
        if form in ("uuid", "email", "uri", "url"):
            number = self.draw.randrange(1000, 10000)
            if form == "uuid":
                return str(UUID(int=self.draw.getrandbits(128), version=4))
            return f"anna{number}@mail.example.org" if form == "email" else f"https://www.example.org/pages/{number}"
        text, longest = self._text(words, said), _bound(schema, "maxLength")
        return text if longest is None else text[: max(0, int(longest))]

    def _text(self, words: list[str], said: str) -> str:
        last = words[-1] if words else ""
        example = [found[1].strip() for found in _EXAMPLE.finditer(said)][:1]
        if last in _IDS:
            if example and self.draw.random() < 0.3:
                return example[0]
            return f"{self.draw.choice('BDHKMRT')}{self.draw.choice('CFLNPVX')}-{self.draw.randint(10000, 99999)}"
        pool = "phrases" if last in _PHRASES else "people" if _PEOPLE & {*words} else "names"
        chosen = self.words[pool].split("|")
        return self.draw.choice([*example, *chosen])

    def _integer(self, schema: Json, name: str, _depth: int) -> int | None:
        return self._whole(schema, 2 if set(name_words(name)) & {*_STRETCH} else 1)

    def _whole(self, schema: Json, least: int) -> int | None:
        first = math.ceil(_bound(schema, "minimum", _bound(schema, "exclusiveMinimum", least) or least) or 0)
        first += "exclusiveMinimum" in schema
        high = _bound(schema, "maximum", _bound(schema, "exclusiveMaximum", None))
        last = math.floor(high) - ("exclusiveMaximum" in schema) if high is not None else first + 40
        step = max(1, int(_bound(schema, "multipleOf", 1) or 1))
        numbers = range(-(-first // step) * step, last + 1, step)
        chosen = [one for one in numbers[:60] if one != schema.get("default")] or [*numbers[:1]]
        return self.draw.choice(chosen) if chosen else None

    def _number(self, schema: Json, name: str, depth: int) -> float | int | None:
        whole, low, high = self._integer(schema, name, depth), _bound(schema, "minimum"), _bound(schema, "maximum")
        if whole is None and low is not None and high is not None:
            return round(self.draw.uniform(low, high), 2)
        if whole is None or "multipleOf" in schema or high is not None:
            return whole
        return whole + self.draw.choice((0.5, 0.25, 0.75))

    def _boolean(self, schema: Json, _name: str, _depth: int) -> bool:
        default = schema.get("default")
        return not default if isinstance(default, bool) else True

    def _array(self, schema: Json, name: str, depth: int) -> list[Any] | None:
        items = schema.get("items")
        count = max(1, int(_bound(schema, "minItems", 1) or 1))
        if count > MOST_ITEMS:
            return None
        made: list[Any] = []
        for _ in range(TRIES * count):
            value = self.value(items if isinstance(items, dict) else {}, name.removesuffix("s"), depth - 1)
            if value is not None and value not in made:
                made.append(value)
            if len(made) == count:
                return made
        return None

    def _object(self, schema: Json, _name: str, depth: int) -> Json | None:
        properties = schema.get("properties")
        known: Json = properties if isinstance(properties, dict) else {}
        names = [one for one in _listed(schema, "required") if one in known] or [*known][:2]
        made = {one: self.value(known[one] if isinstance(known[one], dict) else {}, one, depth - 1) for one in names}
        return None if any(value is None for value in made.values()) else made


def is_id(name: str) -> bool:
    """Is a parameter one that takes an id, by its name?"""
    return name_words(name)[-1:] != [] and name_words(name)[-1] in _IDS


def _bound(schema: Json, key: str, default: float | None = None) -> float | None:
    """A finite number of a schema; the default for whatever else stands there."""
    value = schema.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_NUMBER
    return value if is_number else default


def _listed(schema: Json, key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []


def _definitions(parameters: Json) -> Json:
    return {key: parameters[key] for key in ("$defs", "definitions") if key in parameters}


def scalars(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The arguments that can be said in a word or two."""
    return (name for name, value in arguments.items() if isinstance(value, str | int | float)
            and not isinstance(value, bool))  # fmt: skip
