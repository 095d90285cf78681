"""details.csv, summary.csv and summary.xlsx of ACEBench: what they say, and what hostile text does to them."""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from tests.benchmarks.acebench.ace_synthetic import (
    BOOL,
    dataset,
    marked,
    trajectory,
)
from toolgauge.benchmarks.acebench.numbers.details import (
    summary_row,
    write_ace_details,
)

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
Lines = list[list[str]]


def read(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 25)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def sheets(path: Path) -> dict[str, Lines]:
    """The texts of every sheet, row by row; what the format calls a formula does not occur."""
    with zipfile.ZipFile(path) as book:
        shared = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
        texts = ["".join(part.text or "" for part in one.iter(f"{SPACE}t")) for one in shared.iter(f"{SPACE}si")]
        listed = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{SPACE}sheet")
        found = {}
        for number, sheet in enumerate(listed, 1):
            content = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
            assert not list(content.iter(f"{SPACE}f"))
            found[str(sheet.get("name"))] = [_cells(row, texts) for row in content.iter(f"{SPACE}row")]
    return found


def _cells(row: ElementTree.Element, texts: list[str]) -> list[str]:
    cells: dict[int, str] = {}
    for one in row.iter(f"{SPACE}c"):
        value = one.findtext(f"{SPACE}v", "")
        column = re.sub(r"\d", "", str(one.get("r")))
        place = sum(26**power * (ord(letter) - 64) for power, letter in enumerate(reversed(column))) - 1
        cells[place] = texts[int(value)] if one.get("t") == "s" else value
    return [cells.get(place, "") for place in range(max(cells, default=-1) + 1)]


def test_Q19_short_and_deep_objects_are_not_exchanged() -> None:
    data = dataset(["normal_atom_object_short", "normal_atom_object_deep"], 4)
    row = summary_row(data, marked(data, "+---" + "+++-"), "m")
    assert (row["object_short"], row["object_deep"]) in ((0.25, 0.75), (0.75, 0.25))
    first = data.entries[0].category
    assert row["object_short" if first.endswith("short") else "object_deep"] == 0.25


def test_Q33_a_summary_that_lacks_a_category_is_called_incomplete() -> None:
    data = dataset([BOOL], 2)
    row = summary_row(data, marked(data, "+-"), "m")
    assert (row["bool"], row["enum"], row["agent multi-turn process"]) == (0.5, None, None)
    assert {row[name] for name in ("atom", "normal", "special", "agent", "overall")} == {"incomplete"}
    assert set(summary_row(data, [], "m").values()) == {"m", None, "incomplete"}


def test_Q18_flags_stand_beside_the_entries_they_belong_to(tmp_path: Path) -> None:
    data = dataset([BOOL], 5)
    write_ace_details(tmp_path / "d.csv", data, marked(data, "++-+-"), map(trajectory, data.entries))
    names, *lines = sheets(tmp_path / "summary.xlsx")["atom_bool"]
    assert names == [
        "id", "prompt", "expected answer", "model answer", "released", "released: reason", "exact", "exact: reason",
    ]  # fmt: skip
    assert [line[4] for line in lines] == ["right", "right", "wrong", "right", "wrong"]
    assert lines[2][:6] == [
        "normal_atom_bool_2", "user: please", '{"switch": {"on": true}}', "[switch(on=True)]", "wrong",
        "type_error: made up",
    ]  # fmt: skip


def test_Q18_control_characters_do_not_break_the_sheets(tmp_path: Path) -> None:
    data = dataset([BOOL], 1)
    hostile = "a\0b\x1bc\ud800d\ufffee_x0041_ <&\"' \r\n\t]]>"
    of = replace(data.entries[0], question=hostile)
    write_ace_details(tmp_path / "d.csv", replace(data, entries=(of,)), [], [trajectory(of, hostile)])
    line = sheets(tmp_path / "summary.xlsx")["atom_bool"][1]
    assert line[1] == line[3]
    assert line[3].startswith("a\ufffdb\ufffdc\ufffdd\ufffde")
    assert read(tmp_path / "d.csv")[0]["answer"].startswith("a\\u0000b\\u001bc\\ud800d")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "{=1+1}", "http://a.b", "＝1"])
def test_formulas_are_disarmed(tmp_path: Path, text: str) -> None:
    data = dataset([BOOL], 1)
    of = data.entries[0]
    write_ace_details(tmp_path / "d.csv", data, marked(data, "+"), [trajectory(of, text)], model=text)
    found = sheets(tmp_path / "summary.xlsx")  # has no formula
    assert found["atom_bool"][1][3] == found["summary"][1][0] == text
    for cell in (read(tmp_path / "d.csv")[0]["answer"], read(tmp_path / "summary.csv")[0]["model"]):
        assert cell == text or (cell == "'" + text and text[0] in "=+-@＝")
        assert cell[0] not in "=+-@＝"
