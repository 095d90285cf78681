"""Defects of the public runners (specification, section 8) that concern asking and keeping, not judging."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import toolgauge
from toolgauge.api import execute_plan, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, MINI_FILE
from toolgauge.chat import Reply, Request
from toolgauge.errors import ProviderError, UsageError
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import ModelOptions, Sampling


class Flaky:
    """Refuses the conversations named until it is told better."""

    name = "test/flaky"

    def __init__(self, refused: set[str]) -> None:
        self.refused = refused
        self.asked: list[tuple[str, int]] = []

    async def ask(self, request: Request) -> Reply:
        assert request.gold_hint is not None
        if request.episode in self.refused:
            raise ProviderError("out of order")
        self.asked.append((request.episode, request.step))
        return request.gold_hint.reply

    async def close(self) -> None:
        pass

    def describe(self) -> dict[str, Any]:
        return {"provider": "test", "model": "flaky"}


def test_K5_tools_of_a_model_named_claude_are_sent_like_all_others() -> None:
    mini = GRAPH_BENCHMARKS["mini"].load(MINI_FILE, "en")
    request = Request("assistant", (), mini.sessions[0].tools)
    bodies = [json.loads(RequestEncoder(name, Sampling()).body(request)) for name in ("claude-x", "gpt-x")]
    assert bodies[0].pop("model") == "claude-x"
    assert bodies[1].pop("model") == "gpt-x"
    assert bodies[0] == bodies[1]
    assert all("parameters" in tool["function"] for tool in bodies[0]["tools"])


def test_B8_scores_go_where_out_says_and_the_result_stays(tmp_path: Path) -> None:
    result = toolgauge.run("mini", "builtin/oracle", limit=1, out=tmp_path / "run")
    before = (tmp_path / "run" / "trajectories.jsonl").read_bytes()
    toolgauge.score(tmp_path / "run")
    assert (result.folder / "trajectories.jsonl").read_bytes() == before
    assert (result.folder / "scores.jsonl").exists()


def test_Q6_what_failed_is_tried_again_and_nothing_else(tmp_path: Path) -> None:
    flaky = Flaky({"mini_0/1", "mini_0/3"})
    for expected in (2, 0):
        plan = replace(
            plan_run("mini", "builtin/oracle", setup=Setup(limit=1), out=tmp_path / "run"), models={"assistant": flaky}
        )
        result = execute_plan(plan, 2)
        assert (result.outcome.failed, result.metrics.missing) == (expected, expected)
        flaky.refused = set()
    assert len(flaky.asked) == len(set(flaky.asked))
    assert result.metrics.scorings["exact"]["overall"]["task_accuracy"].value == 1.0


def test_Q7_the_manifest_tells_options_and_their_values(tmp_path: Path) -> None:
    options = ModelOptions(sampling=Sampling(temperature=0.5))
    toolgauge.run("mini", "builtin/oracle", limit=1, sampling=options.sampling, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["sampling"] == {"temperature": 0.5}
    assert (manifest["history"], manifest["epochs"], manifest["selection"]) == (
        "gold",
        1,
        {"ids": [], "limit": 1, "categories": []},
    )
    with pytest.raises(UsageError, match=r"was run with --temperature 0\.5"):
        toolgauge.run("mini", "builtin/oracle", limit=1, out=tmp_path / "run")
