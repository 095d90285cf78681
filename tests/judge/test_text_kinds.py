"""What a text is that came where a call was due: measured on hand-labelled texts, bounded on hostile ones."""

from __future__ import annotations

import time

from tests.judge.text_kind_examples import agreement, examples
from tests.rows import rows
from toolgauge.judge.texts import TextKind, has_written_call, kind_of_text

NAMED = tuple(kind for kind in TextKind if kind is not TextKind.OTHER)
TOOLS = frozenset({"get_weather", "book_train", "查天气"})
LEAST_RECALL = {"en": 0.7, "zh": 0.4}
"""On the texts that we wrote; what is not recognised is told as `other`."""


@rows("language", ["en", "zh"])
@rows("kind", NAMED)
def test_a_named_kind_is_told_where_it_is_one(kind: TextKind, language: str) -> None:
    right, told, labelled = agreement(kind, examples("heldout", language, written=True))
    assert right >= 0.95 * told
    assert right >= LEAST_RECALL[language] * labelled


@rows(
    ("text", "is_call"),
    [
        ('{"name": "fly", "arguments": {"to": "Oslo"}}', True),
        ("name: fly, arguments: to Oslo", False),
        ("name: get_weather, arguments: Oslo", True),
        ('{"name": "fly", "description": "x", "arguments": {}}', False),
        ('{"name": "get_weather"}' + " " * 300 + '"arguments": {}', False),
        ("It is get_weather(city='Oslo') then.", True),
        ("It is my_get_weather(city='Oslo') then.", False),
        ("def get_weather(city='Oslo'): ...", False),
        ("class get_weather(city='Oslo'): ...", False),
        ("Sure: def is_it(x)\nget_weather(city='Oslo')", True),
        ("I can use get_weather (it knows the weather).", False),
        ("call get_weather(", False),
        ("get_weather {", True),
        ("fly(to='Oslo')", True),
        ("It is fly(to='Oslo') then.", False),
        ("[TOOL_CALLS]", True),
    ],
)
def test_calls_written_out(text: str, is_call: bool) -> None:
    assert has_written_call(text, TOOLS) is is_call


@rows(
    ("text", "kind"),
    [
        ("<think>get_weather(city='Oslo')</think>Where do you live?", TextKind.ASKS_BACK),
        ("Done. Anything else?", TextKind.OTHER),
        ("Anything else? " + "x" * 200 + " Where to?", TextKind.ASKS_BACK),
        ("I can’t do that.", TextKind.REFUSES),
        ("x" * 160 + " I cannot do that.", TextKind.OTHER),
        ("x" * 9000 + " Where to?", TextKind.ASKS_BACK),
        ("get_weather(city='Oslo')" + "x" * 9000, TextKind.CALL_AS_TEXT),
        ("x" * 4500 + "get_weather(city='Oslo')" + "y" * 4500, TextKind.REPEATS),
        ("It rains. " * 99, TextKind.REPEATS),
        ("x" * 5000 + " get_weather(city='Oslo') " + "y" * 5000, TextKind.REPEATS),
    ],
)
def test_the_first_kind_that_holds(text: str, kind: TextKind) -> None:
    assert kind_of_text(text, TOOLS) is kind


@rows(
    "piece",
    ["a", "((", "get_weather(", '{"name": "get_weather",', "I have been ", "已经", "1:", "<think>", "a_-.", "\n- 1."],
)
def test_long_hostile_texts_take_bounded_time(piece: str) -> None:
    started = time.process_time()
    kind_of_text(piece * 1_000_000, TOOLS)
    assert time.process_time() - started < 5  # measured: 0.04 seconds
