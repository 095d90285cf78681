"""What code can know of a value: whether it stands in what was said, in a result, in the date line, or is a default.

Nothing is understood here. Texts are compared without case, blanks and punctuation, numbers by value; what is not found
this way is left to the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.leaves import DEEPEST, folded, is_short, leaves, quote_of
from toolgauge.data.record import child, step
from toolgauge.generation.dialogue import Entry, Speaker, actions_of

_NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]|\.\d)")
MOST_TEXT = 200_000
"""Characters of one text that are searched."""


class Part(Struct, frozen=True):
    """A value in a call's arguments. path: as `argument_sources` name places; pointer: as annotations do."""

    path: str
    pointer: str
    value: object
    schema: Json


class Passage(Struct, frozen=True):
    """Something that was said or answered. kind: "user", "reply" (to a question), "agent" or "result"; step: the node
    in its task, of replies and results; value: a text, or a result's JSON."""

    kind: str
    task: int
    value: object
    step: int | None = None


def passages(entries: Iterable[Entry]) -> Iterator[Passage]:
    """What user, assistant and tools said, in order; the entries are accepted ones."""
    task, made, asked = -1, 0, None
    for entry in entries:
        if entry.task != task:
            task, made, asked = entry.task, 0, None
        match entry.speaker:
            case Speaker.USER:
                yield Passage("user" if asked is None else "reply", task, entry.text, asked)
            case Speaker.AGENT:
                yield Passage("agent", task, entry.text)
            case Speaker.PLANNER:
                actions = actions_of(entry)
                asked = made if actions and not actions[0].is_tool else None
                made += len(actions)
            case Speaker.TOOL:
                first = made - len(entry.observations)
                for number, observation in enumerate(entry.observations):
                    yield Passage("result", task, observation.response, first + number)


def source_in(value: object, passage: Passage) -> Json | None:
    """The source of a value in a passage, as `argument_sources` name it; None where it does not stand there."""
    found: Json = {"from": passage.kind, "task": passage.task}
    if passage.step is not None:
        found["step"] = passage.step
    if isinstance(passage.value, str):
        quote = quoted(value, passage.value)
        return None if quote is None else found | {"quote": quote}
    for path, leaf in leaves(passage.value):
        if same(value, leaf):
            return found | {"path": path}
    for path, leaf in leaves(passage.value):
        if isinstance(leaf, str) and (quote := quoted(value, leaf)) is not None:
            return found | {"path": path, "quote": quote}
    return None


def quoted(value: object, words: str) -> str | None:
    """The part of a text that says a value; None where it does not stand there literally."""
    number = _number(value)
    if number is not None:
        found = (one[0] for one in _NUMBER.finditer(words[:MOST_TEXT]) if _number(one[0]) == number)
        if (quote := next(found, None)) is not None:
            return quote
    if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return quote_of(str(value), words[:MOST_TEXT])
    return None


def same(value: object, other: object) -> bool:
    """Are two values equal: numbers by value, texts apart from case, blanks and punctuation?"""
    if isinstance(value, bool) or isinstance(other, bool) or value is None or other is None:
        return value is other
    one, two = _number(value), _number(other)
    if one is not None and two is not None:
        return one == two
    return folded(str(value)) == folded(str(other)) != ""


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value).strip()
    if isinstance(value, str) and not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None


def settled_by(value: object, schema: object) -> bool:
    """Does the definition leave this value: its default, a constant, the only member of an enumeration?"""
    if not isinstance(schema, dict):
        return False
    members = schema.get("enum")
    only = [*(members if isinstance(members, list) and len(members) == 1 else [])]
    only += [schema[key] for key in ("default", "const") if key in schema]
    return any(same(value, one) for one in only)


def argument_parts(
    value: object, schema: object, path: str = "", pointer: str = "", depth: int = DEEPEST
) -> Iterator[Part]:
    """Every value of arguments with its place and its schema, containers before what they hold; what is nested deeper
    is left out."""
    known = schema if isinstance(schema, dict) else {}
    if depth <= 0:
        return
    yield Part(path, pointer, value, known)
    if isinstance(value, dict):
        properties = known.get("properties")
        for key, part in value.items():
            inner = properties.get(key) if isinstance(properties, dict) else None
            yield from argument_parts(part, inner, f"{path}{step(key)}".lstrip("."), child(pointer, key), depth - 1)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from argument_parts(part, known.get("items"), f"{path}[{index}]", child(pointer, index), depth - 1)


def argument_leaves(arguments: object, schema: object) -> Iterator[Part]:
    """The scalars among them."""
    return (part for part in argument_parts(arguments, schema) if not isinstance(part.value, dict | list))


def literal_sources(value: object, schema: object, said: Sequence[Passage], clock: str) -> list[Json]:
    """Where a value stands literally, the nearest first: in the task's own words, in results, earlier, in the date
    line, in the definition."""
    latest = max((one.task for one in said), default=0)
    order = {"reply": 0, "user": 1, "result": 2, "agent": 3}
    near = sorted(said, key=lambda one: (latest - one.task, order[one.kind]))
    found = [source for one in near if (source := source_in(value, one)) is not None]
    if not found and (quote := quoted(value, clock)) is not None:
        found = [{"from": "clock", "quote": quote}]
    if not found and settled_by(value, schema):
        found = [{"from": "default"}]
    return found[:4]


def is_telling(value: object) -> bool:
    """Does a value tell where it comes from? Short ones stand anywhere by chance."""
    return isinstance(value, str | int | float) and not isinstance(value, bool) and not is_short(str(value))
