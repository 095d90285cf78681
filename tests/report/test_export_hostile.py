"""Exports and `analyse` of a run in which everything is hostile: nothing breaks, nothing gets out of its place."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import toolgauge
from tests.warm.server import warm_toolgauge
from toolgauge.report.exports.catalogue import NAMES, export
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.results import open_run

EVIL = (
    "=cmd|'/c calc'!A1 \x1b]0;title\x07\x00\u202e </a:t> | `tick` <script>x</script> \\input{/etc/passwd} $x_1$ & % # "
    "@team"
)
LONG = "長" * 350_000 + "\ud800end"
MODEL = "=evil\nmodel | `rm` \\\\[2cm] @all \x1b[31m\u202e"


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of mini whose model has a hostile name and hostile replies; scored again."""
    folder = tmp_path_factory.mktemp("runs") / "evil"
    toolgauge.run("mini", "builtin/silent", out=folder, limit=5)
    manifest = json.loads((folder / "run.json").read_text())
    manifest["model"]["name"] = MODEL
    (folder / "run.json").write_text(json.dumps(manifest))
    made = []
    for number, line in enumerate((folder / "trajectories.jsonl").read_text().splitlines()):
        trajectory = json.loads(line)
        trajectory["steps"][-1]["reply"] = REPLIES[number % len(REPLIES)]
        made.append(json.dumps(trajectory) + "\n")
    (folder / "trajectories.jsonl").write_text("".join(made))
    toolgauge.score(folder)
    return folder


REPLIES: list[dict[str, Any]] = [
    {"content": EVIL, "tool_calls": [{"id": None, "name": EVIL, "arguments": EVIL}]},
    {"content": EVIL, "tool_calls": [{"id": EVIL, "name": None, "arguments": {"a": [EVIL, 10**30]}}]},
    {"content": LONG},
    {"content": None, "tool_calls": [{"name": "search_hotels", "arguments": '{"city": "' + "x" * 1_000_000 + '"}'}]},
    {"content": EVIL, "planted": EVIL},
]


@pytest.mark.parametrize("to", [to for to in NAMES if to != "csv"])
def test_nothing_breaks(evil: Path, tmp_path: Path, to: str) -> None:
    wanted = ExportRequest.of([open_run(evil)])
    done = export(wanted, to, tmp_path / to)
    assert done.paths
    assert all(path.stat().st_size > 100 for path in done.paths)


def test_sheets_hold_texts_and_no_formula(evil: Path, tmp_path: Path) -> None:
    (path,) = export(ExportRequest.of([open_run(evil), open_run(evil)]), "xlsx", tmp_path / "a.xlsx").paths
    with zipfile.ZipFile(path) as book:
        root = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert not [one for one in root.iter() if one.tag.endswith("}f")]
    texts = [one.text or "" for one in root.iter() if one.tag.endswith("}t")]
    assert max(map(len, texts)) == 32_767
    assert not [text for text in texts if text.startswith(("=", "+", "@"))], "defused as details.csv is"
    assert any(text.startswith("'=evil") for text in texts)


def test_details_of_strangers_are_made_harmless(evil: Path, tmp_path: Path) -> None:
    """A run without its data brings its own details.csv: with formulas, and with numbers that no sheet has."""
    folder = tmp_path / "strange"
    shutil.copytree(evil, folder)
    rows = [["id", "=head()", "idx", "latency"], ["=1+1", " @x", "9" * 400, "nan"], ["'=said", "-5", "-5", "-inf"]]
    with (folder / "details.csv").open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows(rows)
    manifest, metrics = (json.loads((folder / name).read_text()) for name in ("run.json", "metrics.json"))
    manifest["dataset"]["sha256"] = metrics["sources"]["data"] = "0" * 64
    metrics["sources"]["details.csv"] = hashlib.sha256((folder / "details.csv").read_bytes()).hexdigest()
    for name, content in (("run.json", manifest), ("metrics.json", metrics)):
        (folder / name).write_text(json.dumps(content))
    shutil.copytree(folder, tmp_path / "twin")
    runs = ExportRequest.of([open_run(at, tell=lambda _: None) for at in (folder, tmp_path / "twin")])
    (path,) = export(runs, "csv", tmp_path / "a.csv").paths
    with path.open(newline="", encoding="utf-8-sig") as file:
        heading, first, second, *_ = csv.reader(file)
    assert heading == ["model", "run", "id", "'=head()", "idx", "latency"]
    assert first[0].startswith("'=evil")
    assert first[2:] == ["'=1+1", "' @x", "9" * 400, "nan"]
    assert second[2:] == ["'=said", "-5", "-5", "'-inf"]
    (path,) = export(runs, "xlsx", tmp_path / "a.xlsx").paths
    with zipfile.ZipFile(path) as book:
        root = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert [one.text for one in root.iter() if one.tag.endswith("}v")] == ["-5", "-5"]
    (path,) = export(runs, "parquet", tmp_path / "a.parquet").paths
    assert pl.read_parquet(path)["id"].to_list() == ["=1+1", "=said"] * 2


