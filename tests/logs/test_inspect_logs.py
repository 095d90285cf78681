"""Inspect's logs, packed and not; tests/inspect reads one that Inspect wrote."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.logs.log_files import WEATHER, dialogue, eval_file, read, sample, wires
from toolgauge.logs import archives


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
