"""Logs of one's own, read by a mapping file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logs.log_files import WEATHER, call, read, wires, written
from tests.rows import rows
from toolgauge.errors import DataError, UsageError
from toolgauge.logs.formats.mapped import read_mapping, read_place

TURNS = """
id = "session.key"
time = "when"
system = "prompt"
tools = "toolbox"
messages = "turns"
[message]
role = "speaker"
text = "parts[*].text | text"
calls = "actions"
[call]
name = "tool"
arguments = "input"
result = "output"
[roles]
customer = "user"
bot = "assistant"
trace = "skip"
"""
FLAT = {
    "id": "chat",
    "message": {"role": "who", "text": "msg", "calls": "."},
    "call": {"name": "fn", "arguments": "args"},
    "result": {"text": "out"},
}
EXPECTED = [
    {"role": "user", "content": "weather in oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [call("get_weather", '{"city": "Oslo"}')]},
    {"role": "tool", "content": '{"sky": "sun"}', "tool_call_id": "call_1"},
    {"role": "assistant", "content": "Sunny."},
]


def test_a_conversation_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(TURNS)
    action = {"tool": "get_weather", "input": {"city": "Oslo"}, "output": {"sky": "sun"}}
    line = {
        "session": {"key": "s1"},
        "when": 1_795_433_363,
        "prompt": "You help.",
        "toolbox": [WEATHER],
        "turns": [
            {"speaker": "customer", "parts": [{"text": "weather in "}, {"text": "oslo?"}]},
            {"speaker": "bot", "actions": [action]},
            {"speaker": "trace", "text": "12 ms"},
            {"speaker": "bot", "text": "Sunny."},
        ],
    }
    strange = {"session": {"key": "s2"}, "turns": [{"speaker": "ghost"}]}
    log = written(tmp_path / "a.jsonl", [line, strange])
    (conversation,), (rejected,) = read("jsonl-map", log, mapping=tmp_path / "map.toml")
    assert wires(conversation) == [{"role": "system", "content": "You help."}, *EXPECTED]
    assert (conversation.id, conversation.time) == ("s1", "2026-11-23T11:29:23+00:00")
    assert [tool.wire() for tool in conversation.tools] == [WEATHER]
    assert (rejected.line, rejected.path) == (2, "messages[0]")


def test_a_message_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text(json.dumps(FLAT))
    lines = [
        {"chat": "a", "who": "user", "msg": "weather in oslo?"},
        {"chat": "b", "who": "user", "msg": "hi"},
        {"chat": "a", "who": "assistant", "fn": "get_weather", "args": {"city": "Oslo"}},
        {"who": "assistant", "msg": "whose?"},
        {"chat": "b", "who": "assistant", "msg": "hello"},
        {"chat": "a", "who": "tool", "out": {"sky": "sun"}},
        {"chat": "a", "who": "assistant", "msg": "Sunny."},
    ]
    found, rejected = read("jsonl-map", written(tmp_path / "a.jsonl", lines), mapping=tmp_path / "map.json")
    assert [(one.id, len(one.messages)) for one in found] == [("a", 4), ("b", 2)]
    assert wires(found[0]) == EXPECTED
    assert [one.line for one in rejected] == [4]


VALUE = {"a": [{"b": 1}, {"b": None}, {"c d": 3}], "*": "star", "": 5}


@rows(
    ("text", "expected"),
    [
        (".", [VALUE]),
        ("a[0].b", [1]),
        ("a[-1]", [{"c d": 3}]),
        ("a[*].b", [1, None]),
        ('a[2]["c d"]', [3]),
        ('["*"]', ["star"]),
        ('[""]', [5]),
        ("a[9]", []),
        ("a.b", []),
        ("x | a[1].b | a[0].b", [None]),
    ],
)
def test_places(text: str, expected: list[object]) -> None:
    assert read_place(text).all(VALUE) == expected


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        '{"message": {"role": "a b"}, "messages": "x"}',
        '{"message": {"role": "r"}}',
        '{"message": {"role": "r"}, "messages": "x", "roles": {"a": "boss"}}',
        '{"message": {"role": "r"}, "messages": "x", "mesages": "y"}',
        "id = ",
        "\xff",
    ],
)
def test_what_is_no_mapping(tmp_path: Path, content: str) -> None:
    path = tmp_path / "map.toml"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(DataError, match=r"map\.toml"):
        read_mapping(path)


def test_the_mapping_and_its_format_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read("jsonl-map", tmp_path / "a.jsonl")
    with pytest.raises(UsageError):
        read("openai", tmp_path / "a.jsonl", mapping=tmp_path / "map.toml")
    with pytest.raises(UsageError, match="sharegpt"):
        read("chatml", tmp_path / "a.jsonl")
