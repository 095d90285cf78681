"""Data sets: sessions in the published layouts, with one thing spoilt in each, and folders of ACEBench's layout."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.hostile.corpus.item import (
    ANYTHING,
    EVIL,
    HUGE,
    Item,
    Surroundings,
    all_fields,
    at,
    change_json,
    change_lines,
    fifo,
    linked,
    put,
    remove,
    sparse,
    zeros,
)
from tests.hostile.corpus.schemas import hostile_schemas
from tests.hostile.corpus.texts import any_file

TOOLS = ("english_tools", 0, "function")


def sessions() -> Iterator[Item]:
    """Files in WildToolBench's and MMTB's layout."""
    yield from any_file()
    for name, value in (("evil", EVIL), ("traversal", "../../../x"), ("surrogate", "\ud800"), ("long", "x" * 100_000)):
        yield _wild(f"id-{name}", put(value, "id"))
        yield _wild(f"task-{name}", put(value, "english_tasks", 0))
        yield _wild(f"tool-name-{name}", put(value, *TOOLS, "name"))
        yield _wild(f"date-{name}", put(value, "english_env_info"))
        yield _mmtb(f"mmtb-id-{name}", put(value, "id"))
    yield _wild("id-same", put("same", "id"))
    yield _wild("id-huge", put(HUGE, "id"))
    for name, schema in hostile_schemas().items():
        yield _wild(f"schema-{name}", put(schema, *TOOLS, "parameters"))

    def answers(change: Callable[[list[Any]], Any]) -> Callable[[Any], None]:
        return lambda record: put(change(record["english_answer_list"]), "english_answer_list")(record)

    def step(index: int, needs: list[int]) -> dict[str, Any]:
        action = {"name": "find_plant", "arguments": {"name": "a" * 60 + "!"}}
        return {"idx": index, "action": action, "dependency_list": needs, "observation": {}}

    yield _wild("graph-cycle", answers(lambda _: [[step(0, [1]), step(1, [0])]] * 4))
    yield _wild("graph-itself", answers(lambda _: [[step(0, [0])]] * 4))
    yield _wild("graph-wide", answers(lambda _: [[step(n, []) for n in range(40)]] * 4))
    yield _wild("graph-edges", answers(lambda _: [[step(n, list(range(n))) for n in range(142)]] * 4))
    yield _wild("graph-huge-index", answers(lambda _: [[step(10**18, [10**30])]] * 4))
    yield _wild("graph-nothing", answers(lambda _: []))
    yield _wild("arguments-huge", put(HUGE, "english_answer_list", 0, 0, "action", "arguments", "name"))
    yield _wild("arguments-evil", put({EVIL: EVIL}, "english_answer_list", 0, 0, "action", "arguments"))
    yield _wild("observation-long", put("x" * 3_000_000, "english_answer_list", 0, 0, "observation"))
    for value in ANYTHING:
        yield _wild(f"all-{type(value).__name__}", all_fields(value))
    yield Item("many-sessions", _many)


def _wild(name: str, change: Callable[[Any], Any]) -> Item:
    return _changed(name, "wildtoolbench.jsonl", change)


def _mmtb(name: str, change: Callable[[Any], Any]) -> Item:
    return _changed(name, "mmtb.jsonl", change)


def _changed(name: str, sample: str, change: Callable[[Any], Any]) -> Item:
    def build(around: Surroundings) -> None:
        shutil.copy(around.samples / sample, around.target)
        change_lines(around.target, change)

    return Item(name, build)


def _many(around: Surroundings) -> None:
    first = (around.samples / "wildtoolbench.jsonl").read_text(encoding="utf-8-sig").splitlines()[0]
    record = json.loads(first)
    with around.target.open("w") as file:
        for number in range(400):
            file.write(json.dumps(record | {"id": f"many_{number % 399}"}) + "\n")


def folders() -> Iterator[Item]:
    """ACEBench's `data_all`."""
    file = "data_en/data_normal_atom_bool.json"
    answers = "data_en/possible_answer/data_normal_atom_bool.json"
    for name in (file, answers):
        place = name.split("/")[1].partition(".")[0].replace("data_normal_atom_bool", "questions")
        yield _spoilt(f"ace-{place}-fifo", at(name, fifo))
        yield _spoilt(f"ace-{place}-device", at(name, zeros))
        yield _spoilt(f"ace-{place}-victim", linked(name))
        yield _spoilt(f"ace-{place}-gigabyte", at(name, sparse))
        yield _spoilt(f"ace-{place}-missing", at(name, remove))
        yield _spoilt(f"ace-{place}-empty", at(name, lambda path: path.write_text("")))
        for kind, value in (("evil", EVIL), ("traversal", "../../../x"), ("huge", HUGE)):
            yield _records(f"ace-{place}-id-{kind}", name, put(value, "id"))
    for name, schema in hostile_schemas().items():
        yield _records(f"ace-schema-{name}", file, put(schema, "function", 0, "arguments"))
    yield Item("ace-empty-folder", lambda around: around.target.mkdir())


def _records(name: str, file: str, change: Callable[[Any], Any]) -> Item:
    """ACEBench's folder with a change in every record of a file: one list, or a record per line."""

    def each(whole: Any) -> None:
        for record in whole:
            change(record)

    def spoil(path: Path) -> None:
        if path.read_text().lstrip().startswith("["):
            change_json(path, each)
        else:
            change_lines(path, change)

    return _spoilt(name, at(file, spoil))


def _spoilt(name: str, spoil: Callable[[Surroundings], Any]) -> Item:
    def build(around: Surroundings) -> None:
        shutil.copytree(around.samples / "acebench", around.target)
        spoil(around)

    return Item(name, build)
