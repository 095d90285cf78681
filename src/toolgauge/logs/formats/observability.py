"""Exports of observability platforms and frameworks: Langfuse, LangSmith, LangGraph's state, OpenAI's Agents SDK.

Each record is a run, an observation or a span; those of models hold what was said, those of tools only fill in results
that no model was told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine
from toolgauge.errors import DataError
from toolgauge.logs.conversation import made_id
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.exchanges import conversation_name, exchange, object_of
from toolgauge.logs.formats.times import first_time, seconds_of
from toolgauge.logs.joining import Piece, SpanResult, piece_of
from toolgauge.logs.messages import parse_messages
from toolgauge.logs.parts import Json, id_text, make_result, pick, result_text
from toolgauge.logs.text_calls import decoded

_REPLIES = (
    "role",
    "content",
    "tool_calls",
    "choices",
    "candidates",
    "generations",
    "output",
    "message",
    "messages",
    "parts",
    "kwargs",
    "error",
)
_OBSERVATIONS = ("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EMBEDDING")


def _blank(record: DataLine, session: str | None, trace: str | None, value: Json) -> Piece:
    """A piece that holds nothing yet, with its place in a trace and a session."""
    return piece_of(
        record,
        session or trace or made_id(record.file, record.line),
        key=session,
        alias=trace,
        start=seconds_of(pick(value, "startTime", "start_time", "started_at", "timestamp")),
        time=first_time(("startTime", "start_time", "started_at", "timestamp"), value),
    )


def _with_exchange(
    record: DataLine, piece: Piece, request: Json, response: object, holders: tuple[Json, ...] = ()
) -> Piece:
    """The piece with what was said. Outer spans hold anything, so that those without messages stay as they are."""
    try:
        request_piece = exchange(record, request, response, holders=holders)
    except DataError as error:
        return piece if piece.level else replace(piece, fault=error.message)
    if request_piece.fault:
        return piece if piece.level else replace(piece, fault=request_piece.fault)
    return replace(piece, messages=request_piece.messages, tools=request_piece.tools)


def _with_result(piece: Piece, name: object, inputs: Any, output: Any, failed: bool) -> Piece:
    """The piece of a tool's span: the call that it carried out, with its result."""
    if type(output) is dict and set(output) == {"output"}:
        output = output["output"]
    call_id = None
    if type(output) is dict:  # a message of LangChain's
        message = object_of(pick(output, "kwargs", "data")) or output
        if "tool_call_id" in message:
            output, call_id, failed = (
                message.get("content"),
                message["tool_call_id"],
                failed or message.get("status") == "error",
            )
    if output is None and not failed:
        return piece
    arguments = inputs if type(inputs) is str else as_json(inputs)
    is_object = type(decoded(arguments)) is dict
    result = make_result(call_id, result_text(output), name, failed or None)
    return replace(piece, results=(SpanResult(result, arguments if is_object else None, piece.start),))


def _value(value: Any) -> Any:
    """A value that may be written as JSON text."""
    inner = decoded(value) if type(value) is str and value.lstrip()[:1] in ("{", "[") else None
    return value if inner is None else inner


def is_langfuse(value: Json) -> bool:
    """Is it an observation, or a trace with its observations?"""
    is_known = str(value.get("type", "")).upper() in _OBSERVATIONS
    is_placed = pick(value, "traceId", "trace_id", "startTime", "start_time") is not None
    return type(value.get("observations")) is list or (is_known and is_placed and "span_data" not in value)


def read_langfuse(record: DataLine) -> Iterator[Piece]:
    """Langfuse's observations, lines or rows of a CSV export, or a trace with them."""
    value: Json = record.value
    session = id_text(pick(value, "sessionId", "session_id"))
    observations = value.get("observations")
    if type(observations) is list:
        for observation in observations:
            if type(observation) is dict:
                inner = {
                    "traceId": value.get("id"),
                    **observation,
                    "sessionId": session or observation.get("sessionId"),
                }
                yield from read_langfuse(DataLine(record.file, record.line, inner))
        return
    kind = str(value.get("type", "GENERATION")).upper()
    piece = _blank(record, session, id_text(pick(value, "traceId", "trace_id", "id")), value)
    inputs, output = _value(value.get("input")), _value(value.get("output"))
    if kind == "TOOL":
        yield _with_result(piece, value.get("name"), inputs, output, value.get("level") == "ERROR")
    elif kind in ("GENERATION", "AGENT", "CHAIN", "SPAN"):
        if type(inputs) is dict and type(inputs.get("args")) is list and not inputs.get("messages"):
            inputs = {"messages": inputs["args"], **object_of(inputs.get("kwargs"))}
        request = inputs if type(inputs) is dict else {"messages": inputs}
        if type(inputs) is list:  # LangChain's handler lists the definitions of tools among the messages
            tools = [
                observation["content"]
                for observation in inputs
                if type(observation) is dict and type(observation.get("content")) is dict
            ]
            tools = [observation for observation in tools if type(observation.get("function")) is dict]
            request = {
                "messages": [
                    observation
                    for observation in inputs
                    if type(observation) is not dict or observation.get("content") not in tools
                ]
            }
            request["tools"] = tools
        if type(output) is dict and not any(key in output for key in _REPLIES):
            output = as_json(output)  # a text that Langfuse has parsed
        yield _with_exchange(record, replace(piece, level=int(kind != "GENERATION")), request, output)
    else:
        yield piece


