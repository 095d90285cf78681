"""What holds of conversations in every dialect; their texts stand in the golden record (records/dialects.txt)."""

from __future__ import annotations

import pytest

from tests.sizes import in_turn
from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.models.dialects.dialect import LANGUAGES
from toolgauge.models.dialects.table import DIALECTS

EVERY = pytest.mark.parametrize("name", DIALECTS)
RAIN = Tool(
    "rain", "Rain in a city?", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
)
NOW = Tool("now", "时间", {"type": "object", "properties": {}})
CALLS = (ToolCall("call_0", "rain", '{"city":"北京"}'), ToolCall("call_1", "now", "{}"))
TALK = (
    Message("system", "It is Monday."),
    Message("user", "First?"),
    Message("assistant", None, CALLS),
    Message("tool", "dry", tool_call_id="call_0"),
    Message("tool", "9:00", tool_call_id="call_1"),
    Message("assistant", "Dry, at nine."),
    Message("user", "Then?"),
)
R, N = '{"name": "rain", "arguments": {"city": "北京"}}', '{"name": "now", "arguments": {}}'

NO_SYSTEM = {"gemma"}
"""Families whose templates have no system prompt: what it says stands before the user's first words."""
TOLD_LAST = {"mistral"}
"""Families that announce tools in the user's last message."""


@pytest.mark.parametrize(("name", "language"), in_turn(DIALECTS, LANGUAGES))
def test_messages_are_plain_text(name: str, language: str) -> None:
    for talk in (TALK, TALK[1:], TALK[:2], (), (Message("system", "S"),), (Message("tool", None, tool_call_id="?"),)):
        for tools in ((), (RAIN,)):
            for message in DIALECTS[name].render(talk, tools, language):
                assert message.role in ("system", "user", "assistant", "tool")
                assert isinstance(message.content, str)
                assert message == Message(message.role, message.content)


@EVERY
def test_without_tools_only_earlier_calls_change(name: str) -> None:
    talk = (Message("system", "S"), Message("user", "U"), Message("assistant", "A"))
    asked = (Message("user", "S\n\nU"),) if name in NO_SYSTEM else talk[:2]
    assert DIALECTS[name].render(talk, (), "en") == (*asked, talk[2])


@EVERY
def test_a_conversation_only_grows(name: str) -> None:
    """What was rendered for an earlier step stays as it was, so that servers can keep what they computed for it."""
    if name in TOLD_LAST:
        return
    shorter = DIALECTS[name].render(TALK[:3], (RAIN, NOW), "en")
    assert DIALECTS[name].render(TALK, (RAIN, NOW), "en")[: len(shorter)] == shorter


@EVERY
def test_strange_earlier_calls_are_rendered(name: str) -> None:
    for arguments in ("{broken", "[1]", None, 7, {"city": "Oslo"}, "\ud800", '{"a": 1' * 5000, "NaN"):
        call = ToolCall(None, None, arguments)
        talk = (Message("user", "U"), Message("assistant", None, (call,)), Message("tool", "R"))
        rendered = DIALECTS[name].render(talk, (RAIN,), "en")
        assert [message.role for message in rendered if message.role == "assistant"] == ["assistant"], arguments
