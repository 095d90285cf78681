"""The published tables against themselves: means, whole numbers of tasks, sums; what does not fit is listed here."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from toolgauge.report.papers import PaperTable, published, size_in_name

TASKS, SESSIONS = 1024, 256
KINDS = ("single", "multi", "clarify", "chat")
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


def failed(model: str) -> int:
    return TASKS - (count(numbers("wildtoolbench_accuracy")[model]["task_accuracy"], TASKS) or 0)


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


def test_accuracy_is_the_mean_of_kinds_and_of_positions() -> None:
    for row in numbers("wildtoolbench_accuracy").values():
        assert abs(sum(row[kind] for kind in KINDS) / 4 - row["task_accuracy"]) <= 0.0076
        assert abs(sum(row[f"task{place}"] for place in range(1, 5)) / 4 - row["task_accuracy"]) <= 0.0051


def test_accuracy_counts_whole_tasks_and_sessions() -> None:
    for row in numbers("wildtoolbench_accuracy").values():
        right = count(row["task_accuracy"], TASKS)
        assert right is not None
        assert count(row["session_accuracy"], SESSIONS) is not None
        assert right == sum(count(row[kind], 256) or 0 for kind in KINDS)
        assert right == sum(count(row[f"task{place}"], 256) or 0 for place in range(1, 5))


def test_orchestration_has_its_denominators() -> None:
    """157 parallel, 16 sequential, 84 mixed tasks; 53 and 544 annotated actions; one value is off by rounding."""
    totals = {
        "acc_parallel": 157, "acc_sequential": 16, "acc_mixed": 84, "acc_overall": 256,
        "ap_sequential": 53, "ap_mixed": 544, "ap_overall": 597,
        "op_parallel": 157, "op_mixed": 84, "op_overall": 241,
    }  # fmt: skip
    odd = []
    for model, row in numbers("wildtoolbench_orchestration").items():
        counts = {column: count(row[column], total) for column, total in totals.items()}
        odd += [(model, column) for column, number in counts.items() if number is None]
        near = {column: round(row[column] * total / 100) for column, total in totals.items()}
        assert near["acc_parallel"] + near["acc_sequential"] + near["acc_mixed"] == near["acc_overall"]
        assert near["ap_sequential"] + near["ap_mixed"] == near["ap_overall"]
        assert near["op_parallel"] + near["op_mixed"] == near["op_overall"]
    assert odd == [("Qwen3-0.6B", "op_parallel")]


def test_orchestration_agrees_with_the_main_table() -> None:
    main, tools = numbers("wildtoolbench_accuracy"), numbers("wildtoolbench_orchestration")
    assert set(tools) - set(main) == {"o4-mini"}
    assert not set(main) - set(tools)
    assert all(tools[model]["acc_overall"] == row["multi"] for model, row in main.items())


def test_mistakes_are_shares_of_the_failed_tasks() -> None:
    mistakes = numbers("wildtoolbench_mistakes")
    main = numbers("wildtoolbench_accuracy")
    assert set(mistakes) - set(main) == {"o4-mini"}
    assert set(main) - set(mistakes) == {"Qwen3-32B-Thinking"}
    for model in set(mistakes) & set(main):
        assert all(count(mistakes[model][column], failed(model)) is not None for column in NINE), model


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


def test_wrong_refusals_are_mostly_failed_chat_tasks() -> None:
    main = numbers("wildtoolbench_accuracy")
    apart = {
        model: abs((count(row["wrong_refusal"], failed(model)) or 0) - (256 - (count(main[model]["chat"], 256) or 0)))
        for model, row in numbers("wildtoolbench_mistakes").items()
        if model in main
    }
    assert sum(distance == 0 for distance in apart.values()) == 32
    assert {model for model, distance in apart.items() if distance > 4} == {
        "Llama-3.3-70B-Instruct", "Llama-3.3-8B-Instruct", "Llama-3.3-3B-Instruct", "Llama-3.3-1B-Instruct",
        "Gemini-2.5-Pro", "GPT-4.1", "Doubao-1.5",
    }  # fmt: skip


def test_hidden_information_has_its_denominators() -> None:
    """DeepSeek-V3's 346 of 768 is 45.052, printed 45.0: cut off, or rounded twice."""
    totals = {"partial_information": 349, "coreferential_reference": 240, "long_range_dependency": 179}
    main = numbers("wildtoolbench_accuracy")
    odd = set()
    for model, row in numbers("wildtoolbench_references").items():
        counts = [count(row[column], total, 1) for column, total in totals.items()]
        assert None not in counts
        right = sum(number or 0 for number in counts)
        assert right == sum(count(main[model][f"task{place}"], 256) or 0 for place in (2, 3, 4))
        odd |= {model} if count(row["overall"], 768, 1) != right else set()
    assert odd == {"DeepSeek-V3"}


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


