"""Every format is recognised by itself, and each call has its own result, the user's words are the tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logs.log_files import WEATHER, Json, call, chat_spans, dialogue, otlp, read, span, wires, written
from tests.logs.samples import SAMPLES, STEPS, format_of
from toolgauge.logs.conversation import Conversation
from toolgauge.logs.formats.table import read_files
from toolgauge.logs.tasks import to_session

SHARED = Path(__file__).parents[3] / "shared" / "cases"


def read_all(*paths: Path) -> tuple[list[Conversation], list[str], list[str]]:
    """Conversations, reasons of what is left out, and the formats that were recognised."""
    told: list[str] = []
    found = list(read_files(paths, told=told.append))
    kept = [one for one in found if isinstance(one, Conversation)]
    return kept, [one.text for one in found if not isinstance(one, Conversation)], told


def calls_of(conversation: Conversation) -> list[tuple[str, object, object]]:
    session = to_session(conversation).session
    return [(one.name, one.arguments, one.observation) for task in session.tasks for one in task.calls if one.is_tool]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_recognised_and_read(name: str) -> None:
    path = SAMPLES[name]
    content = path.read_text(encoding="utf-8")
    found, left_out, told = read_all(path)
    assert (left_out, len(told)) == ([], 1)
    (conversation,) = found
    assert conversation.format == format_of(path)
    steps = [step for step in STEPS if step.ask in content]
    assert calls_of(conversation) == [step.call for step in steps]
    tasks = to_session(conversation).session.tasks
    assert [(task.utterance, task.calls[-1].observation) for task in tasks] == [(one.ask, one.reply) for one in steps]
    has_tools = any(word in content for word in ("parameters", "input_schema", "inputSchema"))
    assert [tool.name for tool in conversation.tools] == [step.call[0] for step in STEPS if has_tools]
    assert read(format_of(path), path) == (found, []), "the same when it is named"


def test_a_row_of_xlam_has_calls_and_nothing_else(tmp_path: Path) -> None:
    tools = [
        {
            "name": "live",
            "description": "d",
            "parameters": {
                "id": {"type": "int", "description": "d", "default": 3},
                "tags": {"type": "List[str]", "description": "d"},
            },
        }
    ]
    row = {
        "id": 4,
        "query": "q?",
        "answers": json.dumps([{"name": "live", "arguments": {"id": n}} for n in (3, 4)]),
        "tools": json.dumps(tools),
    }
    (tmp_path / "x.json").write_text(json.dumps([row]))
    (conversation,), left_out, _told = read_all(tmp_path / "x.json")
    assert not left_out
    assert calls_of(conversation) == [("live", {"id": 3}, None), ("live", {"id": 4}, None)]
    assert conversation.tools[0].parameters == {
        "type": "object",
        "properties": {
            "id": {"description": "d", "default": 3, "type": "integer"},
            "tags": {"description": "d", "type": "array", "items": {"type": "string"}},
        },
        "required": ["tags"],
    }


def test_files_of_several_formats_at_once(tmp_path: Path) -> None:
    paths = [SAMPLES[name] for name in ("openai.lines", "claude-code.usual", "otel.attributes")]
    (tmp_path / "notes.txt").write_text("some notes\n")
    (tmp_path / "empty.jsonl").write_text("")
    found, left_out, told = read_all(*paths, tmp_path / "notes.txt", tmp_path / "empty.jsonl")
    assert len(found) == len(told) == 3
    assert [text.partition(": ")[2] for text in left_out] == [
        "invalid JSON: JSON is malformed: invalid character (byte 0)",
        "unknown format; name it with --from, or describe it with --from jsonl-map --map FILE",
    ]


def test_the_span_of_a_call_that_was_answered_answers_no_later_one(tmp_path: Path) -> None:
    def span(number: int, kind: str, **data: object) -> Json:
        return {"object": "trace.span", "id": f"{kind}{number}", "trace_id": "t", "span_data": {"type": kind, **data}}

    def calls(number: int) -> Json:
        return {"role": "assistant", "content": None, "tool_calls": [call("book", "{}", f"c{number}")]}

    first: list[Json] = [{"role": "user", "content": "book it"}]
    second = [*first, calls(1), {"role": "tool", "tool_call_id": "c1", "content": "full"}]
    spans = [
        span(1, "generation", input=first, output=[calls(1)]),
        span(1, "function", name="book", input="{}", output="full"),
        span(2, "generation", input=second, output=[calls(2)]),
        span(2, "function", name="book", input="{}", output="done") | {"error": {"message": "x"}},
    ]
    (conversation,), left_out, _told = read_all(written(tmp_path / "t.jsonl", spans))
    assert not left_out
    results = [(one.content, one.is_error) for one in conversation.messages if one.role == "tool"]
    assert results == [("full", None), ("done", True)]


def test_what_claude_codes_user_took_back_and_its_agents(tmp_path: Path) -> None:
    def line(uuid: str, parent: str | None, role: str, content: object, **more: object) -> dict[str, object]:
        return {
            "sessionId": "s",
            "uuid": uuid,
            "parentUuid": parent,
            "type": role,
            "message": {"role": role, "content": content},
            **more,
        }

    lines = [
        line("1", None, "user", "one"),
        line("2", "1", "assistant", [{"type": "text", "text": "first"}]),
        line("3", "2", "user", "wrong"),
        line("4", "3", "assistant", [{"type": "text", "text": "no"}]),
        line("5", None, "user", "inner", isSidechain=True),
        line("6", "5", "assistant", [{"type": "text", "text": "deep"}], isSidechain=True),
        line("7", "2", "user", "right"),
        line("8", "7", "user", "<system-reminder>x</system-reminder>"),
        line("9", "8", "assistant", [{"type": "text", "text": "yes"}]),
    ]
    (main, agent), left_out, _told = read_all(written(tmp_path / "s.jsonl", lines))
    assert not left_out
    assert [task.utterance for task in to_session(main).session.tasks] == ["one", "right"]
    assert [message.content for message in agent.messages] == ["inner", "deep"]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
@pytest.mark.parametrize(
    "case",
    [
        "29-parallel-results-one-id/dups",
        "31-unread-calls-become-chat/hermes",
        "31-unread-calls-become-chat/nested",
        "33-otel-details-event/spans",
        "33-otel-details-event/logs",
        "34-openinference/oi",
        "36-claude-code-transcript/claude",
        "37-codex-rollout/codex",
        "38-responses-api/responses",
        "40-injected-text/anthropic",
    ],
)
def test_the_shared_cases(case: str) -> None:
    found, left_out, _told = read_all(SHARED / f"{case}.jsonl")
    assert not left_out
    assert len(found) == (7 if case.startswith("29") else 1)
    for conversation in found:
        calls = calls_of(conversation)
        if case.startswith("29"):
            assert calls
            assert all(result == {"of": arguments["city"]} for _name, arguments, result in calls)  # type: ignore[index]
        else:
            assert calls == [("get_weather", {"city": "Oslo"}, {"sky": "sun"})]
            assert [task.utterance for task in to_session(conversation).session.tasks] == ["weather in Oslo?"]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
def test_the_shared_logs() -> None:
    hotel = {"hotels": [{"id": "H7", "name": "Bryggen Inn"}]}
    for path in sorted((SHARED / "logs").iterdir()):
        found, left_out, _told = read_all(path)
        assert (len(found), left_out) == (4 if path.name == "arith.jsonl" else 1, []), path.name
        if path.name != "arith.jsonl":
            assert calls_of(found[0])[0] == ("search_hotels", {"city": "Bergen"}, hotel), path.name


def test_results_of_benchmarks_that_do_not_hold_a_conversation(tmp_path: Path) -> None:
    turn = {
        "begin_of_turn_query": [{"role": "user", "content": "x"}],
        "step_0": [{"role": "assistant", "content": [{"f": "{"}]}],
    }
    lines = [
        {"id": "simple_0", "result": [{"f": "{}"}], "latency": 1},
        {"id": "multi_turn_1", "result": [], "inference_log": [turn]},
    ]
    found, left_out, _told = read_all(written(tmp_path / "r.jsonl", lines))
    assert not found
    assert "holds no messages of the user" in left_out[0]
    assert "calls that were not decoded" in left_out[1]


def test_a_conversation_over_several_traces_and_out_of_order(tmp_path: Path) -> None:
    first, second, third = chat_spans(dialogue(), {"gen_ai.conversation.id": "c1"})
    third["traceId"] = "t2"
    other = chat_spans(dialogue()[:6], {"gen_ai.conversation.id": "c2"}, "t3")
    files = [written(tmp_path / "a.jsonl", [otlp([third, other[1]]), otlp([second])])]
    files.append(written(tmp_path / "b.jsonl", [otlp([other[0], first])]))
    found, _rejected = read("otel", *files)
    assert {one.id: wires(one) for one in found} == {"c1": dialogue(), "c2": dialogue()[:6]}


def test_older_events_belong_to_the_conversation_of_their_span(tmp_path: Path) -> None:
    """The events of a request stand in a file of logs, its conversation's id in a file of traces."""
    spans = [span(number, {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c9"}) for number in range(4)]
    traces = written(tmp_path / "traces.jsonl", (otlp([one]) for one in spans))
    (conversation,), rejected = read("otel", traces, SAMPLES["otel.older-events"])
    assert (conversation.id, calls_of(conversation), rejected) == ("c9", [step.call for step in STEPS], [])


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


OSLO, BERGEN = ({"name": "get_weather", "arguments": {"city": city}} for city in ("Oslo", "Bergen"))


def test_calls_made_together_and_their_results(tmp_path: Path) -> None:
    line = {
        "system": "You help.",
        "conversations": [
            {"from": "human", "value": "the weather in oslo and bergen?"},
            {"from": "function_call", "value": json.dumps([OSLO, BERGEN])},
            {"from": "observation", "value": json.dumps(['{"sky": "sunny"}', {"sky": "rain"}])},
            {"from": "gpt", "value": "Oslo: sunny. Bergen: rain."},
            {"from": "human", "value": "thanks"},
            {"from": "gpt", "value": "You are welcome."},
        ],
        "tools": json.dumps([WEATHER["function"]]),
    }
    (conversation,), rejected = read("sharegpt", written(tmp_path / "a.jsonl", [line]))
    assert not rejected
    expected = json.loads(json.dumps(dialogue()).replace("call_a", "call_1").replace("call_b", "call_2"))
    assert wires(conversation) == expected
    assert [tool.wire() for tool in conversation.tools] == [WEATHER]
