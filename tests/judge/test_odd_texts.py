"""Texts that are no answer of any kind are called what they are."""

from __future__ import annotations

import pytest

from tests.judge.building import judge, session, tool
from tests.judge.text_kind_examples import examples
from toolgauge.chat import Reply
from toolgauge.judge.odd_texts import odd_text

TASK = session([("get_weather", {"city": "Oslo"}, [])], tool("get_weather", city={"type": "string"}))
ASKED = "What is the weather like in Oslo tomorrow?"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('```tool_results\n{"name": "get_weather", "result": "dry"}\n```\nIt is dry.', "invented_result"),
        ("<tool_response>\ndry\n</tool_response>", "invented_result"),
        ('{"type": "function", "function": {"name": "get_weather", "description": "The weather"', "tool_definitions"),
        ("You can use this:\n```python\nimport os\n```", "code"),
        ("what is the weather like in Oslo tomorrow", "echo"),
        (f'"{ASKED}" Hm.', "echo"),
        ("I'm glad you could help me. " * 6, "loop"),
        ("睡不沉，" * 20, "loop"),
        ("It is dry.\nUser: And in Bergen?\nAssistant: Wet.", "users_words"),
        ("It is dry in Oslo tomorrow.", None),
        ("The user: may he live long.", None),
        ("Use `get_weather` for the weather in Oslo.", None),
        ("What is the weather like in Oslo tomorrow? I cannot tell, for I have no access to the weather.", None),
        ("", None),
    ],
)
def test_what_a_text_is(text: str, kind: str | None) -> None:
    assert odd_text(text, {"get_weather"}, ASKED) == kind


def test_the_verdict_says_so_and_keeps_its_class() -> None:
    found = judge(TASK, Reply("please please! " * 12))["exact"]
    assert (found.mistake, found.parameters) == ("refusal", {"names": ("get_weather",), "kind": "loop"})
    written = judge(TASK, Reply('```python\nget_weather(city="Oslo")\n```'))["exact"]
    assert written.parameters == {"names": ("get_weather",), "kind": "call_as_text"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("half", ["development", "heldout"])
def test_answers_questions_and_refusals_of_people_are_none_of_these(half: str, language: str) -> None:
    plain = [one for one in examples(half, language, written=True) if one.kind != "call_as_text"]
    odd = {one.kind.value for one in plain if odd_text(one.text, frozenset(one.tools))}
    assert odd <= {"text_instead_of_call"}
