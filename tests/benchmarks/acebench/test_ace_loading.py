"""ACEBench's data: categories, ids, and the loader that joins questions and answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rows import rows
from toolgauge.benchmarks.acebench.data.entries import EntryId, category_of, parse_id
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.errors import DataError, UsageError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "acebench"
DATA = FIXTURES / "data_all"

Change = Callable[[list[Any]], list[Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small data set that a test may damage."""
    shutil.copytree(DATA, tmp_path / "data_all")
    return tmp_path / "data_all"


def change(folder: Path, category: str, edit: Change, answers: bool = False) -> Path:
    """Edit the lines of a file; values that are texts are written as they are."""
    file = folder / "data_en" / ("possible_answer" if answers else "") / f"data_{category}.json"
    lines = edit([json.loads(line) for line in file.read_text().splitlines()])
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return file


def with_field(key: str, value: Any) -> Change:
    return lambda lines: [{**lines[0], key: value}, *lines[1:]]


def without(key: str) -> Change:
    return lambda lines: [{name: value for name, value in lines[0].items() if name != key}, *lines[1:]]


@rows(
    ("entry_id", "expected"),
    [
        ("normal_atom_bool_11", EntryId("normal_atom_bool", None, 11)),
        ("normal_multi_turn_user_adjust_15_2", EntryId("normal_multi_turn_user_adjust", 15, 2)),
        ("agent_multi_turn_0", EntryId("agent_multi_turn", None, 0)),
        ("normal_multi_turn_user_adjust_15", None),
        ("agent_multi_turn_1_0", None),
        ("normal_atom_bool_011", None),
        ("normal_atom_bool_-1", None),
        ("normal_atom_bool", None),
        ("normal_atom_bool_" + "9" * 5000, None),
        ("normal_atom_bool_1\n", None),
        ("", None),
        ("_0", None),
    ],
)
def test_ids_are_taken_apart(entry_id: str, expected: EntryId | None) -> None:
    assert parse_id(entry_id) == expected
    assert category_of(entry_id) == (expected.category if expected else None)


def test_schemas_are_found_under_any_of_their_names() -> None:
    data = load_acebench(DATA, "en").by_id
    for name, key in (("normal_atom_bool_0", "arguments"), ("normal_atom_list_0", "_arguments")):
        function = next(one for one in data[name].functions if one.name == "garden.frostWarning")
        assert key in function.original
        assert function.parameters == function.original[key]
        assert list(function.extra) == ["results", "tags"]


def test_entries_are_paired_by_id_not_by_position(folder: Path) -> None:
    change(folder, "normal_atom_enum", lambda lines: lines[::-1], answers=True)
    one, two = load_acebench(folder, "en", ["normal_atom_enum"]).entries
    assert (one.line, one.answer_line, two.answer_line) == (1, 2, 1)
    assert one.answers == load_acebench(DATA, "en").by_id[one.id].answers


def test_folders_that_hold_no_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="neither data_en nor data_zh; give the data_all folder"):
        load_acebench(tmp_path, "en")
    with pytest.raises(DataError, match="not a folder"):
        load_acebench(tmp_path / "nowhere", "en")
    (tmp_path / "data_en").mkdir()
    with pytest.raises(DataError, match="no question file"):
        load_acebench(tmp_path, "en")
    with pytest.raises(UsageError, match="choose en or zh"):
        load_acebench(DATA, "fr")


@pytest.mark.parametrize(
    ("category", "answers", "edit", "expected"),
    [
        ("normal_atom_enum", False, lambda lines: ["{", lines[1]], r"data_normal_atom_enum.json:1: invalid JSON"),
        ("normal_atom_enum", False, lambda lines: [7, lines[1]], r":1: the line must be an object"),
        ("normal_atom_enum", False, without("id"), r":1: id: missing"),
        ("normal_atom_enum", False, with_field("id", 3), r":1: id: must be a string"),
        ("normal_atom_enum", False, with_field("id", "normal_atom_bool_0"), r":1: id: invalid id .*; expected "),
        ("normal_atom_enum", False, with_field("id", "normal_atom_enum_1"), r":2: id: .* is already used in line 1"),
        ("normal_atom_enum", False, with_field("id", "normal_atom_enum_7"), r":1: id: .*_7 has no answer in possible"),
        ("normal_atom_enum", False, without("question"), r":1: question: missing"),
        ("normal_atom_enum", False, with_field("time", 5), r":1: time: must be a string"),
        ("normal_atom_enum", False, with_field("function", {}), r":1: function: must be a list"),
        ("normal_atom_enum", False, with_field("function", [1]), r":1: function\[0\]: must be an object"),
        ("normal_atom_enum", False, with_field("function", [{"name": ""}]), r"function\[0\].name: is empty"),
        (
            "normal_atom_enum",
            False,
            with_field("function", [{"name": "f", "arguments": 1}]),
            r"function\[0\].arguments: must be an object",
        ),
        ("normal_multi_turn_user_adjust", False, with_field("id", "normal_multi_turn_user_adjust_0"), r"<session>"),
        ("agent_multi_step", False, without("involved_classes"), r":1: involved_classes: missing"),
        ("agent_multi_step", False, with_field("initial_config", None), r":1: initial_config: must be an object"),
        ("normal_atom_enum", True, without("ground_truth"), r"possible_answer/.*:1: ground_truth: missing"),
        ("normal_atom_enum", True, with_field("ground_truth", []), r"ground_truth: must be .* not an empty list"),
        ("normal_atom_enum", True, with_field("ground_truth", "x"), r"ground_truth: must be .* not a string"),
        ("normal_atom_enum", True, with_field("ground_truth", [{}, 1]), r"ground_truth\[1\]: must be an object"),
        ("normal_atom_enum", True, with_field("ground_truth", {"f": []}), r"ground_truth.f: must be an object"),
        ("normal_atom_enum", True, lambda lines: lines[1:], r"data_en/data_.*:1: id: .*_0 has no answer"),
        ("normal_atom_enum", True, with_field("id", "normal_atom_enum_9"), r":1: id: normal_atom_enum_0 has no answer"),
        (
            "normal_atom_enum",
            True,
            lambda lines: [*lines, {"id": "normal_atom_enum_9", "ground_truth": {}}],
            r"possible_answer/.*:3: id: .*_9 has no question",
        ),
        ("special_incomplete", True, with_field("ground_truth", {"f": "x"}), r"ground_truth.f: must be a list"),
        ("special_irrelevant", True, with_field("ground_truth", {}), r"ground_truth: must be a string"),
        ("agent_multi_step", True, with_field("ground_truth", {}), r"ground_truth: must be a list"),
        ("agent_multi_step", True, with_field("ground_truth", [{"A": {}, "B": {}}]), r"\[0\]: .* one key, the class"),
        ("agent_multi_step", True, with_field("ground_truth", [{"A": 1}]), r"ground_truth\[0\].A: must be an object"),
        ("agent_multi_step", True, with_field("mile_stone", [["a"], "b"]), r"mile_stone\[0\]: must be a string"),
        ("agent_multi_step", True, with_field("mile_stone", [["a", 1]]), r"mile_stone\[0\]\[1\]: must be a string"),
        ("agent_multi_step", True, without("mile_stone"), r"mile_stone: missing"),
    ],
)
def test_damage_is_named_with_its_place(
    folder: Path, category: str, answers: bool, edit: Change, expected: str
) -> None:
    change(folder, category, edit, answers)
    with pytest.raises(DataError, match=expected) as error:
        load_acebench(folder, "en", [category])
    assert "\n" not in str(error.value)
    assert load_acebench(folder, "zh", [category]).entries
