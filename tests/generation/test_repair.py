"""A fault is mended where it is: the dialogue is accepted in its first attempt, at the price that the design says."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.generation.test_generation_spec import files, played
from tests.generation.test_whole_generation import EASY, OTHER, dialogue_of
from tests.sizes import in_turn, sized
from toolgauge.chat import Reply, Request, Usage
from toolgauge.demo import FAULTS, LibraryAgents, ScriptedAgents
from toolgauge.demo.templates import scripted_templates
from toolgauge.episode import Trajectory, drive
from toolgauge.generation.attempts import Repair, attempts_of, thrown_away
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import FILTERS, FilterVerdict
from toolgauge.generation.formats.agent_traces import captures
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.spec import GenerationPlan, carry_out_generation, plan_generation
from toolgauge.models.builtin.models import noisy, oracle
from toolgauge.tools.toollist import tool_library

LANGUAGES = ("en", "zh")
ALL = tuple(FILTERS)
PATHS = (EASY, OTHER, ("multi", "single"), ("chat", "multi"), ("single", "multi")) * 12


@cache
def agents(language: str, insistent: bool = False) -> ScriptedAgents:
    return ScriptedAgents(scripted_templates(language), insistent)


def made(slot: Slot, play: Any = oracle, insistent: bool = False, **changes: Any) -> Trajectory:
    language = slot.key[:2]
    setup = replace(GenerationSetup(language, filters=ALL, attempts=1), **changes)
    return drive(dialogue_episode(slot, tool_library(language), setup, agents(language, insistent)), play)


def faulty(name: str, language: str, **changes: Any) -> tuple[Trajectory, Slot]:
    """The first dialogue in which a fault can be made, and its slot."""
    for number, path in enumerate(PATHS):
        slot = Slot(f"{language}-{number}", path)
        trajectory = made(slot, noisy(1, 1.0, name), **changes)
        if any(step.reply.planted for step in trajectory.steps):
            return trajectory, slot
    raise AssertionError(f"{name} is possible nowhere")


def repairs_of(trajectory: Trajectory) -> tuple[Repair, ...]:
    return attempts_of(trajectory)[-1].repairs


# --- what a fault costs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "language"), in_turn(list(FAULTS)[:: sized(3, 1)], LANGUAGES))
def test_a_fault_is_mended_at_its_price(name: str, language: str) -> None:
    """Of a fault that is seen at once its author is asked once more, and nobody else; of one that shows later what had
    followed from the message that is made again is asked once more."""
    trajectory, slot = faulty(name, language)
    clean = made(slot)
    assert (trajectory.extra["accepted"], len(trajectory.extra["attempts"])) == (True, 1), trajectory.extra["attempts"]
    planted = Counter(step.agent for step in trajectory.steps if step.reply.planted)
    extra = Counter(step.agent for step in trajectory.steps)
    extra.subtract(Counter(step.agent for step in clean.steps))
    fault, gone = FAULTS[name], thrown_away(repairs_of(trajectory))
    if fault.taken_back:
        assert {one.reason for one in repairs_of(trajectory)} == {fault.reason}
        assert extra.total() == len(gone)
        assert extra == Counter(trajectory.steps[number].agent for number in gone)
    elif fault.role == "agent":  # what the planner would say for the assistant is said by the assistant instead
        assert (extra.total(), extra["planner"]) == (planted.total(), 0)
    else:
        if fault.rule == "parallelism":  # the checker sees both decisions
            planted = Counter({agent: planted.total() for agent in ("planner", "checker_planner")})
        assert extra == planted
        assert not gone


def test_what_is_interrupted_while_it_is_mended_goes_on(tmp_path: Path) -> None:
    """Wherever a budget ends it: no reply is asked for twice, and the files are those of one go."""

    def plan(name: str) -> GenerationPlan:
        options = GenerationOptions(paths="multi,single", checks=("all",), language="en")
        return plan_generation(options, "builtin/oracle", None, tmp_path / name, LibraryAgents)

    def play(request: Request) -> Reply:
        asked[request.step] += 1
        return replace(noisy(1, 1.0, "gives_up")(request), usage=Usage(10, 1))

    asked: Counter[int] = Counter()
    whole = carry_out_generation(played(plan("whole"), play), 1)
    assert whole.coverage.attempts.repairs == {"path": 2}
    count = len(asked)
    for step in range(1, count, 2):
        asked.clear()
        cut = carry_out_generation(played(plan(f"cut-{step}"), play), 1, max_tokens_total=11 * step)
        assert cut.coverage.slots.missing == 1
        carry_out_generation(played(plan(f"cut-{step}"), play), 1)
        assert asked == Counter(range(count)), step
        assert files(tmp_path / f"cut-{step}") == files(tmp_path / "whole")


# --- what cannot be mended --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(FAULTS)[:: sized(4, 1)])
def test_a_fault_that_is_made_again_ends_the_attempt(name: str) -> None:
    """As many tries and repairs as there may be, and no more; the reason is that of the fault."""
    setup: dict[str, Any] = {"tries": 2, "repairs": 1, "insistent": True}
    trajectory, _ = faulty(name, "en", **setup)
    (attempt,) = attempts_of(trajectory)
    assert attempt.failed == FAULTS[name].reason
    assert len({repair.task for repair in attempt.repairs}) <= 1
    by_agent = FAULTS[name].reason in ("user", "agent", "checker") or name in ("wrong_language", "tool_request_in_chat")
    assert len(attempt.repairs) == (0 if by_agent else 1), "who says nothing twice says nothing a third time"
    last = trajectory.steps[-1].task_index
    tries = Counter(step.task_index for step in trajectory.steps if step.reply.planted)[last]
    of_planner = FAULTS[name].role == "agent"  # whose words the assistant is asked for then
    assert tries == (3 if of_planner else 2 if by_agent or FAULTS[name].taken_back else 4)


@pytest.mark.parametrize("seed", range(sized(6, 60)))
def test_whatever_agents_say_a_dialogue_ends(seed: int) -> None:
    """Faults again and again, replies cut off, replies of somebody else: it ends, and what is accepted is sound."""
    draw, earlier = random.Random(seed), [""]

    def play(request: Request) -> Reply:
        good, kind = oracle(request).content or "", draw.random()
        if kind < 0.14:
            reply = noisy(seed, 1.0, draw.choice(list(FAULTS)))(request)
        else:
            cut, stranger = good[: draw.randrange(len(good) + 1)], draw.choice(earlier)
            reply = Reply(stranger if kind < 0.2 else cut if kind < 0.24 else good)
        earlier.append(reply.content or "")
        return reply

    path = tuple(draw.choice(("single", "multi", "clarify", "chat")) for _ in range(draw.randint(1, 4)))
    slot = Slot(f"{LANGUAGES[seed % 2]}-{seed}", path)
    trajectory = made(slot, play, insistent=True, attempts=2)
    verdicts = msgspec.convert(trajectory.extra["gates"], tuple[FilterVerdict, ...])
    if trajectory.extra["accepted"]:
        assert [one.gate for one in verdicts if not one.passed] == []
        assert list(captures(trajectory, dialogue_of(trajectory)))
    for attempt in attempts_of(trajectory):
        assert all(count <= 2 for count in Counter(one.task for one in attempt.repairs).values())


# --- a decision is made again -----------------------------------------------------------------------------------------


# --- what is judged at once -------------------------------------------------------------------------------------------
