"""Whatever a data file holds: a DataError or a list of problems, never another exception, and one line each."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sizes import sized
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.data.statistics import sections, statistics
from toolgauge.data.lines import read_lines
from toolgauge.errors import DataError

JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    "",
    "\x1b[31m\n\u2028red",
    "x" * 10_000,
    [],
    [[]],
    {},
    {"a\nb": {"type": "float"}},
    {"$ref": "#"},
    {"$ref": "#/properties/name"},
    {"type": ["float", 3]},
    {"type": "enum[[1"},
    {"pattern": "("},
    {"function": {"name": "x"}},
    [{"role": "user"}],
    ["====="],
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON value with every one of its keys."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield value, key
        yield from places(part)


def spoil(record: Any, source: random.Random) -> None:
    holder, key = source.choice(list(places(record)))
    what = source.randrange(4)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[source.choice(["\n", "x y", "type", "idx"])] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(source.choice(JUNK))


@pytest.mark.parametrize("seed", range(sized(3, 12)))
def test_spoilt_files(seed: int, small_wildtoolbench: Path, small_mmtb: Path, tmp_path: Path) -> None:
    source = random.Random(seed)
    path = tmp_path / "spoilt.jsonl"
    for number in range(25):
        original = small_mmtb if number % 2 else small_wildtoolbench
        records = [value for _, value in read_lines(original)]
        for _ in range(source.randint(1, 4)):
            spoil(source.choice([one for one in records if one]), source)
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        for language in ("en", "zh"):
            try:
                sections(statistics(load_dataset(path, language=language)))
            except DataError as error:
                one_line(str(error), path)
        for problem in check(path):
            one_line(str(problem), path)


def one_line(text: str, path: Path) -> None:
    assert text.startswith(str(path))
    assert text.isprintable(), text
    assert len(text) < 1000
