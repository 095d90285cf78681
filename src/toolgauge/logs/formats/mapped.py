"""Logs of one's own (`--from jsonl-map`): JSON lines, read as a mapping file says where things are (docs/logs.md).

Places in JSON values are written as

    path   = steps *( " | " steps )       the first that is there
    steps  = "." / [ name ] *( "." name / "[" number "]" / "[*]" / "[" JSON text "]" / "[" name "=" JSON text "]" )

`turns[*].parts[0].text` are the texts of the first part of every turn, `content[type="tool_use"]` are the parts of that
type; `.` is the value itself.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.chat import ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be
from toolgauge.errors import DataError
from toolgauge.logs.conversation import LogMessage, made_id
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.times import iso_time
from toolgauge.logs.joining import Piece, opening, piece_of
from toolgauge.logs.messages import ROLES
from toolgauge.logs.parts import id_text, make_call, make_result, text_of
from toolgauge.logs.text_calls import decoded
from toolgauge.tools.documents import read_bytes

_STEP = re.compile(
    r'\.?(?P<name>[^\W\d][\w-]*)|\[(?P<place>\*|-?\d{1,6})\]|\[(?P<key>"(?:[^"\\]|\\.)*")\]'
    r'|\[(?P<field>[^\W\d][\w-]*)=(?P<value>"(?:[^"\\]|\\.)*")\]'
)
_PLACES_OF_CALLS = re.compile(r"\[(?:tool[_-]\w+|function_call\w*)\]")
"""What stands in a text for parts that are calls and results."""
SKIP = "skip"
"""Instead of a role: such messages are left out."""
FILE = "file"
"""Instead of a path to the id: a file is a conversation."""
_ROLES = ("system", "user", "assistant", "tool", SKIP)


class _Step(Struct, frozen=True):
    """A step of a path: a key of an object, a place in a list (None: every one), or its elements with a field of a
    value."""

    key: str | None = None
    place: int | None = None
    field: str | None = None
    value: str | None = None

    def inside(self, value: object) -> list[object]:
        if self.field is not None:
            listed = value if type(value) is list else [value]
            return [part for part in listed if type(part) is dict and part.get(self.field) == self.value]
        if self.key is not None:
            return [value[self.key]] if type(value) is dict and self.key in value else []
        if type(value) is not list:
            return []
        if self.place is None:
            return value
        return [value[self.place]] if -len(value) <= self.place < len(value) else []


class Place(Struct, frozen=True):
    """A path: its alternatives, of which the first that leads to something counts."""

    alternatives: tuple[tuple[_Step, ...], ...] = ()

    def all(self, value: object) -> list[object]:
        for steps in self.alternatives:
            values = [value]
            for step in steps:
                values = [part for holder in values for part in step.inside(holder)]
            if values:
                return values
        return []

    def first(self, value: object) -> object:
        """The first that is there and is not null."""
        return next((part for part in self.all(value) if part is not None), None)

    def elements(self, value: object) -> list[object]:
        """What is there; a list, or JSON text of one, is its elements."""
        elements: list[object] = []
        for part in self.all(value):
            inner = decoded(part) if type(part) is str and part.lstrip()[:1] in ("[", "{") else part
            elements += inner if type(inner) is list else [] if inner is None else [inner]
        return elements

    def text(self, value: object) -> str | None:
        """The text there; several are put one after the other, parts are read as those of a message."""
        texts = [part if type(part) is str else _text(part) for part in self.all(value) if part is not None]
        return "".join(texts) if texts else None


def _text(value: object) -> str:
    is_parts = type(value) is list and value and all(type(part) is dict and "type" in part for part in value)
    return text_of(value) if is_parts else as_json(value)


def read_place(text: str) -> Place:
    """A path. Raises ValueError where it is none."""
    return Place(tuple(_steps(part.strip()) for part in text.split(" | ")))


def _steps(text: str) -> tuple[_Step, ...]:
    if text == ".":
        return ()
    steps: list[_Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        is_dotted = match is not None and match[0].startswith(".")
        if match is None or (at == 0 and is_dotted) or (at and match["name"] and not is_dotted):
            raise ValueError(text)
        if match["field"]:
            steps.append(_Step(field=match["field"], value=json.loads(match["value"])))
        elif match["place"]:
            steps.append(_Step(place=None if match["place"] == "*" else int(match["place"])))
        else:
            steps.append(_Step(key=match["name"] or json.loads(match["key"])))
        at = match.end()
    if not steps:
        raise ValueError(text)
    return tuple(steps)


class MessagePlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """In a message. calls, results: lists in it, or one."""

    role: Place
    text: Place = Place()
    reasoning: Place = Place()
    calls: Place = Place()
    results: Place = Place()


class CallPlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """In a call. result: where the call itself has it."""

    id: Place = Place()
    name: Place = Place()
    arguments: Place = Place()
    result: Place = Place()


class ResultPlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """In a result, or in a message of the role tool. id: of its call; error: whether it failed."""

    id: Place = Place()
    text: Place = Place()
    error: Place = Place()


class Mapping(Struct, frozen=True, forbid_unknown_fields=True):
    """In a line. messages: left out where every line is one message of the conversation `id`. reply: where a line
    is a request, the reply to it; such lines are joined. roles: the log's names of roles.
    """

    message: MessagePlaces
    id: Place | str = Place()
    time: Place = Place()
    system: Place = Place()
    tools: Place = Place()
    messages: Place | None = None
    reply: Place | None = None
    call: CallPlaces = CallPlaces()
    result: ResultPlaces = ResultPlaces()
    roles: dict[str, str] = {}


def read_mapping(path: Path) -> Mapping:
    """A mapping file, TOML or JSON. Raises DataError with the field that cannot be used."""
    content = read_bytes(path)
    try:
        value = msgspec.json.decode(content) if content.lstrip()[:1] == b"{" else tomllib.loads(content.decode())
        mapping = msgspec.convert(_with_places(value), Mapping)
    except (ValueError, RecursionError) as error:
        raise DataError(f"invalid mapping: {error}", path) from error
    for name, role in mapping.roles.items():
        if role not in _ROLES:
            raise DataError(f"unknown role; choose one of {', '.join(_ROLES)}", path, None, f"roles.{name}")
    if mapping.messages is None and mapping.id == Place():
        raise DataError("give `messages` or `id`, so that conversations can be found", path)
    if mapping.reply is not None and mapping.messages is None:
        raise DataError("`reply` needs `messages`", path)
    return mapping


def _with_places(value: object) -> object:
    """The mapping with paths read: every text but those under `roles`, and the word `file` for the id."""
    if type(value) is not dict:
        return value
    places: dict[str, object] = {}
    for key, part in value.items():
        if key == "roles" or (key == "id" and part == FILE):
            places[key] = part
        elif type(part) is dict:
            places[key] = _with_places(part)
        elif type(part) is str:
            try:
                places[key] = read_place(part)
            except ValueError:
                raise ValueError(f"{key}: must be a path like turns[*].text") from None
        else:
            raise ValueError(f"{key}: must be a path")
    return places


def read_mapped(record: DataLine, mapping: Mapping) -> Iterator[Piece]:
    """The piece that a line is: a conversation, a request with its reply, or one message. Raises DataError; where the
    conversation of a line is known, all of it has a fault."""
    by_file = mapping.id == FILE
    name = id_text(mapping.id.first(record.value)) if isinstance(mapping.id, Place) else str(record.file)
    is_message, is_request = mapping.messages is None, mapping.reply is not None
    conversation = made_id(record.file, record.line) if name is None else Path(name).stem if by_file else name
    about = {"key": name if is_message or is_request else None, "time": iso_time(mapping.time.first(record.value))}
    if is_message and name is None:
        raise record.error("conversation id missing")
    try:
        messages = tuple(_said(record, mapping))
    except DataError as error:
        if about["key"] is None:
            raise
        yield piece_of(record, conversation, fault=error.message, **about)
        return
    if not messages and not is_message:
        raise record.error("no messages")
    if messages:
        alias = opening(messages) if is_request and name is None else None
        tools = read_definitions(mapping.tools.first(record.value))
        yield piece_of(record, conversation, messages=messages, tools=tools, alias=alias, appended=is_message, **about)


def _said(record: DataLine, mapping: Mapping) -> Iterator[LogMessage]:
    """All that a line says."""
    system = mapping.system.first(record.value)
    if type(system) is str and system:
        yield LogMessage("system", system)
    if mapping.messages is None:
        yield from _messages(record, record.value, mapping, "")
        return
    for place, message in enumerate(mapping.messages.elements(record.value)):
        yield from _messages(record, message, mapping, f"messages[{place}]")
    for message in mapping.reply.elements(record.value) if mapping.reply is not None else []:
        yield from _messages(record, message, mapping, "reply")


def _messages(record: DataLine, message: object, mapping: Mapping, path: str) -> Iterator[LogMessage]:
    """What a message of the log says: a message, and the results that stand in it; those of a user come first."""
    places = mapping.message
    if type(message) is not dict:
        raise record.error(must_be(dict, message), path)
    role_name = places.role.first(message)
    role = mapping.roles.get(role_name, ROLES.get(role_name)) if type(role_name) is str else None
    if role is None:
        raise record.error("unknown role; add it to [roles]", path)
    if role == SKIP:
        return
    text = places.text.text(message)
    if role == "tool":
        tool_result = _result(message, mapping) or make_result(None, "")
        yield (
            tool_result
            if tool_result.content
            else make_result(tool_result.tool_call_id, text or "", None, tool_result.is_error)
        )
        return
    results = [result for value in places.results.elements(message) if (result := _result(value, mapping)) is not None]
    if results or places.calls.elements(message):
        text = _PLACES_OF_CALLS.sub("", text or "") or None
    if role != "assistant":
        yield from results
        if text or not results:
            yield LogMessage(role, text, injected=role == "user" and bool(results))
        return
    calls: list[ToolCall] = []
    for call in places.calls.elements(message):
        at = mapping.call
        call_id, name, arguments = at.id.first(call), at.name.first(call), at.arguments.first(call)
        if name is None and call_id is None and arguments is None:
            continue  # another kind of part
        calls.append(make_call(record, call_id, name, arguments, f"{path}.calls"))
        own_result = at.result.text(call)
        if own_result is not None:
            results.append(make_result(calls[-1].id, own_result, calls[-1].name))
    reasoning = places.reasoning.text(message)
    if text or calls or reasoning or mapping.messages is not None:  # a line may hold another kind of part
        yield LogMessage(role, text, tuple(calls), reasoning=reasoning)
    yield from results


def _result(value: object, mapping: Mapping) -> LogMessage | None:
    """The result that an element holds; None for another kind of part."""
    at = mapping.result
    call_id, text, failed = at.id.first(value), at.text.text(value), at.error.first(value)
    if call_id is None and text is None:
        return None
    return make_result(call_id, text or "", None, None if failed is None else bool(failed))
