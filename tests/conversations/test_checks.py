"""What the checks find, with which evidence, and what they leave alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.conversations.checks.check import checked
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place, finding_texts
from toolgauge.conversations.conversation import Conversation

TOOLS = (
    Tool(
        "get_order",
        "Look up an order.",
        {
            "type": "object",
            "properties": {"order_id": {"type": "string", "description": "Id of the order."}},
            "required": ["order_id"],
        },
    ),
    Tool(
        "book_table",
        "Book a table.",
        {
            "type": "object",
            "properties": {
                "restaurant": {"type": "string"},
                "date": {"type": "string", "description": "YYYY-MM-DD"},
                "guests": {"type": "integer"},
                "area": {"type": "string", "enum": ["inside", "outside"]},
            },
            "required": ["restaurant", "date", "guests"],
        },
    ),
)
CLOCK = Message("system", "You help. Today is 2025-03-12 10:00:00 Wednesday.")


def user(text: str) -> Message:
    return Message("user", text)


def says(text: str) -> Message:
    return Message("assistant", text)


def calls(name: str, number: int = 0, **arguments: Any) -> Message:
    return Message("assistant", None, (ToolCall(f"c{number}", name, json.dumps(arguments)),))


def result(value: Any, number: int = 0) -> Message:
    return Message("tool", value if isinstance(value, str) else json.dumps(value), tool_call_id=f"c{number}")


def conversation(*messages: Message, tools: tuple[Tool, ...] = TOOLS) -> Conversation:
    return Conversation("log-1", (CLOCK, *messages), tools)


def check(conversation: Conversation) -> list[CallFinding]:
    return list(checked(conversation).findings)


def found(*messages: Message, tools: tuple[Tool, ...] = TOOLS) -> list[CallFinding]:
    return [one for one in check(conversation(*messages, tools=tools)) if one.code is not FindingCode.CUT_OFF]


ASKED = user("Where is my order AB-4821?")
TOLD = result({"order_id": "AB-4821", "status": "sent", "carrier": "DPX"})


def test_an_order_that_was_looked_up_is_nothing_to_find() -> None:
    assert check(conversation(ASKED, calls("get_order", order_id="AB-4821"), TOLD, says("It was sent with DPX."))) == []


def test_an_invented_id_is_told_with_the_nearest_value() -> None:
    (one,) = found(ASKED, calls("get_order", order_id="AB-4812"))
    assert one.code is FindingCode.INVENTED_VALUE
    assert one.at == Place(2, 0, "order_id", "AB-4812")
    assert one.other == Place(1, value="AB-4821")
    assert one.text(finding_texts("en")) == (
        "get_order(order_id): nothing that was said or answered before gives this value: AB-4812"
    )


def test_a_tool_that_was_not_offered_is_told_with_the_nearest_name() -> None:
    (one,) = found(ASKED, calls("get_orders", order_id="AB-4821"))
    assert (one.code, one.at.value, one.other) == (FindingCode.UNKNOWN_TOOL, "get_orders", Place(-1, value="get_order"))


BOOK = user("A table for 4 at Larkspur tomorrow, outside please.")


@pytest.mark.parametrize(
    ("arguments", "code", "path"),
    [
        ({"restaurant": "Larkspur", "date": "2025-03-13"}, FindingCode.MISSING_ARGUMENT, None),
        (
            {"restaurant": "Larkspur", "date": "2025-03-13", "guests": 4, "smoking": False},
            FindingCode.UNKNOWN_ARGUMENT,
            "smoking",
        ),
        ({"restaurant": "Larkspur", "date": "2025-03-13", "guests": "4"}, FindingCode.WRONG_TYPE, "guests"),
        (
            {"restaurant": "Larkspur", "date": "2025-03-13", "guests": 4, "area": "garden"},
            FindingCode.REFUSED_VALUE,
            "area",
        ),
        ({"restaurant": "Larkspur", "date": "2025-03-17", "guests": 4}, FindingCode.INVENTED_VALUE, "date"),
        ({"restaurant": "Larkspur", "date": "2025-03-13", "guests": 6}, FindingCode.INVENTED_VALUE, "guests"),
    ],
)
def test_one_thing_is_wrong_with_a_call(arguments: dict[str, Any], code: FindingCode, path: str | None) -> None:
    (one,) = found(BOOK, calls("book_table", **arguments))
    assert (one.code, one.at.path) == (code, path)


def test_without_definitions_nothing_is_said_of_names_and_schemas() -> None:
    said = conversation(BOOK, calls("make_coffee", restaurant="Larkspur"), tools=())
    assert [one.code for one in check(said)] == [FindingCode.CUT_OFF]
    assert not checked(said).calls[0].by_name


@pytest.mark.parametrize("clock", [True, False])
def test_days_are_judged_where_the_log_tells_the_clock(clock: bool) -> None:
    made = calls("book_table", restaurant="Larkspur", date="2025-03-20", guests=4)
    said = (CLOCK, BOOK, made) if clock else (BOOK, made)
    codes = [one.code for one in check(Conversation("log", said, TOOLS))]
    assert (FindingCode.INVENTED_VALUE in codes) is clock


@pytest.mark.parametrize("clock", [True, False])
@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("latest news on nvidia", "web_search", {"query": "NVIDIA latest news June", "num_results": 5}),
        (
            "fix the failing tests",
            "run_shell",
            {"command": "cd /repo && python -m pytest -q | tail -50", "timeout": 90},
        ),
        ("fix the failing tests", "read_file", {"path": "tests/test_utils.py", "offset": 1, "limit": 200}),
        ("write a hello world app", "write_file", {"path": "app.py", "content": "import os\nrun(port=5000)\n"}),
        ("rename foo to bar in main.py", "edit_file", {"path": "main.py", "old_str": "foo(7)", "new_str": "bar(7)"}),
        ("summarize the article on bees", "fetch_url", {"url": "https://en.wikipedia.org/wiki/Bee"}),
        ("weather in SF?", "get_weather", {"location": "San Francisco, CA", "unit": "f", "lat": 37.77, "lon": -122.42}),
        ("lunch with Ana friday noon", "add_event", {"start": "2025-03-14T12:00:00", "end": "2025-03-14T13:00:00"}),
        ("what's 15% tip on 84.50 split 3 ways", "calculate", {"expression": "84.50 * 1.15 / 3"}),
        ("帮我查下明天北京到上海的高铁", "web_search", {"query": "2025年3月13日 北京到上海 高铁 时刻表"}),
    ],
)
def test_what_a_careful_assistant_chooses_or_knows_is_not_invented(
    said: str, tool: str, arguments: dict[str, Any], clock: bool
) -> None:
    messages = (CLOCK, user(said), calls(tool, **arguments))[0 if clock else 1 :]
    assert [one.code for one in check(Conversation("log", messages))] == [FindingCode.CUT_OFF]


def test_a_mail_to_an_address_that_nobody_gave_with_a_number_that_nobody_said() -> None:
    made = calls("send_email", to="ana@acme.example", body="Hi Ana, I am about 25 minutes late. Sorry for that!")
    codes = [(one.code, one.at.path) for one in check(Conversation("log", (user("Mail Ana that I am late"), made)))]
    assert codes == [
        (FindingCode.CUT_OFF, None),
        (FindingCode.INVENTED_VALUE, "to"),
        (FindingCode.INVENTED_CLAIM, "body"),
    ]


def test_a_call_made_again_is_told_with_the_first_one() -> None:
    first, again = calls("get_order", 1, order_id="AB-4821"), calls("get_order", 2, order_id="ab-4821")
    (one,) = found(ASKED, first, result({"carrier": "DPX"}, 1), again, result({"carrier": "DPX"}, 2), says("Sent."))
    assert (one.code, one.at, one.other) == (FindingCode.REPEATED_CALL, Place(4, 0), Place(2, 0))


@pytest.mark.parametrize(
    ("between", "second"),
    [
        ((), {"carrier": "DPX", "delivered": True}),
        ((calls("cancel_order", 3, order_id="AB-4821"), result({"cancelled": True}, 3)), {"carrier": "DPX"}),
        ((says("It was sent."), user("Check again please, is it still so?")), {"carrier": "DPX"}),
    ],
    ids=["another result", "a change in between", "wanted again"],
)
def test_a_call_made_again_for_something_new_is_nothing_to_find(between: tuple[Message, ...], second: object) -> None:
    first, again = calls("get_order", 1, order_id="AB-4821"), calls("get_order", 2, order_id="AB-4821")
    tools = (*TOOLS, Tool("cancel_order", "", TOOLS[0].parameters))
    said = (ASKED, first, result({"carrier": "DPX"}, 1), *between, again, result(second, 2), says("So it is."))
    assert found(*said, tools=tools) == []


def test_a_retry_after_an_error_is_told_apart() -> None:
    first, again = calls("get_order", 1, order_id="AB-4821"), calls("get_order", 2, order_id="AB-4821")
    (one,) = found(ASKED, first, result({"error": "timeout"}, 1), again, result({"carrier": "DPX"}, 2), says("Sent."))
    assert one.code is FindingCode.RETRIED_CALL
    assert not one.code.is_fault


@pytest.mark.parametrize(
    ("reply", "codes"),
    [
        ("Your order is on its way.", [FindingCode.UNHANDLED_ERROR]),
        ("Sorry, I could not find the order.", []),
        ("Which email address did you order with?", []),
    ],
)
def test_an_error_must_be_told_or_tried_again(reply: str, codes: list[FindingCode]) -> None:
    said = (ASKED, calls("get_order", order_id="AB-4821"), result({"error": "not found"}), says(reply))
    assert [one.code for one in found(*said)] == codes


def test_a_question_that_the_user_had_answered() -> None:
    (one,) = found(
        user("Book a table at the Larkspur for 2 people tomorrow"),
        says("Which restaurant would you like?"),
        user("the Larkspur"),
        calls("book_table", restaurant="Larkspur", date="2025-03-13", guests=2),
        result({"id": 7}),
        says("Booked."),
    )
    assert (one.code, one.at.message, one.other) == (
        FindingCode.ANSWERED_QUESTION,
        2,
        Place(1, value="Larkspur"),
    )


def test_who_confirms_what_is_asked_repeats_nothing() -> None:
    said = (
        user("Book a table at the Larkspur for 2 people tomorrow"),
        says("Do you mean the Larkspur in Mill Lane?"),
        user("the Larkspur in Mill Lane"),
        calls("book_table", restaurant="Larkspur", date="2025-03-13", guests=2),
        result({"id": 7}),
        says("Booked."),
    )
    assert found(*said) == []


def test_requests_without_an_answer() -> None:
    call = calls("get_order", order_id="AB-4821")
    codes = [(one.code, one.at.message) for one in check(conversation(ASKED, call, TOLD, user("Hello?"), says("")))]
    assert codes == [(FindingCode.UNANSWERED, 1), (FindingCode.UNANSWERED, 4)]
    assert [one.code for one in check(conversation(ASKED, call, TOLD))] == [FindingCode.CUT_OFF]


def test_chinese_conversations() -> None:
    clock = Message("system", "当前时间：2025-03-12 10:00:00 星期三")
    said = (
        clock,
        user("帮我在云雀餐厅订明天4个人的位子"),
        calls("book_table", restaurant="云雀餐厅", date="2025-03-20", guests=4),
        result({"error": "服务不可用"}),
        says("订好了，明天见！"),
    )
    (day, untold) = check(Conversation("记录", said, TOOLS))
    assert (day.code, day.at.path) == (FindingCode.INVENTED_VALUE, "date")
    assert untold.code is FindingCode.UNHANDLED_ERROR


def test_what_cannot_be_decided_is_not_found() -> None:
    deep = ToolCall("c0", "get_order", '{"a":' * 3000 + "1" + "}" * 3000)
    slow = Tool("slow", "", {"type": "object", "properties": {"s": {"type": "string", "pattern": "(a+)+$"}}})
    many = Message("assistant", None, (deep, ToolCall("c1", "slow", json.dumps({"s": "a" * 3000 + "!"}))))
    said = conversation(user("x" * 300_000), many, tools=(*TOOLS, slow))
    assert [one.code for one in check(said)] == [FindingCode.CUT_OFF]
    first = checked(said).calls[0]
    assert (first.by_schema, first.by_source) == (False, False)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    max_leaves=8,
)
_CALLS = st.builds(
    ToolCall, st.none() | st.text(max_size=3), st.none() | st.sampled_from(["get_order", "x"]), _JSON | st.text()
)
_MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool", "function", "critic"]),
    st.none() | st.text() | _JSON.map(json.dumps),
    st.lists(_CALLS, max_size=3).map(tuple),
    st.none() | st.text(max_size=3),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_MESSAGES, max_size=8), st.booleans())
def test_nothing_in_a_log_raises(messages: list[Message], with_tools: bool) -> None:
    one = checked(Conversation("any", tuple(messages), TOOLS if with_tools else ()))
    assert len(one.calls) == sum(len(message.tool_calls) for message in messages if message.role == "assistant")
    for finding in one.findings:
        assert 0 <= finding.at.message < len(messages)
        assert finding.text(finding_texts("en"))
