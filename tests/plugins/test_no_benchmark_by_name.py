"""Outside of its own folder nobody asks which benchmark it has before it. What still does stands here, with the reason:
the list may only become shorter."""

from __future__ import annotations

import re

from tests.plugins.installing import ROOT

ROOMS = ("analysis", "report", "cli", "integrations")
NAMES = re.compile(r"(?<![#/])(?:acebench(?!\.md)|AceBench|wildtoolbench|mmtb)")
"""But where a docstring cites a page (docs/acebench.md, docs/rules.md#mmtbs-analyses)."""
LEFT: dict[str, tuple[int, str]] = {}
"""File -> lines with a name of a benchmark, and why."""


def test_no_room_knows_a_benchmark_by_name() -> None:
    found = {}
    for room in ROOMS:
        for file in sorted((ROOT / "src" / "toolgauge" / room).rglob("*.py")):
            lines = sum(NAMES.search(line) is not None for line in file.read_text(encoding="utf-8").splitlines())
            if lines:
                found[str(file.relative_to(ROOT / "src" / "toolgauge"))] = lines
    assert found == {file: number for file, (number, _) in LEFT.items()}, "take it from the benchmark, or shorten LEFT"
