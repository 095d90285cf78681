"""The worked examples of how people go on, and files of a user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolgauge.data.session import Reference
from toolgauge.errors import DataError
from toolgauge.generation.agents.patterns import (
    ExampleTurn,
    WorkedExample,
    read_patterns,
)

OWN = {
    "id": "mine",
    "pattern": "more",
    "group": "follow_up",
    "subtype": "partial_information",
    "kinds": ["single"],
    "earlier": [{"task": "List two films.", "reply": "Alien and Brazil."}],
    "task": "Two more.",
    "meaning": "List two more films.",
}


def write(path: Path, *values: object) -> Path:
    path.write_text("".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values), encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    other = OWN | {
        "id": "二",
        "pattern": "sarcasm",
        "group": "mood",
        "subtype": "coreference",
        "kinds": ["chat", "multi"],
    }
    first, second = read_patterns(write(tmp_path / "own.jsonl", OWN, other))
    turns = (ExampleTurn("List two films.", "Alien and Brazil."),)
    said = ("Two more.", "List two more films.")
    assert first == WorkedExample("mine", "more", "follow_up", Reference.PARTIAL_INFORMATION, ("single",), turns, *said)
    assert (second.pattern, second.group, second.subtype) == ("sarcasm", "mood", Reference.COREFERENCE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": " "}, "id: must not be empty"),
        ({"id": 3}, "id: must be a string, not an integer"),
        ({"subtype": "first_turn"}, "subtype: must be one of partial_information, coreference, long_range"),
        (
            {"subtype": "coreference"},
            "pattern: pattern more belongs to group follow_up and subtype partial_information",
        ),
        ({"group": "topic"}, "pattern: pattern more belongs to group follow_up"),
        ({"kinds": []}, "kinds: must name at least one"),
        ({"kinds": ["single", "both"]}, r"kinds\[1\]: must be one of single, multi, clarify, chat, not 'both'"),
        ({"earlier": []}, "earlier: too few earlier turns: at least 1"),
        ({"earlier": ["a"]}, r"earlier\[0\]: must be an object"),
        ({"earlier": [{"task": "a"}]}, r"earlier\[0\]\.reply: missing"),
        (
            {"pattern": "earlier_topic", "group": "topic", "subtype": "long_range"},
            "earlier: too few",
        ),
    ],
)
def test_an_error_says_file_line_and_place(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=rf"own\.jsonl:3: {message}"):
        read_patterns(write(tmp_path / "own.jsonl", OWN, OWN | {"id": "b"}, OWN | {"id": "c"} | change))
