"""What a generation will take before anything is asked: requests, tokens by model, money.

Where dialogues of the same generation are finished, what these took is the best evidence. Otherwise some of its slots
are played by scripted agents, and their requests are counted as a model would read them (models/prices.py).
Both are evidence by task: a slot takes what tasks of its kinds took at their places in the dialogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Reply, Request, Tool, Usage
from toolgauge.episode import Trajectory, drive
from toolgauge.generation.agents.messages import tools_as_text
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters.multi_turn import NAME as MULTI_TURN
from toolgauge.generation.formats.agent_traces import requests
from toolgauge.generation.formats.outcomes import given_session
from toolgauge.generation.formats.spending import total_price
from toolgauge.generation.formats.trajectory_index import TrajectoryIndex
from toolgauge.generation.kept_attempts import kept_attempts
from toolgauge.generation.setup import Slot
from toolgauge.generation.spec import GenerationPlan
from toolgauge.generation.state import HintProvider
from toolgauge.generation.task_loads import Evidence, Load, Loads
from toolgauge.models.builtin.models import BuiltinModel, gold_hint_of
from toolgauge.models.prices import PrefixCache, estimated_tokens, request_pieces
from toolgauge.runs.budget import Pricing, pricing
from toolgauge.runs.manifest import MANIFEST, require_same
from toolgauge.runs.store import TRAJECTORIES
from toolgauge.tools.toollist import tool_library

PLAYED = 32
"""Slots that are played, spread over those that are left."""
MISTAKES = 1.2
"""What a strong model takes where a perfect agent takes one, for it makes tries and parts of tasks again. Measured with
perf/generation_cost.py."""
LEAST, MOST = 0.75, 1.5
"""The range of what was played: texts of other lengths and another tokenizer either way, and upwards more mistakes."""
READ = 400
"""Finished dialogues that are read."""


class Basis(StrEnum):
    """finished: what dialogues of this generation took; played: what scripted agents would."""

    FINISHED = "finished"
    PLAYED = "played"


class Amount(Struct, frozen=True):
    """cached: how many of the input tokens a provider's cache is likely to serve; cost: US dollars, None where the
    price is not known."""

    requests: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output


class Estimate(Struct, frozen=True):
    """What the dialogues that are left will take.

    dialogues: how many are left, done: are finished; evidence: how many dialogues it is based on. models: the expected
    amounts by role (of several user models by each); total: of all; least, most: the range of the total.
    """

    dialogues: int
    done: int
    basis: Basis
    evidence: int
    models: dict[str, Amount]
    total: Amount
    least: Amount
    most: Amount


def estimate(plan: GenerationPlan, agents: HintProvider) -> Estimate:
    """What is left of a plan will take. Nothing is asked and nothing is written.

    agents: what a model would say, for the slots that are played. Raises UsageError where the plan's folder holds
    another generation.
    """
    finished, left = _divided(plan)
    evidence = Evidence()
    for slot, trajectory in _read(plan, finished):
        evidence.add(slot, _counted(plan, slot, trajectory))
    basis = Basis.FINISHED if evidence.slots else Basis.PLAYED
    if basis is Basis.PLAYED:
        for slot in _spread(left, PLAYED):
            made = _played(plan, slot, agents)
            evidence.add(slot, _counted(plan, slot, made, _definitions(plan, slot)))
    expected: Loads = {}
    for slot in left:
        for role, load in evidence.expected(slot).items():
            member = plan.models.role_map(slot.key, role)
            expected[member] = expected.get(member, Load()) + load
    if basis is Basis.PLAYED and plan.hints is None:
        expected = {member: load.times(MISTAKES) for member, load in expected.items()}
    least, most = (LEAST, MOST) if basis is Basis.PLAYED else evidence.range(left)
    price = pricing(plan.models.members)
    return Estimate(
        len(left),
        len(finished),
        basis,
        evidence.slots,
        {member: _amount({member: load}, price) for member, load in sorted(expected.items())},
        _amount(expected, price),
        _amount({member: load.times(least) for member, load in expected.items()}, price),
        _amount({member: load.times(most) for member, load in expected.items()}, price, basis is Basis.FINISHED),
    )


def _divided(plan: GenerationPlan) -> tuple[list[Slot], list[Slot]]:
    """The slots that are finished, and those that are left."""
    if (plan.folder / MANIFEST).exists():
        require_same(plan.folder, plan.manifest)
    if not (plan.folder / TRAJECTORIES).exists():
        return [], list(plan.slots)
    with TrajectoryIndex(plan.folder) as trajectories:
        finished = [slot for slot in plan.slots if slot.key in trajectories]
        return finished, [slot for slot in plan.slots if slot.key not in trajectories]


def _read(plan: GenerationPlan, finished: Sequence[Slot]) -> Iterator[tuple[Slot, Trajectory]]:
    if not finished:
        return
    with TrajectoryIndex(plan.folder) as trajectories:
        for slot in _spread(finished, READ):
            if (trajectory := trajectories.read(slot.key)) is not None:
                yield slot, trajectory


def _spread(slots: Sequence[Slot], most: int) -> list[Slot]:
    """At most so many slots, from all over the list."""
    count = min(most, len(slots))
    return [slots[number * len(slots) // count] for number in range(count)]


def _played(plan: GenerationPlan, slot: Slot, agents: HintProvider) -> Trajectory:
    """A slot as scripted agents play it, over the embedded library and without what only stands in the user's files.

    Built-in models play themselves. For all others every dialogue passes its filters; what mistakes add is known on
    average (`MISTAKES`).
    """
    members, setup = plan.models.members, plan.setup
    scenario = replace(slot.scenario, tools=()) if slot.scenario is not None else None
    bare = replace(slot, opening=None, scenario=scenario)
    if plan.hints is None:
        setup = replace(setup, attempts=1, filters=tuple(name for name in setup.filters if name == MULTI_TURN))

    def answer(request: Request) -> Reply:
        model = members[plan.models.role_map(slot.key, request.role)]
        return model.play(request) if isinstance(model, BuiltinModel) else gold_hint_of(request).reply

    return drive(dialogue_episode(bare, tool_library(setup.language), setup, plan.hints or agents), answer)


def _counted(
    plan: GenerationPlan, slot: Slot, trajectory: Trajectory, definitions: float | None = None
) -> Iterator[tuple[int, str, Load]]:
    """The requests of a slot. Tokens are those that the provider counted, or estimated where it counted none.

    definitions: tokens of the tools' definitions, where they are to stand in the place of those in the trajectory.
    """
    if trajectory.usage.total:
        for step in trajectory.steps:
            usage = step.reply.usage
            load = Load(1, usage.input_tokens, usage.output_tokens, usage.cached_tokens)
            yield step.task_index, step.role, load
        return
    caches: dict[int, PrefixCache] = {}
    shown = {
        tools_as_text([tool]) for kept in kept_attempts(trajectory) if kept.dialogue for tool in kept.dialogue.tools
    }
    for traced in requests(trajectory):
        step = traced.step
        model = plan.models.members[plan.models.role_map(slot.key, step.role)]
        cache, pieces = caches.setdefault(id(model), PrefixCache()), request_pieces(traced.messages)
        cached = cache.cached_tokens(pieces)
        cache.add(pieces)
        more = 0.0
        if definitions is not None:
            more = _exchanged("\n".join(message.content or "" for message in traced.messages), shown, definitions)
        taken = len(pieces) + more
        reply = estimated_tokens(step.reply.content or "") + estimated_tokens(step.reply.reasoning or "")
        yield step.task_index, step.role, Load(1, taken, reply, cached * taken / max(1, len(pieces)))


def _exchanged(text: str, shown: Iterable[str], definitions: float) -> float:
    """How many tokens a request gains where other definitions stand in the place of those shown."""
    inside = [(text.count(one), estimated_tokens(one)) for one in shown if one in text]
    once = sum(tokens for _times, tokens in inside)
    return sum(times * tokens for times, tokens in inside) * (definitions / once - 1) if once else 0.0


def _definitions(plan: GenerationPlan, slot: Slot) -> float | None:
    """The tokens of the definitions that a slot will show, on average; None where they are the library's."""
    if slot.opening is not None:
        given = given_session(slot, plan.setup.language)
        return sum(map(_tokens, given.tools)) if given is not None else None
    if plan.options.tools is None:
        return None
    return sum(_tokens(tool) for one in plan.pool for tool in one.tools) / len(plan.pool)


def _tokens(tool: Tool) -> int:
    return estimated_tokens(tools_as_text([tool]))


def _amount(loads: Mapping[str, Load], price: Pricing, caches: bool = True) -> Amount:
    """Loads together. caches: do providers serve the beginnings of requests from them?"""
    whole = sum(loads.values(), Load())
    return Amount(
        round(whole.requests),
        round(whole.input),
        round(whole.output),
        round(whole.cached) if caches else 0,
        total_price(price, {member: _usage(load, caches) for member, load in loads.items()}),
    )


def _usage(load: Load, caches: bool) -> Usage:
    return Usage(round(load.input), round(load.output), round(load.cached) if caches else 0)