def test_mmtb_progress_and_optimal_path_fit_each_others_denominators() -> None:
    odd = set()
    for model, row in numbers("mmtb_kinds").items():
        fits = {
            "optimal_path_rate_as_printed": 597,
            "accomplished_progress_as_printed": 241,
        }
        odd |= {(model, column) for column, total in fits.items() if count(row[column], total) is None}
    assert {model for model, _ in odd} <= {"DeepSeek-R1", "DeepSeek-V3", "Hammer2.1-7b"}
    assert ("Hammer2.1-7b", "accomplished_progress_as_printed") in odd


def test_mmtb_subtypes_have_their_denominators() -> None:
    totals = {"implicit": 349, "ellipsis": 240, "long_term": 179}
    odd = {
        model
        for model, row in numbers("mmtb_references").items()
        for column, total in totals.items()
        if count(row[column], total) is None
    }
    assert odd == {"DeepSeek-R1", "DeepSeek-V3"}


def test_acebench_overall_is_the_weighted_mean() -> None:
    for row in numbers("acebench_accuracy").values():
        weighted = 0.578 * row["normal"] + 0.2676 * row["special"] + 0.1545 * row["agent"]
        assert abs(weighted - row["overall"]) <= 0.0011


def test_a_fraction_is_shown_in_percent_with_its_own_digits() -> None:
    ace = table("acebench_accuracy")
    assert ace.rows["o1-mini"]["agent"] == "0.610"
    assert ace.percent("o1-mini", "agent") == "61.0"
    assert ace.rate("o1-mini", "agent") == 0.61
    assert table("wildtoolbench_accuracy").percent("GPT-5", "session_accuracy") == "5.86"
    assert table("wildtoolbench_mistakes").percent("no such model", "refusal") is None


def test_sizes_and_thinking_are_what_the_names_say() -> None:
    for models in published().models.values():
        for model in models.values():
            stated = re.search(r"(?i)(?<![a-z\d.])(\d+(?:\.\d+)?)b(?![a-z])", model.name)
            assert model.size == (float(stated[1]) if stated else None), model.name
            assert size_in_name(model.name) == model.size, model.name
            assert model.thinking == ("Thinking" in model.name)
    assert sum(model.thinking for model in published().models["wildtoolbench"].values()) == 10


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("openai/Qwen3-30B-A3B", 30),
        ("qwen2.5-1.5b-instruct", 1.5),
        ("org/model-7B", 7),
        ("gpt-4o", None),
        ("Phi-3-mini-128k", None),
        ("8bit-model", None),
        ("", None),
        ("9" * 5000 + "B", None),
    ],
)
def test_a_size_is_read_from_a_name(name: str, size: float | None) -> None:
    assert size_in_name(name) == size


def test_every_note_points_at_something_printed() -> None:
    for paper_table in published().tables.values():
        for note in paper_table.notes:
            every = [table(name) for name in note.tables]
            assert every
            assert all(any(model in one.rows for one in every) for model in note.models)
            assert all(any(column in one.columns for one in every) for column in note.columns)
            assert note.en
            assert note.zh
            assert note.en != note.zh


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
