"""`toolgauge generate --estimate`: it comes near to what the run then takes, and asks nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

import toolgauge
from tests.sizes import sized
from toolgauge.chat import GoldHint, Usage
from toolgauge.cli.main import app
from toolgauge.demo import LibraryAgents, TypicalLengths
from toolgauge.errors import ToolgaugeError
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.estimate import MISTAKES, Basis, Estimate, estimate
from toolgauge.generation.model_roles import unasked
from toolgauge.generation.spec import GenerationPlan, carry_out_generation, plan_generation
from toolgauge.generation.state import AgentRequest, DialogueState
from toolgauge.models.model import ModelOptions
from toolgauge.models.token_estimate import estimated_tokens
from toolgauge.runs.store import read_trajectories
from toolgauge.tools.library import tool_library

FACTOR = 1.1
"""How far the estimate from played dialogues may be off where the same agents speak then."""
FINISHED = sized(56, 96)
SHARE = 0.06
"""How far the one from finished dialogues may be off."""


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


def test_finished_dialogues_are_the_better_evidence(tmp_path: Path) -> None:
    """What they took is doubled, as if the models said twice as much: no played dialogue would tell that."""
    plan = counting(demo(tmp_path, tasks=2, sample=FINISHED, attempts=1))
    agents = plan.hints
    assert agents is not None

    def wordy(state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = agents(state, ask)
        return replace(hint, reply=replace(hint.reply, usage=hint.reply.usage + hint.reply.usage))

    plan = replace(plan, hints=wordy)
    cut = carry_out_generation(plan, 1, max_tokens_total=FINISHED * 15_000)
    done = cut.coverage.slots.produced
    assert FINISHED / 10 < done < FINISHED * 0.85
    begun = cut.coverage.spending.unfinished.tokens
    found = estimated(demo(tmp_path, tasks=2, sample=FINISHED, attempts=1))
    assert (found.basis, found.done, found.dialogues, found.evidence) == (Basis.FINISHED, done, FINISHED - done, done)
    whole = carry_out_generation(plan, 8)
    left = whole.tokens - cut.tokens + begun
    assert abs(found.total.tokens - left) < SHARE * left
    assert found.least.tokens < left < found.most.tokens
    assert found.total.cached == pytest.approx(found.total.input / 2, rel=0.01)
    over = estimated(demo(tmp_path, tasks=2, sample=FINISHED, attempts=1))
    assert (over.dialogues, over.total.tokens, over.most.requests) == (0, 0, 0)


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


def test_texts_of_models_are_longer_than_those_of_scripted_agents(tmp_path: Path) -> None:
    options: Any = {"paths": "single,multi,chat", "out": tmp_path / "g"}
    model, scripted = (
        toolgauge.estimate_generation("openai/gpt-5", **options),
        estimated(demo(tmp_path / "g", paths="single,multi,chat")),
    )
    assert model.total.requests == round(MISTAKES * scripted.total.requests)
    assert 1.5 * scripted.total.output < model.total.output
    assert scripted.total.input < model.total.input


@pytest.mark.parametrize("language", ["en", "zh"])
def test_long_replies_stand_every_check(language: str, tmp_path: Path) -> None:
    """What is added to replies brings no validator to object: no request is made for it."""
    plan = plan_generation(
        GenerationOptions(language=language, tasks=2),
        "openai/gpt-5",
        unasked(ModelOptions()),
        tmp_path / "g",
        LibraryAgents,
    )
    plain = demo(tmp_path / "h", language=language, tasks=2)
    expected = MISTAKES * estimated(plain).total.requests
    assert estimated(plan).total.requests == pytest.approx(expected, abs=1)


def test_definitions_are_those_of_the_users_tools(tmp_path: Path) -> None:
    lists = [msgspec.to_builtins(one.wire()) for one in tool_library("en")]
    for one in lists:
        for tool in one["tools"]:
            tool["function"]["description"] += " word" * 400
    tools = tmp_path / "tools.jsonl"
    tools.write_text("\n".join(map(json.dumps, lists)))
    options: Any = {"paths": "single,multi", "out": tmp_path / "g"}
    usual = toolgauge.estimate_generation("openai/gpt-5", **options)
    large = toolgauge.estimate_generation("openai/gpt-5", tools=tools, **options)
    count = sum(len(one["tools"]) for one in lists) / len(lists)
    assert large.total.output == usual.total.output
    shown = (large.models["planner"].input - usual.models["planner"].input) / usual.models["planner"].requests
    assert shown == pytest.approx(count * 400, rel=0.25)


def test_of_sessions_that_are_continued_only_the_new_task_counts(tmp_path: Path) -> None:
    toolgauge.generate("builtin/oracle", paths="single,multi", out=tmp_path / "first")
    reviewed = shutil.copy(tmp_path / "first" / "sessions.jsonl", tmp_path / "reviewed.jsonl")
    options: Any = {"resume_from": reviewed, "paths": "chat", "out": tmp_path / "second"}
    found = toolgauge.estimate_generation("builtin/oracle", **options)
    result = toolgauge.generate("builtin/oracle", **options)
    assert result.coverage.slots.produced == 1
    (made,) = read_trajectories(tmp_path / "second")
    assert abs(found.total.requests - len(made.steps)) <= 1


def test_another_generation_in_the_folder_is_refused(tmp_path: Path) -> None:
    toolgauge.generate("builtin/oracle", paths="chat", out=tmp_path)
    result = invoke("--demo", "--paths", "single", "--estimate", "--out", tmp_path)
    assert isinstance(result.exception, ToolgaugeError)
    assert "was run with --paths chat, this command says single" in str(result.exception)
