"""What a text is that came where a call was due: measured on hand-labelled texts, bounded on hostile ones."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.judge.text_kind_examples import agreement, examples, table_row
from toolgauge.judge.texts import TextKind, kind_of_text

RULES = Path(__file__).parents[2] / "docs" / "rules.md"
NAMED = tuple(kind for kind in TextKind if kind is not TextKind.OTHER)
TOOLS = frozenset({"get_weather", "book_train", "查天气"})
LEAST_RECALL = {"en": 0.7, "zh": 0.4}
"""On the texts that we wrote; what is not recognised is told as `other`."""


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
    "piece",
    ["a", "((", "get_weather(", '{"name": "get_weather",', "I have been ", "已经", "1:", "<think>", "a_-.", "\n- 1."],
)
def test_long_hostile_texts_take_bounded_time(piece: str) -> None:
    started = time.process_time()
    kind_of_text(piece * 1_000_000, TOOLS)
    assert time.process_time() - started < 5  # measured: 0.04 seconds
