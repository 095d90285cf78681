"""From a conversation to a session: every oddity of logs has a place, and a code with a sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversations.import_quality import flattened, mini
from tests.conversations.logs import TOOLS, log
from tests.end_to_end.playing import call, command
from tests.sizes import sized
from toolgauge.chat import Json, Message, Tool, ToolCall
from toolgauge.conversations.clocks import clock_of
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.sessions import ImportedSession, NoSession, to_session
from toolgauge.data import sessions
from toolgauge.data.record import DataLine
from toolgauge.data.session import TaskType
from toolgauge.data.weaknesses import WeakCode
from toolgauge.rewards import Rewards

SEARCH = 'C search_trains {"origin": "Ghent", "destination": "Bonn"}'
ASKED = "U trains from Ghent to Bonn?"


def weak(made: ImportedSession) -> list[WeakCode]:
    return [one.code for one in made.weak]


def names(made: ImportedSession, task: int = 0) -> list[str]:
    return [call.name for call in made.session.tasks[task].calls]


def test_a_plain_log_has_nothing_weak() -> None:
    made = to_session(log(ASKED, SEARCH, 'R {"id": "IC7"}', "A IC7 goes."))
    assert not made.weak
    task = made.session.tasks[0]
    assert (task.type, task.calls[0].sources["origin"][0]["from"]) == (TaskType.SINGLE_TOOL, "user")
    assert made.session.clock == "2025-03-14 18:05:00 Friday"
    assert made.session.extra["origin"]["unreviewed"] is True


def test_calls_made_together_stand_beside_each_other() -> None:
    lines = ("U weather in Rome and Bonn", 'C get_weather {"city": "Rome"}', 'C get_weather {"city": "Bonn"}')
    made = to_session(log(*lines, 'R {"sky": "blue"}', 'R {"sky": "grey"}', "A Blue and grey."))
    calls = made.session.tasks[0].calls
    assert [(one.after, one.observation) for one in calls[:2]] == [((), {"sky": "blue"}), ((), {"sky": "grey"})]
    assert made.session.tasks[0].type is TaskType.PARALLEL_TOOLS


def test_a_failed_call_that_was_repeated_is_no_part_of_the_answer() -> None:
    wrong = 'C search_trains {"origin": "Gent?"}'
    made = to_session(log(ASKED, wrong, "R Error: unknown station", SEARCH, 'R {"id": "IC7"}', "A IC7."))
    assert names(made) == ["search_trains", "prepare_to_answer"]
    assert made.session.tasks[0].calls[0].arguments["origin"] == "Ghent"
    assert [(one.code, one.message) for one in made.weak] == [(WeakCode.FAILED_DROPPED, 1)]


def test_the_same_call_with_the_same_result_counts_once() -> None:
    made = to_session(log(ASKED, SEARCH, 'R {"id": "IC7"}', SEARCH, 'R {"id": "IC7"}', "A IC7."))
    assert (names(made)[:-1], weak(made)) == (["search_trains"], [WeakCode.REPEAT_DROPPED])
    twice = ('C book_train {"train_id": "IC7", "seats": 1}', 'R {"ok": true}')
    made = to_session(log("U book a seat on IC7, then 1 more", *twice, *twice, "A Done."))
    assert names(made)[:-1] == ["book_train", "book_train"], "what writes may be meant twice"


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        ((ASKED, SEARCH, "A Nothing goes."), [WeakCode.RESULT_MISSING]),
        ((ASKED, "R {}", "A Nothing goes."), [WeakCode.RESULT_ALONE]),
        ((ASKED, "C search_trains [1]", "R {}", "A Nothing goes."), [WeakCode.CALL_UNREADABLE]),
        ((ASKED, "C prepare_to_answer {}", "R {}", "A Nothing goes."), [WeakCode.NAME_TAKEN]),
        ((ASKED, SEARCH, 'R {"id": "IC7"}'), [WeakCode.NO_REPLY]),
        ((ASKED, "A On which day?"), [WeakCode.QUESTION_OPEN]),
        ((ASKED, "A None today.", "U and tomorrow?"), [WeakCode.NO_ANSWER]),
        (("A Welcome!", ASKED, "A None today."), [WeakCode.BEFORE_USER]),
        ((ASKED, 'C search_trains {"origin": "Zagreb"}', 'R {"id": "IC7"}', "A IC7."), [WeakCode.UNGROUNDED]),
    ],
)
def test_what_is_weak_is_named(lines: tuple[str, ...], codes: list[WeakCode]) -> None:
    assert weak(to_session(log(*lines))) == codes


@pytest.mark.parametrize(
    ("said", "language", "clock"),
    [
        ("You are Ada. Today is 2025-03-14, 18:05.", "en", "2025-03-14 18:05:00 Friday"),
        ("Current date: March 14, 2025 6:05 PM", "en", "2025-03-14 18:05:00 Friday"),
        ("Founded 1999-01-01. The current time is 2025-03-14T18:05:09Z.", "en", "2025-03-14 18:05:09 Friday"),
        ("当前时间：2025年3月14日 18:05", "zh", "2025-03-14 18:05:00 星期五"),
        ("Our policy dates from 2019-02-02.", "en", None),
        ("Today is 2025-02-31.", "en", None),
        ("Be kind.", "en", None),
    ],
)
def test_the_system_message_tells_the_date(said: str, language: str, clock: str | None) -> None:
    assert clock_of(log(f"S {said}", ASKED, time=None), language) == clock


def test_what_is_too_long_is_refused_at_once() -> None:
    with pytest.raises(NoSession, match="messages: 2,001"):
        to_session(log(*["U more"] * 2001))
    with pytest.raises(NoSession, match=r"4,000,0\d\d characters"):
        to_session(log("U " + "x" * 4_000_001, "A no"))


@pytest.mark.parametrize("language", ["zh", "en"][: sized(1, 2)])
def test_gold_flattened_and_imported_is_right_again(language: str, tmp_path: Path) -> None:
    """The annotated answers pass, silence fails, and what the log did is right."""
    file = tmp_path / "sessions.jsonl"
    imported = [to_session(flattened(session)[0]) for session in mini(language)]
    file.write_text("".join(json.dumps(one.record) + "\n" for one in imported), "utf-8")
    assert call(command("data", "check", file), tmp_path)[1].endswith("no problems\n")
    run = ("run", "wildtoolbench", "--data", file, "--language", language, "-m", "builtin/oracle", "--out", "run")
    told = call(command(*run, "--scoring", "exact"), tmp_path)[1]
    assert re.search(r"session accuracy +100\.0%", told)
    rewards = Rewards(str(file), language)
    for one, session in zip(imported, mini(language), strict=True):
        conversation, begins = flattened(session)
        for task, (first, end) in enumerate(zip(begins, [*begins[1:], len(conversation.messages)], strict=True)):
            said = [message.wire() for message in conversation.messages[first:end] if message.role == "assistant"]
            assert rewards.trajectory(one.session.task_id(task), said).correct, one.session.task_id(task)


TEXTS = st.sampled_from(
    ["book IC7", "How many?", "Shall I book it?", "ok", "谢谢", "请提供姓名", "", "It is grey.", "?"]
)
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["a", "b", None]),
    st.sampled_from([*(one.name for one in TOOLS), "unknown", None, "prepare_to_answer"]),
    st.sampled_from(['{"city": "Rome"}', "{}", "", "[", "[]", None, {"city": ["Rome", None]}, 7, f'{{"n": {10**30}}}']),
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool", "system", "developer", "narrator"]),
    st.one_of(st.none(), TEXTS),
    st.lists(CALLS, max_size=2).map(tuple),
    st.sampled_from(["a", "b", None]),
)


ODD: st.SearchStrategy[object] = st.recursive(
    st.sampled_from([None, 5, "text", [], {}, "#"]),
    lambda inner: st.dictionaries(
        st.sampled_from(["type", "properties", "required", "$ref", "items", "enum", "city", "description"]), inner
    ),
    max_leaves=6,
)
SCHEMAS = st.dictionaries(st.sampled_from(["type", "properties", "required", "$ref", "description"]), ODD, max_size=4)


@settings(max_examples=sized(30, 150))
@given(
    st.lists(MESSAGES, max_size=12), st.dictionaries(st.integers(0, 12), st.booleans(), max_size=3), st.lists(SCHEMAS)
)
def test_whatever_a_log_holds_is_a_session_or_none(
    messages: list[Message], by_hand: dict[int, bool], schemas: list[Json]
) -> None:
    """Every message of the user has its verdict, and what is written can be read again."""
    odd = [Tool(one.name, "", schema) for one, schema in zip(TOOLS, schemas, strict=False)]
    conversation = Conversation("x", tuple(messages), (*odd, *TOOLS[len(odd) :]))
    users = {place for place, message in enumerate(messages) if message.role == "user"}
    try:
        made = to_session(conversation, decided={place: one for place, one in by_hand.items() if place in users})
    except NoSession:
        return
    assert {one.message for one in made.splits} == users
    session = sessions.read_session(DataLine("x", 1, json.loads(json.dumps(made.record))), made.session.language)
    assert session is not None
    assert [task.type for task in session.tasks] == [task.type for task in made.session.tasks]
