"""Damaged data files: each kind gives one line that names the place, when loading or, at the latest, when checking."""

from __future__ import annotations

import copy
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.lines import read_lines
from toolgauge.errors import DataError

Record = dict[str, Any]
Damage = Callable[[Record], Any]


def put(*path: str | int, value: Any) -> Damage:
    """Replace what stands at a path; `...` as value removes it."""

    def damage(record: Record) -> None:
        holder: Any = record
        for key in path[:-1]:
            holder = holder[key]
        if value is ...:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value

    return damage


ANSWER = "english_answer_list"
TOOL = ("english_tools", 1, "function")

UNREADABLE: dict[str, tuple[Damage, str]] = {
    "no id": (put("id", value=...), "id: missing"),
    "tools are an object": (put("english_tools", value={}), "english_tools: must be a list, not an object"),
    "tool without name": (put(*TOOL, "name", value=...), "english_tools[1].function.name: missing"),
    "task is null": (put("english_tasks", 2, value=None), "english_tasks[2]: must be a string, not null"),
    "an answer too few": (lambda record: record[ANSWER].pop(), f"{ANSWER}: has 3 entries, expected 4"),
    "unknown type": (put("english_task_types", 1, value="Poem"), "english_task_types[1]: unknown task type 'Poem'"),
    "too many references": (
        lambda record: record["english_turn_subtypes"].extend(["x", "y"]),
        "english_turn_subtypes: has 5 entries, expected 3",
    ),
    "no closing reply": (lambda record: record[ANSWER][0].pop(), f"{ANSWER}[0]: closing reply"),
    "arguments are no JSON": (
        put(ANSWER, 0, 0, "action", "arguments", value="{"),
        "action.arguments: must be an object or the JSON of one",
    ),
    "reply is an object": (put(ANSWER, 0, 1, "observation", value={}), f"{ANSWER}[0][1].observation: must be a string"),
    "dependency nowhere": (put(ANSWER, 0, 1, "dependency_list", value=[9]), "dependency_list[0]: unknown node 9"),
    "depends on itself": (put(ANSWER, 0, 1, "dependency_list", value=[1]), "a node cannot depend on itself"),
    "circle": (put(ANSWER, 2, 0, "dependency_list", value=[1]), f"{ANSWER}[2]: circular dependencies"),
    "question without answer": (put(ANSWER, 3, 0, "user_input", value=...), f"{ANSWER}[3][0].user_input: missing"),
}

REVERSED = [
    {
        "idx": 0,
        "action": {"name": "prepare_to_answer", "arguments": {}},
        "dependency_list": [],
        "observation": "Full sun.",
    },
    {
        "idx": 1,
        "action": {"name": "find_plant", "arguments": {"name": "basil"}},
        "dependency_list": [0],
        "observation": {},
    },
]

UNSOUND: dict[str, tuple[Damage, str]] = {
    "idx out of step": (put(ANSWER, 0, 0, "idx", value=5), f"{ANSWER}[0][0].idx: is 5, but"),
    "depends on the later node": (
        put(ANSWER, 1, 0, "dependency_list", value=[1]),
        f"{ANSWER}[1][0].dependency_list[0]: depends on the later node",
    ),
    "unknown tool": (put(ANSWER, 0, 0, "action", "name", value="fly"), "[0][0].action.name: unknown tool 'fly'"),
    "argument missing": (
        put(ANSWER, 0, 0, "action", "arguments", value={}),
        'arguments: "name" is a required property',
    ),
    "argument undefined": (
        put(ANSWER, 0, 0, "action", "arguments", "colour", value="red"),
        "('colour' was unexpected)",
    ),
    "reply waits for too little": (put(ANSWER, 1, 2, "dependency_list", value=[0]), "must also depend on node 1"),
    "reply in the middle": (
        put(ANSWER, 0, value=REVERSED),
        f"{ANSWER}[0]: the closing reply must be the last node and the only one, found at 0",
    ),
    "question beside a call": (put(ANSWER, 3, 1, "dependency_list", value=[]), "a question must stand alone"),
    "type single, two calls": (
        put("english_task_types", 1, value="Single-Tool"),
        "type single_tool, but the graph has 2",
    ),
    "type clarify, no question": (put("english_task_types", 0, value="Clarify"), "the assistant asks nothing"),
    "type mixed, parallel": (put("english_task_types", 1, value="Mixed Multi-Tool"), "and is parallel"),
    "tool is no schema": (
        put(*TOOL, "parameters", "properties", "bed", "type", value="dragon"),
        "english_tools[1].function.parameters: invalid JSON Schema: schema.properties.bed.type",
    ),
    "required is no property": (
        put(*TOOL, "parameters", "required", value=["x"]),
        "requires the unknown property 'x'",
    ),
    "tool twice": (lambda record: record["english_tools"].append(record["english_tools"][0]), "'find_plant' 2 times"),
    "tool name with blanks": (put(*TOOL, "name", value="water bed"), "invalid tool name 'water bed'"),
    "pseudo-action as tool": (put(*TOOL, "name", value="prepare_to_answer"), "is reserved"),
    "empty utterance": (put("english_tasks", 0, value=" "), "english_tasks[0]: is empty"),
    "other graph in Chinese": (
        put("answer_list", 1, 1, "action", "name", value="find_plant"),
        "answer_list[1]: its graph differs from the English side",
    ),
    "fetching reference": (
        put(*TOOL, "parameters", "properties", "bed", value={"$ref": "http://127.0.0.1:9/x.json"}),
        "parameters: cannot resolve $ref",
    ),
}