def test_training_data_say_what_was_said(evil: Path, tmp_path: Path) -> None:
    (path,) = export(ExportRequest.of([open_run(evil)]), "openai", tmp_path / "a.jsonl").paths
    last = [json.loads(line)["messages"][-1] for line in path.read_bytes().splitlines()]
    assert [one["content"] for one in last] == [REPLIES[n % len(REPLIES)]["content"] for n in range(20)]
    assert last[0]["tool_calls"][0]["function"] == {"name": EVIL, "arguments": EVIL}
    assert json.loads(last[1]["tool_calls"][0]["function"]["arguments"]) == {"a": [EVIL, 10**30]}
    done = export(ExportRequest.of([open_run(evil)]), "sharegpt", tmp_path / "b.jsonl")
    assert done.notes[0].startswith("left out 8 of "), (
        "calls without name or object, 4 each, have no place in the format"
    )
    values = [json.loads(line)["conversations"][-1]["value"] for line in done.paths[0].read_bytes().splitlines()]
    assert LONG in values


def test_markdown_and_latex_keep_names_in_their_place(evil: Path, tmp_path: Path) -> None:
    text = (
        export(ExportRequest.of([open_run(evil)]), "markdown", tmp_path / "a.md").paths[0].read_text(encoding="utf-8")
    )
    rows = export(ExportRequest.of([open_run(evil)]), "latex", tmp_path / "a.tex").paths[0].read_text(encoding="utf-8")
    for whole in (text, rows):
        assert all(char.isprintable() or char == "\n" for char in whole)
        assert len(whole) < 8_000
    assert "=evil model \\| `rm`" in text, "one cell, one line"
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert not re.search(r"evil|@all|<script>|\\input", outside), "hostile words stand in code spans only"
    assert (
        r"=evil model \textbar{} \textasciigrave{}rm\textasciigrave{} \textbackslash{}\textbackslash{}{[}2cm{]}" in rows
    )
    assert all(line.startswith("%") or line.endswith(r" \\") for line in rows.splitlines() if line)


def run_command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [*warm_toolgauge(), *map(str, arguments)]
    return subprocess.run(
        command, env={**os.environ, "COLUMNS": "100", **environment}, capture_output=True, check=False
    )


def test_the_commands_print_no_control_characters(evil: Path) -> None:
    for arguments in (("analyse", evil), ("export", evil, "--to", "markdown", "--out", "-")):
        done = run_command(*arguments, PYTHONIOENCODING="utf-8")
        assert done.returncode == 0, done.stderr.decode()
        text = done.stdout.decode()
        assert all(char.isprintable() or char == "\n" for char in text)
        assert "evil" in text
        assert len(text) < 20_000


def test_memory_stays_flat(evil: Path, tmp_path: Path) -> None:
    """Thirty times what was said, the same memory: less than a tenth of the file."""
    folder = tmp_path / "big"
    folder.mkdir()
    for name in ("run.json", "metrics.json", "scores.jsonl"):
        (folder / name).write_bytes((evil / name).read_bytes())
    lines = (evil / "trajectories.jsonl").read_bytes().splitlines()
    with (folder / "trajectories.jsonl").open("wb") as file:
        for epoch in range(1, 31):
            for line in lines[2:3]:
                file.write(line.replace(b'"task_id": "', b'"task_id": "%d ' % epoch, 1) + b"\n")
    wanted = ExportRequest.of([open_run(folder, tell=lambda _: None)])
    size = (folder / "trajectories.jsonl").stat().st_size
    assert size > 60_000_000
    tracemalloc.start()
    try:
        (path,) = export(wanted, "openai").paths
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(path.read_bytes().splitlines()) == 30
    assert peak < size / 3
