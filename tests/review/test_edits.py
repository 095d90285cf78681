"""Edits: a session stays a session, what is not named stays as it is written, annotations follow what was edited."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolgauge
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.data.session import ASK, FINAL, Reference, Session, TaskType
from toolgauge.data.sessions import language_prefix, session_from
from toolgauge.errors import DataError
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.editing import edited, messages
from toolgauge.review.events import Outcome, Refused
from toolgauge.review.handling import do
from toolgauge.review.store import Originals, open_originals
from toolgauge.review.warnings import warnings

Record = dict[str, Any]
SLOW = settings(max_examples=sized(25, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module", params=["en", "zh"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Originals:
    """Generated sessions, with sources and evidence."""
    folder = tmp_path_factory.mktemp("made")
    paths = "multi,clarify; single,multi; multi,multi"
    toolgauge.generate("builtin/oracle", paths=paths, language=request.param, out=folder)
    return open_originals(folder / "sessions.jsonl", request.param)


def everywhere(originals: Originals, check: Callable[[Record, Session], None]) -> None:
    for name in originals.tasks:
        record = originals.record(name)
        check(record, session_from(record, originals.language))


def sources(made: Originals, shared: Path) -> list[Originals]:
    """The generated ones, and public ones of the same language, which have both languages in a record."""
    public = shared / "data/wildtoolbench/sample_sessions.jsonl"
    files = [MINI_FILE, *([public] if public.is_file() else [])]
    return [made, *(open_originals(file, made.language) for file in files)]


def test_what_stands_there_already_changes_nothing(made: Originals, shared: Path) -> None:
    def check(record: Record, session: Session) -> None:
        for task in session.tasks:
            same: list[commands.AnyEdit] = [
                commands.SetUtterance(task=task.index, text=task.utterance),
                commands.SetType(task=task.index, type=task.type),
            ]
            if task.index:
                same.append(commands.SetReference(task=task.index, reference=task.reference))
            for call in task.calls:
                at: dict[str, Any] = {"task": task.index, "call": call.index}
                same += [
                    commands.SetArguments(**at, arguments=call.arguments),
                    commands.SetDependencies(**at, after=call.after),
                    commands.SetResult(**at, result=call.observation),
                ]
                if call.name == ASK:
                    same.append(commands.SetAnswer(**at, text=call.user_input or ""))
                elif call.name != FINAL:
                    same.append(commands.SetTool(**at, name=call.name))
            assert edited(record, session.language, same) == record

    for originals in sources(made, shared):
        everywhere(originals, check)


@st.composite
def an_edit(draw: st.DrawFn, session: Session) -> commands.AnyEdit:
    """Any edit, mostly one that fits."""
    task = draw(st.sampled_from(session.tasks))
    at: dict[str, Any] = {"task": task.index, "call": draw(st.integers(0, len(task.calls)))}
    text = draw(st.sampled_from(["so", "那么", " ", "\u202e{0}%s", "Oslo tomorrow at 9"]))
    arguments = draw(st.sampled_from([call.arguments for call in task.calls] + [{}, {"x": [1, 1.0, None]}]))
    after = tuple(draw(st.lists(st.integers(0, len(task.calls)), max_size=3)))
    name = draw(st.sampled_from([session.tools[0].name, session.tools[-1].name, "nothing", ASK, FINAL]))
    drawn: list[commands.AnyEdit] = [
        commands.SetUtterance(task=task.index, text=text),
        commands.SetType(task=task.index, type=draw(st.sampled_from(TaskType))),
        commands.SetReference(task=task.index, reference=draw(st.sampled_from(Reference))),
        commands.SetArguments(**at, arguments=arguments),
        commands.SetTool(**at, name=name),
        commands.SetResult(**at, result=draw(st.sampled_from([text, None, {"a": [text]}, 1.0]))),
        commands.SetAnswer(**at, text=text),
        commands.SetDependencies(**at, after=after),
        commands.AddCall(**at, name=name, arguments=arguments, after=after, result=text, answer=text),
        commands.RemoveCall(**at),
    ]
    return draw(st.sampled_from(drawn))


@SLOW
@given(data=st.data())
def test_a_session_stays_a_session(made: Originals, shared: Path, data: st.DataObject) -> None:
    originals = data.draw(st.sampled_from(sources(made, shared)))
    language, prefix = originals.language, language_prefix(originals.language)
    original = originals.record(data.draw(st.sampled_from(list(originals.tasks))))
    record = original
    for _ in range(data.draw(st.integers(1, 6))):
        session = session_from(record, language)
        edit = data.draw(an_edit(session))
        before = deepcopy(record)
        try:
            after = edited(record, language, [edit])
            session_from(after, language)
        except Refused:
            continue
        except DataError:  # then it is refused where it is asked for
            continue
        finally:
            assert record == before, "an edit leaves what it is made of alone"
        record = after
        list(warnings(session_from(record, language)))
    side = {f"{prefix}{name}" for name in ("tasks", "task_types", "turn_subtypes", "answer_list", "messages")}
    assert {key for key in {*record, *original} if record.get(key) != original.get(key)} <= side
    if original.get(f"{prefix}messages") == messages(original, prefix):
        assert record[f"{prefix}messages"] == messages(record, prefix)


def test_annotations_of_places_that_are_gone_go_with_them() -> None:
    originals = open_originals(MINI_FILE, "en")
    record = originals.record("mini_2")
    before = record["english_answer_list"][2][1]
    assert "compare" in before
    after = edited(record, "en", [commands.SetArguments(task=2, call=1, arguments={"booking_ref": "QX7T2M"})])
    assert "compare" not in after["english_answer_list"][2][1]
    session_from(after, "en")


def test_an_edit_of_an_approved_task_drops_what_was_made_behind_it(made: Originals, tmp_path: Path) -> None:
    name = next(iter(made.tasks))
    with closing(Desk(tmp_path / "review", made)) as desk:
        do(desk, "Ada", commands.Decide(session=name, base=0, outcome=Outcome.APPROVED))
        edit = commands.Edit(session=name, base=0, edits=(commands.SetUtterance(task=0, text="?"),))
        assert do(desk, "Ada", edit).tasks == 1  # type: ignore[union-attr]
        session = desk.read(name, desk.session(name).common)
        assert [task.utterance for task in session.tasks] == ["?"]
        base = desk.session(name).common.version
        do(desk, "Ada", commands.Undo(session=name, base=base))
        assert desk.record(name, desk.session(name).common) == made.record(name)


def test_a_label_of_an_approved_task_drops_nothing(made: Originals, tmp_path: Path) -> None:
    """No later task follows the type that was written down, and none an edit that changes nothing."""
    name = next(iter(made.tasks))
    with closing(Desk(tmp_path / "review", made)) as desk:
        do(desk, "Ada", commands.Decide(session=name, base=0, outcome=Outcome.APPROVED))
        task = desk.read(name, desk.session(name).common).tasks[0]
        same = commands.Edit(session=name, base=0, edits=(commands.SetUtterance(task=0, text=task.utterance),))
        with pytest.raises(Refused, match="nothing was changed"):
            do(desk, "Ada", same)
        other = next(one for one in TaskType if one is not task.type)
        edit = commands.Edit(session=name, base=0, edits=(commands.SetType(task=0, type=other),))
        assert do(desk, "Ada", edit).tasks == made.tasks[name]  # type: ignore[union-attr]


def test_an_edit_of_other_sessions_drops_nothing(tmp_path: Path) -> None:
    with closing(Desk(tmp_path / "review", open_originals(MINI_FILE, "en"))) as desk:
        name = next(name for name, tasks in desk.originals.tasks.items() if tasks > 1)
        do(desk, "Ada", commands.Decide(session=name, base=0, outcome=Outcome.APPROVED))
        event = do(desk, "Ada", commands.Edit(session=name, base=0, edits=(commands.SetUtterance(task=0, text="?"),)))
        assert event.tasks == desk.originals.tasks[name]  # type: ignore[union-attr]


def test_an_edit_withdraws_what_the_judge_objected_to_in_the_words_before(made: Originals) -> None:
    name = next(iter(made.tasks))
    record = deepcopy(made.record(name))
    objection = {"answer_agrees": False, "answer_reason": "no such price", "needs_earlier": False, "reason": "says all"}
    record["origin"]["judged"] = [dict(objection), dict(objection), None][: len(record["origin"]["judged"])]
    session = session_from(record, made.language)
    last = session.tasks[-1]
    reply = commands.SetResult(task=last.index, call=len(last.calls) - 1, result="Something else.")
    same = commands.SetUtterance(task=last.index, text=last.utterance)
    assert edited(record, made.language, [same])["origin"] == record["origin"]
    first, second = edited(record, made.language, [reply])["origin"]["judged"]
    assert first == objection
    assert second == objection | {"answer_agrees": True, "answer_reason": "edited since"}
    asked = edited(record, made.language, [commands.SetUtterance(task=last.index, text=last.utterance + "!")])
    assert asked["origin"]["judged"][1]["needs_earlier"] is True
