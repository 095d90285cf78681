"""Chat messages in OpenAI's form: plain, as requests and responses, and as older programs wrote them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logs.log_files import WEATHER, Json, call, dialogue, read, wires, written

REPLY = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}}]}
HI = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_is_its_conversations(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"messages": dialogue()}, {"messages": HI}], indent=indent))
    (first, second), rejected = read("openai", path)
    assert not rejected
    assert (wires(first), wires(second)) == (dialogue(), [{"role": "user", "content": "hi"}])
    assert second.line == (first.line if indent is None else path.read_text().splitlines().index(" {", 3) + 1)


@pytest.mark.parametrize(
    "line",
    [
        {"request": {"messages": HI}, "response": REPLY},
        {"request": {"body": {"messages": HI}}, "response": {"body": REPLY}},
        {"request": json.dumps({"messages": HI}), "response": json.dumps(REPLY)},
        {"custom_id": "x", "body": {"messages": HI}, "response": {"status_code": 200, "body": REPLY}},
        {"messages": HI, **REPLY},
        {"messages": HI, "response": {"message": {"content": "Hello."}}},
        {"input": {"messages": HI}, "preferred_output": [{"role": "assistant", "content": "Hello."}]},
    ],
)
def test_requests_with_their_responses(tmp_path: Path, line: Json) -> None:
    (conversation,), rejected = read("openai", written(tmp_path / "a.jsonl", [line]))
    assert not rejected
    assert wires(conversation) == [*HI, {"role": "assistant", "content": "Hello."}]


def requests(messages: list[Json], **more: object) -> list[Json]:
    """A line for every reply."""
    return [
        {
            **more,
            "request": {"messages": messages[:place], "tools": [WEATHER]},
            "response": {"choices": [{"message": one}]},
        }
        for place, one in enumerate(messages)
        if one["role"] == "assistant"
    ]


@pytest.mark.parametrize("more", [{}, {"session_id": "s"}, {"metadata": {"conversation_id": "s"}}])
def test_requests_of_one_conversation_are_joined(tmp_path: Path, more: Json) -> None:
    other = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]
    first = requests(dialogue(), **more)
    lines = [first[0], *requests(other), *first[1:]]
    found, rejected = read("openai", written(tmp_path / "a.jsonl", lines))
    assert not rejected
    assert [wires(one) for one in found] == [dialogue(), other]
    assert found[0].line == 1


def test_functions_of_the_older_form(tmp_path: Path) -> None:
    line = {
        "messages": [
            {"role": "user", "content": "weather in oslo?"},
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
            },
            {"role": "function", "name": "get_weather", "content": "sun"},
            {"role": "assistant", "content": "Sun."},
        ],
        "functions": [WEATHER["function"]],
    }
    (conversation,), _rejected = read("openai", written(tmp_path / "a.jsonl", [line]))
    assert wires(conversation)[1:3] == [
        {"role": "assistant", "content": None, "tool_calls": [call("get_weather", '{"city": "Oslo"}')]},
        {"role": "tool", "content": "sun", "tool_call_id": "call_1"},
    ]
    assert [tool.wire() for tool in conversation.tools] == [WEATHER]
