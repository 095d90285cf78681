"""Edited sessions that are made again: before the edit every byte stays, the edit is there, what follows is whole.

Every task of every kind is edited in every way, in both languages, over sessions of scripted agents.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import toolgauge
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.rehearse import rehearse
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.lines import read_lines
from toolgauge.data.session import ASK, FINAL
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.edits import replay_point
from toolgauge.generation.resume import session_of

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
        and not (place[2] == "call" and _begins_late(record, language, place))
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


def _begins_late(record: Record, language: str, place: tuple[int, int | None, str]) -> bool:
    """Does something stand between the words that are edited and the call? Then that is two edits."""
    nodes = record[key(language, "answer_list")][place[0]]
    return any(node["dependency_list"] or node["action"]["name"] == ASK for node in nodes[: (place[1] or 0) + 1])


def as_bytes(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_before_an_edit_stays_byte_for_byte(language: str) -> None:
    for (task, call, _part), edited, made in everything(language):
        for name in ("env_info", "tools"):
            assert as_bytes(made[key(language, name)]) == as_bytes(edited[key(language, name)])
        for name, count in (("tasks", task + 1), ("answer_list", task), ("task_types", task), ("turn_subtypes", task)):
            before, after = edited[key(language, name)], made[key(language, name)]
            assert as_bytes(after[:count]) == as_bytes(before[:count]), (made["id"], name)
        decided = [node.get("thought") is not None for node in edited[key(language, "answer_list")][task]]
        first = max(n for n in range((call or 0) + 1) if decided[n] or n == 0) if call is not None else 0
        nodes = zip(
            edited[key(language, "answer_list")][task][:first],
            made[key(language, "answer_list")][task][:first],
            strict=True,
        )
        for before, after in nodes:
            assert as_bytes(after) == as_bytes(before), made["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_edit_is_there(language: str) -> None:
    parts = set()
    for (task, call, part), edited, made in everything(language):
        parts.add(part)
        assert made[key(language, "tasks")][task] == edited[key(language, "tasks")][task]
        if call is not None:
            wanted, found = (one[key(language, "answer_list")][task][call] for one in (edited, made))
            assert found["action"] == wanted["action"]
            if part != "call":
                assert found["observation"] == wanted["observation"]
            if part == "answer":
                assert found["user_input"] == wanted["user_input"]
    assert parts == {"utterance", "call", "result", "question", "answer", "reply"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_follows_is_of_the_kinds_and_references_it_was(language: str) -> None:
    for (task, _call, _part), edited, made in everything(language):
        assert len(made[key(language, "tasks")]) == len(edited[key(language, "tasks")])
        references = key(language, "turn_subtypes")
        assert made[references][task:] == edited[references][task:], made["id"]
        multi = {"Single-Tool", "单工具", "Clarify", "澄清", "Chat", "闲聊"}
        types = zip(edited[key(language, "task_types")], made[key(language, "task_types")], strict=True)
        for before, after in list(types)[task + 1 :]:
            assert after == before or not {before, after} & multi, made["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_tell_what_stands_in_the_session_now(language: str) -> None:
    for _place, _edited, made in everything(language):
        said = [one["content"] for one in made[key(language, "messages")] if one != "====="]
        for words in made[key(language, "tasks")]:
            assert words in said
        for nodes in made[key(language, "answer_list")]:
            assert nodes[-1]["observation"] in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reviewers_fields_and_labels_before_the_edit_stay(language: str, tmp_path: Path) -> None:
    record = next(one for one in sessions(language) if "MT.CQ" in one["id"])
    after = copy.deepcopy(record)
    after["reviewer"] = {"name": "Ada"}
    nodes = after[key(language, "answer_list")][0]
    nodes[0] |= {"doubts": ["none"], "accept": {}, "purpose": "My own reason."}
    nodes[-2]["observation"] = {"edited": True}
    (made,) = replayed(tmp_path, language, [(record, after)])
    assert made["reviewer"] == after["reviewer"]
    assert as_bytes(made[key(language, "answer_list")][0][: len(nodes) - 1]) == as_bytes(nodes[:-1])


def test_an_edited_argument_is_annotated_again_unless_the_reviewer_did(tmp_path: Path) -> None:
    record = next(one for one in sessions("en") if one["id"].startswith("en-ST"))
    node = record["english_answer_list"][0][0]
    name, value = next((n, v) for n, v in node["action"]["arguments"].items() if v in record["english_tasks"][0])
    quick, careful = copy.deepcopy(record), {**copy.deepcopy(record), "id": "careful"}
    for one in (quick, careful):
        one["english_answer_list"][0][0]["action"]["arguments"][name] = f"{value}s"
        one["english_tasks"][0] = one["english_tasks"][0].replace(value, f"{value}s")
    careful["english_answer_list"][0][0]["argument_sources"] = {name: [{"from": "user", "task": 0, "quote": "my own"}]}
    made = replayed(tmp_path, "en", [(record, quick), ({**record, "id": "careful"}, careful)])
    sources = [one["english_answer_list"][0][0]["argument_sources"][name] for one in made]
    assert sources[0][0]["quote"] == f"{value}s"
    assert sources[1] == [{"from": "user", "task": 0, "quote": "my own"}]


def test_calls_that_a_reviewer_put_in_or_took_out_stand(tmp_path: Path) -> None:
    record = next(one for one in sessions("en") if one["id"].startswith("en-MT.CC"))
    nodes = record["english_answer_list"][0]
    fewer, more = copy.deepcopy(record), {**copy.deepcopy(record), "id": "more"}
    del fewer["english_answer_list"][0][-2]
    last = fewer["english_answer_list"][0][-1]
    last |= {"idx": len(nodes) - 2, "dependency_list": [len(nodes) - 3]}
    again = {**copy.deepcopy(nodes[0]), "idx": len(nodes) - 1, "dependency_list": [len(nodes) - 2], "observation": None}
    more["english_answer_list"][0].insert(len(nodes) - 1, again)
    more["english_answer_list"][0][-1] |= {"idx": len(nodes), "dependency_list": [len(nodes) - 1]}
    cut, added = replayed(
        tmp_path, "en", [(record, fewer), ({**record, "id": "more"}, more)], gates=["-redundant_calls"]
    )
    calls = [node["action"] for node in cut["english_answer_list"][0]]
    assert calls == [node["action"] for node in fewer["english_answer_list"][0]]
    inserted = added["english_answer_list"][0][len(nodes) - 1]
    assert inserted["action"] == again["action"]
    assert inserted["observation"] is not None, "what the reviewer left open the tools answer"


@pytest.mark.parametrize("language", LANGUAGES)
def test_sessions_without_an_edit_are_kept_and_annotations_are_no_edit(language: str, tmp_path: Path) -> None:
    same, annotated, closing = sessions(language)[:3]
    changed, replied = copy.deepcopy(annotated), copy.deepcopy(closing)
    changed[key(language, "answer_list")][0][-1]["dependency_list"] = []
    changed[key(language, "turn_subtypes")][0] = {"en": "Coreferential Reference", "zh": "指代理解"}[language]
    replied[key(language, "answer_list")][-1][-1]["observation"] += THANKS[language]
    made = replayed(tmp_path, language, [(same, same), (annotated, changed), (closing, replied)])
    assert [as_bytes(one) for one in made[:2]] == [as_bytes(same), as_bytes(changed)]
    assert made[2][key(language, "answer_list")] == replied[key(language, "answer_list")]
    assert made[2][key(language, "messages")][-1]["content"].endswith(THANKS[language])
    steps = [len(line["steps"]) for _, line in read_lines(tmp_path / "again/trajectories.jsonl")]
    assert steps == [0, 0, 0]


def test_several_proposals_and_no_later_tasks(tmp_path: Path) -> None:
    record, kept = sessions("en")[:2]
    after = edit(record, "en", 1, None, "utterance")
    assert after is not None
    made = replayed(tmp_path, "en", [(record, after), (kept, kept)], per_path=3, later="drop")
    assert [one["id"] for one in made] == [*(f"{record['id']}~{number}" for number in range(3)), kept["id"]]
    assert [len(one["english_tasks"]) for one in made] == [2, 2, 2, 3]
    assert len({one["english_tasks"][1] for one in made[:3]}) == 1


def test_the_place_can_be_named_without_an_edit(tmp_path: Path) -> None:
    record, kept = sessions("en")[:2]
    file = written(tmp_path / "s.jsonl", [record, kept])
    place = f"{record['id']}/1/0"
    toolgauge.generate("builtin/oracle", replay=file, replay_from=[place], out=tmp_path / "again")
    made = [one for _, one in read_lines(tmp_path / "again/sessions.jsonl")]
    assert as_bytes(made[0]["english_answer_list"][1][0]) == as_bytes(record["english_answer_list"][1][0])
    assert made[1] == kept
    asked = {line["task_id"]: bool(line["steps"]) for _, line in read_lines(tmp_path / "again/trajectories.jsonl")}
    assert asked == {record["id"]: True, kept["id"]: False}


@pytest.mark.parametrize("place", ["", "en-ST", "nobody/0", "{id}", "{id}/9", "{id}/0/99", "{id}/0/0/answer", "{id}/x"])
def test_a_place_that_is_missing_is_refused(place: str, tmp_path: Path) -> None:
    record = sessions("en")[0]
    file = written(tmp_path / "s.jsonl", [record])
    with pytest.raises(UsageError, match="is no place"):
        toolgauge.generate(
            "builtin/oracle", replay=file, replay_from=[place.format(id=record["id"])], out=tmp_path / "x"
        )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"english_env_info": "2024-01-01 00:00:00 Monday"}, "env_info is another one"),
        ({"english_tools": "fewer"}, "tools is another one"),
        ({"english_messages": []}, "only `messages`"),
        ({"id": "somebody else"}, "has no session"),
    ],
)
def test_edits_that_cannot_be_followed_are_refused(change: Record, why: str, tmp_path: Path) -> None:
    record = sessions("en")[0]
    if change.get("english_tools"):
        change = {"english_tools": [*record["english_tools"][1:], record["english_tools"][0]]}
    with pytest.raises((UsageError, DataError), match=why):
        replayed(tmp_path, "en", [(record, {**record, **change})])


def test_an_edit_that_would_be_lost_is_refused_with_both_places() -> None:
    record = sessions("en")[0]
    after = edit(record, "en", 0, None, "utterance")
    assert after is not None
    after["english_tasks"][2] += " Now."
    with pytest.raises(UsageError, match=r"edited up to 0 and again at 2;"):
        replay_point(session_of(record, "en"), session_of(after, "en"))


def test_the_same_command_continues_and_other_files_are_refused(tmp_path: Path) -> None:
    record, kept = sessions("en")[:2]
    after = edit(record, "en", 0, None, "utterance")
    assert after is not None
    made = replayed(tmp_path, "en", [(record, after), (kept, kept)])
    files = {file.name: file.read_bytes() for file in (tmp_path / "again").glob("*.jsonl")}
    assert replayed(tmp_path, "en", [(record, after), (kept, kept)]) == made
    assert {file.name: file.read_bytes() for file in (tmp_path / "again").glob("*.jsonl")} == files
    with pytest.raises(UsageError, match="replay"):
        replayed(tmp_path, "en", [(record, after), (kept, after | {"id": kept["id"]})])
    with pytest.raises(UsageError, match="replay"):
        replayed(tmp_path, "en", [(record, after), (kept, kept)], later="drop")
