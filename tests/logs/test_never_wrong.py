"""Read rightly, or left out with the reason: nothing that was not understood becomes a conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.logs.log_files import Json, call, dialogue, read, written
from tests.logs.samples import SAMPLES
from toolgauge.cli.data import app
from toolgauge.logs.files import export_conversations, read_conversations
from toolgauge.logs.tasks import NoSession, to_session

USER = {"role": "user", "content": "weather in Oslo?"}
CALL = {"role": "assistant", "content": None, "tool_calls": [call("get_weather", '{"city": "Oslo"}')]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "sun"}
DONE = {"role": "assistant", "content": "Sunny."}
TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}


def says(text: str) -> Json:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([USER, RESULT, DONE], "message 1: a tool result without its call"),
        ([USER, CALL, {**RESULT, "tool_call_id": "other"}, DONE], "message 2: a tool result without its call"),
        ([USER, CALL, RESULT, {**RESULT, "content": "rain"}, DONE], "message 3: a second result for one call"),
        ([USER, says("<tool_call>{broken</tool_call>"), DONE], "a tool call in a form that cannot be read"),
        ([USER, says("[TOOL_CALLS] [get_weather]"), DONE], "a tool call in a form that cannot be read"),
        ([USER, says('{"name": "get_weather", "arguments": {}}'), DONE], "a tool call in a form that cannot be read"),
        ([USER, says('```json\n{"name": "get_weather", "parameters": {}}\n```')], "in a form that cannot be read"),
        ([USER, says("[get_weather(city='Oslo')]"), DONE], "a tool call in a form that cannot be read"),
        ([USER, says("Action: get_weather\nAction Input: Oslo")], "a tool call in a form that cannot be read"),
        (
            [USER, says('Let me look.\n```json\n{"name": "get_weather", "arguments": {}}\n```')],
            "in a form that cannot be read",
        ),
        ([USER, says("Action: get_weather[Oslo]")], "a tool call in a form that cannot be read"),
        (
            [USER, says('Action:\n```\n{"action": "get_weather", "action_input": {}}\n```')],
            "in a form that cannot be read",
        ),
        ([USER, {**DONE, "tool_uses": [{"name": "get_weather"}]}], "an unknown field may hold a tool call"),
        ([USER, {**DONE, "function_call": "get_weather now"}], "function_call cannot be read"),
        ([USER, DONE, {"role": "user", "content": "<tool_response>sun</tool_response>"}], "text holds a tool result"),
        ([USER, DONE, {"role": "user", "content": "Observation: sun"}], "text holds a tool result"),
        ([{**USER, "tool_calls": CALL["tool_calls"]}, DONE], "a tool call by the role user"),
        ([USER, {**CALL, "tool_calls": [{"id": "x", "function": {"arguments": "{}"}}]}], "a tool call without a name"),
        ([USER, {"role": "assistant", "content": [{"type": "custom_tool_thing", "x": 1}]}], "may hold a tool call"),
        ([USER, {"role": "critic", "content": "x"}], "unknown role"),
        ([USER, {"type": "item_reference", "id": "fc_1"}], "refers to an item that is not in the log"),
    ],
)
def test_what_was_not_understood_is_left_out(tmp_path: Path, messages: list[Json], reason: str) -> None:
    log = written(tmp_path / "a.jsonl", [{"messages": messages, "tools": [TOOL]}, {"messages": dialogue()}])
    found, (left_out,) = read("openai", log)
    assert reason in left_out.message
    assert left_out.line == 1
    assert [one.line for one in found] == [2]


@pytest.mark.parametrize(
    "made",
    [
        {"function_call": '{"name": "get_weather", "arguments": "{}"}'},
        {"function_call": {"name": "get_weather", "arguments": "{}"}},
        {"toolCalls": [{"id": "a", "function": {"name": "get_weather", "arguments": "{}"}}]},
    ],
)
def test_calls_in_other_fields_are_calls(tmp_path: Path, made: Json) -> None:
    message = {"role": "assistant", "content": None, **made}
    (conversation,), left_out = read("openai", written(tmp_path / "a.jsonl", [{"messages": [USER, message]}]))
    assert not left_out
    assert [one.name for one in conversation.messages[1].tool_calls] == ["get_weather"]


@pytest.mark.parametrize(
    "response",
    ['data: {"choices": [{"delta": {"content": "Sunny."}}]}\n\n', [{"choices": [{"delta": {"content": "Sunny."}}]}]],
)
def test_a_stream_in_chunks_is_no_reply(tmp_path: Path, response: object) -> None:
    line = {"request": {"messages": [USER]}, "response": response}
    found, (left_out,) = read("openai", written(tmp_path / "a.jsonl", [line]))
    assert not found
    assert "a stream in chunks" in left_out.message


def test_a_conversation_of_too_many_calls_is_no_session(tmp_path: Path) -> None:
    many = {**CALL, "tool_calls": [call("get_weather", "{}", f"c{number}") for number in range(1_001)]}
    (conversation,), _left_out = read("openai", written(tmp_path / "a.jsonl", [{"messages": [USER, many]}]))
    with pytest.raises(NoSession, match="calls: 1,001"):
        to_session(conversation)


def test_text_that_only_looks_like_something_stays(tmp_path: Path) -> None:
    said = [says(text) for text in ("I booked it (for two).", '{"total": 5}', "see [1](a)", "[x]", "print(1)")]
    log = written(tmp_path / "a.jsonl", [{"messages": [USER, *said], "tools": [TOOL]}])
    (conversation,), left_out = read("openai", log)
    assert not left_out
    assert len(conversation.messages) == 6


def test_results_in_any_order_and_calls_in_messages_of_their_own(tmp_path: Path) -> None:
    first, second = call("get_weather", '{"city": "Oslo"}', "a"), call("get_weather", '{"city": "Rome"}', "b")
    messages = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [first]},
        {"role": "assistant", "content": None, "tool_calls": [second]},
        {"role": "tool", "tool_call_id": "b", "content": "Rome"},
        {"role": "tool", "tool_call_id": "a", "content": "Oslo"},
        {"role": "tool", "tool_call_id": "a", "content": "Oslo"},
        DONE,
    ]
    (conversation,), left_out = read("openai", written(tmp_path / "a.jsonl", [{"messages": messages}]))
    assert not left_out
    calls = to_session(conversation).session.tasks[0].calls[:2]
    assert [one.observation for one in calls] == ["Oslo", "Rome"]


def test_a_response_that_continues_what_is_not_there(tmp_path: Path) -> None:
    line = {
        "request": {"input": [USER], "previous_response_id": "gone"},
        "response": {
            "id": "r",
            "object": "response",
            "output": [{"type": "message", "role": "assistant", "content": "x"}],
        },
    }
    found, (left_out,) = read("responses", written(tmp_path / "a.jsonl", [line]))
    assert not found
    assert "not in the log" in left_out.message


def test_a_conversation_with_one_part_that_cannot_be_read_is_left_out_whole(tmp_path: Path) -> None:
    def exchange(session: str, given: list[Json], reply: Json) -> Json:
        return {"session_id": session, "request": {"messages": given}, "response": {"choices": [{"message": reply}]}}

    broken = {"role": "assistant", "content": [{"type": "strange_tool_part"}]}
    more = {"role": "user", "content": "and tomorrow?"}
    lines = [
        exchange("a", [USER], CALL),
        exchange("b", [USER], DONE),
        exchange("a", [USER, CALL, RESULT], DONE),
        exchange("a", [USER, CALL, RESULT, DONE, more], broken),
    ]
    found, (left_out,) = read("openai", written(tmp_path / "a.jsonl", lines))
    assert [one.id for one in found] == ["b"]
    assert (left_out.line, "may hold a tool call" in left_out.message) == (4, True)
    response = {"request": {"messages": [USER]}, "response": {"something": "else"}}
    found, (left_out,) = read("openai", written(tmp_path / "a.jsonl", [response]))
    assert (found, left_out.message) == ([], "holds no message that can be read")
    span = {
        "object": "trace.span",
        "trace_id": "t",
        "span_data": {"type": "generation", "input": [USER], "output": [broken]},
    }
    good = {
        "object": "trace.span",
        "trace_id": "t",
        "span_data": {"type": "generation", "input": [USER], "output": [CALL]},
    }
    found, (left_out,) = read("agents-sdk", written(tmp_path / "a.jsonl", [good, span]))
    assert not found


def test_an_error_of_any_interface_is_known(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    lines = [
        {
            "messages": [
                USER,
                {"role": "assistant", "content": [block]},
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "x"}],
                },
            ]
        },
        {
            "messages": [
                USER,
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]},
                {
                    "role": "user",
                    "content": [{"toolResult": {"toolUseId": "t", "status": "error", "content": [{"text": "x"}]}}],
                },
            ]
        },
        {
            "contents": [
                {"role": "user", "parts": [{"text": "x"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"error": "x"}}}]},
            ]
        },
        {
            "messages": [
                {"role": "user", "parts": [{"type": "text", "text": "x"}]},
                {
                    "role": "assistant",
                    "parts": [
                        {"type": "tool-f", "toolCallId": "t", "state": "output-error", "input": {}, "errorText": "x"}
                    ],
                },
            ]
        },
        {
            "messages": [
                USER,
                {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "t"}]},
                {"type": "tool", "tool_call_id": "t", "status": "error", "content": "x"},
            ]
        },
    ]
    for line in lines:
        (conversation,), left_out = read("openai", written(tmp_path / "a.jsonl", [line]))
        assert not left_out
        assert conversation.messages[-1].is_error is True


@pytest.mark.parametrize("to", ["openai", "sharegpt"])
@pytest.mark.parametrize("name", ["openai.lines", "anthropic.usual", "gemini.usual", "tau.tau2", "toolace.usual"])
def test_the_way_back_keeps_every_call(tmp_path: Path, name: str, to: str) -> None:
    assert CliRunner().invoke(app, ["import", str(SAMPLES[name]), "--out", str(tmp_path / "a")]).exit_code == 0
    export_conversations(tmp_path / "a" / "conversations.jsonl", to)
    again = CliRunner().invoke(app, ["import", str(tmp_path / "a" / f"{to}.jsonl"), "--out", str(tmp_path / "b")])
    if name == "tau.tau2" and to == "sharegpt":
        assert again.exception is not None, "ShareGPT has no place for what the assistant says first"
        return
    assert again.exit_code == 0, again.output
    (first,), (second,) = (read_conversations(tmp_path / one / "conversations.jsonl") for one in ("a", "b"))
    calls = [
        [(one.name, json.loads(one.arguments)) for message in each.messages for one in message.tool_calls]
        for each in (first, second)
    ]
    assert calls[0] == calls[1]
    results = [[message.content for message in each.messages if message.role == "tool"] for each in (first, second)]
    assert results[0] == results[1]


def test_of_several_choices_none_is_taken(tmp_path: Path) -> None:
    """Choices that say the same are one."""
    choices = [{"index": number, "message": says(text)} for number, text in enumerate(("Sunny.", "Rain."))]
    lines = [
        {"request": {"messages": [USER]}, "response": {"choices": choices}},
        {"request": {"messages": [USER]}, "response": {"choices": [choices[0], {**choices[0], "index": 1}]}},
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = CliRunner().invoke(app, ["import", str(log), "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "holds several choices (n > 1); log the one that was used" in result.output
    (kept,) = read_conversations(tmp_path / "out" / "conversations.jsonl")
    assert kept.messages[-1].content == "Sunny."


def test_what_was_said_in_sound_is_read_by_its_transcript(tmp_path: Path) -> None:
    sound = {"role": "assistant", "content": None, "audio": {"id": "a", "data": "UklG", "transcript": "Sunny."}}
    asked = {"role": "user", "content": [{"type": "input_audio", "transcript": "weather in Oslo?"}]}
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"messages": [asked, sound]}) + "\n")
    assert CliRunner().invoke(app, ["import", str(log), "--out", str(tmp_path / "out")]).exit_code == 0
    (kept,) = read_conversations(tmp_path / "out" / "conversations.jsonl")
    assert [one.content for one in kept.messages] == ["weather in Oslo?", "Sunny."]
