"""Corrections of data: applied while they are read, checked against what stands there, taken back."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from toolgauge.data.corrections import (
    Correction,
    Corrections,
    apply_changes,
    between,
    encoded,
    inverse,
    read_corrections,
)
from toolgauge.errors import DataError

RECORD: dict[str, Any] = {
    "id": "s",
    "english_tasks": ["Weather in Pari?", "and in Rome"],
    "english_answer_list": [[{"action": {"arguments": {"city": "Pari", "a/b~c": 1}}}], []],
}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
records = st.dictionaries(st.text(max_size=4).filter(lambda key: key != "id"), values, max_size=4)


def file_of(folder: Path, *lines: str) -> Path:
    path = folder / "corrections.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def one(pointer: str, rest: str, session: str = "s") -> str:
    return f'{{"session": "{session}", "pointer": "{pointer}", {rest}}}'


@given(records, records, records)
def test_what_lies_between_two_versions_leads_from_one_to_the_other_and_back(
    first: dict[str, Any], second: dict[str, Any], third: dict[str, Any]
) -> None:
    before = copy.deepcopy(first)
    there = between("s", first, second)
    made = first
    for correction in there:
        made = apply_changes(made, [correction])
    assert encoded(between("s", made, second)) == b""
    for correction in inverse(there):
        made = apply_changes(made, [correction])
    assert encoded(between("s", made, first)) == b""
    assert first == before, "the record that was given has changed"
    for correction in [*there, *between("s", second, third)]:
        made = apply_changes(made, [correction])
    assert encoded(between("s", made, third)) == b"", "corrections of corrections"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"session": "s"}', "missing required field `pointer`"),
        (one("/id", '"old": "s", "new": "t"'), "the id of a session cannot be corrected"),
        (one("", '"old": 1, "new": 2'), "invalid JSON Pointer"),
        (one("/x" * 65, '"old": 1, "new": 2'), "64 parts"),
        (one("/" + "x" * 3000, '"old": 1, "new": 2'), "2,000 characters"),
        (one("/a", '"reason": "?"'), "give `old`, `new` or both"),
        (one("/a", '"old": {"b": 1, "c": 2}, "new": {"c": 2, "b": 1}'), "`old` and `new` are equal"),
        (one("/english_tasks/1", '"task": 0, "old": "a", "new": "b"'), "the pointer leads to task 1"),
        (one("/a", '"old": 1, "new": 2, "nwe": 3'), "unknown field `nwe`"),
        (one("/a", f'"old": 1, "new": {"[" * 5000}{"]" * 5000}'), "invalid correction"),
        ("{", "invalid correction"),
    ],
)
def test_a_line_that_is_no_correction_is_named(tmp_path: Path, line: str, error: str) -> None:
    path = file_of(tmp_path, one("/english_tasks/1", '"old": "and in Rome", "new": "and in Rome?"'), line)
    with pytest.raises(DataError, match=error) as raised:
        read_corrections(path)
    assert str(raised.value).startswith(f"{path}:2: ")


@pytest.mark.parametrize(
    ("pointer", "rest", "error"),
    [
        (
            "/english_tasks/1",
            '"old": "and in rome", "new": "x"',
            "`old` is 'and in rome', but the data have 'and in Rome'",
        ),
        (
            "/english_answer_list/0/0/action/arguments/a~1b~0c",
            '"old": true, "new": 2',
            "`old` is true, but the data have 1",
        ),
        (
            "/english_tasks/2",
            '"old": "x", "new": "y"',
            "index '2' not found in a list of length 2; replace the whole list",
        ),
        ("/english_tasks/-", '"new": "y"', "replace the whole list"),
        ("/english_tasks/0", '"new": "y"', "cannot be added or removed one at a time"),
        ("/english_tasks/0/1", '"old": "x", "new": "y"', "'1' not found: its parent is a string"),
        ("/tools/0", '"old": "x", "new": "y"', "'tools' not found"),
        ("/tools", '"old": "x"', "but the data have nothing"),
        ("/english_tasks", '"new": []', "already has the value"),
    ],
)
def test_a_correction_that_does_not_fit_the_data_is_an_error_at_its_line(
    tmp_path: Path, pointer: str, rest: str, error: str
) -> None:
    path = file_of(tmp_path, one(pointer, rest))
    with pytest.raises(DataError) as raised:
        read_corrections(path).applied("s", RECORD)
    assert error in str(raised.value)
    assert str(raised.value).startswith(f"{path}:1: {pointer}: session 's': ")


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_the_correction_with_which_a_record_becomes_unusable_is_named(sound: list[bool]) -> None:
    """The reader takes records in which every value is true; the first line that is not is the culprit."""

    def read(value: dict[str, Any]) -> int:
        if not all(value.values()):
            raise DataError("is false", "data.jsonl", 7)
        return len(value)

    group = [(n, Correction("s", f"/k{n}", new=Raw(b"true" if good else b"false"))) for n, good in enumerate(sound, 1)]
    corrections = Corrections("c.jsonl", "0", {"s": group})
    if all(sound):
        assert corrections.corrected("s", {}, read) == len(sound)
        return
    line = sound.index(False) + 1
    with pytest.raises(
        DataError, match=rf"^c.jsonl:{line}: /k{line}: session 's': invalid after this correction: .* is false"
    ):
        corrections.corrected("s", {}, read)
    with pytest.raises(DataError, match=r"^data.jsonl:7: is false"):
        corrections.corrected("s", {"old": False}, read)
