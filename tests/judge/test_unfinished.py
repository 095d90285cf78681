"""Wrong replies that are unfinished have that as their class in `exact`; labels, and the other scorings, stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.judge.building import TEXT, call, calls, judge, session, tool
from tests.rows import rows
from toolgauge.chat import Reply, ToolCall
from toolgauge.judge.causes import CutPlace
from toolgauge.judge.verdict import Verdict

BOOK = tool("book", day={"type": "string", "needed": True}, seats={"type": "integer"})
TASK = session([("book", {"day": "Monday", "seats": 2}, [])], BOOK)
RIGHT = calls(call("book", day="Monday", seats=2))
HALF = ToolCall("a", "book", '{"day": "Mon')
WRITTEN = '<tool_call>\n{"name": "book", "arguments": {"day": "Mo'


def cut(reply: Reply) -> Reply:
    return replace(reply, finish_reason="length")


@rows(
    ("reply", "place", "otherwise"),
    [
        (calls(HALF), CutPlace.IN_CALL, "bad_json"),
        (calls(call("book", seats=2)), CutPlace.IN_CALL, "missing_required"),
        (calls(call("book", day="Mo", seats=2)), CutPlace.IN_CALL, "wrong_value"),
        (calls(call("book", day="Monday", seats=2), ToolCall("b", "bo")), CutPlace.IN_CALL, "malformed_call"),
        (calls(ToolCall("b", "bo", "")), CutPlace.IN_CALL, "unknown_tool"),
        (Reply(WRITTEN), CutPlace.IN_WRITTEN_CALL, "refusal"),
        (Reply("I will look"), CutPlace.IN_TEXT, "refusal"),
        (Reply("I will look. " * 99), CutPlace.IN_LOOP, "refusal"),
        (Reply("I", reasoning="Step 1. " * 99), CutPlace.IN_LOOP, "refusal"),
        (Reply("\n"), CutPlace.BEFORE_WORDS, "refusal"),
        (Reply(reasoning="The user"), CutPlace.BEFORE_WORDS, "empty_output"),
    ],
)
def test_where_the_cut_came(reply: Reply, place: CutPlace, otherwise: str) -> None:
    found = judge(TASK, cut(reply))
    assert found["exact"].mistake == "truncated"
    assert found["exact"].parameters == {"otherwise": otherwise, "kind": place.value}
    assert found["exact"].why is not None
    assert not found["exact"].wrong_arguments
    assert found["released"].mistake == otherwise
    assert judge(TASK, replace(reply, finish_reason="stop"))["released"] == found["released"]


@rows("reason", ["length", "content_filter", "refusal"])
def test_what_is_right_stays_right(reason: str) -> None:
    found = judge(TASK, replace(RIGHT, finish_reason=reason), replace(TEXT, finish_reason=reason))
    assert found["exact"] == judge(TASK, RIGHT, TEXT)["exact"]
    assert found["exact"].correct


def test_only_the_reply_that_fails_counts() -> None:
    assert judge(TASK, cut(RIGHT), Reply())["exact"].mistake == "empty_output"
    assert judge(TASK, RIGHT, cut(RIGHT))["exact"].mistake == "truncated"


REPLIES = st.builds(
    Reply,
    st.sampled_from([None, "", "Done.", WRITTEN, "<think>Hm.</think>", "<think>Hm."]),
    st.sampled_from([(), (HALF,), RIGHT.tool_calls, (ToolCall(None, "book", "{}"),), (ToolCall("a", "cook", "{}"),)]),
    st.sampled_from([None, "", "The user"]),
    st.sampled_from([None, "stop", "length", "MAX_TOKENS", "content_filter", "SAFETY", "refusal", "because"]),
)


@given(replies=st.lists(REPLIES, max_size=4))
def test_how_replies_ended_changes_no_label_and_no_other_scoring(replies: list[Reply]) -> None:
    found = judge(TASK, *replies)
    plain = judge(TASK, *(replace(reply, finish_reason=None, reasoning=None) for reply in replies))
    assert [labels(verdict) for verdict in found.values()] == [labels(verdict) for verdict in plain.values()]
    assert {name: one for name, one in found.items() if name != "exact"} == {
        name: one for name, one in plain.items() if name != "exact"
    }


def labels(verdict: Verdict) -> tuple[object, ...]:
    return verdict.label, verdict.action_label, verdict.optimal, verdict.progress
