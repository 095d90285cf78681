"""Logs of one's own: JSON lines, read as a mapping file says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from toolgauge.chat import Message, ToolCall
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.definitions import decoded, read_definitions
from toolgauge.conversations.formats.found import Finds
from toolgauge.conversations.formats.grouping import Part, grouped
from toolgauge.conversations.formats.mapping import NOWHERE, SKIP, Mapping
from toolgauge.conversations.formats.messages import ROLES, id_text, linked, made_call, said
from toolgauge.conversations.formats.paths import Place
from toolgauge.conversations.formats.records import made_id
from toolgauge.conversations.formats.times import iso_time
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be

Named = tuple[Message, object]
"""A message and, of a result, the name of its tool."""


def read_mapped(paths: Sequence[Path], mapping: Mapping) -> Finds:
    """The conversations of files, as the mapping says where they are."""
    return grouped(paths, lambda record: _parts(record, mapping), _joined)


def _joined(parts: Sequence[Conversation], _named: bool) -> Iterator[Conversation]:
    """The messages that lie apart, one after the other."""
    first = parts[0]
    messages = linked([(message, None) for part in parts for message in part.messages])
    tools = {tool.name: tool for part in reversed(parts) for tool in part.tools}
    lead = [n for n, message in enumerate(messages) if message.role == "system" and message == messages[0]]
    kept = tuple(message for n, message in enumerate(messages) if n not in lead[1:])
    yield Conversation(first.id, kept, tuple(tools.values()), first.line, first.time)


def _parts(record: DataLine, mapping: Mapping) -> Iterator[Part[Conversation]]:
    value = record.value
    name = id_text(mapping.id.first(value))
    made: list[Named] = []
    system = mapping.system.first(value)
    if type(system) is str and system:
        made.append((Message("system", system), None))
    alone = mapping.messages is None
    listed = [value] if mapping.messages is None else _elements(mapping.messages, value)
    for place, message in enumerate(listed):
        made += _messages(record, message, mapping, "" if alone else f"messages[{place}]")
    if alone and name is None:
        raise record.error("conversation id missing")
    if not made:
        if alone:
            return
        raise record.error("no messages")
    messages = linked(made)
    tools = read_definitions(mapping.tools.first(value))
    time = iso_time(mapping.time.first(value))
    yield Part(Conversation(name or made_id(record), messages, tools, record.line, time), name if alone else None)


def _messages(record: DataLine, message: object, mapping: Mapping, path: str) -> Iterator[Named]:
    """What a message of the log says: a message, and the results that stand in it; those of a user come first."""
    places = mapping.message
    if type(message) is not dict:
        raise record.error(must_be(dict, message), path)
    given = places.role.first(message)
    role = mapping.roles.get(given, ROLES.get(given)) if type(given) is str else None
    if role is None:
        raise record.error("unknown role; add it to [roles]", path)
    if role == SKIP:
        return
    text = _text(places.text, message)
    if role == "tool":
        result = _result(message, mapping)
        yield result if result.content is not None else replace(result, content=text), None
        return
    results = [(_result(one, mapping), None) for one in _elements(places.results, message)]
    if role != "assistant":
        yield from results
        if text is not None or not results:
            yield Message(role, text), None
        return
    made = [(_call(call, mapping), _text(mapping.call.result, call)) for call in _elements(places.calls, message)]
    calls = tuple(call for call, _result_of in made if call.name is not None)
    yield Message(role, text, calls, reasoning=_text(places.reasoning, message)), None
    for call, own in made:
        if call.name is not None and own is not None:
            yield Message("tool", own, tool_call_id=call.id), call.name
    yield from results


def _call(call: object, mapping: Mapping) -> ToolCall:
    places = mapping.call
    return made_call(places.id.first(call), places.name.first(call), places.arguments.first(call))


def _result(result: object, mapping: Mapping) -> Message:
    return Message("tool", _text(mapping.result.text, result), tool_call_id=id_text(mapping.result.id.first(result)))


def _elements(path: Place, value: object) -> list[object]:
    """What a path leads to; a list there, or JSON text of one, is its elements."""
    found: list[object] = []
    for one in path.all(value) if path != NOWHERE else ():
        inner = decoded(one) if type(one) is str and one.lstrip()[:1] in ("[", "{") else one
        found += inner if type(inner) is list else [] if inner is None else [inner]
    return found


def _text(path: Place, value: object) -> str | None:
    """The text at a path; several are put one after the other, parts are read as those of a message."""
    if path == NOWHERE:
        return None
    texts = [text for one in path.all(value) if (text := one if type(one) is str else _other(one)) is not None]
    return "".join(texts) if texts else None


def _other(value: object) -> str | None:
    is_parts = type(value) is list and value and all(type(one) is dict and "type" in one for one in value)
    return None if value is None else said(value)[0] if is_parts else as_json(value)
