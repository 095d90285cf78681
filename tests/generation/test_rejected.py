"""rejected.jsonl has every failed attempt whole, and coverage.json what became of the money."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.generation.little_agents import little_hints, little_plan
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.chat import GoldHint
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.formats.coverage import CoverageReport
from toolgauge.generation.spec import carry_out_generation
from toolgauge.generation.state import AgentRequest, DialogueState
from toolgauge.runs.store import read_trajectories


def mute_after(task: int, attempts: int) -> Any:
    """Agents of whom the tools say nothing from a task on, in the first attempts; every reply has token counts."""

    begun: dict[str, set[str]] = {}

    def hints(state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = little_hints(state, ask)
        lists = begun.setdefault(state.record.key, set())
        lists.add(state.tool_list)
        if ask.role == "tool" and state.task >= task and len(lists) <= attempts:
            return replace(hint, reply=replace(hint.reply, content=""))
        return hint

    return hints


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def made(folder: Path, task: int, filters: tuple[str, ...] = ("none",), **options: Any) -> CoverageReport:
    plan = replace(little_plan(folder, filters=filters, **options), hints=mute_after(task, options["attempts"] - 1))
    return carry_out_generation(plan, 4).coverage


@pytest.mark.parametrize(("task", "whole"), [(0, 0), (1, 1)])
def test_an_attempt_that_broke_off_is_kept_whole(task: int, whole: int, tmp_path: Path) -> None:
    made(tmp_path, task, paths="single,multi", attempts=2)
    (line,) = lines(tmp_path / "rejected.jsonl")
    assert (line["slot"], line["attempt"], line["reason"]) == ("en-ST.MT-0", 0, "tool")
    said = [message["content"] for message in line["raw"]["messages"]]
    assert said[0].startswith("User: What is the weather in Oslo")
    assert sum(text.startswith("Checker_Tool") for text in said) >= 3
    assert (line["session"] is not None) == bool(whole)
    if line["session"] is not None:
        assert len(line["session"]["english_tasks"]) == whole
        assert line["session"]["id"] == "en-ST.MT-0:0"
        assert {verdict["gate"] for verdict in line["gates"]} >= {"path", "schema", "provenance"}


def test_what_a_filter_rejected_is_a_session_with_all_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that nothing satisfies rejects all, when a task is closed."""
    found = {"task": 0, "call": -1, "tool": "get_weather", "path": "city", "quote": "Oslo"}
    strict = replace(FILTERS["clarify_lacks"], check=lambda _session, _dialogue: [found])
    monkeypatch.setitem(FILTERS, "clarify_lacks", strict)
    plan = little_plan(tmp_path, paths="single", attempts=2, filters=("none", "clarify_lacks"))
    carry_out_generation(plan, 4)
    first, second = lines(tmp_path / "rejected.jsonl")
    assert [first["raw"], second["raw"]] == [None, None]
    failed = [verdict["gate"] for verdict in first["gates"] if not verdict["passed"]]
    assert failed == ["clarify_lacks"]
    assert first["tokens"]["output"] == 7 * first["requests"]
    sessions = tmp_path / "sessions-of-rejected.jsonl"
    sessions.write_text("\n".join(json.dumps(one["session"]) for one in (first, second)))
    assert [one.id for one in load_dataset(sessions).sessions] == ["en-ST-0:0", "en-ST-0:1"]


def test_every_token_is_counted_once(tmp_path: Path) -> None:
    coverage = made(tmp_path, 1, paths="single,multi; chat", attempts=2)
    spending = coverage.spending
    assert set(spending.rejected) == {"tool"}
    parts = [spending.accepted, *spending.rejected.values()]
    assert sum(part.tokens for part in parts) == sum(one.input + one.output for one in coverage.tokens.values())
    assert sum(part.requests for part in parts) == sum(len(one.steps) for one in read_trajectories(tmp_path))
    (line,) = lines(tmp_path / "rejected.jsonl")
    assert spending.rejected["tool"].tokens == line["tokens"]["input"] + line["tokens"]["output"] > 0
