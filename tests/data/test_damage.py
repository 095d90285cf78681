"""Damaged and hostile data files: one line that names the place, when loading or, at the latest, when checking."""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.acebench.data import published as scenario
from toolgauge.benchmarks.acebench.data import tables
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.data.statistics import sections, statistics
from toolgauge.cli.data import resolve
from toolgauge.data.lines import parse_line, read_lines, sha256_of
from toolgauge.errors import DataError, ToolgaugeError
from toolgauge.files import lines_within, open_regular
from toolgauge.models.builtin.models import scripted
from toolgauge.runs.lines import read_whole_lines
from toolgauge.tools.documents import read_document
from toolgauge.tools.toollist import read_tool_lists

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
    "required is no property": (put(*TOOL, "parameters", "required", value=["x"]), "requires the unknown property 'x'"),
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


JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    "",
    "\x1b[31m\n\u2028red",
    "x" * 10_000,
    [],
    [[]],
    {},
    {"a\nb": {"type": "float"}},
    {"$ref": "#"},
    {"$ref": "#/properties/name"},
    {"type": ["float", 3]},
    {"type": "enum[[1"},
    {"pattern": "("},
    {"function": {"name": "x"}},
    [{"role": "user"}],
    ["====="],
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON value with every one of its keys."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield value, key
        yield from places(part)


def spoil(record: Any, source: random.Random) -> None:
    holder, key = source.choice(list(places(record)))
    what = source.randrange(4)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[source.choice(["\n", "x y", "type", "idx"])] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(source.choice(JUNK))


@pytest.mark.parametrize("seed", range(sized(3, 12)))
def test_spoilt_files(seed: int, small_wildtoolbench: Path, small_mmtb: Path, tmp_path: Path) -> None:
    source = random.Random(seed)
    path = tmp_path / "spoilt.jsonl"
    for number in range(25):
        original = small_mmtb if number % 2 else small_wildtoolbench
        records = [value for _, value in read_lines(original)]
        for _ in range(source.randint(1, 4)):
            spoil(source.choice([one for one in records if one]), source)
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        for language in ("en", "zh"):
            try:
                sections(statistics(load_dataset(path, language=language)))
            except DataError as error:
                one_line(str(error), path)
        for problem in check(path):
            one_line(str(problem), path)


def one_line(text: str, path: Path) -> None:
    assert text.startswith(str(path))
    assert text.isprintable(), text
    assert len(text) < 1000


Read = Callable[[Path], Any]
READERS: dict[str, Read] = {
    "lines": lambda path: list(read_lines(path)),
    "check": lambda path: list(check(resolve(str(path)))),
    "data": load_dataset,
    "digest": sha256_of,
    "document": read_document,
    "tools": read_tool_lists,
    "script": scripted,
    "scenario": scenario._parse,
    "tables": lambda path: tables.read_table("food", path),
    "store": lambda path: list(read_whole_lines(path)),
}
GIGABYTE = 1 << 30


@rows("read", READERS.values())
def test_a_pipe_is_refused_before_it_is_opened(tmp_path: Path, read: Read) -> None:
    pipe = tmp_path / "pipe.json"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)  # to open it would wait for ever
    with pytest.raises(ToolgaugeError, match=r"is a pipe \(like /dev/stdin and <\(\.\.\.\)\), not a file"):
        read(pipe)


@rows("read", [READERS[name] for name in ("lines", "document", "script", "store")])
def test_a_gigabyte_without_a_line_break_is_refused_from_its_beginning(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as sparse:
        sparse.write(b'{"a": "')
        sparse.truncate(GIGABYTE)
    tracemalloc.start()
    try:
        with pytest.raises(ToolgaugeError, match="MB"):
            read(file)
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


def test_the_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"short\n" + b"x" * 99 + b"\n" + b"x" * 100 + b"\n")
    with open_regular(file) as opened:
        assert len(list(lines_within(opened, 101))) == 3
    with open_regular(file) as opened, pytest.raises(OSError, match="line 3 is longer"):
        list(lines_within(opened, 100))


@pytest.mark.parametrize("value", [b"[]", b"{}", b"0"])
def test_what_takes_far_more_memory_than_its_size_is_refused(tmp_path: Path, value: bytes) -> None:
    text = b"[" + b",".join([value] * 5_000_001) + b"]"
    with pytest.raises(DataError, match="more than 5,000,000 values"):
        parse_line(text, "file", 1)
    file = tmp_path / "file.json"
    file.write_bytes(text)
    with pytest.raises(DataError, match="more than 5,000,000 values"):
        read_document(file)


@rows("text", ["1e999999", "NaN", "[" * 100_000, "1" * 5000 + "e", "\x00"])
def test_odd_json_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(f'{{"value": {text}}}\n')
    for read in (READERS["lines"], READERS["tools"], READERS["document"]):
        with pytest.raises(DataError) as caught:
            read(file)
        assert len(str(caught.value).splitlines()) == 1
        assert len(str(caught.value)) < 500 + len(str(tmp_path))
