"""ACEBench's metrics: values counted by hand, what is missing, intervals, the numbers as published; tables,
details.csv, summary.csv and summary.xlsx, and what hostile text does to them.
"""

from __future__ import annotations

import ast
import csv
import json
import math
import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from tests.benchmarks.acebench.ace_building import (
    ADJUST,
    BOOL,
    STEP,
    SWITCH,
    TURN,
    dataset,
    demo_tables,
    entries,
    ids,
    marked,
    score,
    scores,
    trajectory,
    verdict,
    write_scenarios,
)
from tests.rows import rows
from toolgauge.analysis.binomial import wilson
from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, GROUPS, AceDataset
from toolgauge.benchmarks.acebench.data.published import extract_table, literal, load_tables, write_tables
from toolgauge.benchmarks.acebench.judge.agent import released_process
from toolgauge.benchmarks.acebench.judge.judge import judge_normal
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers.details import (
    summary_row,
    write_ace_details,
)
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.benchmarks.acebench.numbers.tables import WEIGHTS
from toolgauge.errors import DataError
from toolgauge.judge.verdict import Score

Table = Any


def measured(data: AceDataset, made: list[Score], requested: list[str] | None = None) -> Table:
    return AceReport().metrics("acebench", data, made, ids(data) if requested is None else requested)


def tables(content: Table, scoring: str = "released") -> Table:
    found: Table = content.scorings[scoring]
    return found


def values(table: Table) -> dict[str, float | None]:
    return {row: entry.value for row, entry in table.items()}


def test_a_session_is_right_if_all_its_turns_are() -> None:
    """Spec 4.7: sessions of three turns, of which 3, 2, 0 are right."""
    data = dataset([ADJUST], 3, turns=3)
    content = measured(data, marked(data, "++++-+---"))
    found = tables(content)["categories"]
    assert found[ADJUST].value == round(1 / 3, 6)
    assert (found[ADJUST].correct, found[ADJUST].total) == (1, 3)
    assert found[f"{ADJUST}_process"].value == round((1 + 2 / 3 + 0) / 3, 6)
    assert (content.tasks, content.sessions) == (9, 3)


def test_sessions_are_rounded_before_they_are_averaged_as_published() -> None:
    """Spec 4.7: two and one of three turns are 0.667 and 0.333."""
    data = dataset([ADJUST], 2, turns=3)
    published = values(tables(measured(data, marked(data, "++-+--")))["published"])
    assert published[f"{ADJUST}_process"] == round((0.667 + 0.333) / 2, 3)
    assert published[ADJUST] == 0.0


def test_groups_are_plain_means_of_categories() -> None:
    data = dataset()
    found = tables(measured(data, scores(data)))
    rate = values(found["categories"])

    def mean(*rows: str) -> float:
        return sum(rate[row] or 0.0 for row in rows) / len(rows)

    group = values(found["groups"])
    assert group["atom"] == pytest.approx(mean(*GROUPS["atom"]), abs=1e-6)
    assert group["normal"] == pytest.approx(mean(*GROUPS["normal"]), abs=1e-6)
    assert group["multi_turn_process"] == pytest.approx(mean(f"{ADJUST}_process", f"{SWITCH}_process"), abs=1e-6)
    assert group["agent_process"] == pytest.approx(mean(f"{STEP}_process", f"{TURN}_process"), abs=1e-6)
    overall = sum(weight * (group[name] or 0.0) for name, weight in WEIGHTS.items())
    assert found["overall"]["overall"].value == pytest.approx(overall, abs=1e-6)
    assert found["groups"]["normal"].total == 12 * 4


def test_published_numbers_are_rounded_at_every_stage() -> None:
    """1 of 3 is 0.333 in each category, so overall comes from 0.333 and not from a third; special keeps all digits."""
    data = dataset(sessions=3, turns=1)
    marks = "".join("+--" for _ in CATEGORIES)
    found = tables(measured(data, marked(data, marks)))
    published = values(found["published"])
    assert {published[name] for name in CATEGORIES if not name.startswith("special")} == {0.333}
    assert published["special_incomplete"] == 1 / 3
    assert {published[name] for name in ("atom", "single_turn", "multi_turn", "normal", "special", "agent")} == {0.333}
    assert published["overall"] == round(0.333 * (0.578 + 0.2676 + 0.1545), 3)
    assert found["groups"]["normal"].value == 0.333333
    assert found["published"]["normal"].ci95 is None
    assert (found["published"][BOOL].correct, found["published"][BOOL].total) == (1, 3)


