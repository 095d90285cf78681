"""Forms that programs write beside the usual one of a format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logs.log_files import Json, any_value, otlp, span
from tests.logs.samples import RESERVE, SEARCH, STEPS, TOOLS, chat, jsonl, requests, text, wire_tools
from tests.logs.test_formats import calls_of, read_all
from toolgauge.logs.tasks import to_session

_NAME, _ARGUMENTS, _ANSWER = SEARCH


def invocations() -> str:
    """UIMessages of the AI SDK 4."""
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        done = {"state": "result", "toolCallId": call_id, "toolName": name, "args": arguments, "result": answer}
        messages += [
            {"role": "user", "content": ask},
            {"role": "assistant", "content": "", "toolInvocations": [done]},
            {"role": "assistant", "content": reply},
        ]
    return jsonl({"messages": messages})


def nested_attributes() -> str:
    """Spans as Phoenix exports them."""
    lines = []
    for place, (given, reply) in enumerate(requests(chat())):
        wrapped = [[{"message": _inference(one)} for one in listed] for listed in (given, [reply])]
        llm = {"input_messages": wrapped[0], "output_messages": wrapped[1]}
        attributes = {"openinference": {"span": {"kind": "LLM"}}, "llm": llm}
        context = {"trace_id": "t", "span_id": f"s{place}"}
        lines.append({"name": "ChatCompletion", "context": context, "attributes": attributes})
    return jsonl(*lines)


def _inference(message: Json) -> Json:
    return {**message, "tool_calls": [{"tool_call": one} for one in message.get("tool_calls", ())]}


def strands() -> str:
    """Older events in spans, whose content is JSON of Bedrock's parts."""
    spans = []
    for place, (given, reply) in enumerate(requests(chat())):
        told = [(f"gen_ai.{one['role']}.message", {"content": text(_bedrock(one))}) for one in given]
        told.append(("gen_ai.choice", {"finish_reason": "x", "message": text(_bedrock(reply))}))
        events = [
            {
                "name": name,
                "timeUnixNano": str(number + 1),
                "attributes": [{"key": key, "value": any_value(value)} for key, value in body.items()],
            }
            for number, (name, body) in enumerate(told)
        ]
        spans.append(span(place, {"gen_ai.operation.name": "chat"}, events=events))
    return jsonl(otlp(spans))


def _bedrock(message: Json) -> list[Json]:
    if message["role"] == "tool":
        return [{"toolResult": {"toolUseId": message["tool_call_id"], "content": [{"text": message["content"]}]}}]
    calls = [
        {
            "toolUse": {
                "toolUseId": one["id"],
                "name": one["function"]["name"],
                "input": json.loads(one["function"]["arguments"]),
            }
        }
        for one in message.get("tool_calls", ())
    ]
    return [*([{"text": message["content"]}] if message["content"] else []), *calls]


def langchain_in_langfuse() -> str:
    """LangChain's handler lists definitions of tools among the messages."""
    definitions = [{"role": "tool", "content": tool} for tool in wire_tools()]
    return jsonl(
        *(
            {
                "id": f"o{place}",
                "trace_id": "t",
                "type": "GENERATION",
                "start_time": f"2026-11-01 10:00:0{place}.000000",
                "input": text([*given, *definitions]),
                "output": text(reply),
            }
            for place, (given, reply) in enumerate(requests(chat()))
        )
    )


def responses_of_autogen() -> str:
    """A chat of AutoGen 0.2, where results stand in `tool_responses`."""
    messages = [
        {"role": "tool", "tool_responses": [one], "content": one["content"]} if one["role"] == "tool" else one
        for one in chat()
    ]
    return json.dumps({"chat_history": messages, "summary": "x"})


def blocks_as_text() -> str:
    """Anthropic's blocks that a logger wrote with str()."""
    use = str([{"type": "tool_use", "id": "t", "name": _NAME, "input": _ARGUMENTS}])
    answer = str([{"type": "tool_result", "tool_use_id": "t", "content": text(_ANSWER)}])
    messages = [
        {"role": "user", "content": STEPS[0][0]},
        {"role": "assistant", "content": use},
        {"role": "user", "content": answer},
        {"role": "assistant", "content": STEPS[0][3]},
    ]
    return jsonl({"messages": messages})


def server_tool() -> str:
    """A tool that ran on the provider's server: its result stands in the reply."""
    use = {"type": "server_tool_use", "id": "s", "name": _NAME, "input": _ARGUMENTS}
    answer = {"type": "web_search_tool_result", "tool_use_id": "s", "content": _ANSWER}
    reply = [{"type": "text", "text": "Let me look."}, use, answer, {"type": "text", "text": STEPS[0][3]}]
    return jsonl({"messages": [{"role": "user", "content": STEPS[0][0]}, {"role": "assistant", "content": reply}]})


def mcp_item() -> str:
    call = {
        "type": "mcp_call",
        "id": "m",
        "name": _NAME,
        "arguments": text(_ARGUMENTS),
        "output": text(_ANSWER),
        "server_label": "x",
    }
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": STEPS[0][3]}]}
    return jsonl(
        {
            "request": {"input": STEPS[0][0]},
            "response": {
                "id": "r",
                "object": "response",
                "output": [{"type": "mcp_list_tools", "tools": []}, call, said],
            },
        }
    )


VARIANTS = {
    "ai-sdk": invocations(),
    "openinference": nested_attributes(),
    "otel": strands(),
    "langfuse": langchain_in_langfuse(),
    "autogen": responses_of_autogen(),
    "openai": jsonl({"conversations": chat(), "tools": wire_tools()}),
    "openai dataset": jsonl({"inputs": {"messages": chat()[:-1]}, "outputs": {"message": chat()[-1]}}),
    "litellm": jsonl(
        {
            "standard_logging_object": {
                "id": "x",
                "call_type": "completion",
                "messages": chat()[:-1],
                "response": {"choices": [{"message": chat()[-1]}]},
            }
        }
    ),
    "openai text": blocks_as_text(),
    "anthropic": server_tool(),
    "responses": mcp_item(),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_read_like_the_usual_form(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.jsonl").write_text(VARIANTS[name], encoding="utf-8")
    (conversation,), left_out, _told = read_all(tmp_path / "a.jsonl")
    assert not left_out
    assert conversation.format == name.partition(" ")[0]
    calls = calls_of(conversation)
    assert calls == ([SEARCH] if len(calls) == 1 else [SEARCH, RESERVE])
    session = to_session(conversation).session
    assert [task.utterance for task in session.tasks] == [step[0] for step in STEPS[: len(session.tasks)]]
    assert session.tasks[-1].calls[-1].observation == STEPS[len(session.tasks) - 1][3]
    if name == "langfuse":
        assert [tool.name for tool in conversation.tools] == [tool["name"] for tool in TOOLS]


def test_results_of_benchmarks_that_do_not_hold_a_conversation(tmp_path: Path) -> None:
    lines = [
        {"id": "simple_0", "result": [{"f": "{}"}], "latency": 1},
        {
            "id": "multi_turn_1",
            "result": [],
            "inference_log": [
                {
                    "begin_of_turn_query": [{"role": "user", "content": "x"}],
                    "step_0": [{"role": "assistant", "content": [{"f": "{"}]}],
                }
            ],
        },
    ]
    (tmp_path / "r.jsonl").write_text(jsonl(*lines))
    found, left_out, _told = read_all(tmp_path / "r.jsonl")
    assert not found
    assert "holds no messages of the user" in left_out[0]
    assert "calls that were not decoded" in left_out[1]
