"""The published tables: what was transcribed, and misprints that are noted and no others."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from toolgauge.report.papers import PaperTable, published

TASKS, SESSIONS = 1024, 256
FILES = {
    "wildtoolbench_accuracy": "wildtoolbench_main",
    "wildtoolbench_orchestration": "wildtoolbench_orchestration",
    "wildtoolbench_mistakes": "wildtoolbench_errors",
    "wildtoolbench_mistakes_main_text": "wildtoolbench_errors_table4",
    "wildtoolbench_references": "wildtoolbench_hidden_intent",
    "mmtb_accuracy": "mmtb_main",
    "mmtb_kinds": "mmtb_action_types",
    "mmtb_references": "mmtb_subtypes",
    "acebench_accuracy": "acebench_main",
}


def table(name: str) -> PaperTable:
    return published().tables[name]


def numbers(name: str) -> dict[str, dict[str, float]]:
    """A table's numbers as printed, by model and column."""
    return {model: {c: float(v) for c, v in row.items() if v} for model, row in table(name).rows.items()}


def count(printed: float, total: int, digits: int = 2) -> int | None:
    """Of how many of `total` the printed percentage is the share, or None if of no whole number."""
    near = round(printed * total / 100)
    return near if abs(100 * near / total - printed) <= 0.5 * 10**-digits + 1e-9 else None


def test_the_tables_have_the_papers_models() -> None:
    sizes = {name: len(table(name).rows) for name in FILES}
    assert list(sizes.values()) == [57, 58, 57, 16, 16, 15, 15, 15, 29]
    assert {name: len(models) for name, models in published().models.items()} == {
        "wildtoolbench": 58,
        "mmtb": 15,
        "acebench": 29,
    }
    families = [published().models["wildtoolbench"][name].family for name in table("wildtoolbench_accuracy").rows]
    groups = ("proprietary_general", "open_general", "open_specialized")
    assert [families.count(group) for group in groups] == [16, 30, 11]


@pytest.mark.parametrize(("name", "file"), FILES.items())
def test_the_copy_is_what_was_transcribed(name: str, file: str, shared: Path) -> None:
    if not (shared / "data" / "published").is_dir():
        pytest.skip("the transcribed tables are not here")
    with (shared / "data" / "published" / f"{file}.csv").open(encoding="utf-8", newline="") as lines:
        theirs = {row["model"]: row for row in csv.DictReader(lines)}
    ours = table(name)
    assert list(ours.rows) == list(theirs)
    for model, row in ours.rows.items():
        assert {column: theirs[model][column] for column in ours.columns} == row
        said = published().models[ours.benchmark][model]
        assert said.family == (theirs[model].get("family") or theirs[model]["group"])
        assert said.thinking == (theirs[model].get("thinking", "0") == "1")
