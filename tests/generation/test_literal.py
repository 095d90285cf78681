"""What stands literally: values in words, results and the date line, numbers by value; nothing is guessed."""

from __future__ import annotations

from typing import Any

from tests.rows import rows
from toolgauge.generation.literal import Passage, argument_leaves, literal_sources, quoted, same, source_in

CLOCK = "2024-05-03 09:12:44 Friday"


@rows(
    ("value", "words", "quote"),
    [
        ("Oslo", "weather in oslo, please", "oslo"),
        ("New York", "fly to NEW-YORK", "NEW-YORK"),
        ("on", "in London", None),
        (3, "3 seats", "3"),
        (3, "seat 13", None),
        (3.0, "3 seats", "3"),
        (1200, "about 1,200 euros", "1,200"),
        ("1200", "1200.0 euros", "1200.0"),
        (2, "two seats", None),
        ("SYD", "to Sydney", None),
        ("青岛", "青岛明天的天气", "青岛"),
        (True, "true", None),
        (None, "none", None),
    ],
)
def test_a_value_in_words(value: object, words: str, quote: str | None) -> None:
    assert quoted(value, words) == quote


def test_numbers_are_equal_by_value_and_texts_apart_from_case() -> None:
    assert same(15, 15.0)
    assert same("15", 15)
    assert same("R-12", "r 12")
    assert not same(True, 1)
    assert not same("", "")
    assert not same(15, 15.5)


def test_sources_name_their_place_the_nearest_first() -> None:
    said = [
        Passage("user", 0, "weather in Oslo"),
        Passage("result", 0, {"places": [{"id": "P-17"}, {"id": "P-18"}]}, 0),
        Passage("user", 1, "and the second one in Oslo"),
    ]
    assert literal_sources("Oslo", {}, said, CLOCK) == [
        {"from": "user", "task": 1, "quote": "Oslo"},
        {"from": "user", "task": 0, "quote": "Oslo"},
    ]
    assert source_in("P-18", said[1]) == {"from": "result", "task": 0, "step": 0, "path": "places[1].id"}
    assert literal_sources("2024-05-03", {}, said, CLOCK) == [{"from": "clock", "quote": "2024-05-03"}]
    assert literal_sources("km", {"default": "km"}, said, CLOCK) == [{"from": "default"}]
    assert literal_sources("km", {"enum": ["km", "mi"]}, said, CLOCK) == []
    assert literal_sources("2024-05-04", {}, said, CLOCK) == []


def test_leaves_of_arguments_with_place_and_schema() -> None:
    schema: dict[str, Any] = {
        "properties": {
            "guest": {"properties": {"first name": {"type": "string"}}},
            "days": {"items": {"type": "integer"}},
        }
    }
    found = list(argument_leaves({"guest": {"first name": "Ana"}, "days": [1, 2]}, schema))
    assert [(one.pointer, one.value) for one in found] == [("/guest/first name", "Ana"), ("/days/0", 1), ("/days/1", 2)]
    assert [one.schema for one in found] == [{"type": "string"}, {"type": "integer"}, {"type": "integer"}]
