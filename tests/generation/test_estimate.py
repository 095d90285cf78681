"""`toolgauge generate --estimate`: it comes near to what the run then takes, and asks nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

import toolgauge
from tests.sizes import sized
from toolgauge.chat import GoldHint, Usage
from toolgauge.cli.main import app
from toolgauge.demo import LibraryAgents, TypicalLengths
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.estimate import Basis, Estimate, estimate
from toolgauge.generation.spec import GenerationPlan, carry_out_generation, plan_generation
from toolgauge.generation.state import AgentRequest, DialogueState
from toolgauge.models.model import ModelOptions
from toolgauge.models.prices import estimated_tokens
from toolgauge.runs.store import read_trajectories

FACTOR = 1.1
"""How far the estimate from played dialogues may be off where the same agents speak then."""


def invoke(*arguments: object) -> Result:
    environment = {"COLUMNS": "200", "OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": ""}
    return CliRunner().invoke(app, ["generate", *map(str, arguments)], env=environment)


def demo(out: Path, model: str = "builtin/oracle", **options: Any) -> GenerationPlan:
    return plan_generation(GenerationOptions(**options), model, ModelOptions(), out, LibraryAgents)


def counting(plan: GenerationPlan) -> GenerationPlan:
    """The same plan, with agents whose replies say what they took."""
    assert plan.hints is not None
    agents = plan.hints

    def hints(state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = agents(state, ask)
        read = sum(estimated_tokens(message.content or "") for message in ask.messages)
        usage = Usage(read, estimated_tokens(hint.reply.content or ""), read // 2)
        return replace(hint, reply=replace(hint.reply, usage=usage))

    return replace(plan, hints=hints)


def estimated(plan: GenerationPlan) -> Estimate:
    language = plan.options.language
    return estimate(plan, TypicalLengths(LibraryAgents(language), language))


@pytest.mark.parametrize("language", ["zh", "en"][: sized(1, 2)])
def test_played_dialogues_tell_what_a_demonstration_takes(language: str, tmp_path: Path) -> None:
    options: Any = {"language": language, "tasks": sized(2, 3), "sample": sized(34, 40), "seed": 3}
    found = estimated(demo(tmp_path / "g", **options))
    assert (found.basis, found.dialogues, found.done, found.evidence) == (Basis.PLAYED, sized(34, 40), 0, 32)
    assert not (tmp_path / "g").exists()
    result = carry_out_generation(counting(demo(tmp_path / "g", **options)), 8)
    assert found.total.tokens / FACTOR < result.tokens < found.total.tokens * FACTOR
    made = sum(len(one.steps) for one in read_trajectories(tmp_path / "g"))
    assert found.total.requests / FACTOR < made < found.total.requests * FACTOR
    for member, tokens in result.coverage.tokens.items():
        assert found.models[member].input / 1.2 < tokens.input < found.models[member].input * 1.2, member
    assert found.least.tokens < result.tokens < found.most.tokens


def test_models_are_named_priced_and_not_asked(tmp_path: Path) -> None:
    result = invoke("-m", "openai/gpt-5-mini", "--role", "planner=anthropic/claude-sonnet-4-5", "--estimate",
                    "--paths", "single,chat", "--out", tmp_path / "g")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Range:" in result.output
    assert "$" in result.output
    assert not (tmp_path / "g").exists()
    found = toolgauge.estimate_generation(
        "openai/gpt-5-mini", roles={"user": ["openai/gpt-5", "ollama/unknown"]}, tasks=2, out=tmp_path / "g"
    )
    assert {"user:openai/gpt-5", "user:ollama/unknown", "planner", "tool", "checker"} <= set(found.models)
    assert found.models["user:ollama/unknown"].cost is None
    assert found.total.cost is None
    assert (found.models["planner"].cost or 0) > 0
