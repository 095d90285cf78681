"""What spans say: OpenTelemetry's conventions for generative AI, present and older ones, the AI SDK's attributes, and
OpenInference.

A conversation is what has one `gen_ai.conversation.id` or `session.id`, else one trace. Sources: semantic conventions
for GenAI ("gen_ai.input.messages" and its companions; the event `gen_ai.client.inference.operation.details`; the
events of versions 1.28 to 1.36; the indexed attributes before them); OpenInference's specification; the AI SDK's
telemetry ("ai.prompt.messages").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine
from toolgauge.errors import DataError
from toolgauge.logs.conversation import LogMessage
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.exchanges import object_of, read_request, read_response
from toolgauge.logs.formats.otlp import REQUESTS, Attributes, Event, Span, nested, spans_of, structured
from toolgauge.logs.formats.times import iso_time
from toolgauge.logs.joining import Piece, SpanResult, piece_of
from toolgauge.logs.messages import parse_messages
from toolgauge.logs.parts import id_text, make_result, result_text, text_of

_DETAILS = "gen_ai.client.inference.operation.details"
_EVENTS = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")} | {
    "gen_ai.choice": "assistant"
}
_TOOL_SPANS = ("execute_tool", "TOOL", "ai.toolCall")
_OUTER = (
    "invoke_agent",
    "invoke_workflow",
    "AGENT",
    "CHAIN",
    "ai.generateText",
    "ai.streamText",
    "ai.generateObject",
    "ai.streamObject",
)
_SILENT = (
    "embeddings",
    "retrieval",
    "create_agent",
    "EMBEDDING",
    "RETRIEVER",
    "RERANKER",
    "GUARDRAIL",
    "EVALUATOR",
    "ai.embed",
)
_SESSIONS = (
    "gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.threadId",
    "traceloop.association.properties.session_id", "traceloop.association.properties.thread_id",
)  # fmt: skip
_DEFINITIONS = ("gen_ai.tool.definitions", "gen_ai.request.tools", "ai.prompt.tools")


def is_trace(value: Mapping[str, object]) -> bool:
    """Is a record a request of an exporter, or a span as the console exporters print it?"""
    return any(key in value for key in REQUESTS) or (type(value.get("context")) is dict and "attributes" in value)


def is_openinference(value: Mapping[str, object]) -> bool:
    """Do the spans of a record use OpenInference's attributes?"""
    return is_trace(value) and any("openinference.span.kind" in span.attributes for span in spans_of(value))


def read_trace(record: DataLine) -> Iterator[Piece]:
    """The pieces that the spans and log records of a record are. Raises DataError."""
    if not is_trace(record.value):
        raise record.error("not an OTLP request: `resourceSpans` and `resourceLogs` missing")
    for span in spans_of(record.value):
        attributes = dict(span.attributes)
        for event in span.events:
            if event.name == _DETAILS or (span.is_record and "gen_ai.input.messages" in event.body):
                attributes |= event.body
        kind = _kind(attributes, span)
        if not kind or kind in _SILENT:
            continue
        name = next((session for key in _SESSIONS if (session := id_text(attributes.get(key)))), None)
        trace = span.trace or f"{record.file}:{record.line}"
        about = {"key": name, "alias": trace, "start": span.start, "time": iso_time(span.start or None)}
        if kind in _TOOL_SPANS:
            results = tuple(_span_result(attributes, span))
            yield piece_of(record, name or trace, results=results, **about)
            continue
        base = piece_of(
            record, name or trace, level=int(kind in _OUTER), span=f"{trace}/{span.id}" if span.id else None, **about
        )
        try:
            messages = _messages(record, attributes, span)
            from_events = [] if messages else _told(record, span.events)
        except DataError as error:
            yield replace(base, fault=None if base.level else error.message)
        else:
            yield replace(
                base, messages=tuple(messages or from_events), is_event=not messages, tools=_tools(attributes)
            )


