"""`export --to hf` of a generation or a data file. `make publish-check` has `datasets` read the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.end_to_end.playing import call, command
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.generation.hub_sessions import export_sessions
from toolgauge.report.exports.export_request import Publication

PUBLISHED = ["README.md", "data/sessions.jsonl", "data/conversations.jsonl", "source/sessions.jsonl"]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def header(card: Path) -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load(card.read_text("utf-8").split("---\n", 2)[1])
    return told


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    code, _out, err = call(command("generate", "--demo", "--paths", "single,multi", "--out", "made"), folder)
    assert code == 0, err
    return folder / "made"


def test_a_generation_becomes_a_data_set(made: Path, tmp_path: Path) -> None:
    code, out, err = call(command("export", made, "--to", "hf", "--out", "hub", "--publisher", "A lab"), tmp_path)
    assert (code, out.split()) == (0, [f"hub/{name}" for name in PUBLISHED])
    assert "Warning: the card says `license: unknown`" in err
    (session,) = rows(tmp_path / "hub" / "data" / "sessions.jsonl")
    assert session["path"].startswith("single_tool, ")
    (first, *_more) = [json.loads(line) for line in (made / "sessions.jsonl").read_text("utf-8").splitlines()]
    assert [task["utterance"] for task in session["tasks"]] == first["english_tasks"]
    assert [call["name"] for call in session["tasks"][0]["calls"]][-1] == "prepare_to_answer"
    (dialogue,) = rows(tmp_path / "hub" / "data" / "conversations.jsonl")
    trained = json.loads((made / "openai.jsonl").read_text("utf-8"))
    assert [one["content"] for one in dialogue["messages"]] == [one.get("content") for one in trained["messages"]]
    assert json.loads(dialogue["tools"]) == trained["tools"]
    assert (tmp_path / "hub" / "source" / "sessions.jsonl").read_bytes() == (made / "sessions.jsonl").read_bytes()


def test_the_card_tells_in_both_languages_what_is_in_it(made: Path, tmp_path: Path) -> None:
    card = export_sessions(made, tmp_path / "hub", Publication("A lab")).paths[0]
    told, text = header(card), card.read_text("utf-8")
    assert (told["license"], told["language"]) == ("unknown", ["en"])
    for one in told["configs"]:
        assert one["data_files"] == [{"split": "train", "path": f"data/{one['config_name']}.jsonl"}]
    for info in told["dataset_info"]:
        file = tmp_path / "hub" / "data" / f"{info['config_name']}.jsonl"
        assert info["splits"] == [{"name": "train", "num_examples": 1, "num_bytes": file.stat().st_size}]
        assert [one["name"] for one in info["features"]] == list(rows(file)[0])
    assert {"# Multi-turn dialogues with tool calls", "# 带工具调用的多轮对话"} <= set(text.splitlines())
    assert "builtin/oracle" in text
    assert "Published by: `A lab`." in text


def test_the_embedded_benchmark_has_both_languages_and_its_licence(tmp_path: Path) -> None:
    done = export_sessions(MINI_FILE, tmp_path / "hub", Publication())
    told = header(done.paths[0])
    assert (told["license"], told["language"]) == ("apache-2.0", ["en", "zh"])
    assert told["configs"][0]["data_files"][0]["split"] == "test"
    assert [row["language"] for row in rows(done.paths[1])] == ["en"] * 32 + ["zh"] * 32
