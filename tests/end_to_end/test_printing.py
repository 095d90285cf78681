"""The place through which everything is printed lets nothing through that a terminal obeys."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import traceback
import unicodedata
import warnings
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from toolgauge.analysis.terminal import headed_table, lines_of, plain
from toolgauge.cli import terminal
from toolgauge.visible import BLANKS, visible

texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\x1b\x9b\x9d\x07\b\r\n\t\x0b\x0c\x85\x7f\u200b\u200d\u2028\u2029\u202e\u2066\ufeff\ud800[]:;m/"
        ),
    )
)


def harmless(text: str, layout: str = "\n") -> bool:
    """Holds a text only what is seen where it stands?"""
    return all(char in layout or char == " " or char in BLANKS or char.isprintable() for char in text)


class Screen(io.TextIOWrapper):
    """Standard output or error, to be read back."""

    def __init__(self, tty: bool = False) -> None:
        super().__init__(io.BytesIO(), "utf-8", newline="\n")
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


@contextlib.contextmanager
def screen(tty: bool = False, guard: bool = False) -> Iterator[Screen]:
    made, before = Screen(tty), (sys.stdout, sys.stderr)
    sys.stdout = sys.stderr = made
    try:
        if guard:
            terminal.guard()
        yield made
    finally:
        sys.stdout, sys.stderr = before


@given(texts)
def test_visible_texts_are_one_line_without_controls(text: str) -> None:
    shown = visible(text)
    assert harmless(shown, "")
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)
    assert visible(shown) == shown
    if text.isprintable():
        assert shown == text


@given(texts)
def test_json_stays_json(text: str) -> None:
    line = json.dumps({text: text}, ensure_ascii=False)
    assert json.loads(visible(line)) == {text: text}


@given(texts)
def test_tables_of_any_text(text: str) -> None:
    table = headed_table(text)
    table.add_column(text)
    table.title = text
    table.add_row(text, plain(text))
    table.add_row(Text(text), lines_of(text, text))
    grid = Table.grid()
    grid.add_row(table, text)
    with screen() as seen:
        terminal.console().print(grid)
        terminal.console().rule(text)
    assert harmless(seen.text())


@given(texts)
def test_what_others_print_is_made_harmless(text: str) -> None:
    with screen(guard=True) as seen:
        print(text)
        sys.stderr.writelines([text, "\n"])
        logging.lastResort.emit(logging.makeLogRecord({"msg": text}))  # type: ignore[union-attr]
        sys.stderr.write(warnings.formatwarning(text, UserWarning, "file.py", 1))
        try:
            raise ValueError(text)
        except ValueError:
            traceback.print_exc()
    assert harmless(seen.text(), "\n\t")
