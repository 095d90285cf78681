"""Cells of CSV files: no text is a formula, numbers are numbers, and what was added can be taken away."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.analysis.cells import cell, checked, original, without_controls

FORMULAS = (
    "=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠x", "\t=1", "\tx", "\r=1", "\n=1", "  =1", '"=1', "'=1",
    "''=1",
    "\ufeff=1", "\u200b=1", "\u202e=1", "\xa0=1", "\u3000=1", "\u2028=1", '" =1', "\xad@x",
)  # fmt: skip
HARMLESS = ("", "a=1", "1-1", "'x", "' x", "x\t=", "[=1]", '{"a": "=1"}', "（=1）", "词", "#=1")
signs = st.sampled_from("=+-@＝\t\r\n'\" \ufeff\u200b\xa01")
texts = st.text(st.one_of(st.characters(codec="utf-8"), st.characters(max_codepoint=0x9F), signs))


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert cell(text) == "'" + text
    assert original(cell(text)) == text


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert cell(text) == text
    assert original(text) == text


def test_numbers_are_numbers_and_not_texts() -> None:
    assert [cell(value) for value in (-1, -2.5, 0, True, None, [-1])] == ["-1", "-2.5", "0", "true", "", "[-1]"]
    for number in ("-1", "-2.5", "-1e-07", "7"):
        assert checked(number) == number
    for formula in ("-1+1", "-1 ", "--1", "-", "+1", "-1e5000", "-٣"):
        assert checked(formula) == "'" + formula


def test_control_characters_are_told_and_not_obeyed() -> None:
    assert cell("\x1b]0;title\x07\0 a\tb\nc\x9b") == r"\u001b]0;title\u0007\u0000 a" + "\tb\nc" + r"\u009b"
    assert json.loads(cell(["\x1b\x7f\x9b"])) == ["\x1b\x7f\x9b"]


@given(texts)
def test_what_is_added_can_be_taken_away(text: str) -> None:
    made, text = cell(text), without_controls(text)
    assert original(made) == text
    assert not {char for char in made if unicodedata.category(char) == "Cc"} - set("\t\r\n")
    assert made.lstrip(" \"'\t\r\n\ufeff\u200b\xa0")[:1] not in (*"=+-@＝＋－＠",) or made.startswith("'")
    assert checked(made) == made or checked(made) == text
