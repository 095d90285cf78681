"""Replies are one JSON object of a schema; what is not is said to the agent, with the reason."""

from __future__ import annotations

import pytest

from tests.rows import rows
from toolgauge.chat import Reply, ToolCall
from toolgauge.generation.agents.planner import parse_check, parse_decision
from toolgauge.generation.replies import (
    Unusable,
    WordsReply,
    parse_reply,
    without_thought,
)

SAID = WordsReply("Hello.")


@rows(
    "text",
    [
        '{"message": "Hello."}',
        '```json\n{"message": "Hello."}\n```',
        'Here it is:\n{"message": "Hello."}\nAnything else?',
        '<think>{}</think>\n{"message": "Hello."}',
        "{'message': 'Hello.'}",
        '{"message": "Hello.",}',
        '{"message": "Hello." // so\n}',
        '{"message": "Hello."',
    ],
)
def test_an_object_is_read_however_untidy(text: str) -> None:
    assert parse_reply(Reply(text), WordsReply) == SAID


def test_the_arguments_of_a_forced_call_are_the_reply() -> None:
    call = ToolCall("1", "WordsReply", '{"message": "Hello."}')
    assert parse_reply(Reply("Certainly.", (call,)), WordsReply) == SAID
    assert parse_reply(Reply(None, (ToolCall("1", "x", {"message": "Hello."}),)), WordsReply) == SAID


@rows(
    ("reply", "why"),
    [
        (Reply(""), "no JSON object"),
        (Reply("I cannot do that."), "no JSON object"),
        (Reply("[1, 2]"), "no JSON object"),
        (Reply("{}"), "missing required field `message`"),
        (Reply('{"message": 7}'), "message"),
        (Reply("{" + "x" * 70_000), "characters"),
        (Reply("<think>" + "x" * 100), "no JSON object"),
        (Reply('{"message": "Hel', finish_reason="length"), "cut off"),
        (Reply('{"a": ' * 3000), "its JSON"),
    ],
)
def test_what_cannot_be_read_says_why(reply: Reply, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        parse_reply(reply, WordsReply)


def test_thoughts_go_into_their_field() -> None:
    reply = without_thought(Reply("<think>hm</think>\n{}"))
    assert (reply.content, reply.reasoning) == ("{}", "hm")
    assert without_thought(Reply("I think so.")).content == "I think so."


def test_a_decision_under_the_papers_keys() -> None:
    text = (
        '{"Task_Finish": "no", "Thought": "t", "Plan": "p", "Action_List": [{"id": "a2", "name": "f", "arguments": '
        '{"x": 1}, "tool_call_purpose": "w", "needs": [{"id": "a1", "why": "write"}]}], "Answer": "no call asks"}'
    )
    decision = parse_decision(Reply(text))
    (action,) = decision.actions
    assert (action.id, action.name, action.arguments, action.purpose) == ("a2", "f", {"x": 1}, "w")
    assert [(need.id, need.why) for need in action.needs] == [("a1", "write")]
    assert decision.answer is None, "only who asks or answers says something"
    with pytest.raises(Unusable, match="Thought"):
        parse_decision(Reply('{"Task_Finish": "no", "Plan": "", "Action_List": []}'))


def test_the_older_way_to_ask_is_read() -> None:
    text = (
        '{"Task_Finish": "no", "Thought": "", "Plan": "", "Answer": "Where?", "Action_List": [{"name": '
        '"ask_user_for_required_parameters", "arguments": {"tool_name": "f", "missing_required_parameters": ["x"]}}]}'
    )
    decision = parse_decision(Reply(text))
    assert decision.actions[0].arguments == {"tool_list": [{"tool_name": "f", "missing_required_parameters": ["x"]}]}
    assert decision.answer == "Where?"


def test_the_checkers_verdict() -> None:
    assert parse_check(Reply('{"tool_call_analysis": "fine", "correct": "yes"}')) == ()
    (finding,) = parse_check(Reply('{"tool_call_analysis": "b needs a", "correct": "no"}'))
    assert (finding.rule, finding.text) == ("parallelism", "b needs a")
