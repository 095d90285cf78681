"""What a text is that came where a call was due: measured on hand-labelled texts, bounded on hostile ones."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judge.building import judge, session, tool
from tests.judge.text_kind_examples import agreement, examples, table_row
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.chat import Reply
from toolgauge.judge.text_kinds import LONGEST, TextKind, kind_of_text

RULES = Path(__file__).parents[2] / "docs" / "rules.md"
NAMED = tuple(kind for kind in TextKind if kind is not TextKind.TEXT_INSTEAD_OF_CALL)
TOOLS = frozenset({"get_weather", "book_train", "查天气"})
LEAST_RECALL = {"en": 0.7, "zh": 0.4}
"""On the texts that we wrote; what is not recognised is told as `text_instead_of_call`."""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("half", ["development", "heldout"])
def test_there_are_enough_labelled_texts_of_every_kind(half: str, language: str) -> None:
    found = examples(half, language)
    assert len({example.text for example in found}) == len(found)
    assert {example.kind for example in found} == set(TextKind)
    assert len(found) >= (500 if half == "development" else 100)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", NAMED)
def test_a_named_kind_is_told_where_it_is_one(kind: TextKind, language: str) -> None:
    right, told, labelled = agreement(kind, examples("heldout", language, written=True))
    assert right >= 0.95 * told
    assert right >= LEAST_RECALL[language] * labelled


def test_the_table_of_the_documentation_is_what_is_measured() -> None:
    rows = RULES.read_text(encoding="utf-8").splitlines()
    for kind in TextKind:
        assert table_row(kind) in rows


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('Which day? {"name": "get_weather", "arguments": {}}', "call_as_text"),
        ("I found two trains, at 8:25 and at 10:25. Which one would you like?", "answered_from_nothing"),
        ("找到两趟车，您要哪一趟？", "answered_from_nothing"),
        ("Sorry, I cannot book it without a date. Which date would you like?", "needless_question"),
        ("抱歉，没有日期我无法预订。请问哪天？", "needless_question"),
        ("I can't look up live prices. It is usually about 40 euros.", "declined"),
        ("我无法查询实时价格，一般是40欧元左右。", "declined"),
        ("Let me check. It is 12 degrees in Oslo.", "answered_from_nothing"),
        ("Let me check the weather. Anything else I can do for you?", "announced_call"),
        ("Sure, 让我查一下", "announced_call"),
        ("Sorry, 我不能 access 您的订单。", "declined"),
        ("请问 which city?", "needless_question"),
        ("Shall I book it?", "needless_question"),
        ("How can I help you today?", "text_instead_of_call"),
        ("If I have booked it, I will tell you.", "text_instead_of_call"),
        ("The user wants the weather. Which city?</think>Let me check the weather.", "announced_call"),
        ("<think>I cannot do it, which", "text_instead_of_call"),
        ("請告訴我您的訂單編號", "needless_question"),
        ("", "text_instead_of_call"),
        ("   \n", "text_instead_of_call"),
        ("get_weather", "text_instead_of_call"),
        ("I could use get_weather (city and date) here.", "text_instead_of_call"),
        ("get_weather()", "call_as_text"),
        ('other_tool(city="Oslo")', "call_as_text"),
        ('<tool_response>{"sky": "rain"}</tool_response>', "answered_from_nothing"),
        ("I will find out. " * 40, "text_instead_of_call"),
    ],
)
def test_mixed_and_terse_texts(text: str, kind: str) -> None:
    assert kind_of_text(text, TOOLS) == kind


def test_only_the_names_on_offer_make_a_call_of_a_bare_object() -> None:
    text = "check_sky: {'city': 'Oslo'}"
    assert kind_of_text(text, {"check_sky"}) is TextKind.CALL_AS_TEXT
    assert kind_of_text(text, TOOLS) is TextKind.TEXT_INSTEAD_OF_CALL


@given(st.text(max_size=300), st.sets(st.text(max_size=20), max_size=5))
def test_any_text_has_a_kind(text: str, tools: set[str]) -> None:
    assert kind_of_text(text, tools) in set(TextKind)


@pytest.mark.parametrize(
    "piece",
    ["a", "((", "get_weather(", '{"name": "get_weather",', "I have been ", "已经", "1:", "<think>", "a_-.", "\n- 1."],
)
def test_long_hostile_texts_take_bounded_time(piece: str) -> None:
    started = time.process_time()
    kind_of_text(piece * 1_000_000, TOOLS)
    assert time.process_time() - started < 5  # measured: 0.04 seconds


def test_the_end_of_a_long_text_counts_and_its_middle_does_not() -> None:
    filler = " ".join(f"word{number}" for number in range(LONGEST))
    assert kind_of_text(f"{filler}. Which day?", TOOLS) is TextKind.NEEDLESS_QUESTION
    assert kind_of_text(f"{filler}. Which day? {filler}", TOOLS) is TextKind.TEXT_INSTEAD_OF_CALL


def test_the_kind_is_a_parameter_and_is_said_in_both_languages() -> None:
    task = session([("book", {"day": "Monday"}, [])], tool("book", day={"type": "string"}))
    verdict = judge(task, Reply("抱歉，这件事我帮不上忙。"))["exact"]
    assert (verdict.mistake, verdict.detail) == ("refusal", "text where calls are due: book")
    assert verdict.parameters == {"names": ("book",), "kind": "declined"}
    benchmark = find_benchmark("mini")
    assert verdict.why is not None
    said = [verdict.why.in_words(reason_texts(benchmark, language)) for language in ("en", "zh")]
    assert said == [
        "text where calls are due: book (says that it cannot or will not)",
        "应当调用工具，却只用文字作答；应调用：book（表示做不到或拒绝）",
    ]
