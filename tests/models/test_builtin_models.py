"""The built-in models, and that every mistake the noisy one can plant is judged as the mistake it is."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from planting import plan_unfinished
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.data.session import Dataset
from toolgauge.episode import drive
from toolgauge.errors import DataError, ProviderError
from toolgauge.judge.verdict import Verdict
from toolgauge.models import open_model
from toolgauge.models.builtin.mistakes import plan_mistakes
from toolgauge.models.builtin.models import Play, noisy
from toolgauge.models.model import ModelOptions, Sampling

MINI = GRAPH_BENCHMARKS["mini"]


def mini(language: str) -> Dataset:
    assert MINI.embedded is not None
    return MINI.load(MINI.embedded, language)


def verdict(dataset: Dataset, unit: Any, play: Play) -> tuple[Verdict, list[Reply]]:
    trajectory = drive(MINI.episode(dataset, unit), play)
    return next(iter(MINI.scores(dataset, trajectory))).scorings["exact"], list(trajectory.replies)


def test_the_noisy_player_depends_on_seed_and_episode_alone() -> None:
    dataset = mini("en")

    def labels(seed: int, rate: float) -> list[str | None]:
        return [verdict(dataset, unit, noisy(seed, rate))[0].mistake for unit in MINI.samples(dataset)]

    assert labels(1, 0.5) == labels(1, 0.5) != labels(2, 0.5)
    assert set(labels(1, 0.0)) == {None}
    assert None not in labels(1, 1.0)


def ask(spec: str, request: Request) -> Reply:
    async def run() -> Reply:
        model = open_model(spec)
        assert model.describe()["provider"] == "builtin"
        try:
            return await model.ask(request)
        finally:
            await model.close()

    return asyncio.run(run())


@pytest.mark.parametrize("player", ["oracle", "noisy"])
def test_players_that_need_a_cue_say_so(player: str) -> None:
    with pytest.raises(ProviderError, match="needs annotated data") as caught:
        ask(f"builtin/{player}", Request("assistant", (), episode="s/0"))
    assert caught.value.permanent
    assert plan_mistakes(Request("assistant", ())) == plan_unfinished(Request("assistant", ())) == []


def script(folder: Path, *entries: Any) -> str:
    file = folder / "replies.jsonl"
    file.write_text("\n".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries))
    return f"builtin/scripted?file={file}"


def test_a_script_by_step_or_in_order(tmp_path: Path) -> None:
    made = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    spec = script(
        tmp_path,
        {"episode": "a", "step": 1, "reply": {"content": "second"}},
        {"episode": "a", "step": 0, "reply": {"tool_calls": [made]}},
        "",
        {"episode": "b", "reply": {"content": "one"}},
        {"episode": "b", "reply": {"content": "two"}},
    )
    assert ask(spec, Request("assistant", (), episode="a")).tool_calls == (ToolCall("c", "find", "{}"),)
    assert ask(spec, Request("assistant", (), episode="a", step=1)).content == "second"
    assert [ask(spec, Request("assistant", (), episode="b", step=step)).content for step in (0, 1)] == ["one", "two"]
    with pytest.raises(ProviderError, match=r"replies\.jsonl: no reply for episode 'b', step 2") as caught:
        ask(spec, Request("assistant", (), episode="b", step=2))
    assert caught.value.permanent


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[]", "Expected `object`"),
        ({"reply": {}}, "field `episode`"),
        ({"episode": "a", "reply": "hello"}, r"at `\$.reply`"),
        ({"episode": "a", "step": -1, "reply": {}}, r"at `\$.step`"),
        ({"episode": "a", "step": True, "reply": {}}, r"at `\$.step`"),
        ({"episode": "a", "step": 0, "reply": {}}, "duplicate reply"),
    ],
)
def test_a_damaged_script_names_the_line(tmp_path: Path, line: Any, words: str) -> None:
    spec = script(tmp_path, {"episode": "a", "step": 0, "reply": {"content": "fine"}}, line)
    with pytest.raises(DataError, match=words) as caught:
        open_model(spec)
    assert "replies.jsonl:2: " in str(caught.value)


def test_the_seed_of_the_command_counts_where_the_name_has_none() -> None:
    def opened(name: str, seed: int | None = None) -> str:
        options = ModelOptions(sampling=Sampling(seed=seed))
        benchmark = find_benchmark("mini")
        assert benchmark.embedded is not None
        dataset = benchmark.load(benchmark.embedded, "en")
        play = open_model(name, options).play  # type: ignore[attr-defined]
        return str([drive(benchmark.episode(dataset, one), play).steps for one in benchmark.samples(dataset)[:12]])

    assert opened("builtin/noisy") == opened("builtin/noisy", 0)
    assert opened("builtin/noisy", 5) == opened("builtin/noisy?seed=5") != opened("builtin/noisy")
    assert opened("builtin/noisy?seed=1", 5) == opened("builtin/noisy?seed=1")
