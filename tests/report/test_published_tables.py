"""The published tables: what was transcribed, and misprints that are noted and no others."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from toolgauge.report.papers import PaperTable, published

TASKS, SESSIONS = 1024, 256
NINE = published().tables["wildtoolbench_mistakes"].columns
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
MMTB_MISPRINTED = {"doubao-1.5-pro-32k", "Llama-3.3-70B-Instruct", "Hammer2.1-7b", "DeepSeek-R1", "DeepSeek-V3"}


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


def test_only_the_noted_rows_of_mistakes_lack_a_class() -> None:
    short = {m for m, row in numbers("wildtoolbench_mistakes").items() if abs(sum(row.values()) - 100) > 0.05}
    noted = next(note for note in table("wildtoolbench_mistakes").notes if len(note.models) == 16)
    assert short == set(noted.models)
    sums = {model: round(sum(numbers("wildtoolbench_mistakes")[model].values()), 2) for model in short}
    assert sums["xLAM-2-1B"] == 97.5
    assert sums["Qwen2.5-0.5B-Instruct"] == 98.01
    assert all(abs(sum(r.values()) - 100) <= 0.021 for r in numbers("wildtoolbench_mistakes_main_text").values())


def test_the_two_tables_of_mistakes_differ_where_it_is_noted() -> None:
    short, long = numbers("wildtoolbench_mistakes_main_text"), numbers("wildtoolbench_mistakes")
    assert set(short) - set(long) == {"Qwen3-32B-Thinking"}
    found = {(m, c) for m in set(short) & set(long) for c in NINE if short[m][c] != long[m][c]}
    noted = {
        (model, column)
        for note in table("wildtoolbench_mistakes").notes
        if "wildtoolbench_mistakes_main_text" in note.tables
        for model in note.models
        for column in note.columns
    }
    assert found == noted
    assert len({model for model, _ in found}) == 11


def test_mmtb_follows_from_its_kinds_but_for_the_noted_models() -> None:
    odd = set()
    for model, row in numbers("mmtb_kinds").items():
        sizes = {"single": 256, "chat": 256, "clarify": 256}
        sizes |= {"multi_parallel": 157, "multi_sequential": 16, "multi_mixed": 84}
        counts = [count(row[column], total) for column, total in sizes.items()]
        right = None if None in counts else sum(number or 0 for number in counts)
        if right is None or count(numbers("mmtb_accuracy")[model]["overall_accuracy"], TASKS) != right:
            odd.add(model)
    assert odd == MMTB_MISPRINTED
    assert odd == {model for note in published().tables["mmtb_accuracy"].notes for model in note.models} | {
        "Hammer2.1-7b"
    }


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


@pytest.mark.parametrize("page", ["docs/originals.md", "docs/zh/originals.md"])
def test_tables_about_other_benchmarks_are_those_of_the_page(page: str) -> None:
    """Tables 1 and 5, with their source; the page shows what the files have."""
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    words = {"yes": ("yes", "有"), "no": ("no", "无"), "": ("–",)}
    for name, number in (("wildtoolbench_benchmarks", 1), ("wildtoolbench_elsewhere", 5)):
        found = published().beside[name]
        assert found.place["en"] == f"Table {number}"
        for heading, row in found.rows.items():
            shown = next(line for line in text.splitlines() if line.startswith(f"| {heading} |"))
            cells = [cell.strip() for cell in shown.strip("|").split("|")][1:]
            for cell, printed in zip(cells, row.values(), strict=True):
                assert cell in words.get(printed, (printed,)), heading
