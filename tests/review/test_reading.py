"""What the queue and the page of a session are told: warnings found beside, differences."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.review.conftest import OpenDesk
from toolgauge.review.commands import AddCall, Decide, Edit, RemoveCall, SetArguments, SetUtterance, Undo
from toolgauge.review.desk import Desk
from toolgauge.review.events import Outcome, Part, PersonAdded, Place
from toolgauge.review.handling import do
from toolgauge.review.store import open_originals
from toolgauge.review.survey import Survey
from toolgauge.review.views import QueueLine, differences_view, queue_view, search, session_view

NAME = "mini_0"


def seen(desk: Desk, who: str, survey: Survey, since: int = 0, found: int = 0) -> Any:
    return queue_view(desk, desk.state.people[who], survey, "en", since, found)


def line(desk: Desk, who: str, survey: Survey, name: str = NAME) -> QueueLine:
    found: list[QueueLine] = seen(desk, who, survey)["sessions"]
    return next(one for one in found if one.id == name)


def reword(desk: Desk, who: str, text: str, base: int) -> int:
    edit = Edit(session=NAME, base=base, edits=(SetUtterance(task=0, text=text),))
    return do(desk, who, edit).number


def small(tmp_path: Path, *, broken: bool = False) -> Desk:
    """A desk of three sessions, the second of which cannot be read where it is to be."""
    from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE

    records = [json.loads(one) for one in MINI_FILE.read_text(encoding="utf-8").splitlines()[:3]]
    if broken:
        records[1]["english_answer_list"][0][0]["argument_sources"] = {"x": "none"}
    path = tmp_path / "small.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    desk = Desk(tmp_path / "small.review", open_originals(path, "en"))
    for name in ("Ada", "Bo", "Cy"):
        desk.happen(PersonAdded(name=name, is_lead=name == "Ada"))
    return desk


def test_kinds_words_and_warnings_are_found_and_follow_edits(tmp_path: Path) -> None:
    desk = small(tmp_path)
    survey = Survey(desk)
    assert (seen(desk, "Bo", survey)["checked"], line(desk, "Bo", survey).warnings) == (0, None)
    asyncio.run(survey.find_all())
    first = line(desk, "Bo", survey)
    assert len(first.kinds) == first.tasks
    assert first.begins
    assert first.warnings is not None
    number = reword(desk, "Bo", "zebra crossing ahead", 0)
    arguments = SetArguments(task=0, call=0, arguments={"nonsense": 1})
    do(desk, "Bo", Edit(session=NAME, base=number, edits=(arguments,)))
    asyncio.run(survey.find_all())
    after = line(desk, "Bo", survey)
    assert after.begins == "zebra crossing ahead"
    assert search(desk, desk.state.people["Bo"], survey, "ZEBRA ahead") == [NAME]
    assert search(desk, desk.state.people["Bo"], survey, "mini_1") == ["mini_1"]
    assert sum((after.warnings or {}).values()) > sum(first.warnings.values())


def test_a_session_that_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    desk = small(tmp_path, broken=True)
    survey = Survey(desk)
    asyncio.run(survey.find_all())
    assert seen(desk, "Bo", survey)["checked"] == 3
    assert line(desk, "Bo", survey, "mini_1").warnings == {"data": 1}


def test_differences_are_told_by_parts(open_desk: OpenDesk) -> None:
    desk = open_desk()
    person = desk.state.people["Bo"]
    before = desk.read(NAME, desk.state.sessions[NAME].common).tasks[0]
    number = reword(desk, "Bo", "other words", 0)
    call = AddCall(task=0, call=0, name=before.calls[0].name, arguments={"a": 1}, result="r")
    added = do(desk, "Bo", Edit(session=NAME, base=number, edits=(call,))).number
    first, *others = differences_view(desk, person, NAME, 0, None)
    assert (first.place, first.old, first.new) == (Place(Part.UTTERANCE, 0), before.utterance, "other words")
    assert [(one.old, one.new) for one in others if one.place == Place(Part.CALL, 0, 0)] == [(None, {"a": 1})]
    assert differences_view(desk, person, NAME, number, number) == []
    removed = do(desk, "Bo", Edit(session=NAME, base=added, edits=(RemoveCall(task=0, call=0),))).number
    assert [one.place.part for one in differences_view(desk, person, NAME, number, removed)] == []
    [told] = [one for one in differences_view(desk, person, NAME, added, removed) if one.place.part is Part.CALL]
    assert (told.old, told.new) == ({"a": 1}, None)


def test_history_tells_places_and_what_was_taken_back(open_desk: OpenDesk) -> None:
    desk = open_desk()
    number = reword(desk, "Bo", "other words", 0)
    undone = do(desk, "Bo", Undo(session=NAME, base=number)).number
    do(desk, "Bo", Decide(session=NAME, base=undone, outcome=Outcome.APPROVED, tasks=1))
    view = session_view(desk, desk.state.people["Bo"], NAME, [])
    edit, undo, decided = view["history"]
    assert (edit["places"], edit["undone"], undo["undoes"]) == ([Place(Part.UTTERANCE, 0)], undone, number)
    assert (decided["tasks"], view["approved"]) == (1, 1)
    assert (view["decision"]["who"], view["decision"]["holds"], view["last"]) == ("Bo", True, decided["number"])
