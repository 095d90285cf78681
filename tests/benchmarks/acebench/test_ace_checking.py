"""`toolgauge data check` and `data stats` for ACEBench's data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.benchmarks.acebench.test_ace_loading import DATA, Change, change, with_field, without
from toolgauge.benchmarks.acebench.data.check import answer_faults, check_acebench, question_faults
from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction, called_name
from toolgauge.benchmarks.acebench.data.published import known_errors
from toolgauge.cli.data import app
from toolgauge.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TOOLGAUGE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA.parent, tmp_path / "ace")
    return tmp_path / "ace" / "data_all"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def two(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": "f", "description": "", "parameters": parameters}]


@pytest.mark.parametrize(
    ("category", "answers", "edit", "expected"),
    [
        (
            "normal_atom_enum",
            False,
            lambda lines: ["{", "["],
            ["enum.json:1: invalid JSON", "enum.json:2: invalid JSON"],
        ),
        ("normal_atom_enum", False, lambda lines: lines[:1], ["possible_answer/.*:2: id: .* has no question"]),
        ("normal_atom_enum", False, with_field("question", " "), [":1: question: is empty"]),
        ("normal_atom_enum", False, with_field("function", []), [":1: function: is empty", "not among the available"]),
        ("normal_preference", False, without("profile"), [":1: profile: is empty or missing"]),
        (
            "special_irrelevant",
            False,
            with_field("function", two({"type": "quark", "properties": {"a": {"type": "float"}, "b": 3}})),
            [r"parameters.type: unknown type 'quark'", r"parameters.properties.b: must be an object"],
        ),
        (
            "special_irrelevant",
            False,
            with_field("function", two({"properties": {"a": {"items": {"type": 1}}}}) * 2),
            [r"a.items.type: unknown type 1", r"a.items.type", "function: describes 'f' 2 times"],
        ),
        ("special_irrelevant", False, with_field("function", two({"properties": []})), ["properties: must be an obj"]),
        ("agent_multi_step", False, with_field("initial_config", {}), ["initial_config: configures nothing, expected"]),
        (
            "agent_multi_step",
            False,
            with_field("initial_config", {"BaseApi": {"wifi": 1, "x": True}}),
            ["BaseApi.wifi: must be wifi or logged_in", "BaseApi.x: must be"],
        ),
        (
            "agent_multi_step",
            False,
            with_field("involved_classes", ["BaseApi", "Fridge"]),
            [
                r"involved_classes\[1\]: unknown environment 'Fridge'",
                "describes the state of 'BaseApi', 'FoodPlatform'",
            ],
        ),
        ("normal_atom_enum", True, with_field("ground_truth", {}), ["ground_truth: is empty; at least one call"]),
        (
            "normal_atom_enum",
            True,
            with_field("ground_truth", {"g": {}}),
            [r"ground_truth.g: is not among the available functions"],
        ),
        (
            "normal_atom_enum",
            True,
            with_field("ground_truth", [{"heating_set_mode_1": {"mode": "party", "x": 1}}, {"heating_set_mode": {}}]),
            [
                r"ground_truth\[0\].heating_set_mode_1: .*'x' was unexpected",
                r"ground_truth\[0\].heating_set_mode_1.mode: \"party\" is not one of",
                r"ground_truth\[1\].heating_set_mode: \"mode\" is a required property",
            ],
        ),
        ("special_incomplete", True, with_field("ground_truth", {"g": ["x"]}), ["ground_truth.g: is not among the"]),
        (
            "special_incomplete",
            True,
            with_field("ground_truth", {"reserve_table": ["x"]}),
            [r"reserve_table\[0\]: 'x' is not a parameter"],
        ),
        (
            "special_error_param",
            True,
            with_field("ground_truth", {"fahrenheit": [-5]}),
            ["fahrenheit: is not a parameter of the available", r"fahrenheit\[0\]: -5 does not occur in the dialogue"],
        ),
        ("special_irrelevant", True, with_field("ground_truth", "no"), ["ground_truth: must contain 'the limit"]),
        (
            "agent_multi_step",
            True,
            with_field("mile_stone", [["[f(x=1)]", "[turn_on_wifi(x=1)]"], ["[it's]", "[]"]]),
            [
                r"mile_stone\[0\]\[0\]: 'f' is not among the available functions",
                r"mile_stone\[0\]\[1\]: 'x' is not a parameter of 'turn_on_wifi'",
                r"mile_stone\[1\]\[0\]: cannot parse .* as calls",
                r"mile_stone\[1\]\[1\]: cannot parse .* as calls",
            ],
        ),
    ],
)
def test_every_problem_is_said(folder: Path, category: str, answers: bool, edit: Change, expected: list[str]) -> None:
    change(folder, category, edit, answers)
    problems = [str(problem) for problem in check_acebench(folder, "en").problems]
    for words in expected:
        assert any(re.search(words, problem) for problem in problems), problems
    assert all("\n" not in problem for problem in problems)
    assert check_acebench(folder, "zh").problems == ()


def test_damaged_tables_are_a_problem(folder: Path) -> None:
    (folder.parent / "environments" / "en" / "food.json").write_text("{}")
    (problem,) = check_acebench(folder).problems
    assert problem.file.endswith("food.json")
    shutil.rmtree(folder.parent / "environments")
    assert check_acebench(folder).problems == ()


def test_Q09_a_number_is_cut_only_from_what_is_no_function() -> None:
    assert called_name("tour_2", {"tour"}) == "tour"
    assert called_name("tour_2", {"tour", "tour_2"}) == "tour_2"
    assert called_name("tour", {"tour"}) == "tour"
    function = AceFunction("tour_2", parameters={"properties": {}})
    entry = AceEntry("normal_similar_api_0", "normal_similar_api", "zh", "?", (function,), answers=({"tour_2": {}},))
    assert [*question_faults(entry), *answer_faults(entry)] == []


def test_the_commands(folder: Path, tmp_path: Path) -> None:
    result = run("check", str(folder))
    assert (result.exit_code, "no problems" in result.output) == (0, True)
    change(folder, "normal_atom_enum", with_field("question", ""))
    result = run("check", str(folder), "--language", "en")
    assert result.exit_code == 1
    assert "data_normal_atom_enum.json:1: question: is empty" in result.output
    assert "1 problem" in result.output
    assert run("check", str(folder), "--language", "zh").exit_code == 0
    result = run("stats", str(folder))
    assert result.exit_code == 0
    assert "agent_multi_turn" in result.output
    assert isinstance(run("check", str(tmp_path / "cache" / "..")).exception, DataError | UsageError)
    (tmp_path / "other").mkdir()
    assert "neither data_en nor data_zh" in str(run("check", str(tmp_path / "other")).exception)


@pytest.mark.shared
def test_the_published_data_have_only_their_known_errors(shared: Path) -> None:
    findings = check_acebench(shared / "data/acebench/data_all")
    assert findings.problems == ()
    assert len(findings.known) == len(known_errors()) == 98
