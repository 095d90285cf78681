"""What spans say in the attributes of OpenTelemetry's conventions for generative AI, present and older ones.

Source: semantic conventions for GenAI, "gen_ai.input.messages" and its companions; "events" of versions 1.28 to 1.36;
indexed attributes (`gen_ai.prompt.0.content`) of the instrumentations before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolgauge.chat import Message, Tool
from toolgauge.conversations.formats.definitions import read_definitions
from toolgauge.conversations.formats.messages import id_text, linked, made_call, read_message, said
from toolgauge.conversations.formats.otlp import Attributes, Event, Span, structured
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine

TOOL = "execute_tool"
AGENTS = ("invoke_agent", "invoke_workflow")
_EVENTS = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")} | {
    "gen_ai.choice": "assistant"
}
_SAID = ("gen_ai.input.", "gen_ai.output.", "gen_ai.prompt", "gen_ai.request.")
_INDEXED = re.compile(r"(gen_ai\.prompt|gen_ai\.completion|llm\.request\.functions)\.(\d{1,4})\.([\w.]{1,60})")
_TOOLS = ("gen_ai.tool.definitions", "gen_ai.request.tools")


def operation(span: Span) -> str:
    """What was done in a span: "chat", "execute_tool" ...; "" where it has nothing to do with a model."""
    given = span.attributes.get("gen_ai.operation.name")
    if type(given) is str:
        return given
    if any(event.name in _EVENTS for event in span.events):
        return "chat"
    if any(key.startswith(_SAID) for key in span.attributes):
        return "chat"
    return TOOL if "gen_ai.tool.call.id" in span.attributes else ""


def said_in(record: DataLine, spans: Sequence[Span]) -> tuple[Message, ...]:
    """What was said in one span, of which several records may tell. Raises DataError for what is no message."""
    made: list[tuple[Message, object]] = []
    attributes = {key: value for span in spans for key, value in span.attributes.items()}
    for part in _list(attributes.get("gen_ai.system_instructions")):
        text = said([_as_part(part)])[0]
        if text:
            made.append((Message("system", text), None))
    for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
        listed = _list(attributes.get(key))
        listed = listed[:1] if key.startswith("gen_ai.output") else listed  # of several choices the first
        for message in listed:
            made += _messages(record, message, key)
    if not any(message.role != "system" for message, _name in made):
        made += _told(record, spans)
    if not made:
        made += _indexed(record, attributes)
    return linked(made)


def tools_in(spans: Iterable[Span]) -> tuple[Tool, ...]:
    """The tools that were on offer in a span."""
    for span in spans:
        for key in _TOOLS:
            if found := read_definitions(structured(span.attributes.get(key))):
                return found
        if found := read_definitions([_function(one) for one in _rows(span.attributes, "llm.request.functions")]):
            return found
    return ()


def result_in(span: Span) -> tuple[str, str] | None:
    """The id of the call that a span carried out, and its result; None where it does not tell them."""
    value = next(
        (span.attributes[key] for key in ("gen_ai.tool.call.result", "tool_response") if key in span.attributes), None
    )
    call = id_text(span.attributes.get("gen_ai.tool.call.id"))
    return (call, _text(value)) if call and value is not None else None


def _messages(record: DataLine, message: object, path: str) -> Iterator[tuple[Message, object]]:
    """A message with parts: its results first, each of which is a message here."""
    if type(message) is not dict:
        return
    listed = message.get("parts")
    if type(listed) is not list:
        yield read_message(record, message, path), message.get("name")
        return
    parts: list[Mapping[str, object]] = [part for part in listed if type(part) is dict]
    kinds: dict[str, list[Mapping[str, object]]] = {"tool_call_response": [], "tool_call": [], "": []}
    for part in parts:
        kinds.get(str(part.get("type")), kinds[""]).append(part)
    for part in kinds["tool_call_response"]:
        value = part.get("response", part.get("result", part.get("content")))
        yield Message("tool", _text(value), tool_call_id=id_text(part.get("id"))), part.get("name")
    if kinds["tool_call"] or kinds[""]:
        calls = tuple(made_call(one.get("id"), one.get("name"), one.get("arguments")) for one in kinds["tool_call"])
        plain = read_message(
            record, {"role": message.get("role"), "content": list(map(_as_part, kinds[""])) or None}, path
        )
        if plain.role != "tool" or not kinds["tool_call_response"]:
            yield Message(plain.role, plain.content, calls, plain.tool_call_id, plain.reasoning), None


def _as_part(part: object) -> object:
    """A part in the form of OpenAI's: text under `text`."""
    if type(part) is dict and type(part.get("content")) is str and part.get("type") in ("text", "reasoning"):
        return {"type": part["type"], "text": part["content"]}
    return part


def _told(record: DataLine, spans: Sequence[Span]) -> Iterator[tuple[Message, object]]:
    """What the older events tell, in the order of their times."""
    events = [event for span in spans for event in span.events if event.name in _EVENTS]
    chosen = False
    for event in sorted(events, key=lambda one: one.time):
        if event.name == "gen_ai.choice":
            if chosen:
                continue
            chosen = True
        yield read_message(record, _body(event), event.name), event.body.get("name")


def _body(event: Event) -> dict[str, object]:
    inner = structured(event.body.get("message"))
    fields = {**event.body, **inner} if type(inner) is dict else {**event.body}
    if type(inner) is str and "content" not in fields:
        fields["content"] = inner
    fields["tool_calls"] = structured(fields.get("tool_calls"))
    role = _EVENTS[event.name]
    return {**fields, "role": role, **({"tool_call_id": fields.get("id")} if role == "tool" else {})}


def _indexed(record: DataLine, attributes: Attributes) -> Iterator[tuple[Message, object]]:
    for key in ("gen_ai.prompt", "gen_ai.completion"):
        for row in _rows(attributes, key)[: None if key == "gen_ai.prompt" else 1]:
            calls: dict[str, dict[str, object]] = {}
            for name, value in row.items():
                _first, _dot, rest = name.partition("tool_calls.")
                place, _dot, field = rest.partition(".")
                if field:
                    calls.setdefault(place, {})[field] = value
            message = {"role": row.get("role", "assistant"), "content": structured(row.get("content"))}
            message |= {"tool_calls": list(calls.values()), "tool_call_id": row.get("tool_call_id")}
            yield read_message(record, message, key), None


def _rows(attributes: Attributes, name: str) -> list[dict[str, object]]:
    """Attributes with numbers in their names as what they number."""
    rows: dict[int, dict[str, object]] = {}
    for key, value in attributes.items():
        found = _INDEXED.fullmatch(key)
        if found and found[1] == name:
            rows.setdefault(int(found[2]), {})[found[3]] = value
    return [rows[number] for number in sorted(rows)]


def _function(row: Mapping[str, object]) -> dict[str, object]:
    return {**row, "parameters": structured(row.get("parameters"))}


def _list(value: object) -> list[object]:
    value = structured(value)
    return value if type(value) is list else [value] if type(value) is dict else []


def _text(value: object) -> str:
    return value if type(value) is str else as_json(value)
