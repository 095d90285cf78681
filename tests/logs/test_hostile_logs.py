"""Logs that want to break the import: each bad part is one line of words, and nothing else is lost."""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.logs.log_files import chat_spans, dialogue, otlp, read, written
from tests.logs.samples import SAMPLES, format_of
from tests.sizes import sized
from toolgauge.logs import records
from toolgauge.logs.checks import check_conversation
from toolgauge.logs.conversation import LeftOut, Names
from toolgauge.logs.files import conversation_line
from toolgauge.logs.formats.table import read_files
from toolgauge.logs.tasks import NoSession, to_session

SECRET = "ada@example.org"
GOOD: dict[str, Any] = {
    "openai": {"messages": dialogue()},
    "sharegpt": {"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "Hello."}]},
    "otel": otlp(chat_spans(dialogue(), trace="good")),
}
STRANGE: dict[str, object] = {"role": 3, "from": 4, "parts": 5}
ANYTHING: tuple[object, ...] = (None, 7, 1e300, True, SECRET, [1], [[]], {"a": {}}, [{"role": SECRET}], STRANGE)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    "bad",
    [
        "[" * 5000 + "]" * 5000,
        '{"messages":' * 500 + "1" + "}" * 500,
        b'{"messages": "\xff\xfe"}',
        '{"messages": [{"role": "user", "content": "\\ud800"}]}',
        '{"messages": [',
        "no json",
        "7",
        '"text"',
        b"\x00" * 100,
        '{"messages": [], "conversations": [], "resourceSpans": 7, "x": ' + "9" * 400 + "}",
    ],
    ids=["deep", "deep-objects", "bytes", "surrogate", "open", "words", "number", "text", "zeros", "empty"],
)
def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path, name: str, bad: str | bytes) -> None:
    log = written(tmp_path / "a.jsonl", [GOOD[name], bad, GOOD[name]])
    found, rejected = read(name, log)
    assert len(found) >= (1 if name == "otel" else 2)
    assert [one.line for one in rejected] in ([2], []) if name == "otel" else [one.line for one in rejected] == [2]


@pytest.mark.parametrize("name", GOOD)
def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = written(tmp_path / "a.jsonl", ["x" * 3_000_000, GOOD[name], "y" * 3_000_000])
    monkeypatch.setattr(records.records, "__defaults__", (1_000_000,))
    found, rejected = read(name, log)
    assert len(found) == 1
    assert [one.line for one in rejected] == [1, 3]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b"\x1f\x8b1234", b"PK\x03\x04aa", b"", b"\n \n"])
def test_a_file_of_something_else(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    found, rejected = read(name, path)
    assert (found, len(rejected)) == ([], int(bool(content.strip())))


@pytest.mark.parametrize(
    "content", ["[\n" + "{},\n" * 100, "{\n" + '"a": 1,\n' * 100, "[\n" + "0,\n" * 10_000_000 + "0]"]
)
def test_a_bad_document_is_named_once(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    found, rejected = read("openai", tmp_path / "a.json")
    assert (found, len(rejected)) == ([], 1)


@pytest.mark.parametrize("name", [*GOOD, "inspect"])
def test_files_that_are_none(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    found, rejected = read(name, *(tmp_path / one for one in ("pipe.json", "folder.json", "missing.json")))
    assert (found, len(rejected)) == ([], 3)


def test_names_are_unique_and_no_paths() -> None:
    names = Names()
    given = [
        names.name(one) for one in ("a", "a", "../../etc/passwd", "..", "", "a/b\\c\x00\n", "x" * 5000, "名字", "a-2")
    ]
    assert len(set(given)) == len(given)
    assert all(one and "/" not in one and "\\" not in one and one[0] != "." and len(one) < 120 for one in given)
    assert given[:2] == ["a", "a-2"]
    assert "名字" in given


def test_a_conversation_that_would_fill_memory_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgauge.logs.joining.MAX_FILE_BYTES", 10_000)
    spans = [otlp([one]) for one in chat_spans(dialogue(), trace="good")]
    long = [{"role": "user", "content": "x" * 6000}, {"role": "assistant", "content": "y"}] * 2
    log = written(tmp_path / "a.jsonl", [*spans, *(otlp([one]) for one in chat_spans(long, trace="long"))])
    found, rejected = read("otel", log)
    assert [one.id for one in found] == ["good"]
    assert [one.line for one in rejected] == [4]


@pytest.mark.parametrize("name", [name for name, path in SAMPLES.items() if path.suffix != ".csv"])
def test_any_value_anywhere_in_any_format(tmp_path: Path, name: str) -> None:
    """Never a traceback, never a value of the log in the words, also where JSON stands in a text; what was read can be
    written, made a session and checked."""
    form, file, content = format_of(SAMPLES[name]), SAMPLES[name].name, SAMPLES[name].read_text(encoding="utf-8")
    is_lines = len(content.splitlines()) > 1 and file.endswith("l")
    documents = [json.loads(line) for line in content.splitlines()] if is_lines else [json.loads(content)]
    every = [(number, place) for number, one in enumerate(documents) for place in _deep_places(one)]
    draw = random.Random(name)
    for _try in range(sized(25, 400)):
        number, place = draw.choice(every)
        changed = [*documents[:number], _replaced(documents[number], place, draw.choice(ODD)), *documents[number + 1 :]]
        (tmp_path / file).write_text("\n".join(map(json.dumps, changed)), encoding="utf-8")
        for how in (form, "auto"):
            for one in read_files([tmp_path / file], how):
                if isinstance(one, LeftOut):
                    assert SECRET not in one.text.replace(str(tmp_path), "")
                    continue
                assert conversation_line(one)
                check_conversation(one)
                with suppress(NoSession):
                    to_session(one)


ODD: tuple[object, ...] = (
    *ANYTHING,
    "",
    [],
    {},
    "{",
    "[{",
    {"type": "x"},
    [None],
    [["a", "b"]],
    {"type": [], "text": []},
)


def _deep_places(value: object) -> list[tuple[str | int, ...]]:
    """Places in a value, and in JSON that stands in its texts."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            value = json.loads(value)
        except ValueError:
            return []
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, part in parts for place in ((key,), *((key, *rest) for rest in _deep_places(part)))]


def _replaced(value: Any, place: tuple[str | int, ...], new: object) -> Any:
    if isinstance(value, str):
        return json.dumps(_replaced(json.loads(value), place, new))
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[place[0]] = new if len(place) == 1 else _replaced(copied[place[0]], place[1:], new)
    return copied
