"""Sessions of scripted agents, edited at every place in every way, and what becomes of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import toolgauge
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.rehearse import rehearse
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.lines import read_lines
from toolgauge.data.session import ASK, FINAL

LANGUAGES = ("en", "zh")
PATHS = "single,multi,clarify; multi,chat,single; clarify,clarify,chat; chat,multi,multi; multi,clarify,multi; CQ,ST,MT"
THANKS = {"en": " Thanks a lot.", "zh": "谢谢。"}
Record = dict[str, Any]


def key(language: str, name: str) -> str:
    return f"english_{name}" if language == "en" else name


@cache
def sessions(language: str) -> tuple[Record, ...]:
    with TemporaryDirectory() as folder:
        toolgauge.generate("builtin/oracle", paths=PATHS, language=language, out=folder)
        return tuple(record for _, record in read_lines(Path(folder) / "sessions.jsonl"))


def written(file: Path, records: list[Record]) -> Path:
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    return file


def replayed(folder: Path, language: str, pairs: list[tuple[Record, Record]], **options: Any) -> list[Record]:
    """The sessions that come of pairs (original, edited)."""
    original = written(folder / "original.jsonl", [before for before, _ in pairs])
    edited = written(folder / "edited.jsonl", [after for _, after in pairs])
    toolgauge.generate(
        "builtin/oracle", language=language, replay=edited, original=original, out=folder / "again", **options
    )
    return [record for _, record in read_lines(folder / "again/sessions.jsonl")]


def edit(record: Record, language: str, task: int, call: int | None, part: str) -> Record | None:
    """A session edited at one place; None where there is no such place."""
    edited = copy.deepcopy(record)
    if call is None:
        edited[key(language, "tasks")][task] += THANKS[language]
        return edited
    node = edited[key(language, "answer_list")][task][call]
    if part == "result" and node["action"]["name"] not in (ASK, FINAL):
        seen = node["observation"]
        node["observation"] = {**seen, "remark": "edited"} if isinstance(seen, dict) else [seen]
    elif (part == "question" and node["action"]["name"] == ASK) or (
        part == "reply" and node["action"]["name"] == FINAL
    ):
        node["observation"] += THANKS[language]
    elif part == "answer" and node["action"]["name"] == ASK:
        node["user_input"] += THANKS[language]
    elif part == "call" and node["action"]["name"] not in (ASK, FINAL):
        return edited if _other_argument(edited, language, task, node["action"]["arguments"]) else None
    else:
        return None
    return edited


def _other_argument(edited: Record, language: str, task: int, arguments: Record) -> bool:
    """Change an argument that no other call has, and the user's words, which name it."""
    calls = [as_bytes(node["action"]) for node in edited[key(language, "answer_list")][task]]
    for name, value in arguments.items():
        is_own = isinstance(value, str) and len(value) > 2 and sum(value in one for one in calls) == 1
        if is_own and value in edited[key(language, "tasks")][task]:
            arguments[name] = f"{value}{value[-1]}"
            words = edited[key(language, "tasks")][task]
            edited[key(language, "tasks")][task] = words.replace(value, arguments[name])
            return True
    return False


def places(record: Record, language: str) -> Iterator[tuple[int, int | None, str]]:
    for task, nodes in enumerate(record[key(language, "answer_list")]):
        yield task, None, "utterance"
        for call in range(len(nodes)):
            for part in ("call", "result", "question", "answer", "reply"):
                yield task, call, part


def numbered(record: Record, number: int) -> Record:
    return {**record, "id": f"{record['id']}#{number}"}


@cache
def everything(language: str) -> list[tuple[tuple[int, int | None, str], Record, Record]]:
    """(place, edited session, what became of it), for every place at which a session can be edited."""
    found = [
        (place, numbered(record, number), numbered(after, number))
        for record in sessions(language)
        for number, place in enumerate(places(record, language))
        if (after := edit(record, language, *place)) is not None
        and not (place[2] == "call" and begins_late(record, language, place))
    ]
    with TemporaryDirectory() as folder:
        made = replayed(Path(folder), language, [pair for _, *pair in found])  # type: ignore[misc]
        file = written(Path(folder) / "all.jsonl", made)
        benchmark = find_benchmark("wildtoolbench")
        problems = [str(one) for one in check(file, rehearse=lambda data: rehearse(benchmark, data))]
    assert problems == []
    by_id = {one["id"]: one for one in made}
    assert by_id.keys() == {after["id"] for _, _, after in found}, "every session is there again"
    return [(place, after, by_id[after["id"]]) for place, _, after in found]


def begins_late(record: Record, language: str, place: tuple[int, int | None, str]) -> bool:
    """Does something stand between the words that are edited and the call? Then that is two edits."""
    nodes = record[key(language, "answer_list")][place[0]]
    return any(node["dependency_list"] or node["action"]["name"] == ASK for node in nodes[: (place[1] or 0) + 1])


def as_bytes(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
