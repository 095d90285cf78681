"""ACEBench through agents: what a loop around the oracle scores is what the oracle scores, in every category."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolgauge
from toolgauge.errors import UsageError

DATA = Path(__file__).parents[1] / "fixtures" / "acebench" / "data_all"
PLAYERS = "agent/python:tests.agents.players:"
USER = "builtin/oracle"


def judged(model: str, out: Path, data: Path, **options: object) -> dict[str, object]:
    """The verdicts by task."""
    result = toolgauge.run("acebench", model, data=data, out=out, **options)
    assert result.outcome.failed == 0, (out / "failures.jsonl").read_text()
    lines = map(json.loads, (out / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    return {line["task_id"]: line["scorings"] for line in lines}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("agent", ["perfect", "over_mcp"])
def test_a_loop_around_the_oracle_scores_what_the_oracle_scores(agent: str, language: str, tmp_path: Path) -> None:
    model = judged("builtin/oracle", tmp_path / "model", DATA, language=language, style="native")
    played = judged(PLAYERS + agent, tmp_path / "agent", DATA, language=language, roles={"user": USER})
    assert len(model) == 34
    assert played == model
    assert json.loads((tmp_path / "agent" / "run.json").read_text())["style"] == "native"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_published_entries_too(shared: Path, language: str, tmp_path: Path) -> None:
    data = shared / "data" / "acebench" / "data_all"
    model = judged("builtin/oracle", tmp_path / "model", data, language=language, style="native", limit=6)
    played = judged(PLAYERS + "perfect", tmp_path / "agent", data, language=language, roles={"user": USER}, limit=6)
    assert played == model


def test_mistakes_are_told_as_for_the_model(tmp_path: Path) -> None:
    noisy = "builtin/noisy?seed=1&rate=0.5"
    choice = {"categories": ("normal", "special")}
    model = judged(noisy, tmp_path / "model", DATA, style="native", **choice)
    played = judged(PLAYERS + "mistaken", tmp_path / "agent", DATA, **choice)
    assert played == model


def test_calls_one_by_one_are_one_answer(tmp_path: Path) -> None:
    choice = {"categories": ("normal",)}
    model = judged("builtin/oracle", tmp_path / "model", DATA, style="native", **choice)
    assert judged(PLAYERS + "one_by_one", tmp_path / "agent", DATA, **choice) == model


def test_calls_reach_the_world_and_results_come_back(tmp_path: Path) -> None:
    judged(PLAYERS + "perfect", tmp_path / "agent", DATA, roles={"user": USER}, categories=("agent",))
    said = [json.loads(line) for line in (tmp_path / "agent" / "trajectories.jsonl").read_text().splitlines()]
    results = [m for line in said for step in line["steps"] for m in step["messages"] if m["role"] == "tool"]
    assert len(results) >= 4
    assert all(line["extra"]["result"] for line in said)


def test_calls_as_text_are_nothing_for_an_agent(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only native is possible"):
        judged(PLAYERS + "perfect", tmp_path / "agent", DATA, style="prompt")
    assert not (tmp_path / "agent").exists()


def test_a_user_without_a_key_is_named_by_the_option_that_chooses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError,
        match=r"the role user is played by openai/gpt-4o, which has no key: set OPENAI_.*--category normal,special",
    ):
        judged(PLAYERS + "perfect", tmp_path / "agent", DATA, categories=("agent",))
