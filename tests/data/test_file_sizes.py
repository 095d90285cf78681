"""Files that are no files, or far too large: one line of explanation, at once and without reading them."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgauge.benchmarks.acebench.data import published as scenario
from toolgauge.benchmarks.acebench.data import tables
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.cli.data import resolve
from toolgauge.data.lines import parse_line, read_lines, sha256_of
from toolgauge.errors import DataError, ToolgaugeError
from toolgauge.files import lines_within, open_regular
from toolgauge.models.builtin.models import scripted
from toolgauge.runs.lines import read_whole_lines
from toolgauge.tools.documents import read_document
from toolgauge.tools.toollist import read_tool_lists

Read = Callable[[Path], Any]
READERS: dict[str, Read] = {
    "lines": lambda path: list(read_lines(path)),
    "check": lambda path: list(check(resolve(str(path)))),
    "data": load_dataset,
    "digest": sha256_of,
    "document": read_document,
    "tools": read_tool_lists,
    "script": scripted,
    "scenario": scenario._parse,
    "tables": lambda path: tables.read_table("food", path),
    "store": lambda path: list(read_whole_lines(path)),
}
GIGABYTE = 1 << 30


def every(*but: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("read", [READERS[name] for name in READERS if name not in but])


@every()
def test_a_pipe_is_refused_before_it_is_opened(tmp_path: Path, read: Read) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)  # to open it would wait for ever
    with pytest.raises(ToolgaugeError, match=r"is a pipe \(like /dev/stdin and <\(\.\.\.\)\), not a file"):
        read(pipe)


@every("digest")  # which reads a file of any size, in blocks
def test_a_gigabyte_without_a_line_break_is_refused_from_its_beginning(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as sparse:
        sparse.write(b'{"a": "')
        sparse.truncate(GIGABYTE)
    tracemalloc.start()
    try:
        with pytest.raises(ToolgaugeError, match="MB"):
            read(file)
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


def test_the_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"short\n" + b"x" * 99 + b"\n" + b"x" * 100 + b"\n")
    with open_regular(file) as opened:
        assert len(list(lines_within(opened, 101))) == 3
    with open_regular(file) as opened, pytest.raises(OSError, match="line 3 is longer"):
        list(lines_within(opened, 100))


@pytest.mark.parametrize("value", [b"[]", b"{}", b"0"])
def test_what_takes_far_more_memory_than_its_size_is_refused(tmp_path: Path, value: bytes) -> None:
    text = b"[" + b",".join([value] * 5_000_001) + b"]"
    with pytest.raises(DataError, match="more than 5,000,000 values"):
        parse_line(text, "file", 1)
    file = tmp_path / "file.json"
    file.write_bytes(text)
    with pytest.raises(DataError, match="more than 5,000,000 values"):
        read_document(file)


@pytest.mark.parametrize(
    "text",
    ["1e999999", "-1e999999", "NaN", "Infinity", "[" * 100_000, '{"a":' * 100_000, "1" * 5000 + "e", "-", "\x00"],
)
def test_odd_json_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(f'{{"value": {text}}}\n')
    for read in (READERS["lines"], READERS["tools"], READERS["document"]):
        with pytest.raises(DataError) as caught:
            read(file)
        assert len(str(caught.value).splitlines()) == 1
        assert len(str(caught.value)) < 500 + len(str(tmp_path))