def _kind(attributes: Attributes, span: Span) -> str:
    """What was done in a span; "" where it has nothing to do with a model or a tool."""
    for key in ("gen_ai.operation.name", "openinference.span.kind", "ai.operationId", "operation.name"):
        if type(kind := attributes.get(key)) is str and kind:
            name = kind.partition(" ")[0]
            return next((prefix for prefix in ("ai.toolCall", "ai.embed") if name.startswith(prefix)), name)
    if any(event.name in _EVENTS for event in span.events):
        return "chat"
    if any(
        key.startswith(("gen_ai.input.", "gen_ai.output.", "gen_ai.prompt", "gen_ai.request.", "ai.prompt", "llm."))
        for key in attributes
    ):
        return "chat"
    return "execute_tool" if "gen_ai.tool.call.id" in attributes else ""


def _messages(record: DataLine, attributes: Attributes, span: Span) -> list[LogMessage]:
    """What the attributes of a span say, in whichever convention."""
    if "gen_ai.input.messages" in attributes or "gen_ai.output.messages" in attributes:
        return _by_convention(record, attributes)
    if "ai.prompt.messages" in attributes or "ai.prompt" in attributes:
        return _ai_sdk(record, attributes)
    given = nested(attributes, "llm.input_messages")
    if given is not None or any(key.startswith("llm.output_messages") for key in attributes):
        told = [given, nested(attributes, "llm.output_messages")]
        return [
            one
            for listed in told
            if type(listed) is list
            for one in parse_messages(record, [_openinference(part) for part in listed], "llm.messages")
        ]
    if attributes.get("openinference.span.kind") in ("LLM", "AGENT", "CHAIN"):
        request = object_of(attributes.get("input.value"))
        if request is not None and any(key in request for key in ("messages", "contents", "input")):
            messages, _tools_of = read_request(record, request, "input.value.")
            return messages + read_response(record, structured(attributes.get("output.value")), "output.value")
        return []
    prompts = [
        event.body for event in span.events if event.name in ("gen_ai.content.prompt", "gen_ai.content.completion")
    ]
    indexed = {**attributes, **{key: value for body in prompts for key, value in body.items()}}
    return _indexed(record, indexed)


def _by_convention(record: DataLine, attributes: Attributes) -> list[LogMessage]:
    messages: list[LogMessage] = []
    system = structured(attributes.get("gen_ai.system_instructions"))
    if system and (text := text_of(system)):
        messages.append(LogMessage("system", text))
    for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
        listed = structured(attributes.get(key))
        if type(listed) is dict:
            listed = [listed]
        if type(listed) is list and key.startswith("gen_ai.output"):
            listed = listed[:1]  # the first choice
        if listed:
            messages += parse_messages(record, listed, key)
    return messages


def _ai_sdk(record: DataLine, attributes: Attributes) -> list[LogMessage]:
    prompt = attributes.get("ai.prompt.messages", attributes.get("ai.prompt"))
    value = structured(prompt)
    if type(value) is dict:
        messages, _none = read_request(record, value, "ai.prompt.")
    else:
        messages = parse_messages(record, value, "ai.prompt.messages")
    calls = structured(attributes.get("ai.response.toolCalls"))
    text = attributes.get("ai.response.text")
    reply: dict[str, object] = {
        "role": "assistant",
        "content": text or None,
        "tool_calls": calls if type(calls) is list else [],
    }
    if text or reply["tool_calls"]:
        messages += parse_messages(record, [reply], "ai.response")
    return messages


def _openinference(part: object) -> object:
    """A message of OpenInference's in OpenAI's form."""
    message = part.get("message") if type(part) is dict else None
    if type(message) is not dict:
        return part
    contents = message.get("contents")
    parts = (
        [block.get("message_content") for block in contents if type(block) is dict] if type(contents) is list else None
    )
    calls = message.get("tool_calls")
    return {
        **message,
        "content": message.get("content", parts),
        "tool_calls": [call.get("tool_call") for call in calls if type(call) is dict] if type(calls) is list else [],
    }


