"""From a conversation to a session: where tasks begin, what their graphs are, and what is weak in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.logs.logs import TOOLS, log
from tests.rows import rows
from tests.sizes import sized
from toolgauge.chat import ToolCall
from toolgauge.data import sessions
from toolgauge.data.record import DataLine
from toolgauge.data.session import TaskType
from toolgauge.data.weaknesses import WeakCode
from toolgauge.errors import DataError
from toolgauge.logs.conversation import Conversation, LogMessage
from toolgauge.logs.tasks import ImportedSession, NoSession, clock_of, read_splits, split_tasks, to_session

SEARCH = 'C search_trains {"origin": "Ghent", "destination": "Bonn"}'
ASKED = "U trains from Ghent to Bonn?"
FOUND = 'R {"id": "IC7"}'
BOOK = 'C book_train {"train_id": "IC7", "seats": 2}'


def weak(made: ImportedSession) -> list[WeakCode]:
    return [one.code for one in made.weak]


def graph(made: ImportedSession, task: int = 0) -> list[tuple[str, tuple[int, ...]]]:
    return [(call.name, call.after) for call in made.session.tasks[task].calls]


@rows(
    ("lines", "begins"),
    [
        ((ASKED, SEARCH, FOUND, "A IC7 goes.", "U book 2 seats", BOOK, "R {}", "A Done."), [0, 4]),
        ((ASKED, SEARCH, FOUND, "A IC7. Shall I book?", "U book 2 seats", BOOK, "R {}", "A Done."), [0, 4]),
        (("U trains?", "A From where?", ASKED, SEARCH, FOUND, "A IC7."), [0]),
        ((ASKED, SEARCH, FOUND, "U book 2 seats", BOOK, "R {}", "A Done."), [0, 3]),
        ((ASKED, "U quickly please", SEARCH, FOUND, "A IC7."), [0]),
        ((ASKED, SEARCH, FOUND, "A IC7.", "U thanks", "A Welcome.", "U bye", "A Bye!"), [0, 4]),
        (("U hi", "A Hello!", ASKED, SEARCH, FOUND, "A IC7."), [0, 2]),
        (("U hi", "A Hello!", "U tell me a joke", "A No."), [0, 2]),
    ],
    ids=["two", "offer", "question", "no reply", "impatient", "goodbye", "greeting", "chat"],
)
def test_a_message_behind_a_closing_reply_begins_a_task(lines: tuple[str, ...], begins: list[int]) -> None:
    assert [one.message for one in split_tasks(log(*lines)) if one.begins] == begins


def test_people_decide_otherwise(tmp_path: Path) -> None:
    lines = (ASKED, SEARCH, FOUND, "A IC7.", "U and book it", BOOK, "R {}", "A Done.")
    made = to_session(log(*lines), decided={0: False, 4: False})
    assert [(one.begins, one.by_hand) for one in made.splits] == [(True, False), (False, True)]
    (task,) = made.session.tasks
    assert [call.user_input for call in task.calls] == [None, "and book it", None, None], (
        "nothing that was said is lost"
    )
    path = tmp_path / "splits.jsonl"
    path.write_text('{"conversation": "a", "message": 1, "begins": true}\n' * 2)
    assert read_splits(path) == {"a": {1: True}}
    path.write_text(
        '{"conversation": "a", "message": 1, "begins": true}\n{"conversation": "a", "message": 1, "begins": false}\n'
    )
    with pytest.raises(DataError, match="contradicts"):
        read_splits(path)


def test_calls_depend_on_the_results_that_they_use() -> None:
    two = ('C get_weather {"city": "Rome"}', 'C get_weather {"city": "Bonn"}', 'R {"sky": "blue"}', 'R {"sky": "grey"}')
    made = to_session(log("U weather in Rome and Bonn", *two, "A Blue and grey."))
    assert graph(made) == [("get_weather", ()), ("get_weather", ()), ("prepare_to_answer", (0, 1))]
    assert made.session.tasks[0].type is TaskType.PARALLEL_TOOLS
    made = to_session(log("U take a train from Ghent to Bonn, 2 seats", SEARCH, FOUND, BOOK, "R {}", "A Done."))
    assert graph(made) == [("search_trains", ()), ("book_train", (0,)), ("prepare_to_answer", (1,))]
    said = to_session(log("U Ghent to Bonn, then book IC7", SEARCH, FOUND, BOOK, "R {}", "A Done."))
    assert graph(said)[1] == ("book_train", ()), "the user said what it books"
    total = 'C book_train {"train_id": "IC7", "seats": 37}'
    summed = to_session(
        log("U Ghent to Bonn on IC7 for all", SEARCH, 'R {"n": 20}', SEARCH, 'R {"n": 17}', total, "R {}", "A Done.")
    )
    assert graph(summed)[2] == ("book_train", (0, 1)), "a sum stands nowhere: it needs all that was done before"


def test_a_question_is_a_node_and_its_answer_is_the_users() -> None:
    made = to_session(log("U trains?", "A From where to where?", ASKED, SEARCH, FOUND, "A IC7."))
    ask, search, _final = made.session.tasks[0].calls
    assert (ask.observation, ask.user_input) == ("From where to where?", "trains from Ghent to Bonn?")
    assert search.after == (0,)
    assert made.session.tasks[0].type is TaskType.CLARIFY


def failed(lines: tuple[str, ...], *places: int) -> Conversation:
    made = log(*lines)
    messages = [
        LogMessage(one.role, one.content, one.tool_calls, one.tool_call_id, is_error=True) if n in places else one
        for n, one in enumerate(made.messages)
    ]
    return Conversation(made.id, tuple(messages), made.tools, time=made.time)


def test_a_failed_call_that_was_repeated_is_no_part_of_the_answer() -> None:
    wrong = 'C search_trains {"origin": "Gent?"}'
    made = to_session(failed((ASKED, wrong, "R unknown station", SEARCH, FOUND, "A IC7."), 2))
    assert graph(made) == [("search_trains", ()), ("prepare_to_answer", (0,))]
    assert made.session.tasks[0].calls[0].arguments["origin"] == "Ghent"
    made = to_session(failed((ASKED, SEARCH, "R closed", "A It failed."), 2))
    assert weak(made) == [WeakCode.CALL_FAILED]


@rows(
    ("lines", "codes"),
    [
        ((ASKED, SEARCH, "A Nothing goes."), [WeakCode.RESULT_MISSING]),
        ((ASKED, SEARCH, FOUND), [WeakCode.NO_REPLY]),
        ((ASKED, SEARCH, FOUND, SEARCH, FOUND, "A IC7."), [WeakCode.CALL_REPEATED]),
        ((ASKED, SEARCH, FOUND, "A None today.", "U and tomorrow?"), [WeakCode.NO_ANSWER]),
        (("A Welcome!", ASKED, SEARCH, FOUND, "A None today."), [WeakCode.BEFORE_USER]),
        ((ASKED, 'C other {"a": 1}', "R x", "A No."), [WeakCode.TOOLS_INFERRED]),
    ],
)
def test_what_is_weak_is_named(lines: tuple[str, ...], codes: list[WeakCode]) -> None:
    assert weak(to_session(log(*lines))) == codes


@rows(
    ("lines", "reason"),
    [
        (("S x",), "no user message"),
        ((ASKED,), "no assistant reply"),
        ((ASKED, "C search_trains [1]", "R {}", "A Nothing goes."), "arguments are not a JSON object"),
        ((ASKED, "C prepare_to_answer {}", "R {}", "A Nothing goes."), "a name that the data format keeps"),
        (("U more",) * 2001, "messages: 2,001"),
        (("U " + "x" * 4_000_001, "A no"), "4,000,0"),
    ],
)
def test_what_can_be_no_session(lines: tuple[str, ...], reason: str) -> None:
    with pytest.raises(NoSession, match=reason):
        to_session(log(*lines))


@rows(
    ("said", "clock"),
    [
        ("You are Ada. Today is 2025-03-14, 18:05.", "2025-03-14 00:00:00 Friday"),
        ("The current time is 2025-03-14 18:05:09 EST.", "2025-03-14 18:05:09 Friday"),
        ("Founded 1999-01-01. Today is 2025-03-14.", None),
        ("Today is 2025-02-31.", None),
        ("Be kind.", None),
    ],
)
def test_the_only_date_of_the_system_message_is_the_clock(said: str, clock: str | None) -> None:
    assert clock_of(log(f"S {said}", ASKED, time=None), "en") == clock


def test_what_an_application_writes_is_no_task() -> None:
    made = log(ASKED, SEARCH, FOUND, "A IC7.", "U <reminder>", "A Anything else.")
    messages = [
        LogMessage(one.role, one.content, one.tool_calls, one.tool_call_id, injected=one.content == "<reminder>")
        for one in made.messages
    ]
    session = to_session(Conversation("x", tuple(messages), made.tools)).session
    assert [task.utterance for task in session.tasks] == ["trains from Ghent to Bonn?"]


TEXTS = st.sampled_from(["book IC7", "How many?", "ok", "谢谢", "请提供姓名？", "", "It is grey.", "?"])
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["a", "b", None]),
    st.sampled_from([*(one.name for one in TOOLS), "unknown", None, "prepare_to_answer"]),
    st.sampled_from(['{"city": "Rome"}', "{}", "", "[", "[]", None, {"city": ["Rome", None]}, 7, f'{{"n": {10**30}}}']),
)
MESSAGES = st.builds(
    LogMessage,
    st.sampled_from(["user", "assistant", "tool", "system"]),
    st.one_of(st.none(), TEXTS),
    st.lists(CALLS, max_size=2).map(tuple),
    st.sampled_from(["a", "b", None]),
    is_error=st.sampled_from([None, True, False]),
    injected=st.booleans(),
)


@settings(max_examples=sized(40, 300), deadline=None)
@given(st.lists(MESSAGES, max_size=12), st.dictionaries(st.integers(0, 12), st.booleans(), max_size=3))
def test_whatever_a_log_holds_is_a_session_or_none(messages: list[LogMessage], by_hand: dict[int, bool]) -> None:
    """Every message of the user has its verdict, and what is written can be read again."""
    conversation = Conversation("x", tuple(messages), TOOLS)
    users = {place for place, message in enumerate(messages) if message.role == "user" and not message.injected}
    try:
        made = to_session(conversation, decided={place: one for place, one in by_hand.items() if place in users})
    except NoSession:
        return
    assert {one.message for one in made.splits} == users
    session = sessions.read_session(DataLine("x", 1, json.loads(json.dumps(made.record))), made.session.language)
    assert session is not None
    assert [task.type for task in session.tasks] == [task.type for task in made.session.tasks]
