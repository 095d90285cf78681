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


def test_an_invented_id_is_told_with_the_nearest_value() -> None:
    (one,) = found(ASKED, calls("get_order", order_id="AB-4812"))
    assert one.code is FindingCode.INVENTED_VALUE
    assert one.at == Place(2, 0, "order_id", "AB-4812")
    assert one.other == Place(1, value="AB-4821")
    assert one.text(finding_texts("en")) == (
        "get_order(order_id): nothing that was said or answered before gives this value: AB-4812"
    )


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


def test_a_call_made_again_is_told_with_the_first_one() -> None:
    first, again = calls("get_order", 1, order_id="AB-4821"), calls("get_order", 2, order_id="ab-4821")
    (one,) = found(ASKED, first, result({"carrier": "DPX"}, 1), again, result({"carrier": "DPX"}, 2), says("Sent."))
    assert (one.code, one.at, one.other) == (FindingCode.REPEATED_CALL, Place(4, 0), Place(2, 0))


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
