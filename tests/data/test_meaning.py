"""Times, dates and numbers by what they mean; facts in texts; places in arguments."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import rows
from toolgauge.data.meaning import Comparison, Said, meaning, same_meaning
from toolgauge.data.record import child, find, parse_pointer, put

SAME: dict[Comparison, list[tuple[Any, Any]]] = {
    Comparison.TIME: [
        ("8:00", "08:00"), ("08:00:00", "8:00"), ("8 am", "08:00"), ("8 p.m.", "20:00"), ("12 am", "0:00"),
        ("12:30pm", "12:30"), ("晚上8点半", "20:30"), ("下午3点15分", "15:15"), ("上午9时", "9:00"),
        ("８：００", "8:00"), ("凌晨12点", "0:00"), ("中午1点", "13:00"),
    ],
    Comparison.DATE: [
        ("2025/3/14", "2025-03-14"), ("2025年3月14日", "2025-03-14"), ("14 March 2025", "2025-03-14"),
        ("March 14, 2025", "2025-03-14"), ("14th of Mar. 2025", "2025.03.14"), ("20250314", "2025-03-14"),
    ],
    Comparison.DATETIME: [
        ("2025-03-14T08:00:00", "2025-03-14 8:00"), ("2025-03-14T08:00:00Z", "2025-03-14T08:00+00:00"),
        ("2025年3月14日8点", "2025-03-14 08:00"),
    ],
    Comparison.NUMBER: [(3, 3.0), ("3.0", 3), ("1,000", 1000), ("-0.50", -0.5), (2**70, str(2**70)), ("+3", 3)],
}  # fmt: skip
DIFFERENT: dict[Comparison, list[tuple[Any, Any]]] = {
    Comparison.TIME: [("8:00", "20:00"), ("8", "8:00"), ("25:00", "1:00"), ("晚上12点", "12:00"), ("8:00", 8)],
    Comparison.DATE: [("03/04/2025", "2025-03-04"), ("2025-02-30", "2025-03-02"), ("2025-3-1", "2025/31")],
    Comparison.DATETIME: [("2025-03-14T08:00Z", "2025-03-14T08:00"), ("2025-03-14", "2025-03-14 00:00")],
    Comparison.NUMBER: [(3, 4), (True, 1), ("3a", 3), ("1,00", 100), ("１e3", 1000), (float("nan"), 0), ([3], 3)],
}  # fmt: skip


@rows(("word", "one", "other"), [(word, *pair) for word, pairs in SAME.items() for pair in pairs])
def test_one_meaning(word: Comparison, one: Any, other: Any) -> None:
    assert meaning(word, one) is not None
    assert same_meaning(word, one, other)
    assert same_meaning(word, other, one)


@rows(("word", "one", "other"), [(word, *pair) for word, pairs in DIFFERENT.items() for pair in pairs])
def test_two_meanings(word: Comparison, one: Any, other: Any) -> None:
    assert not same_meaning(word, one, other)
    assert not same_meaning(word, other, one)


@given(moment=st.datetimes(min_value=datetime.datetime(1000, 1, 1)))
def test_written_dates_and_times_are_read(moment: Any) -> None:
    moment = moment.replace(microsecond=0)
    assert meaning(Comparison.DATE, f"{moment:%Y-%m-%d}") == moment.date()
    assert same_meaning(Comparison.TIME, f"{moment:%I:%M:%S %p}", f"{moment:%H:%M:%S}")
    assert same_meaning(Comparison.DATETIME, moment.isoformat(), f"{moment:%Y/%m/%d %H:%M:%S}")


MENTIONED = [
    ("It's **39 EUR** a day.", 39),
    ("一天188元。", 188),
    ("1,072 in all", 1072),
    ("between -9 and -4", -4),
    ("12-14 degrees", 14),
    ("3.0 of them", 3),
    ("The Printer, 0.8 kWh", "printer"),
    ("订单号BK4471已确认", "BK4471"),
    ("come by **20:30**", "20:30"),
    ("1 月 26 日", "1月26"),
    ("on 26  January", "26 January"),
]
NOT_MENTIONED = [
    ("139 EUR", 39),
    ("39.5 EUR", 39),
    ("FA-12 is free", 12),
    ("at 14:35", 14),
    ("at 14:35", 35),
    ("-9 degrees", 9),
    ("AP1234", "AP123"),
    ("1月26日", "1月2"),
    ("10.5", "10"),
    ("", 3),
    ("soups", "soup"),
]


@rows(("text", "fact"), MENTIONED)
def test_mentioned(text: str, fact: str | int) -> None:
    assert Said(text).mentions((fact,))
    assert Said(text).mentions(("no such thing", fact))


@rows(("text", "fact"), NOT_MENTIONED)
def test_not_mentioned(text: str, fact: str | int) -> None:
    assert not Said(text).mentions((fact,))


KEYS = st.text(max_size=5)


@given(keys=st.lists(KEYS, max_size=4), value=st.integers())
def test_pointers_find_what_was_put(keys: list[str], value: int) -> None:
    pointer = ""
    tree: Any = value
    for key in keys:
        pointer = child(pointer, key)
    for key in reversed(keys):
        tree = {key: tree}
    steps = parse_pointer(pointer)
    assert steps == tuple(keys)
    assert find(tree, steps) == value
    assert find(put(tree, steps, "new"), steps) == "new"


@rows("pointer", ["a", "/~2", "/a~"])
def test_what_is_no_pointer(pointer: str) -> None:
    with pytest.raises(ValueError, match="JSON Pointer"):
        parse_pointer(pointer)


@rows("pointer", ["/a/2", "/a/-1", "/a/01", "/a/x", "/b", "/a/0/0", "/a/-"])
def test_places_that_are_not_there(pointer: str) -> None:
    with pytest.raises(LookupError):
        find({"a": [1, 2]}, parse_pointer(pointer))