def _told(record: DataLine, events: tuple[Event, ...]) -> list[LogMessage]:
    """What the older events of a span tell, in the order of their times. Raises DataError for several choices."""
    ordered = sorted((event for event in events if event.name in _EVENTS), key=lambda event: event.start)
    messages: list[LogMessage] = []
    chosen = False
    for event in ordered:
        if event.name == "gen_ai.choice" and chosen:
            if event.body.get("index") not in (None, 0, "0"):
                raise record.error("holds several choices (n > 1); log the one that was used")
            continue
        chosen = chosen or event.name == "gen_ai.choice"
        inner = structured(event.body.get("message"))
        fields = {**event.body, **inner} if type(inner) is dict else dict(event.body)
        if type(inner) in (str, list) and "content" not in fields:
            fields["content"] = inner
        fields["tool_calls"] = structured(fields.get("tool_calls"))
        if type(blocks := structured(fields.get("content"))) is list:
            fields["content"] = blocks
        role = _EVENTS[event.name]
        if role == "tool":
            fields["tool_call_id"] = fields.get("id")
        messages += parse_messages(record, [{**fields, "role": role}], event.name)
    return messages


def _indexed(record: DataLine, attributes: Attributes) -> list[LogMessage]:
    """The attributes `gen_ai.prompt.0.content` and `gen_ai.completion.0.content`, or both as JSON."""
    messages: list[LogMessage] = []
    for key, role in (("gen_ai.prompt", "user"), ("gen_ai.completion", "assistant")):
        rows = nested(attributes, key)
        if type(rows) is dict and "messages" in rows:
            rows = rows["messages"]
        listed = rows if type(rows) is list else [rows] if type(rows) is dict else []
        for row in listed if role == "user" else listed[:1]:
            if type(row) is not dict:
                continue
            content = structured(row.get("content"))
            content = content if type(content) is list else row.get("content")
            messages += parse_messages(record, [{"role": role, **row, "content": content}], key)
    return messages


def _span_result(attributes: Attributes, span: Span) -> Iterator[SpanResult]:
    """The call that a span carried out, with its result; nothing where it does not tell the result."""
    value = _of(attributes, "gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "tool_response")
    if value is None and not span.failed:
        return
    call_id = _of(attributes, "gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")
    name = _of(attributes, "gen_ai.tool.name", "ai.toolCall.name", "tool.name")
    arguments = _of(attributes, "gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value")
    failed = True if span.failed or "error.type" in attributes else None
    text = value if type(value) is str else result_text(value)
    yield SpanResult(
        make_result(call_id, text, name, failed),
        None if arguments is None else arguments if type(arguments) is str else as_json(arguments),
        span.start,
    )


def _of(attributes: Attributes, *keys: str) -> object:
    return next((attributes[key] for key in keys if attributes.get(key) is not None), None)


def _tools(attributes: Attributes) -> tuple[Tool, ...]:
    for key in _DEFINITIONS:
        if tools := read_definitions(structured(attributes.get(key))):
            return tools
    listed = nested(attributes, "llm.tools")
    if type(listed) is list:
        return read_definitions(
            [_tool(holder["tool"]) for holder in listed if type(holder) is dict and type(holder.get("tool")) is dict]
        )
    return read_definitions(nested(attributes, "llm.request.functions"))


def _tool(tool: Attributes) -> object:
    """A definition of OpenInference's: as its provider has it, or the schema of its parameters alone."""
    schema = structured(tool.get("json_schema"))
    if type(schema) is dict and (
        "name" in schema or "function" in schema or "toolSpec" in schema or "name" not in tool
    ):
        return schema
    return {"name": tool.get("name"), "description": tool.get("description"), "parameters": schema}