def test_special_tells_what_was_noticed_from_what_was_named() -> None:
    data = dataset(GROUPS["special"], 4)
    made = []
    for entry in data.entries:
        number = int(entry.id.rpartition("_")[2])
        mistake = AceError.DETECTION if number == 0 else AceError.CORRECTION
        made.append(score(entry, verdict(number > 1, mistake.value)))
    found = tables(measured(data, made))
    assert found["groups"]["special"].value == 0.5
    assert found["groups"]["special_detection"].value == 0.75
    assert found["categories"]["special_incomplete_detection"].value == 0.75
    assert found["error_types"]["error_detection"].value == 0.5


def test_agents_have_a_process_score_beside_the_end() -> None:
    data = dataset([STEP, TURN], 2)
    processes = (1.0, 0.25, 0.5, 0.0)
    made = [
        score(entry, verdict(share == 1.0, AceError.CLASS_NUMBER.value, share))
        for entry, share in zip(data.entries, processes, strict=True)
    ]
    found = tables(measured(data, made))
    assert values(found["categories"])[STEP] == 0.5
    assert values(found["categories"])[f"{STEP}_process"] == 0.625
    assert found["categories"][f"{STEP}_process"].correct == 1.25
    assert values(found["groups"])["agent_process"] == 0.4375
    assert values(found["published"])[f"{TURN}_process"] == 0.25
    assert values(found["published"])["agent"] == 0.25


def test_Q17_what_a_later_alternative_accepts_is_not_listed_as_wrong() -> None:
    (plain,) = entries(BOOL, 1)
    entry = replace(plain, answers=({"switch": {"on": True}, "other": {}}, {"switch": {"on": True}}))
    found = judge_normal(entry, "[switch(on=True)]")["released"]
    made = score(entry, verdict(found.correct, found.error_type))
    rows = tables(measured(AceDataset("acebench", "en", "0" * 64, (entry,), "made up"), [made]))
    assert rows["categories"][BOOL].correct == 1
    assert {row.total for row in rows["error_types"].values()} == {0}


def test_Q26_of_alternatives_the_best_rounded_share_is_averaged() -> None:
    """Two of three milestones of the first alternative are passed, none of the second."""
    share = released_process((("a", "b", "c"), ("x", "y", "z")), ["a", "b"])
    assert share == 0.667
    data = dataset([STEP], 2)
    shares = (share, 1 / 3)
    made = [score(entry, verdict(False, process=one)) for entry, one in zip(data.entries, shares, strict=True)]
    found = tables(measured(data, made))
    assert values(found["published"])[f"{STEP}_process"] == round((0.667 + 1 / 3) / 2, 3)
    assert values(found["categories"])[f"{STEP}_process"] == round((0.667 + 1 / 3) / 2, 6)


def test_Q33_a_missing_category_is_said_and_not_counted_as_zero() -> None:
    data = dataset([name for name in CATEGORIES if name != "special_irrelevant"])
    found = tables(measured(data, marked(data, "+" * len(data.entries))))
    for table, row in (
        ("groups", "special"),
        ("overall", "overall"),
        ("published", "special"),
        ("published", "overall"),
    ):
        assert found[table][row].value is None
        assert found[table][row].incomplete == ("special_irrelevant",)
    assert found["groups"]["normal"].value == found["published"]["agent"].value == 1.0
    assert not found["groups"]["normal"].incomplete


def test_a_missing_entry_is_never_wrong() -> None:
    data = dataset([BOOL], 4)
    content = measured(data, marked(data, "+- +"))
    row = tables(content)["categories"][BOOL]
    assert (row.value, row.total, row.requested, row.scored, row.missing) == (0.666667, 3, 4, 3, 1)
    assert values(tables(content)["published"])[BOOL] == 0.667
    assert (content.scored, content.missing) == (3, 1)
    nothing = measured(data, [])
    assert nothing.scorings == {}
    assert (nothing.scored, nothing.missing) == (0, 4)


def test_the_interval_of_a_mean_of_two_categories_worked_by_hand() -> None:
    """Zou, Huang and Zhang 2009: the parts' distances, weighted, add up like variances."""
    data = dataset(GROUPS["multi_turn"], 20, turns=1)
    found = tables(measured(data, marked(data, "+" * 15 + "-" * 5 + "+" * 10 + "-" * 10)))["groups"]["multi_turn"]
    (low_1, high_1), (low_2, high_2) = wilson(15, 20), wilson(10, 20)
    assert found.value == 0.625
    assert found.ci95[0] == pytest.approx(0.625 - math.hypot(0.75 - low_1, 0.5 - low_2) / 2, abs=1e-6)
    assert found.ci95[1] == pytest.approx(0.625 + math.hypot(high_1 - 0.75, high_2 - 0.5) / 2, abs=1e-6)


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
