"""OpenTelemetry: every form in which instrumentations were seen to record what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logs.log_files import (
    Json,
    any_value,
    chat_spans,
    dialogue,
    otlp,
    parts,
    read,
    span,
    wires,
    written,
)


def test_a_conversation_over_several_traces_and_out_of_order(tmp_path: Path) -> None:
    first, second, third = chat_spans(dialogue(), {"gen_ai.conversation.id": "c1"})
    third["traceId"] = "t2"
    other = chat_spans(dialogue()[:6], {"gen_ai.conversation.id": "c2"}, "t3")
    files = [written(tmp_path / "a.jsonl", [otlp([third, other[1]]), otlp([second])])]
    files.append(written(tmp_path / "b.jsonl", [otlp([other[0], first])]))
    found, _rejected = read("otel", *files)
    assert {one.id: wires(one) for one in found} == {"c1": dialogue(), "c2": dialogue()[:6]}


def test_structured_values_system_instructions_and_results_of_the_user(tmp_path: Path) -> None:
    """As pydantic-ai writes them: results in a message of the user's, under `result`."""
    said = dialogue()
    results = [
        {"type": "tool_call_response", "id": one["tool_call_id"], "result": json.loads(one["content"])}
        for one in said[3:5]
    ]
    messages = [*parts(said[1:3]), {"role": "user", "parts": results}]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": [{"type": "text", "content": "You help."}],
        "gen_ai.input.messages": messages,
        "gen_ai.output.messages": parts(said[5:6]),
    }
    (conversation,), _rejected = read("otel", written(tmp_path / "t.jsonl", [otlp([span(1, attributes)])]))
    assert wires(conversation) == said[:6]


def told(message: Json) -> tuple[str, Json]:
    """The older event of a message that is sent."""
    body = {key: value for key, value in message.items() if key in ("content", "tool_calls") and value is not None}
    if message["role"] == "tool":
        body["id"] = message["tool_call_id"]
    return f"gen_ai.{message['role']}.message", body


def events_of(messages: list[Json]) -> list[list[tuple[str, Json]]]:
    """The older events of every request."""
    made = []
    for place, one in enumerate(messages):
        if one["role"] == "assistant":
            said = {key: value for key, value in one.items() if value is not None}
            made.append([*map(told, messages[:place]), ("gen_ai.choice", {"index": 0, "message": said})])
    return made


def test_older_events_in_a_file_of_logs(tmp_path: Path) -> None:
    spans, records = [], []
    for number, events in enumerate(events_of(dialogue())):
        spans.append(otlp([span(number, {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c9"})]))
        for place, (name, body) in enumerate(events):
            record = {"traceId": "t1", "spanId": f"s{number}", "eventName": name, "body": any_value(body)}
            record["observedTimeUnixNano"] = str(10**18 + number * 100 + place)
            records.append({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
    files = [written(tmp_path / "traces.jsonl", spans), written(tmp_path / "logs.jsonl", records)]
    (conversation,), rejected = read("otel", *files)
    assert not rejected
    assert (conversation.id, wires(conversation)) == ("c9", dialogue())
    (alone,), _rejected = read("otel", files[1])
    assert (alone.id, wires(alone)) == ("t1", dialogue())


def test_indexed_attributes(tmp_path: Path) -> None:
    def indexed(name: str, messages: list[Json]) -> Json:
        made: Json = {}
        for place, message in enumerate(messages):
            for key in ("role", "content", "tool_call_id"):
                if message.get(key) is not None:
                    made[f"{name}.{place}.{key}"] = message[key]
            for number, one in enumerate(message.get("tool_calls", ())):
                made |= {f"{name}.{place}.tool_calls.{number}.{key}": value for key, value in one["function"].items()}
                made[f"{name}.{place}.tool_calls.{number}.id"] = one["id"]
        return made

    said = dialogue()
    spans = [
        span(place, {**indexed("gen_ai.prompt", said[:place]), **indexed("gen_ai.completion", [one])})
        for place, one in enumerate(said)
        if one["role"] == "assistant"
    ]
    (conversation,), rejected = read("otel", written(tmp_path / "t.jsonl", [otlp(spans)]))
    assert not rejected
    assert wires(conversation) == said


def test_an_agent_that_another_one_called_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    inner = [{"role": "user", "content": "sum up"}, {"role": "assistant", "content": "Rain."}]
    spans = chat_spans(dialogue())
    (own,) = chat_spans(inner)
    own["spanId"] = "inner"
    found, _rejected = read("otel", written(tmp_path / "t.jsonl", [otlp([spans[0], own, *spans[1:]])]))
    assert sorted((wires(one) for one in found), key=len) == [inner, dialogue()]
    assert sorted(one.id for one in found) == ["t1", "t1-2"]


@pytest.mark.parametrize("name", ["invoke_agent", "chat"])
def test_spans_without_content_say_so(tmp_path: Path, name: str) -> None:
    found, rejected = read("otel", written(tmp_path / "t.jsonl", [otlp([span(1, {"gen_ai.operation.name": name})])]))
    assert (found, [one.line for one in rejected]) == ([], [1])
    assert "no message content in these spans" in str(rejected[0])
