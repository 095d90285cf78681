"""The environments' initial tables: out of scenario files, and from beside the data."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.acebench.ace_scenarios import write_scenarios
from tests.benchmarks.acebench.ace_worlds import demo_tables
from tests.rows import rows
from toolgauge.benchmarks.acebench.data.published import extract_table, literal, load_tables, write_tables
from toolgauge.errors import DataError

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGAUGE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    for language in ("en", "zh"):
        write_scenarios(tmp_path / "scenarios" / language, demo_tables(language))
    return tmp_path / "scenarios"


def test_tables_are_read_out_of_scenario_files(scenarios: Path, tmp_path: Path) -> None:
    write_tables(scenarios, tmp_path / "environments")
    for language in ("en", "zh"):
        assert load_tables(language, tmp_path / "environments") == demo_tables(language)
        for name, table in demo_tables(language).items():
            file = tmp_path / "environments" / language / f"{name}.json"
            assert list(json.loads(file.read_text(encoding="utf-8"))) == list(table)


@pytest.mark.shared
@LANGUAGES
def test_the_published_tables_survive_the_way_through_a_scenario_file(
    shared: Path, tmp_path: Path, language: str
) -> None:
    tables = load_tables(language, shared / "data/acebench/data_all")
    write_scenarios(tmp_path, tables)
    files = {
        "base": "base_api.py",
        "message": "message.py",
        "reminder": "reminder.py",
        "food": "food_services.py",
        "travel": "travel.py",
    }
    for name, table in tables.items():
        assert extract_table(name, language, tmp_path / files[name]) == table


@rows(
    ("source", "expected"),
    [
        ("{1: 'a', 'b': [1.5, -2, True, None]}", {"1": "a", "b": [1.5, -2, True, None]}),
        ('(\'a\' \'b\', """c"d""")', ["ab", 'c"d']),
        ("datetime(2024, 7, 14, 6, 0, 0)", "2024-07-14 06:00:00"),
        ("datetime.datetime(2024, 7, 14)", "2024-07-14 00:00:00"),
    ],
)
def test_literals(source: str, expected: Any) -> None:
    assert literal(ast.parse(source, mode="eval").body) == expected


@rows(
    "source",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd')",
        "[x for x in (1, 2)]",
        "{**{}}",
        "{(1, 2): 3}",
        "1 + 1",
        "-'a'",
        "f'{1}'",
        "b'a'",
        "1j",
        "...",
        "{1, 2}",
        "name",
        "datetime(2024, 13, 1)",
        "datetime(2024)",
        "datetime(*[2024, 1, 1])",
        "datetime(2024, 1, 10**9)",
        "datetime(2024, 1, 99999999999999999999)",
        "datetime(year=2024, month=1, day=1)",
    ],
)
def test_what_is_no_literal_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"no |month|day"):
        literal(ast.parse(source, mode="eval").body)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("class MessageApi:\n  pass", r"message.py.*missing required field `max_capacity`"),
        (
            "class MessageApi:\n  max_capacity = 'six'\n  user_list = inbox = {}\n  message_id_counter = 1",
            r"message.py.*: Expected `int`, got `str`",
        ),
        ("class Message:\n  pass", r"class MessageApi is missing; is it the published scenario file"),
        ("class MessageApi(", r"invalid Python source"),
        ("x = " + "(" * 100_000, r"invalid Python source"),
        ("\0", r"invalid Python source"),
        ("#" * (1 << 20) + "#", r"has more than 1048576 characters"),
    ],
)
def test_other_layouts_are_named(tmp_path: Path, content: str, expected: str) -> None:
    file = tmp_path / "message.py"
    file.write_text(content)
    with pytest.raises(DataError, match=expected) as error:
        extract_table("message", "en", file)
    assert "\n" not in str(error.value)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="invalid Python source"):
        extract_table("message", "en", file)
    with pytest.raises(DataError, match="cannot be read"):
        extract_table("message", "en", tmp_path / "nowhere.py")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[]", r"food.json: environment table: Expected `object`, got `array`"),
        ("{", r"food.json:1: invalid JSON"),
        ('{"users": {}}', r"food.json.*missing required field `merchant_list`"),
        ('{"users": []}', r"food.json: .*\.users: .*Expected `object`, got `array`"),
    ],
)
def test_damaged_tables_are_named(tmp_path: Path, content: str, expected: str) -> None:
    for name, table in demo_tables("en").items():
        file = tmp_path / "environments" / "en" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(table), encoding="utf-8")
    file = tmp_path / "environments" / "en" / "food.json"
    file.write_text(content)
    with pytest.raises(DataError, match=expected):
        load_tables("en", tmp_path)
    file.unlink()
    with pytest.raises(DataError, match=r"food.json: cannot be read"):
        load_tables("en", tmp_path)
