"""Every format is recognised by itself, and each call has its own result, the user's words are the tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logs.log_files import Json, read
from tests.logs.samples import RESERVE, SAMPLES, SEARCH, STEPS, TOOLS, jsonl
from toolgauge.logs.conversation import Conversation
from toolgauge.logs.formats.table import read_files
from toolgauge.logs.tasks import to_session

SHARED = Path(__file__).parents[3] / "shared" / "cases"
WITHOUT_TOOLS = (
    "array of messages",
    "pairs",
    "responses array",
    "bedrock converse",
    "ai-sdk",
    "langchain",
    "langgraph",
    "list input",
    "otel console",
    "agents sdk",
    "claude code",
    "codex",
    "bfcl",
    "autogen",
)


def read_all(*paths: Path) -> tuple[list[Conversation], list[str], list[str]]:
    """Conversations, reasons of what is left out, and the formats that were recognised."""
    told: list[str] = []
    found = list(read_files(paths, told=told.append))
    kept = [one for one in found if isinstance(one, Conversation)]
    return kept, [one.text for one in found if not isinstance(one, Conversation)], told


def calls_of(conversation: Conversation) -> list[tuple[str, object, object]]:
    session = to_session(conversation).session
    return [
        (call.name, call.arguments, call.observation) for task in session.tasks for call in task.calls if call.is_tool
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_recognised_and_read(tmp_path: Path, name: str) -> None:
    form, file, content = SAMPLES[name]
    (tmp_path / file).write_text(content, encoding="utf-8")
    found, left_out, told = read_all(tmp_path / file)
    assert not left_out
    assert [one.format for one in found] == [form]
    assert len(told) == 1
    (conversation,) = found
    assert calls_of(conversation) == [SEARCH, RESERVE]
    session = to_session(conversation).session
    assert [task.utterance for task in session.tasks] == [step[0] for step in STEPS]
    assert [task.calls[-1].observation for task in session.tasks] == [step[3] for step in STEPS]
    has_tools = not any(part in name for part in WITHOUT_TOOLS) or name == "bedrock invocation log"
    assert [tool.name for tool in conversation.tools] == ([tool["name"] for tool in TOOLS] if has_tools else [])
    named, left_out_too = read(form, tmp_path / file)
    assert (named, left_out_too) == (found, []), "the same when it is named"


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
    paths = []
    for name in ("openai lines", "claude code", "otel attributes"):
        _form, _file, content = SAMPLES[name]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(content, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("some notes\n")
    (tmp_path / "empty.jsonl").write_text("")
    found, left_out, told = read_all(*paths, tmp_path / "notes.txt", tmp_path / "empty.jsonl")
    assert len(found) == len(told) == 3
    assert [text.partition(": ")[2] for text in left_out] == [
        "invalid JSON: JSON is malformed: invalid character (byte 0)",
        "unknown format; name it with --from, or describe it with --from jsonl-map --map FILE",
    ]


def test_results_that_only_the_spans_of_tools_have(tmp_path: Path) -> None:
    form, file, content = SAMPLES["agents sdk"]
    lines = [json.loads(line) for line in content.splitlines()]
    cut = lines[:4]  # without the last request, which repeats the result
    cut.append(
        {
            "object": "trace.span",
            "id": "f",
            "trace_id": "trace_1",
            "error": {"message": "x"},
            "span_data": {"type": "function", "name": RESERVE[0], "input": json.dumps(RESERVE[1]), "output": "full"},
        }
    )
    (tmp_path / file).write_text(jsonl(*cut))
    ((conversation,), left_out) = read(form, tmp_path / file)
    assert not left_out
    assert calls_of(conversation) == [SEARCH, (RESERVE[0], RESERVE[1], "full")]
    assert [message.is_error for message in conversation.messages if message.role == "tool"] == [None, True]


def test_the_span_of_a_call_that_was_answered_answers_no_later_one(tmp_path: Path) -> None:
    def spans(said: list[Json], answer: str, number: int) -> list[Json]:
        function = {"type": "function", "name": RESERVE[0], "input": json.dumps(RESERVE[1]), "output": answer}
        generation = {"type": "generation", "input": said[:-1], "output": said[-1:]}
        both = (("g", generation), ("f", function))
        return [
            {"object": "trace.span", "id": f"{kind}{number}", "trace_id": "t", "span_data": data} for kind, data in both
        ]

    def calls(number: int) -> Json:
        function = {"name": RESERVE[0], "arguments": json.dumps(RESERVE[1])}
        return {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}

    user: Json = {"role": "user", "content": "book it"}
    first: list[Json] = [user, calls(1)]
    second = [*first, {"role": "tool", "tool_call_id": "c1", "content": "full"}, calls(2)]
    (tmp_path / "t.jsonl").write_text(jsonl(*spans(first, "full", 1), *spans(second, "done", 2)))
    (conversation,), left_out, _told = read_all(tmp_path / "t.jsonl")
    assert not left_out
    assert [message.content for message in conversation.messages if message.role == "tool"] == ["full", "done"]


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
    (tmp_path / "s.jsonl").write_text(jsonl(*lines))
    (main, agent), left_out, _told = read_all(tmp_path / "s.jsonl")
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
