"""Conversations as each family sees them: where tools stand, how calls and results are written, in both languages."""

from __future__ import annotations

import json

import pytest

from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.models.dialects.prompts import FOLDER, LANGUAGES
from toolgauge.models.dialects.registry import DIALECTS

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

SAID = {
    "hermes": f"<tool_call>\n{R}\n</tool_call>\n<tool_call>\n{N}\n</tool_call>",
    "qwen3": f"<tool_call>\n{R}\n</tool_call>\n<tool_call>\n{N}\n</tool_call>",
    "qwen3-coder": "<tool_call>\n<function=rain>\n<parameter=city>\n北京\n</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=now>\n</function>\n</tool_call>",
    "llama3-json": '{"name": "rain", "parameters": {"city": "北京"}}; {"name": "now", "parameters": {}}',
    "mistral": '[TOOL_CALLS] [{"name": "rain", "arguments": {"city": "北京"}, "id": "0000call0"},'
    ' {"name": "now", "arguments": {}, "id": "0000call1"}]',
    "granite": f"<|tool_call|>[{R}, {N}]",
    "granite4": f"<tool_call>\n{R}\n</tool_call>\n<tool_call>\n{N}\n</tool_call>",
    "phi4-mini": f"<|tool_call|>[{R}, {N}]<|/tool_call|>",
    "hunyuan": f"<tool_calls>[{R}, {N}]</tool_calls>",
    "lfm2": "<|tool_call_start|>[rain(city='北京'), now()]<|tool_call_end|>",
    "lfm2.5": "<|tool_call_start|>[rain(city='北京'), now()]<|tool_call_end|>",
    "gemma": "```tool_code\nrain(city='北京')\nnow()\n```",
    "functiongemma": "<start_function_call>call:rain{city:<escape>北京<escape>}<end_function_call>"
    "<start_function_call>call:now{}<end_function_call>",
    "gemma4": '<|tool_call>call:rain{city:<|"|>北京<|"|>}<tool_call|><|tool_call>call:now{}<tool_call|>',
    "xlam": f'{{"tool_calls": [{R}, {N}]}}',
    "xlam2": f"[{R}, {N}]",
    "hammer2.1": f"```\n[{R}, {N}]\n```",
    "ace": "[rain(city='北京'), now()]",
    "generic": f"```tool_calls\n{R}\n{N}\n```",
}
HEARD = {
    "hermes": [("user", "<tool_response>\ndry\n</tool_response>\n<tool_response>\n9:00\n</tool_response>")],
    "qwen3": [("user", "<tool_response>\ndry\n</tool_response>\n<tool_response>\n9:00\n</tool_response>")],
    "qwen3-coder": [("user", "<tool_response>\ndry\n</tool_response>\n<tool_response>\n9:00\n</tool_response>")],
    "llama3-json": [("tool", "dry"), ("tool", "9:00")],
    "mistral": [
        (
            "user",
            '[TOOL_RESULTS] {"content": "dry", "call_id": "0000call0"}[/TOOL_RESULTS]\n'
            '[TOOL_RESULTS] {"content": "9:00", "call_id": "0000call1"}[/TOOL_RESULTS]',
        )
    ],
    "granite": [("tool", "dry"), ("tool", "9:00")],
    "granite4": [("user", "<tool_response>\ndry\n</tool_response>\n<tool_response>\n9:00\n</tool_response>")],
    "phi4-mini": [("user", "<|tool_response|>dry\n<|tool_response|>9:00")],
    "lfm2": [("tool", "dry"), ("tool", "9:00")],
    "lfm2.5": [("tool", "dry"), ("tool", "9:00")],
    "gemma": [("user", "```tool_output\ndry\n```\n```tool_output\n9:00\n```")],
    "functiongemma": [
        (
            "user",
            "<start_function_response>response:rain{value:<escape>dry<escape>}<end_function_response>"
            "<start_function_response>response:now{value:<escape>9:00<escape>}<end_function_response>",
        )
    ],
    "gemma4": [
        (
            "user",
            '<|tool_response>response:rain{value:<|"|>dry<|"|>}<tool_response|>'
            '<|tool_response>response:now{value:<|"|>9:00<|"|>}<tool_response|>',
        )
    ],
    "hunyuan": [("user", "<tool_response>dry</tool_response><tool_response>9:00</tool_response>")],
    "xlam": [("user", '[{"name": "rain", "results": "dry"}, {"name": "now", "results": "9:00"}]')],
    "xlam2": [("tool", "dry"), ("tool", "9:00")],
    "hammer2.1": [("tool", "dry"), ("tool", "9:00")],
    "ace": [("user", '[{"rain": "dry"}, {"now": "9:00"}]')],
    "generic": [("user", '```tool_results\n{"name": "rain", "result": "dry"}\n{"name": "now", "result": "9:00"}\n```')],
}
MARKS_ONLY = {"mistral", "gorilla", "gemma4"}
"""Families that announce tools without a word."""
NO_SYSTEM = {"gemma"}
"""Families whose templates have no system prompt: what it says stands before the user's first words."""
CHINESE_MARKS = {"glm4"}
"""Families whose own marks are Chinese, in every language."""
TOLD_LAST = {"mistral", "gorilla"}
"""Families that announce tools in the user's last message."""
TOLD = {"llama3-json": "First?", "xlam": "First?", "mistral": "Then?"}
"""The user's message in which tools are announced, of those families that do not do it in the system prompt."""


