"""Inspect's logs, packed and not; logs of one's own, read by a mapping file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.logs.log_files import WEATHER, call, dialogue, eval_file, read, sample, wires, written
from tests.rows import rows
from toolgauge.errors import DataError, UsageError
from toolgauge.logs import archives
from toolgauge.logs.formats.mapped import read_mapping, read_place


@pytest.mark.parametrize("form", ["eval", "stored", "json"])
def test_a_sample_is_a_conversation(tmp_path: Path, form: str) -> None:
    samples = [sample("s1"), sample("s1", 2), sample(3)]
    if form == "json":
        path = tmp_path / "log.json"
        path.write_text(json.dumps({"version": 2, "eval": {}, "samples": samples}, indent=1))
    else:
        path = eval_file(tmp_path / "log.eval", samples, zipfile.ZIP_DEFLATED if form == "eval" else zipfile.ZIP_STORED)
    found, rejected = read("inspect", path)
    assert not rejected
    assert [one.id for one in found] == ["s1", "s1_epoch_2", "3"]
    assert all(wires(one) == dialogue() for one in found)
    assert all([tool.wire() for tool in one.tools] == [WEATHER] for one in found)
    assert found[0].time == "2026-11-23T11:31:18+00:00"


def test_parts_attachments_and_errors_of_tools(tmp_path: Path) -> None:
    said = dialogue()
    thinking = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Let me see."}]
    failed = {"type": "timeout", "message": "too slow"}
    messages = [
        {"role": "user", "content": "attachment://abc"},
        {"role": "assistant", "content": thinking, "tool_calls": said[2]["tool_calls"]},
        {"role": "tool", "content": "", "tool_call_id": "call_a", "error": failed},
    ]
    log = eval_file(tmp_path / "log.eval", [sample("s", messages=messages, attachments={"abc": "long ago"})])
    (conversation,), _rejected = read("inspect", log)
    assert [message.content for message in conversation.messages] == ["long ago", "Let me see.", "too slow"]
    assert conversation.messages[1].reasoning == "Hm."


def test_a_bad_sample_does_not_take_the_others_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [
        {**sample("b"), "messages": 7},
        {**sample("c"), "messages": []},
        sample("d", messages=[{"role": "x", "content": "y"}]),
    ]
    bomb = sample("bomb", messages=[{"role": "user", "content": "0" * 2_000_000}])
    log = eval_file(tmp_path / "log.eval", [*bad, bomb, sample("good")])
    monkeypatch.setattr(archives.packed_files, "__defaults__", (1_000_000,))
    found, rejected = read("inspect", log)
    assert [one.id for one in found] == ["good"]
    assert len(rejected) == 4


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damage_never_raises_and_never_tells_the_name_of_a_sample(tmp_path: Path, packing: int) -> None:
    """Files are named after samples, and zipfile's own words name files."""
    log = eval_file(tmp_path / "log.eval", [sample("ada@example.org")], packing)
    whole = log.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 300)):
        log.write_bytes(whole[:place] + bytes([whole[place] ^ 0x5A]) + whole[place + 1 :])
        _found, rejected = read("inspect", log)
        assert all("example" not in str(one.text) for one in rejected)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_packing_that_has_no_bound_is_not_read(tmp_path: Path, packing: int) -> None:
    found, rejected = read("inspect", eval_file(tmp_path / "log.eval", [sample("s")], packing))
    assert (found, len(rejected)) == ([], 1)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}", b"no"])
@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_what_is_no_log(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    found, rejected = read("inspect", path)
    assert (found, len(rejected)) == ([], 1)


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
