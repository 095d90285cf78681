"""What reviewers are told: warnings where they belong, found beside everything else; differences, history; files with
lines that are broken, or that are no session, are told of with their place, and stop nobody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.review.conftest import FIRST, OpenDesk, ask, decide, edit, join
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.chat import Json
from toolgauge.data.sessions import session_from
from toolgauge.errors import DataError
from toolgauge.review.access import PROOF, Hosts, proof
from toolgauge.review.commands import AddCall, Decide, Edit, RemoveCall, SetArguments, Undo
from toolgauge.review.desk import Desk
from toolgauge.review.events import Outcome, Part, Place
from toolgauge.review.export import prepared
from toolgauge.review.handling import do
from toolgauge.review.server import ReviewServer
from toolgauge.review.store import MOST_NAMED, open_originals
from toolgauge.review.survey import Survey
from toolgauge.review.views import QueueLine, differences_view, queue_view, search, session_view
from toolgauge.review.warnings import Warned, warnings

MINI = MINI_FILE.read_text("utf-8").splitlines()


def spoiled(line: str, **fields: object) -> str:
    """A record with other fields; None takes one away."""
    record: Json = json.loads(line) | fields
    return json.dumps({key: value for key, value in record.items() if value is not None})


@contextmanager
def review(folder: Path, *lines: str) -> Iterator[Desk]:
    file = folder / "sessions.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    with closing(Desk(folder / "r", open_originals(file, "en"))) as desk:
        join(desk, "Ada", "Bo")
        yield desk


def test_kinds_words_and_warnings_are_found_and_follow_edits(tmp_path: Path) -> None:
    broken = json.loads(MINI[1])
    broken["english_answer_list"][0][0]["argument_sources"] = {"x": "none"}
    with review(tmp_path, MINI[0], json.dumps(broken), MINI[2]) as desk:
        survey, person = Survey(desk), desk.state.people["Bo"]

        def line(name: str = FIRST) -> QueueLine:
            told: list[QueueLine] = queue_view(desk, person, survey)["sessions"]  # type: ignore[assignment]
            return next(one for one in told if one.id == name)

        assert line().warnings is None
        asyncio.run(survey.find_all())
        first = line()
        assert (len(first.kinds), bool(first.begins), survey.checked) == (first.tasks, True, 3)
        assert line("mini_1").warnings == {"data": 1}, "one that cannot be read stops nothing"
        number = edit(desk, "zebra crossing ahead", "Bo").number
        nonsense = SetArguments(task=0, call=0, arguments={"nonsense": 1})
        do(desk, "Bo", Edit(session=FIRST, base=number, edits=(nonsense,)))
        asyncio.run(survey.find_all())
        assert line().begins == "zebra crossing ahead"
        assert search(desk, person, survey, "ZEBRA ahead") == [FIRST]
        assert search(desk, person, survey, "mini_1") == ["mini_1"]
        assert sum((line().warnings or {}).values()) > sum((first.warnings or {}).values())
        told = queue_view(desk, person, survey, since=number, found=survey.number)["sessions"]
        assert [one.id for one in told] == [FIRST], "only what differs is told again"  # type: ignore[attr-defined]


def test_differences_are_told_by_parts(open_desk: OpenDesk) -> None:
    desk = open_desk()
    person, before = desk.state.people["Bo"], desk.read(FIRST, desk.session(FIRST).common).tasks[0]
    number = edit(desk, "other words", "Bo").number
    call = AddCall(task=0, call=0, name=before.calls[0].name, arguments={"a": 1}, result="r")
    added = do(desk, "Bo", Edit(session=FIRST, base=number, edits=(call,))).number
    first, *others = differences_view(desk, person, FIRST, 0, None)
    assert (first.place, first.old, first.new) == (Place(Part.UTTERANCE, 0), before.utterance, "other words")
    assert [(one.old, one.new) for one in others if one.place == Place(Part.CALL, 0, 0)] == [(None, {"a": 1})]
    assert differences_view(desk, person, FIRST, number, number) == []
    removed = do(desk, "Bo", Edit(session=FIRST, base=added, edits=(RemoveCall(task=0, call=0),))).number
    assert differences_view(desk, person, FIRST, number, removed) == []
    [told] = [one for one in differences_view(desk, person, FIRST, added, removed) if one.place.part is Part.CALL]
    assert (told.old, told.new) == ({"a": 1}, None)


def test_history_tells_places_and_what_was_taken_back(open_desk: OpenDesk) -> None:
    desk = open_desk()
    number = edit(desk, "other words", "Bo").number
    undone = do(desk, "Bo", Undo(session=FIRST, base=number)).number
    do(desk, "Bo", Decide(session=FIRST, base=undone, outcome=Outcome.APPROVED, tasks=1))
    view = session_view(desk, desk.state.people["Bo"], FIRST, [])
    change, undo, decided = view["history"]
    assert (change["places"], change["undone"], undo["undoes"]) == ([Place(Part.UTTERANCE, 0)], undone, number)
    assert (decided["tasks"], view["approved"]) == (1, 1)
    assert (view["decision"]["who"], view["decision"]["holds"], view["last"]) == ("Bo", True, decided["number"])


# Warnings.


def found_in(spoil: Callable[[Json], Any]) -> list[Warned]:
    """The warnings of the first session of the embedded benchmark, spoiled."""
    record = json.loads(MINI[0])
    spoil(record)
    return list(warnings(session_from(record, "en")))


def said(record: Json, text: str) -> None:
    record["english_tasks"][1] = text


def replied(record: Json, text: str) -> None:
    record["english_answer_list"][0][-1]["observation"] = text


@pytest.mark.parametrize(
    ("source", "spoil", "place"),
    [
        ("language", lambda one: said(one, "请帮我查一下明天的天气，谢谢你了"), Place(Part.UTTERANCE, 1)),
        ("language", lambda one: replied(one, "好的，已经为您查到了明天的天气情况"), Place(Part.REPLY, 0, 1)),
        ("length", lambda one: said(one, "so " * 2000), Place(Part.UTTERANCE, 1)),
    ],
)
def test_a_finding_stands_where_the_words_are(source: str, spoil: Callable[[Json], Any], place: Place) -> None:
    assert [one.place for one in found_in(spoil) if one.source == source] == [place]


def test_what_the_judge_objected_to_stands_where_it_is() -> None:
    def judged(record: Json) -> None:
        call = next(n for n, one in enumerate(record["english_answer_list"][0]) if one["action"]["arguments"])
        path, value = next(iter(record["english_answer_list"][0][call]["action"]["arguments"].items()))
        wrong = {"call": call, "path": path, "value": value, "ruling": "wrong", "reason": "nobody said so"}
        gone = {"call": call, "path": path, "value": "as it was before an edit", "ruling": "wrong"}
        first = {"answer_agrees": False, "answer_reason": "no such price", "arguments": [wrong, gone]}
        later = {"answer_agrees": True, "needs_earlier": False, "reason": "it says all"}
        record.setdefault("origin", {})["judged"] = [first, later, {"nonsense": True}, None]

    by_judge = [one for one in found_in(judged) if "judge" in str(one.message)]
    found = {(one.source, one.place.part, one.place.task): str(one.message) for one in by_judge}
    assert set(found) == {("answer", Part.REPLY, 0), ("values", Part.CALL, 0), ("context", Part.UTTERANCE, 1)}
    assert "nobody said so" in found["values", Part.CALL, 0]


def test_a_value_without_a_source_is_worth_a_look() -> None:
    def emptied(record: Json) -> None:
        next(one for one in record["english_answer_list"][0] if one.get("argument_sources"))["argument_sources"] = {}

    assert [one.source for one in found_in(emptied) if one.source == "values"]


# Broken files.


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "invalid JSON"),
        ('{"id": "mini', "invalid JSON"),
        ("[1]", "must be an object"),
        ('{"tasks": []}', "missing"),
        ("[" * 200 + "]" * 200, "nested deeper"),
        (MINI[0], "duplicate id"),
    ],
)
def test_a_broken_line_is_named_and_the_others_are_reviewed(line: str, why: str, tmp_path: Path) -> None:
    with review(tmp_path, MINI[0], line, MINI[1]) as desk:
        assert [*desk.originals.tasks] == ["mini_0", "mini_1"]
        (note,) = desk.originals.notes
        assert note.startswith(f"{desk.originals.file}:2: ")
        assert why in note
        assert "\n" not in note
        decide(desk, "Ada", "mini_1")
        assert prepared(desk).sessions == 1


def test_many_broken_lines_are_counted_and_nothing_but_those_is_refused(tmp_path: Path) -> None:
    with review(tmp_path, MINI[0], *["{"] * 20) as desk:
        assert len(desk.originals.notes) == MOST_NAMED + 1
        assert desk.originals.notes[-1] == f"more lines skipped: {20 - MOST_NAMED}"
    with pytest.raises(DataError, match=r"sessions\.jsonl:1: "), review(tmp_path, "{", "{"):
        pass


@pytest.mark.parametrize(
    "line",
    [
        spoiled(MINI[1], english_task_types=["nonsense"]),
        spoiled(MINI[1], english_answer_list=None),
        spoiled(MINI[1], english_tasks=None, english_task_types=None),
        spoiled(MINI[1], english_tools="none"),
        spoiled(MINI[1], english_tasks=[7], english_task_types={}),
    ],
)
def test_a_session_that_is_none_says_where_and_stops_nobody(line: str, tmp_path: Path) -> None:
    with (
        review(tmp_path, MINI[0], line, MINI[2]) as desk,
        TestClient(ReviewServer(desk, Hosts(80)).app, base_url="http://127.0.0.1") as client,
    ):
        assert client.get("/enter?token=Ada").status_code == 200
        client.headers[PROOF] = proof("Ada")
        answer = client.get("/api/session?id=mini_1")
        assert answer.status_code == 422
        assert f"{desk.originals.file}:2: " in answer.json()["message"]
        edits = [{"edit": "utterance", "task": 0, "text": "so"}]
        for command in ({"do": "edit", "edits": edits}, {"do": "undo"}, {"do": "decide", "outcome": "approved"}):
            assert ask(client, session="mini_1", base=0, **command).status_code == 422
        for path in ("session?id=mini_0", "team", "rounds", "figures", "opinions", "search?words=a"):
            assert client.get(f"/api/{path}").status_code == 200, path
        assert [one["id"] for one in client.get("/api/queue").json()["sessions"]] == ["mini_0", "mini_1", "mini_2"]
        for name, outcome in (("mini_0", "approved"), ("mini_1", "rejected"), ("mini_2", "approved")):
            assert ask(client, do="decide", session=name, base=0, outcome=outcome).status_code == 200
        assert ask(client, do="drawround", share=1.0).status_code in (200, 422)
        assert client.get("/api/export").status_code == 200
