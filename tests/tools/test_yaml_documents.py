"""YAML is read as JSON's kin: nothing is executed, guessed or multiplied."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.rows import rows
from toolgauge.errors import DataError
from toolgauge.tools.documents import parse_json, parse_yaml, read_document


def read(text: str) -> object:
    return parse_yaml(text.encode(), "f.yaml")


@rows(
    ("text", "value"),
    [
        ("on", "on"),
        ("no", "no"),
        ("2024-01-01", "2024-01-01"),
        ("1:30", "1:30"),
        ("true", True),
        ("~", None),
        ("0x1F", 31),
        ("-12", -12),
        ("010", 10),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("'12'", "12"),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("{200: ok, null: a, true: b, 1.5: c}", {"200": "ok", "null": "a", "true": "b", "1.5": "c"}),
        ("{a: &x {k: 1}, b: {<<: *x, k: 2}, c: {<<: [*x]}}", {"a": {"k": 1}, "b": {"k": 2}, "c": {"k": 1}}),
        ("a: !!python/object/apply:os.system ['touch owned']", {"a": ["touch owned"]}),
        ("--- 7", 7),
    ],
)  # fmt: skip
def test_values(text: str, value: object) -> None:
    found = read(text)
    assert found == value
    assert type(found) is type(value)


NINES = "[" + ",".join(["*{0}"] * 9) + "]"
PAIRS = list(pairwise("abcdefghijkl"))
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{new}: &{new} {NINES.format(old)}\n" for old, new in PAIRS)
MERGES = "a: &a {x: 1}\n" + "".join(f"{new}: &{new} {{<<: {NINES.format(old)}, {new}: 1}}\n" for old, new in PAIRS)


@rows(
    ("text", "complaint"),
    [
        (BOMB, "more than 5,000,000 values"),
        (MERGES, "more than 5,000,000 values"),
        ("&a [*a]", r"1: unknown or recursive alias \*a"),
        ("*a", r"alias|undefined"),
        ("- " * 100_000, "nested deeper than 200"),
        ("? " * 100_000, "nested deeper than 200"),
        ("{a: " * 5_000, "nested deeper than 200"),
        ("a: 1\nb: [", "3?: neither JSON nor YAML"),
        ("--- 1\n--- 2", "2: several YAML documents"),
        ("? [a]\n: b", "a key must be a string"),
        ("\x00", "neither JSON nor YAML"),
    ],
)
def test_bombs_and_nonsense(text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read(text)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_document(file) == {"a": 1}
    file.write_bytes(b'{"a": 1,\n"b": oops}')
    with pytest.raises(DataError, match=r"a\.json:2: invalid JSON"):
        read_document(file)
    file.write_bytes(b"a: \xff")
    with pytest.raises(DataError, match=r"a\.json:1: not UTF-8"):
        read_document(file)
    with pytest.raises(DataError, match="cannot read"):
        read_document(tmp_path)
    with pytest.raises(DataError, match="nested deeper than 200"):
        parse_json(b"[" * 300 + b"]" * 300, "f")