def damaged(small: Path, damage: Damage) -> Record:
    record: Record = copy.deepcopy(next(iter(read_lines(small)))[1])
    damage(record)
    return record


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_record_that_cannot_be_read(name: str, small_wildtoolbench: Path, write_lines: Callable[..., Path]) -> None:
    damage, expected = UNREADABLE[name]
    path = write_lines(damaged(small_wildtoolbench, damage))
    with pytest.raises(DataError) as error:
        load_dataset(path, "wildtoolbench")
    text = str(error.value)
    assert text.startswith(f"{path}:1: ")
    assert expected in text
    assert "\n" not in text
    assert expected in "\n".join(map(str, check(path, "wildtoolbench")))


@pytest.mark.parametrize("name", UNSOUND)
def test_a_record_that_is_not_sound(name: str, small_wildtoolbench: Path, write_lines: Callable[..., Path]) -> None:
    damage, expected = UNSOUND[name]
    path = write_lines(damaged(small_wildtoolbench, damage))
    problems = [str(problem) for problem in check(path)]
    assert any(expected in problem for problem in problems), problems
    assert all(problem.startswith(f"{path}:1: ") and "\n" not in problem for problem in problems)


LINES: dict[str, tuple[bytes, str]] = {
    "cut off": (b'{"id": "x", "english_tasks": ["a', ":1: invalid JSON: the line ends too early"),
    "no JSON": (b"id: x", ":1: invalid JSON"),
    "a list": (b"[1]", ":1: the line must be an object, not a list"),
    "pretty-printed": (b'{\n  "id": "x"\n}', ":1: invalid JSON: every line must be a whole JSON object"),
    "no UTF-8": (b'{"id": "\xff\xfe"}', ":1: not UTF-8"),
    "not a number": (b'{"id": NaN}', ":1: invalid JSON"),
    "very deep": (b'{"english_tasks": ' + b"[" * 200_000, ":1: nested deeper than"),
    "other records": (b'{"question": "x"}', ":1: unknown record format"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_no_record(name: str, tmp_path: Path) -> None:
    content, expected = LINES[name]
    path = tmp_path / "data.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        load_dataset(path)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)
    assert expected in str(check(path)[0])


def test_a_file_that_is_none(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n \n")
    utf16 = tmp_path / "utf16.jsonl"
    utf16.write_bytes('{"id": "x"}'.encode("utf-16"))
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(b'{"id": "x"}'))
    places = {
        tmp_path / "none.jsonl": "cannot read",
        tmp_path: "cannot read",
        empty: "no session",
        utf16: "UTF-16",
        packed: "compressed",
    }
    for path, expected in places.items():
        for use in (load_dataset, check):
            with pytest.raises(DataError, match=expected):
                use(path)


def test_the_same_id_twice(small_wildtoolbench: Path, tmp_path: Path) -> None:
    line = small_wildtoolbench.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()[0]
    path = tmp_path / "twice.jsonl"
    path.write_bytes(line + b"\n\n" + line + b"\n")
    with pytest.raises(DataError, match=r":3: id: 'garden_0' is already used in line 1"):
        load_dataset(path)
    assert [str(problem) for problem in check(path)] == [f"{path}:3: id: 'garden_0' is already used in line 1"]


MMTB: dict[str, tuple[Damage, str]] = {
    "a clock too few": (put("env_info", value=["2025-05-04"] * 3), "env_info: has 3 entries, expected 4"),
    "clock without date": (put("env_info", value="today"), "env_info: must contain a date"),
    "unknown code": (put("type", 0, value="x"), "type[0]: unknown task type 'x'"),
    "turn type": (put("turn_type", 1, value="?"), "turn_type[1]: must be"),
    "references": (
        put("turn_subtypes", value=["指代理解"]),
        "turn_subtypes: has 1 entry, expected 4, one per task, or 3",
    ),
    "opening outside": (put("task_ids", 0, value=9), "task_ids[0]: the task has no message 9"),
    "stray text": (put("english_messages", 0, value="x"), "english_messages[0]: must be a message"),
    "two users": (put("english_messages", 1, "role", value="user"), "user and assistant must alternate"),
}


@pytest.mark.parametrize("name", MMTB)
def test_a_damaged_mmtb_record(name: str, small_mmtb: Path, write_lines: Callable[..., Path]) -> None:
    damage, expected = MMTB[name]
    problems = [str(problem) for problem in check(write_lines(damaged(small_mmtb, damage)))]
    assert any(expected in problem for problem in problems), problems
    assert not any("\n" in problem for problem in problems)
