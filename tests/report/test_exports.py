"""Exports, read again by others: the csv module, zip and XML, polars, json."""

from __future__ import annotations

import csv
import json
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest
from msgspec import UNSET
from msgspec.structs import replace

import toolgauge
from toolgauge.benchmarks.manifest import ModelRecord
from toolgauge.errors import UsageError
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.results import open_run, open_runs

FIXTURES = Path(__file__).parents[1] / "fixtures"
csv.field_size_limit(sys.maxsize)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two runs of mini and one of ACEBench."""
    root = tmp_path_factory.mktemp("runs")
    toolgauge.run("mini", "builtin/noisy", out=root / "noisy")
    toolgauge.run("mini", "builtin/silent", out=root / "silent")
    toolgauge.run("acebench", "builtin/noisy", data=FIXTURES / "acebench", out=root / "ace")
    return {path.name: path for path in root.iterdir()}


Exporter = Callable[..., Path]


@pytest.fixture
def made(runs: dict[str, Path], tmp_path: Path) -> Exporter:
    """Export runs by name; the file."""

    def make(to: str, *names: str, **choices: Any) -> Path:
        wanted = ExportRequest.of(open_runs([runs[name] for name in names]), **choices)
        return export(wanted, to, tmp_path / f"out.{to}").paths[0]

    return make


def details(folder: Path) -> list[dict[str, str]]:
    with (folder / "details.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def sheet(path: Path) -> list[dict[str, str]]:
    """The first sheet by its XML alone: a cell is (kind:)text."""
    name = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as book:
        root = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        assert not root.findall(".//m:f", name), "no cell is a formula"
    rows = []
    for row in root.findall(".//m:row", name):
        cells = {}
        for one in row.findall("m:c", name):
            text = "".join(part.text or "" for part in one.iter() if part.tag.endswith(("}t", "}v")))
            cells[re.sub(r"\d", "", one.attrib["r"])] = f"{one.attrib.get('t', 'n')}:{text}"
        rows.append(cells)
    return rows


def heading(rows: list[dict[str, str]]) -> dict[str, str]:
    return {text.partition(":")[2]: column for column, text in rows[0].items()}


@pytest.mark.parametrize("name", ["noisy", "ace"])
def test_parquet_holds_the_details_with_types(made: Exporter, runs: dict[str, Path], name: str) -> None:
    frame, rows = pl.read_parquet(made("parquet", name)), details(runs[name])
    assert frame.columns == list(rows[0])
    assert frame.height == len(rows)
    assert frame["input_tokens"].to_list() == [int(row["input_tokens"]) for row in rows]
    assert frame["latency"].dtype == pl.Float64
    right = "exact_correct" if name == "ace" else "exact_optimal"
    assert frame[right].to_list() == [{"true": True, "false": False, "": None}[row[right]] for row in rows]
    detail = [re.sub(r"^'(?=[=+@-])", "", row["exact_detail"]) or None for row in rows]
    assert frame["exact_detail"].to_list() == detail
    if name == "noisy":
        assert frame["predict_is_optimal"].dtype == pl.String
        assert [json.loads(text) for text in frame["messages"]] == [json.loads(row["messages"]) for row in rows]


@pytest.mark.parametrize("name", ["noisy", "ace"])
def test_xlsx_holds_the_details_with_types(made: Exporter, runs: dict[str, Path], name: str) -> None:
    cells, rows = sheet(made("xlsx", name)), details(runs[name])
    columns = heading(cells)
    assert list(columns) == list(rows[0])
    assert len(cells) == len(rows) + 1
    kinds = {
        "input_tokens": "n",
        "latency": "n",
        "exact_correct": "b",
        "exact_optimal": "b",
        "exact_detail": "inlineStr",
    }
    for column in kinds.keys() & columns.keys():
        found = [row.get(columns[column]) for row in cells[1:]]
        texts = {"true": "1", "false": "0"} if kinds[column] == "b" else {}
        wanted = [f"{kinds[column]}:{texts.get(row[column], row[column])}" if row[column] else None for row in rows]
        if kinds[column] == "n":
            wanted = [f"n:{float(row[column]):g}" for row in rows]
        assert found == wanted, column


def test_csv_of_several_runs_has_all_columns_and_names_the_run(made: Exporter, runs: dict[str, Path]) -> None:
    with made("csv", "noisy", "ace").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    first, second = details(runs["noisy"]), details(runs["ace"])
    assert list(rows[0]) == ["model", "run", *dict.fromkeys([*first[0], *second[0]])]
    assert [row["run"] for row in rows] == [str(runs["noisy"])] * len(first) + [str(runs["ace"])] * len(second)
    assert [{name: row[name] for name in second[0]} for row in rows[len(first) :]] == second
    frame = pl.read_parquet(made("parquet", "noisy", "ace"))
    assert frame["run"].to_list() == [row["run"] for row in rows]
    assert frame["question"].null_count() == len(first)


@pytest.mark.parametrize("name", ["noisy", "ace"])
def test_openai_lines_are_what_was_said(made: Exporter, runs: dict[str, Path], name: str) -> None:
    found = lines(made("openai", name))
    told = [json.loads(line) for line in (runs[name] / "trajectories.jsonl").read_bytes().splitlines()]
    assert len(found) == len(told) > 30
    for line, trajectory in zip(found, told, strict=True):
        assert set(line) <= {"messages", "tools"}
        steps = [step for step in trajectory["steps"] if step.get("role", "assistant") == "assistant"]
        said = [message for step in steps for message in step.get("messages", ())] + [steps[-1]["reply"]]
        assert [one["content"] for one in line["messages"]] == [one.get("content") for one in said]
        calls = [call for one in said for call in one.get("tool_calls", ())]
        written = [call for one in line["messages"] for call in one.get("tool_calls", ())]
        assert [call["function"]["name"] for call in written] == [call.get("name") or "" for call in calls]
        assert all(isinstance(call["id"], str) and call["id"] for call in written)
        assert all(isinstance(call["function"]["arguments"], str) for call in written)
        assert [tool["function"] for tool in line.get("tools", ())] == trajectory.get("tools", [])
        known: set[str] = set()
        for one in line["messages"]:
            known |= {call["id"] for call in one.get("tool_calls", ())}
            assert one["role"] != "tool" or one["tool_call_id"] in known


def test_only_correct_leaves_out_what_is_wrong_in_the_scoring(runs: dict[str, Path], tmp_path: Path) -> None:
    scored = [json.loads(line) for line in (runs["noisy"] / "scores.jsonl").read_bytes().splitlines()]
    for scoring in ("exact", "tables"):
        right = sum(one["scorings"][scoring]["label"] == "correct" for one in scored)
        done = export(
            ExportRequest.of([open_run(runs["noisy"])], scoring, only_correct=True), "openai", tmp_path / scoring
        )
        assert len(lines(done.paths[0])) == right
        left = f"left out {len(scored) - right} of {len(scored)} conversations: not all of their tasks are right"
        assert list(map(str, done.notes)) == [left]


@pytest.mark.parametrize("name", ["noisy", "ace", "silent"])
def test_sharegpt_lines_are_what_llama_factory_takes(made: Exporter, name: str) -> None:
    """The rules of its converter and templates: turns alternate, calls and tools are JSON with the keys it reads."""
    found = lines(made("sharegpt", name))
    assert len(found) > 20
    for line in found:
        assert set(line) <= {"conversations", "system", "tools"}
        turns = line["conversations"]
        assert len(turns) % 2 == 0
        for number, turn in enumerate(turns):
            assert turn["from"] in (("human", "observation"), ("gpt", "function_call"))[number % 2]
            assert isinstance(turn["value"], str)
            if turn["from"] == "function_call":
                calls = json.loads(turn["value"])
                for call in calls if isinstance(calls, list) else [calls]:
                    assert set(call) == {"name", "arguments"}
                    assert isinstance(call["arguments"], dict)
        for tool in json.loads(line.get("tools", "[]")):
            assert isinstance(tool["parameters"]["properties"], dict)
    assert name != "noisy" or any(turn["value"].startswith("[{") for line in found for turn in line["conversations"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_markdown_shows_the_numbers_of_metrics(made: Exporter, runs: dict[str, Path], language: str) -> None:
    text = made("markdown", "noisy", "silent", "ace", language=language).read_text(encoding="utf-8")
    assert text.count("\n## ") + text.startswith("## ") == 2, "a section per board"
    rates: list[Any] = [
        open_run(runs[name]).metrics.scorings["exact"]["overall"]["task_accuracy"] for name in ("noisy", "silent")
    ]
    told = [f"{100 * rate.value:.1f}% [{100 * rate.ci95[0]:.1f} – {100 * rate.ci95[1]:.1f}]" for rate in rates]
    assert f"| {' | '.join([{'en': 'task accuracy', 'zh': '任务准确率'}[language], *told])} |" in text
    assert {"en": "unknown tool: ", "zh": "工具不存在：失 "}[language] in text
    for row in re.findall(r"^\|.*\|$", text, re.MULTILINE):
        assert row.count("|") in (3, 4)


def test_markdown_names_every_role(runs: dict[str, Path], tmp_path: Path) -> None:
    entry = open_run(runs["ace"])
    roles = {"user:a/b": ModelRecord(name="a/b"), "judge": ModelRecord(name="some`judge")}
    for spoken, expected in (
        ({"user_model": ModelRecord(name="who/asks")}, "user `who/asks`"),
        ({"user_model": UNSET, "role_models": roles}, "user:a/b `a/b`, judge ``some`judge``"),
    ):
        told = replace(entry, manifest=replace(entry.manifest, **spoken))
        (path,) = export(ExportRequest.of([told]), "markdown", tmp_path / "a.md", overwrite=True).paths
        assert expected in path.read_text(encoding="utf-8")


def test_latex_rows_have_the_papers_columns(made: Exporter, runs: dict[str, Path]) -> None:
    text = made("latex", "noisy", "silent", "ace").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("%")]
    assert [row.count(" & ") for row in rows] == [10, 10, 10, 10, 9, 9, 4, 4, 8, 8, 25, 25, 3, 3, 4]
    assert all(row.endswith(r" \\") for row in rows)
    tables: Any = open_run(runs["noisy"]).metrics.scorings["exact"]
    names = [*("single", "multi", "clarify", "chat"), *"1234"]
    wanted = [tables["by_type" if name.isalpha() else "by_order"][name].value for name in names]
    wanted += [tables["overall"][name].value for name in ("task_accuracy", "session_accuracy")]
    assert rows[0] == " & ".join(["builtin/noisy", *(f"{100 * value:.2f}" for value in wanted)]) + r" \\"
    ace = open_run(runs["ace"]).metrics.scorings["released"]["published"]
    told = [f"{ace[name].value:.3f}" for name in ("normal", "special", "agent", "overall")]
    assert rows[-1] == " & ".join(["builtin/noisy", *told]) + r" \\"


def test_a_run_without_scores_is_exported_as_far_as_it_goes(runs: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "run.json").write_bytes((runs["noisy"] / "run.json").read_bytes())
    toolgauge.score(folder)
    wanted = ExportRequest.of([open_run(folder)])
    for to in ("xlsx", "parquet", "openai", "sharegpt", "markdown", "latex"):
        export(wanted, to)
    assert pl.read_parquet(folder / "details.parquet").height == 0
    assert "| missing | **128** |" in (folder / "summary.md").read_text(encoding="utf-8")
    assert "builtin/noisy & -- & --" in (folder / "rows.tex").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="nothing to write"):
        export(wanted, "figures")
    assert len(export(wanted, "hf").paths) == 4


def test_figures_of_several_runs_are_one_picture_each(runs: dict[str, Path], tmp_path: Path) -> None:
    wanted = ExportRequest.of(open_runs([runs["noisy"], runs["silent"]]))
    paths = export(wanted, "figures", tmp_path / "figures").paths
    across = {path.name for path in paths if path.parent == tmp_path / "figures"}
    assert {"overall.svg", "references.svg", "transitions.svg", "layers.svg"} <= across
    texts = ["".join(element.itertext()) for element in ElementTree.parse(tmp_path / "figures" / "layers.svg").iter()]
    assert {"builtin/noisy", "builtin/silent", "chat · turn 4"} <= set(texts)


def test_the_originals_table_of_details(runs: dict[str, Path], tmp_path: Path) -> None:
    """17 columns, texts or indented JSON; optimal by names and steps alone, wrong arguments count as called."""
    run = open_run(runs["noisy"])
    wanted = replace(ExportRequest.of([run]), as_published=True)
    (path,) = export(wanted, "csv", tmp_path / "original.csv").paths
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(details(runs["noisy"]))
    assert list(table[0])[:6] == ["id", "idx", "type", "single_type", "turn_type", "turn_subtype"]
    assert len(table[0]) == 17
    assert {row["turn_type"] for row in table} == {"True", "False"}
    assert {row["predict_is_optimal"] for row in table} == {"True", "False"}
    assert all(row["turn_subtype"] == "null" for row in table if row["turn_type"] == "False")
    for row in table:
        matched = [step["answer_function_list"] for step in json.loads(row["answer_result"])]
        if row["predict_label"] == "correct":  # everything was matched, and the closing reply last
            assert sum(len(step["action"]) for step in matched) == len(json.loads(row["answer_list"]))
            assert "observation" in matched[-1]
    chained = [row for row in table if row["complete_rate"] != "null"]
    right = [row for row in chained if row["param_predict_label"] == "correct"]
    assert right
    assert all(int(row["complete_rate"]) == len(json.loads(row["answer_list"])) for row in right)
    for row in chained:
        steps = json.loads(row["predict_result"])
        if row["predict_label"] == "error":
            steps = steps[:-1]
        elif row["param_predict_label"] == "correct":
            continue
        assert int(row["complete_rate"]) == sum(len(step["tool_calls"] or [1]) for step in steps)
    several = replace(ExportRequest.of(open_runs([runs["noisy"], runs["silent"]])), as_published=True)
    with pytest.raises(UsageError, match="takes one run"):
        export(several, "csv", tmp_path / "several.csv")
    with pytest.raises(UsageError, match="acebench has no such table"):
        export(replace(ExportRequest.of([open_run(runs["ace"])]), as_published=True), "csv", tmp_path / "ace.csv")
