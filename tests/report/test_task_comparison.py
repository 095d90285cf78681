"""Expected against actual, on cases worked out by hand: which call stands for which, and how their arguments differ."""

from __future__ import annotations

from typing import Any

from tests.judge.building import TEXT, call, calls, session, tool
from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction
from toolgauge.benchmarks.acebench.view.task_views import compare_answer
from toolgauge.chat import Reply
from toolgauge.data.session import ASK, Session
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.values import exact_faults
from toolgauge.report.task_views.alignment_view import Alignment, compare
from toolgauge.report.task_views.differences import DifferenceRow, State, differences

SAME: State = "same"
DIFFERENT: State = "different"
MISSING: State = "missing"
EXTRA: State = "extra"


def compared(what: Session, *replies: Reply) -> Alignment:
    return compare(AnnotatedTask(what, what.tasks[0]), exact_faults, replies)


def nodes(found: Alignment) -> list[int | None]:
    return [one.node for one in found.made]


def states(rows: tuple[DifferenceRow, ...]) -> dict[str, str]:
    return {row.path: row.state for row in rows}


# Differences of values


def test_members_stand_in_rows_of_their_own_and_what_is_equal_below_in_one() -> None:
    expected = {"city": "Paris", "days": 2, "at": {"x": 1, "y": [1, 2]}, "gone": None}
    actual = {"city": "Rome", "days": 2, "at": {"y": [1, 2, 3], "x": 1}, "more": True}
    assert differences(expected, actual) == (
        DifferenceRow("city", DIFFERENT, '"Paris"', '"Rome"'),
        DifferenceRow("days", SAME, "2", "2"),
        DifferenceRow("at.x", SAME, "1", "1"),
        DifferenceRow("at.y[0]", SAME, "1", "1"),
        DifferenceRow("at.y[1]", SAME, "2", "2"),
        DifferenceRow("at.y[2]", EXTRA, None, "3"),
        DifferenceRow("gone", MISSING, "null", None),
        DifferenceRow("more", EXTRA, None, "true"),
    )
    assert differences({"at": {"x": 1, "y": 2}}, {"at": {"y": 2, "x": 1}}) == (
        DifferenceRow("at", SAME, '{"x": 1, "y": 2}', '{"y": 2, "x": 1}'),
    )


# Which call stands for which


TWINS = session(
    [("find", {"x": "a"}, []), ("find", {"x": "b"}, []), ("send", {"n": 1}, [0, 1])],
    tool("find", x={"type": "string"}),
    tool("send", n={"type": "integer"}),
)


def test_namesakes_are_told_apart_by_their_arguments() -> None:
    found = compared(TWINS, calls(call("find", x="b"), call("find", x="a")), calls(call("send", n=1)), TEXT)
    assert nodes(found) == [1, 0, 2, 3]
    assert found.states == ("right", "right", "right", "right")


def test_a_wrong_call_stands_for_what_is_left_and_the_run_is_followed_to_its_end() -> None:
    found = compared(TWINS, calls(call("find", x="zebra"), call("find", x="a")), calls(call("send", n=2)), TEXT)
    assert nodes(found) == [1, 0, 2, 3]
    assert found.states == ("right", "wrong", "wrong", "right")
    first, _, last, _ = found.made
    assert [(one.path, one.made, one.expected) for one in first.wrong] == [("x", '"zebra"', '"b"')]
    assert first.rows == (DifferenceRow("x", DIFFERENT, '"b"', '"zebra"'),)
    assert last.rows == (DifferenceRow("n", DIFFERENT, "1", "2"),)
    assert [(one.path, one.made, one.expected, one.why.detail) for one in last.wrong] == [
        ("n", "2", "1", "another value than annotated")
    ]


def test_among_equal_calls_the_one_counts_that_makes_the_run_right() -> None:
    nodes_of_two: list[tuple[str, dict[str, Any], list[int]]] = [
        ("find", {"x": "a"}, []),
        ("find", {"x": "a"}, []),
        ("send", {"n": 1}, [1]),
    ]
    what = session(nodes_of_two, tool("find", x={"type": "string"}), tool("send", n={"type": "integer"}))
    find, send = calls(call("find", x="a")), calls(call("send", n=1))
    found = compared(what, find, send, find, TEXT)
    assert nodes(found) == [1, 2, 0, 3]
    assert set(found.states) == {"right"}


def test_calls_too_early_too_many_and_unknown() -> None:
    found = compared(TWINS, calls(call("send", n=1)))
    assert (nodes(found), found.made[0].early) == ([2], True)
    assert found.states == ("open", "open", "early", "open")
    found = compared(TWINS, calls(call("find", x="a")), calls(call("find", x="a"), call("find", x="a")))
    assert nodes(found) == [0, 1, None]  # the second is taken for the namesake that is left
    found = compared(TWINS, calls(call("fly"), call("find", x="b")))
    assert nodes(found) == [None, 1]
    assert found.states == ("open", "right", "open", "open")


def test_texts_stand_for_questions_and_the_closing_reply() -> None:
    asking = session([(ASK, {}, []), ("find", {"x": "a"}, [0])], tool("find", x={"type": "string"}))
    found = compared(asking, TEXT, calls(call("find", x="a")), TEXT)
    assert nodes(found) == [0, 1, 2]
    assert set(found.states) == {"right"}
    found = compared(TWINS, TEXT)
    assert nodes(found) == [None]
    assert set(found.states) == {"open"}


# ACEBench

FUNCTIONS = (
    AceFunction("f", "", {"properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}),
    AceFunction("g"),
)


def test_states_of_agents_meet_under_the_names_they_have() -> None:
    final = ({"FoodPlatform": {"orders": [1], "login": True}}, {"ReminderAPI": {"list": {"1": "a"}}})
    category = "agent_multi_step"
    entry = AceEntry(f"{category}_0", category, "en", "please", FUNCTIONS, final_state=final)
    result = [{"FoodPlatform": {"orders": [], "login": True}}, {"ReminderApi": {"list": {1: "a"}}}]
    extra = {"result": result, "process": ["[f()]"]}
    found = compare_answer(entry, Trajectory(entry.id, entry.id, (Step((), Reply("x")),), extra=extra))
    assert found.process == ("[f()]",)
    assert states(found.state or ()) == {
        "FoodPlatform.orders[0]": MISSING,
        "FoodPlatform.login": SAME,
        "ReminderApi": SAME,
    }
