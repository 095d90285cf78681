"""perf/house.py counts what it says it counts; what it finds in this source is nobody's promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import house
from house import Row

WORK = """\
from __future__ import annotations

import re
from typing import (
    Any,
)


def work(text: str) -> Any:
    def inner() -> str:
        return _once(text) + _often(text) + _often(text)

    return inner()


def _once(text: str) -> str:
    return re.sub("a", "b", text)


def _often(text: str) -> str:
    return text


class Worker:
    @property
    def _first(self) -> int:
        return 1

    async def go(self) -> int:
        return self._first

    def __len__(self) -> int:
        return 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny package: a root file, two rooms that import each other, and a style."""
    files = {
        "tiny/__init__.py": "",
        "tiny/base.py": "",
        "tiny/one/__init__.py": "",
        "tiny/one/work.py": WORK,
        "tiny/one/low.py": "from tiny import base\n",
        "tiny/two/__init__.py": "",
        "tiny/two/above.py": "def f():\n    from tiny.one import work\n    return work\n",
        "tiny/two/below.py": "",
        "tiny/one/above.py": "import tiny.two.below\nimport tiny.base\n",
        "tiny/two/page.css": "a {\n}\n",
        "tiny/two/page.svg": "<svg/>\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "tiny"


def test_lines_and_functions(folder: Path) -> None:
    source = house.read_source(folder)
    assert source.lines["one/work.py"] == 33
    assert source.import_lines == 5 + 1 + 1 + 2
    sizes = {function.name: function.lines for function in source.functions}
    assert sizes == {"work": 5, "inner": 2, "_once": 2, "_often": 2, "_first": 2, "go": 2, "__len__": 2, "f": 3}
    assert source.private_used_once == 2, "_once and _first; _often is used twice, a dunder is not private"
    assert house.lines_of_web_files(folder) == 2


def test_rooms_stand_beside_their_budget(folder: Path) -> None:
    rows = {row.name: row for row in house.room_rows(house.read_source(folder))}
    assert rows["one"] == Row("one", 36, "-")
    assert rows["(root)"].now == 0
    assert rows["models"] == Row("models", 0, "5,000")


def test_imports(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(folder.parent))
    imports = house.read_imports("tiny")
    assert imports["tiny.one.above"] == {"tiny.two.below", "tiny.base"}
    rooms = house.imports_of_rooms(imports)
    assert rooms == {"one": {"two"}, "two": {"one"}}
    assert house.in_cycles(imports) == set()
    assert house.in_cycles(rooms) == {"one", "two"}
    assert house.in_cycles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == {"b", "c"}


def test_what_a_command_enters(tmp_path: Path) -> None:
    file = tmp_path / "entered.txt"
    command = [sys.executable, house.__file__, "--entered", str(file), "data", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "mini" in done.stdout
    entered = file.read_text().splitlines()
    assert any(line.endswith(" main") and "__main__.py:" in line for line in entered)
    assert not any("<" in line.partition(" ")[2].replace("<locals>", "") for line in entered)


def test_shown() -> None:
    rows = [Row("files", 1200, "220"), Row("per function", 8.46), Row("share", 0.288, is_share=True)]
    assert [house.shown(row) for row in rows] == ["1,200", "8.5", "29%"]
    assert "files" in house.show({"size": rows, "rooms": [Row("cli", 10, "20")]}).splitlines()[1]