def is_langsmith(value: Json) -> bool:
    """Is it a run?"""
    return type(value.get("run_type")) is str and ("inputs" in value or "outputs" in value)


def read_langsmith(record: DataLine) -> Iterator[Piece]:
    """LangSmith's runs: those of models hold what was said, the outer ones only where there are no others."""
    value: Json = record.value
    inputs, outputs, extra = object_of(value.get("inputs")), _value(value.get("outputs")), object_of(value.get("extra"))
    session = conversation_name(object_of(extra.get("metadata"))) or id_text(value.get("thread_id"))
    kind = value["run_type"]
    piece = _blank(record, session, id_text(pick(value, "trace_id", "id")), value)
    piece = replace(piece, level=int(kind != "llm"))
    if kind == "tool":
        result = outputs or value.get("error")
        yield _with_result(
            piece, value.get("name"), _value(inputs.get("input", inputs)), result, bool(value.get("error"))
        )
    elif kind == "chain" and type(outputs) is dict and type(outputs.get("messages")) is list:  # LangGraph's state
        yield replace(piece, messages=tuple(parse_messages(record, outputs["messages"], "outputs.messages")))
    elif kind in ("llm", "chain"):
        parameters = object_of(extra.get("invocation_params"))
        yield _with_exchange(record, piece, inputs, outputs, holders=(parameters,))
    else:
        yield piece


def is_langgraph(value: Json) -> bool:
    """Is it a state of a graph: messages of LangChain's under `values`?"""
    state = value.get("values")
    return type(state) is dict and type(state.get("messages")) is list


def read_langgraph(record: DataLine) -> Iterator[Piece]:
    """States of LangGraph's threads. Several states of a thread repeat what was said before them."""
    value: Json = record.value
    state = object_of(value.get("values"))
    configurable = object_of(object_of(value.get("config")).get("configurable")) or object_of(value.get("checkpoint"))
    thread = id_text(configurable.get("thread_id")) or id_text(value.get("thread_id"))
    yield piece_of(
        record,
        thread or made_id(record.file, record.line),
        messages=tuple(parse_messages(record, state.get("messages"), "values.messages")),
        tools=read_definitions(pick(state, "tools") or value.get("tools")),
        time=first_time(("created_at", "createdAt"), value),
        key=thread,
        start=seconds_of(pick(value, "created_at", "createdAt")),
    )


def is_agents_trace(value: Json) -> bool:
    """Is it a trace or a span of OpenAI's Agents SDK?"""
    return value.get("object") in ("trace", "trace.span")


def read_agents_trace(record: DataLine) -> Iterator[Piece]:
    """Traces and spans of OpenAI's Agents SDK, as its exporters write them."""
    value: Json = record.value
    if value.get("object") == "trace":
        yield _blank(record, id_text(value.get("group_id")), id_text(value.get("id")), value)
        return
    data = object_of(value.get("span_data"))
    piece = _blank(record, None, id_text(value.get("trace_id")) or made_id(record.file, record.line), value)
    if data.get("type") == "function":
        failed = bool(value.get("error"))
        yield _with_result(piece, data.get("name"), _value(data.get("input")), data.get("output"), failed)
    elif data.get("type") == "generation" and data.get("input") is not None:
        request = {"messages": data["input"], "tools": data.get("tools")}
        yield _with_exchange(record, piece, request, data.get("output"))
    elif data.get("type") == "response":
        response = object_of(data.get("response"))
        request = {
            "instructions": response.get("instructions"),
            "input": data.get("input"),
            "tools": response.get("tools"),
        }
        if not data.get("input") or not response:
            yield replace(piece, fault="the spans hold ids of responses only, not what was said")
        else:
            yield _with_exchange(record, piece, request, response)
    else:
        yield piece
