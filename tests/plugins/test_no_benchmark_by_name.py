"""Outside of its own folder nobody asks which benchmark it has before it. What still does stands here, with the reason:
the list may only become shorter."""

from __future__ import annotations

import re

from tests.plugins.installing import ROOT

ROOMS = ("analysis", "report", "cli", "integrations")
NAMES = re.compile(r"(?<![#/])(?:acebench|AceBench|wildtoolbench|mmtb)")
"""But where a docstring cites a page (docs/acebench.md, docs/rules.md#mmtbs-analyses)."""
LEFT = {
    "analysis/tables.py": (1, "the table mistakes_mmtb: it moves with the tables of dialogues"),
    "analysis/titles_en.py": (1, "the key summary_acebench"),
    "analysis/titles_zh.py": (1, "the key summary_acebench"),
    "analysis/error_analysis/words.py": (2, "the key opening_acebench"),
    "report/pages/differences.py": (1, "the table mistakes_mmtb, in which more is not better"),
    "report/pages/links.py": (2, "filters of the list of tasks by row: the categories, and the table mistakes_mmtb"),
    "cli/compare.py": (1, "help of --reading"),
    "cli/analyse.py": (1, "help of --reading"),
    "cli/export.py": (1, "help of --reading"),
    "cli/score.py": (3, "help"),
    "cli/run.py": (9, "help; run options are not yet the benchmark's own"),
    "cli/data.py": (9, "checking and describing of data is not yet the benchmark's own"),
    "integrations/source.py": (1, "whose layout a file of sessions has"),
    "integrations/rewards.py": (1, "MMTB has no reading `tables`"),
    "integrations/inspect_ai/registry.py": (4, "a task of Inspect for each of our benchmarks"),
    "integrations/inspect_ai/tasks.py": (7, "a task of Inspect for each of our benchmarks"),
}
"""File -> lines with a name of a benchmark, and why."""


def test_no_room_knows_a_benchmark_by_name() -> None:
    found = {}
    for room in ROOMS:
        for file in sorted((ROOT / "src" / "toolgauge" / room).rglob("*.py")):
            lines = sum(NAMES.search(line) is not None for line in file.read_text(encoding="utf-8").splitlines())
            if lines:
                found[str(file.relative_to(ROOT / "src" / "toolgauge"))] = lines
    assert found == {file: number for file, (number, _) in LEFT.items()}, "take it from the benchmark, or shorten LEFT"
