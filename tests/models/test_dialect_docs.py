"""The page about dialects names every one of them, with its models."""

from __future__ import annotations

import re
from pathlib import Path

from toolgauge.models.dialects.registry import DIALECTS

PAGE = Path(__file__).parents[2] / "docs" / "dialects.md"


def test_the_table_lists_every_dialect() -> None:
    table = PAGE.read_text("utf-8").split("| dialect | for |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `([\w.-]+)`[^|]*\| ([^|]+) \|", table, re.MULTILINE)
    assert sorted(rows) == sorted((dialect.name, dialect.title) for dialect in DIALECTS.values())
