"""Edited sessions that are made again: before the edit every byte stays, the edit is there, what follows is whole.

Every task of every kind is edited in every way, in both languages, over sessions of scripted agents.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

import toolgauge
from tests.generation.edited_sessions import (
    LANGUAGES,
    THANKS,
    Record,
    as_bytes,
    begins_late,
    edit,
    everything,
    key,
    numbered,
    places,
    replayed,
    sessions,
    written,
)
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.data.lines import read_lines
from toolgauge.data.session import ASK, FINAL
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.edits import replay_point
from toolgauge.generation.resume import session_of


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
        verified = [one["task"] for one in made["origin"].get("references", ())]
        assert verified == sorted(set(verified)), made["id"]
        assert {*range(task + 1, len(made[key(language, "tasks")]))} <= {*verified}
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


def test_what_a_reviewer_gave_is_judged_and_rejects_nothing(tmp_path: Path) -> None:
    record = next(one for one in sessions("en") if one["id"].startswith("en-ST"))
    after = copy.deepcopy(record)
    arguments = after["english_answer_list"][0][0]["action"]["arguments"]
    arguments["nonsense"] = "a value that nobody said"
    (made,) = replayed(tmp_path, "en", [(record, after)], later="drop")
    assert made["english_answer_list"][0][0]["action"]["arguments"] == arguments
    ((_, line),) = read_lines(tmp_path / "again/trajectories.jsonl")
    verdicts = {one["gate"]: one for one in line["extra"]["gates"]}
    for gate in ("hallucinated_parameter", "provenance"):
        assert verdicts[gate]["passed"]
        assert {"given": True, "tolerated": True}.items() <= verdicts[gate]["evidence"][0].items()


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_later_tasks_can_be_kept(language: str, tmp_path: Path) -> None:
    pairs = [
        (numbered(record, number), numbered(after, number))
        for record in sessions(language)[:3]
        for number, place in enumerate(places(record, language))
        if place[0] < 2
        and (after := edit(record, language, *place)) is not None
        and not (place[2] == "call" and begins_late(record, language, place))
    ]
    made = replayed(tmp_path, language, pairs, later="keep")
    assert [one["id"] for one in made] == [after["id"] for _, after in pairs]
    for (before, after), one in zip(pairs, made, strict=True):
        for name in ("tasks", "answer_list", "task_types", "turn_subtypes"):
            assert as_bytes(one[key(language, name)][-1]) == as_bytes(after[key(language, name)][-1])
        assert one[key(language, "messages")][-1] == before[key(language, "messages")][-1]
    steps = {line["task_id"]: line["steps"] for _, line in read_lines(tmp_path / "again/trajectories.jsonl")}
    assert {step.get("task_index", 0) for found in steps.values() for step in found} == {0, 1}
    assert check(tmp_path / "again/sessions.jsonl") == []


def test_the_user_goes_on_in_the_scenario_it_was(tmp_path: Path) -> None:
    people = tmp_path / "people.jsonl"
    people.write_text('{"id": "sailor", "persona": "a retired sailor"}\n{"id": "cook", "persona": "a young cook"}\n')
    toolgauge.generate("builtin/oracle", paths="single,chat; chat,chat", scenarios=people, out=tmp_path / "first")
    records = [record for _, record in read_lines(tmp_path / "first/sessions.jsonl")]
    options = {"replay_from": [f"{one['id']}/0" for one in records], "scenarios": people, "out": tmp_path / "again"}
    toolgauge.generate("builtin/oracle", replay=tmp_path / "first/sessions.jsonl", **options)  # type: ignore[arg-type]
    again = [record["origin"]["scenario"] for _, record in read_lines(tmp_path / "again/sessions.jsonl")]
    assert again == [record["origin"]["scenario"] for record in records] == ["sailor", "cook"]
    asked = [json.dumps(line) for _, line in read_lines(tmp_path / "again/captures.jsonl")]
    later = [line for line in asked if "user_continue_question" in line]
    assert ["a retired sailor" in later[0], "a young cook" in later[1]] == [True, True]


def test_the_place_can_be_named_without_an_edit(tmp_path: Path) -> None:
    record, kept = sessions("en")[:2]
    file = written(tmp_path / "s.jsonl", [record, kept])
    place = f"{record['id']}/1/0"
    toolgauge.generate("builtin/oracle", replay=file, replay_from=[place], out=tmp_path / "again")
    made = [one for _, one in read_lines(tmp_path / "again/sessions.jsonl")]
    assert as_bytes(made[0]["english_answer_list"][1][0]) == as_bytes(record["english_answer_list"][1][0])
    assert made[0]["origin"]["replay_from"] == "1/0/result"
    assert made[1] == kept
    asked = {line["task_id"]: bool(line["steps"]) for _, line in read_lines(tmp_path / "again/trajectories.jsonl")}
    assert asked == {record["id"]: True, kept["id"]: False}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_place_can_be_named(language: str, tmp_path: Path) -> None:
    """Also decisions to ask and to answer, where nothing was edited."""
    named = {
        f"{record['id']}#{number}": (record, f"{task}" if call is None else f"{task}/{call}/{part}")
        for record in sessions(language)[:3]
        for number, (task, call, part) in enumerate(places(record, language))
        if call is None or part in _parts_of(record[key(language, "answer_list")][task][call])
    }
    file = written(tmp_path / "all.jsonl", [{**record, "id": name} for name, (record, _) in named.items()])
    places_named = [f"{name}/{place}" for name, (_, place) in named.items()]
    out = tmp_path / "again"
    toolgauge.generate("builtin/oracle", language=language, replay=file, replay_from=places_named, out=out)
    assert [line["id"] for _, line in read_lines(out / "sessions.jsonl")] == list(named)
    assert check(out / "sessions.jsonl") == []


def _parts_of(node: Record) -> tuple[str, ...]:
    pseudo = {ASK: ("call", "question", "answer"), FINAL: ("call", "reply")}
    return pseudo.get(node["action"]["name"], ("call", "result"))


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


def test_lines_of_the_original_that_are_no_sessions_are_passed_over(tmp_path: Path) -> None:
    edited = written(tmp_path / "edited.jsonl", [sessions("en")[0]])
    (tmp_path / "original.jsonl").write_text('[]\n{"id": []}\n')
    with pytest.raises(DataError, match="has no session"):
        toolgauge.generate("builtin/oracle", replay=edited, original=tmp_path / "original.jsonl", out=tmp_path / "x")


def test_an_edit_that_would_be_lost_is_refused_with_both_places() -> None:
    record = sessions("en")[0]
    after = edit(record, "en", 0, None, "utterance")
    assert after is not None
    after["english_tasks"][2] += " Now."
    with pytest.raises(UsageError, match=r"edited up to 0 and again at 2,"):
        replay_point(session_of(record, "en"), session_of(after, "en"))


def test_what_was_interrupted_comes_to_the_same_bytes(tmp_path: Path) -> None:
    pairs = []
    for record in sessions("en"):
        after = edit(record, "en", 1, None, "utterance")
        assert after is not None
        pairs.append((record, after))
    replayed(tmp_path, "en", pairs, per_path=2)
    files = {file.name: file.read_bytes() for file in (tmp_path / "again").glob("*.jsonl")}
    lines = files.pop("trajectories.jsonl").splitlines(keepends=True)
    (tmp_path / "again/trajectories.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:100])
    replayed(tmp_path, "en", pairs, per_path=2)
    again = {file.name: file.read_bytes() for file in (tmp_path / "again").glob("*.jsonl")}
    assert sorted(again.pop("trajectories.jsonl").splitlines(keepends=True)) == sorted(lines)
    assert again == files


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
