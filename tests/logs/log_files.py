"""Small logs, made here in the forms that were seen in real ones."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from toolgauge.logs.conversation import Conversation, LeftOut
from toolgauge.logs.formats.table import read_files

Json = dict[str, Any]

WEATHER: Json = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def call(name: str, arguments: str, id_: str = "call_1") -> Json:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def dialogue() -> list[Json]:
    """Two tasks: one with two calls made together, one without."""
    return [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "the weather in oslo and bergen?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                call("get_weather", '{"city": "Oslo"}', "call_a"),
                call("get_weather", '{"city": "Bergen"}', "call_b"),
            ],
        },
        {"role": "tool", "content": '{"sky": "sunny"}', "tool_call_id": "call_a"},
        {"role": "tool", "content": '{"sky": "rain"}', "tool_call_id": "call_b"},
        {"role": "assistant", "content": "Oslo: sunny. Bergen: rain."},
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": "You are welcome."},
    ]


def written(path: Path, lines: Iterable[object]) -> Path:
    """A file of JSON lines; what is a text or bytes already stands there as it is."""
    with path.open("wb") as file:
        for line in lines:
            raw = line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else _json(line)
            file.write(raw + b"\n")
    return path


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def read(name: str, *paths: Path, mapping: Path | None = None) -> tuple[list[Conversation], list[LeftOut]]:
    """The conversations of logs, and what is left out."""
    found = list(read_files(paths, name, mapping))
    return [one for one in found if isinstance(one, Conversation)], [one for one in found if isinstance(one, LeftOut)]


def wires(conversation: Conversation) -> list[Json]:
    """The messages in OpenAI's form."""
    return [message.wire() for message in conversation.messages]


def otlp(spans: Sequence[Json]) -> Json:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "test"}, "spans": list(spans)}]}]}


def span(number: int, attributes: Json, trace: str = "t1", events: Sequence[Json] = ()) -> Json:
    pairs = [{"key": key, "value": any_value(value)} for key, value in attributes.items()]
    start = str(1_795_433_363_000_000_000 + number)
    made = {"traceId": trace, "spanId": f"s{number}", "startTimeUnixNano": start, "attributes": pairs}
    return {**made, "events": list(events)} if events else made


def any_value(value: object) -> Json:
    """A value as OTLP has it."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": any_value(part)} for key, part in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(part) for part in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def parts(messages: Sequence[Json]) -> list[Json]:
    """Messages in the form of the present conventions."""
    made = []
    for message in messages:
        own: list[Json] = []
        if message["role"] == "tool":
            own = [{"type": "tool_call_response", "id": message["tool_call_id"], "response": message["content"]}]
        elif message["content"]:
            own = [{"type": "text", "content": message["content"]}]
        for one in message.get("tool_calls", ()):
            function = one["function"]
            own.append(
                {"type": "tool_call", "id": one["id"], **function, "arguments": json.loads(function["arguments"])}
            )
        made.append({"role": message["role"], "parts": own})
    return made


def chat_spans(messages: Sequence[Json], more: Json | None = None, trace: str = "t1") -> list[Json]:
    """A span for every reply, with all that was said before it."""
    made = []
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            said = {"input": parts(messages[:place]), "output": parts([message])}
            attributes: Json = {f"gen_ai.{key}.messages": json.dumps(value) for key, value in said.items()}
            attributes |= {"gen_ai.operation.name": "chat", **(more or {})}
            attributes["gen_ai.tool.definitions"] = json.dumps([{"type": "function", **WEATHER["function"]}])
            made.append(span(place, attributes, trace))
    return made


def sample(name: str | int, epoch: int = 1, messages: Sequence[Json] | None = None, **more: object) -> Json:
    """A sample of a log of Inspect's."""
    said = []
    for message in messages if messages is not None else dialogue():
        calls = [
            {
                "id": one["id"],
                "function": one["function"]["name"],
                "arguments": json.loads(one["function"]["arguments"]),
            }
            for one in message.get("tool_calls", ())
        ]
        said.append({**message, "content": message["content"] or "", **({"tool_calls": calls} if calls else {})})
    events = [{"event": "span_begin"}, {"event": "model", "tools": [WEATHER["function"]], "output": {}}]
    started = "2026-11-23T11:31:18.742252+00:00"
    return {"id": name, "epoch": epoch, "messages": said, "events": events, "started_at": started, **more}


def eval_file(path: Path, samples: Sequence[Json], packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr("_journal/start.json", "{}")
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        archive.writestr("header.json", '{"version": 2}')
    return path