@pytest.mark.parametrize("name", SAID)
def test_calls_and_results_are_written_as_the_family_does(name: str) -> None:
    rendered = [(message.role, message.content) for message in DIALECTS[name].render(TALK, (RAIN, NOW), "en")]
    at = rendered.index(("assistant", SAID[name]))
    assert rendered[at + 1 : -2] == HEARD[name]
    assert rendered[-2] == ("assistant", "Dry, at nine.")
    assert rendered[-1][0] == "user"
    assert "Then?" in (rendered[-1][1] or "")


@pytest.mark.parametrize("name", SAID)
def test_tools_stand_once_and_in_their_place(name: str) -> None:
    rendered = DIALECTS[name].render(TALK, (RAIN, NOW), "en")
    holding = [message for message in rendered if "Rain in a city?" in (message.content or "")]
    assert len(holding) == 1
    text = holding[0].content or ""
    assert "时间" in text
    if name in TOLD:
        assert holding[0].role == "user"
        assert TOLD[name] in text
        assert rendered[0] == Message("system", "It is Monday.")
    elif name == "hammer2.1":
        assert rendered[:1] == (Message("system", "It is Monday."),)
        assert rendered[1] is holding[0]
        assert rendered[2] == Message("user", "First?")
    else:
        assert holding[0] is rendered[0]
        assert holding[0].role == ("user" if name in NO_SYSTEM else "system")
        assert "It is Monday." in text


@EVERY
@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_are_plain_text(name: str, language: str) -> None:
    for talk in (TALK, TALK[1:], TALK[:2], (), (Message("system", "S"),), (Message("tool", None, tool_call_id="?"),)):
        for tools in ((), (RAIN,)):
            for message in DIALECTS[name].render(talk, tools, language):
                assert message.role in ("system", "user", "assistant", "tool")
                assert isinstance(message.content, str)
                assert message == Message(message.role, message.content)


def is_chinese(text: str) -> bool:
    return any("\u3400" <= char <= "\u9fff" for char in text)


@EVERY
def test_our_words_are_in_the_language_that_is_asked_for(name: str) -> None:
    english, chinese = (
        "".join(message.content or "" for message in DIALECTS[name].render(TALK[:2], (RAIN,), language))
        for language in LANGUAGES
    )
    assert name in CHINESE_MARKS or not is_chinese(english)
    assert name in MARKS_ONLY or is_chinese(chinese)
    assert (english == chinese) == (name in MARKS_ONLY)
    assert english == "".join(m.content or "" for m in DIALECTS[name].render(TALK[:2], (RAIN,), "fr"))


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
@pytest.mark.parametrize("arguments", ["{broken", "[1]", None, 7, {"city": "Oslo"}, "\ud800", '{"a": 1' * 5000, "NaN"])
def test_strange_earlier_calls_are_rendered(name: str, arguments: object) -> None:
    talk = (Message("user", "U"), Message("assistant", None, (ToolCall(None, None, arguments),)), Message("tool", "R"))
    rendered = DIALECTS[name].render(talk, (RAIN,), "en")
    assert [message.role for message in rendered if message.role == "assistant"] == ["assistant"]


def test_prompts_come_in_pairs_with_the_same_places() -> None:
    files = {file.name for file in FOLDER.glob("*.txt")}
    assert {f"{name.rsplit('.', 2)[0]}.{language}.txt" for name in files for language in LANGUAGES} == files
    for name in files:
        text = (FOLDER / name).read_text("utf-8")
        assert text.count("$tools") == text.count("$said") == 1, name
        assert text.count("$") == 2, name


def test_values_of_tools_and_texts_are_not_templates() -> None:
    tool = Tool("pay", "$said $tools ${x}", {"type": "object", "properties": {}})
    text = DIALECTS["hermes"].render((Message("system", "costs $tools"),), (tool,), "en")[0].content or ""
    assert text.startswith("costs $tools")
    assert json.dumps(tool.wire()) in text
