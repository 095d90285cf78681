"""Annotations of what else is right: read, refused, checked, written again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgauge.benchmarks.certificates import uncertified
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.sessions import session_record
from toolgauge.errors import DataError

Record = dict[str, Any]
Edit = Callable[[list[Any], list[Any]], None]

PROPERTIES = {
    "day": {"type": "string"},
    "seats": {"type": "integer"},
    "cabin": {"type": "string", "enum": ["economy", "business"]},
    "stops": {"type": "array", "items": {"type": "string"}},
    "at": {"type": "object", "properties": {"time": {"type": "string"}}, "required": ["time"]},
}


def record() -> Record:
    """Two tasks: a call with another beside it, and a chat."""
    tools = [
        {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}
        for name, parameters in (
            ("book", {"type": "object", "properties": PROPERTIES, "required": ["day"]}),
            ("look", {"type": "object", "properties": {}}),
        )
    ]
    arguments = {"day": "2025-03-14", "seats": 2, "stops": ["Rome", "Oslo"], "at": {"time": "08:00"}}
    book = {"idx": 0, "action": {"name": "book", "arguments": arguments}, "dependency_list": [], "observation": "ok"}
    look = {"idx": 1, "action": {"name": "look", "arguments": {}}, "dependency_list": [], "observation": "ok"}
    return {
        "id": "s",
        "english_env_info": "2025-03-14 18:05:00 Friday",
        "english_tools": tools,
        "english_tasks": ["book it", "what was it again?"],
        "english_task_types": ["Parallel Multi-Tool", "Chat"],
        "english_turn_subtypes": ["Coreferential Reference"],
        "english_answer_list": [[book, look, final(2, [0, 1])], [final(0, [])]],
    }


def final(index: int, after: list[int]) -> Record:
    action = {"name": "prepare_to_answer", "arguments": {"answer_type": "tool" if after else "chat"}}
    return {"idx": index, "action": action, "dependency_list": after, "observation": "BK-1 at 8:00, 39 EUR"}


def written(tmp_path: Path, edit: Edit) -> Path:
    content = record()
    edit(*content["english_answer_list"])
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(content) + "\n")
    return path


def node(**fields: Any) -> Edit:
    """The first call with fields."""
    return lambda first, _: first[0].update(fields)


def reply(**fields: Any) -> Edit:
    """The closing reply of the chat with fields."""
    return lambda _, chat: chat[0].update(fields)


def every(first: list[Any], chat: list[Any]) -> None:
    first[0]["accept"] = {"/day": ["tomorrow", "Friday"], "/at": [{"time": "noon"}]}
    first[0]["compare"] = {"/stops": "set", "/seats": "number", "/at/time": "time"}
    first[0]["defaults"] = {"/cabin": "economy"}
    first[1]["optional"] = True
    chat[0]["must_mention"] = ["BK-1", [39, "thirty-nine"], "8:00"]
    chat[0]["unservable"] = True


def test_sound_annotations_are_read_checked_certified_and_written_again(tmp_path: Path) -> None:
    path = written(tmp_path, every)
    own = find_benchmark("wildtoolbench")
    assert check(path) == []
    assert uncertified(own, load_dataset(path)) == {}
    session = load_dataset(path).sessions[0]
    book, look, _ = session.tasks[0].calls
    assert book.acceptance is not None
    assert book.acceptance.accept["/day"] == ("tomorrow", "Friday")
    assert look.optional
    assert session.tasks[1].facts == (("BK-1",), (39, "thirty-nine"), ("8:00",))
    assert session.tasks[1].unservable
    again = json.loads(json.dumps(session_record(session)))
    assert again["english_answer_list"] == json.loads(path.read_text())["english_answer_list"]


@pytest.mark.parametrize(
    ("edit", "place", "message"),
    [
        (node(accept={"/day": "x"}), ".accept['/day']", "must be a list"),
        (node(accept={"/date": ["x"]}), ".accept['/date']", "not found in the annotated arguments"),
        (node(accept={"day": ["x"]}), ".accept", "invalid JSON Pointer"),
        (node(accept={"/day": ["x"] * 101}), ".accept", "at most 100"),
        (node(compare={"/day": "roughly"}), ".compare['/day']", "invalid comparison"),
        (node(compare={"/stops/2": "time"}), ".compare['/stops/2']", "not found in the annotated arguments"),
        (node(compare={"/stops": "set", "/stops/0": "set"}), ".compare['/stops/0']", "a set inside a set"),
        (node(defaults={"": {}}), ".defaults['']", "must point to a member"),
        (node(defaults={"/to/city": "x"}), ".defaults['/to/city']", "not found in the annotated arguments"),
        (node(optional="yes"), ".optional", "must be a boolean"),
        (node(must_mention=["x"]), ".must_mention", "only the closing reply"),
        (reply(optional=True), ".optional", "only tool calls"),
        (reply(must_mention=[True]), ".must_mention[0]", "invalid fact"),
        (reply(must_mention=[[]]), ".must_mention[0]", "must not be empty"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, edit: Edit, place: str, message: str) -> None:
    path = written(tmp_path, edit)
    with pytest.raises(DataError, match=r"own\.jsonl:1") as raised:
        load_dataset(path)
    assert place in str(raised.value)
    assert message in str(raised.value)
    assert any(message in str(problem) for problem in check(path))


def needed_look(first: list[Any], _: list[Any]) -> None:
    first[0]["optional"] = True
    first[1]["dependency_list"] = [0]


def nothing_needed(first: list[Any], _: list[Any]) -> None:
    first[0]["optional"] = first[1]["optional"] = True


@pytest.mark.parametrize(
    ("edit", "place", "message"),
    [
        (node(accept={"/seats": ["two"]}), ".accept['/seats'][0]", "does not match the tool"),
        (node(accept={"/day": ["2025-03-14"]}), ".accept['/day'][0]", "same as the annotated value"),
        (node(accept={"": [{"seats": 3}]}), ".accept[''][0]", "does not match the tool"),
        (node(defaults={"/cabin": "first"}), ".defaults['/cabin']", "does not match the tool"),
        (node(defaults={"/day": "today"}), ".defaults['/day']", '"day" is a required property'),
        (node(defaults={"/at/time": "9:00"}), ".defaults['/at/time']", '"time" is a required property'),
        (node(defaults={"/color": "red"}), ".defaults['/color']", "does not match the tool"),
        (node(compare={"/seats": "set"}), ".compare['/seats']", "must be an array to be compared as a set"),
        (node(compare={"/stops/0": "time"}), ".compare['/stops/0']", "cannot parse 'Rome' as time"),
        (node(compare={"/day": "date"}, accept={"/day": ["soon"]}), ".compare['/day']", "cannot parse 'soon' as date"),
        (needed_look, "[0].optional", "but so does node 1"),
        (nothing_needed, "answer_list[0]", "every call is optional"),
        (reply(must_mention=["BK-2"]), ".must_mention[0]", "does not mention 'BK-2'"),
        (lambda first, _: first[2].update(unservable=True), "[2].unservable", "nodes besides the closing reply"),
    ],
)
def test_what_the_check_finds(tmp_path: Path, edit: Edit, place: str, message: str) -> None:
    path = written(tmp_path, edit)
    load_dataset(path)
    found = [str(problem) for problem in check(path)]
    assert any(place in one and message in one for one in found), found
