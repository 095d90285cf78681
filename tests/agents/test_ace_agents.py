"""ACEBench through agents: what a loop around the oracle scores is what the oracle scores, in every category."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolgauge
from tests.sizes import in_turn
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


@pytest.mark.parametrize(("agent", "language"), in_turn(["perfect", "over_mcp"], ["en", "zh"]))
def test_a_loop_around_the_oracle_scores_what_the_oracle_scores(agent: str, language: str, tmp_path: Path) -> None:
    model = judged("builtin/oracle", tmp_path / "model", DATA, language=language, style="native")
    played = judged(PLAYERS + agent, tmp_path / "agent", DATA, language=language, roles={"user": USER})
    assert len(model) == 34
    assert played == model
    assert json.loads((tmp_path / "agent" / "run.json").read_text())["style"] == "native"


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
