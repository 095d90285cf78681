"""What a generation will take before anything is asked: means times prices.

The means per dialogue are those of finished dialogues of the same generation, else those of dialogues that scripted
agents play over the same tools, their texts as long as a model's (`LENGTHS`) and counted as a model would read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec import Struct

from toolgauge.chat import Reply, Request, Usage
from toolgauge.episode import Trajectory, drive, requested
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.formats.coverage import total_price
from toolgauge.generation.formats.trajectory_index import TrajectoryIndex
from toolgauge.generation.spec import GenerationPlan
from toolgauge.generation.state import HintProvider
from toolgauge.models.builtin.models import gold_hint_of
from toolgauge.models.prices import PrefixCache, estimated_tokens, request_pieces
from toolgauge.runs.budget import pricing
from toolgauge.runs.manifest import MANIFEST, require_same
from toolgauge.runs.store import TRAJECTORIES

SAMPLE = 16
"""Dialogues that the means are taken of."""
LENGTHS = {"user": 1.5, "planner": 2.5, "tool": 2.0, "agent": 2.0, "checker": 1.5}
"""How much longer a model's replies are than those of scripted agents, by role."""
INPUT = 1.3
"""How much longer its requests are: they hold such replies, and now and then something is asked again."""
LEAST, MOST = 0.75, 1.5
"""The range around the means."""


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

    dialogues: how many are left, done: are finished; basis: "finished" or "played", evidence: how many dialogues.
    models: the expected amounts by role (of several user models by each); total: of all; least, most: its range.
    """

    dialogues: int
    done: int
    basis: str
    evidence: int
    models: dict[str, Amount]
    total: Amount
    least: Amount
    most: Amount


def estimate(plan: GenerationPlan, agents: HintProvider) -> Estimate:
    """What is left of a plan will take. Nothing is asked and nothing is written.

    agents: scripted agents. Raises UsageError where the plan's folder holds another generation.
    """
    finished = _finished(plan)
    left = [slot for slot in plan.slots if slot.key not in finished]
    seen = [trajectory for trajectory in finished.values() if trajectory is not None]
    basis = "finished" if any(one.usage.total for one in seen) else "played"
    if basis == "played":
        chosen = (left or list(plan.slots))[:: max(1, len(left) // SAMPLE)][:SAMPLE]
        seen = [drive(dialogue_episode(slot, plan.pool, plan.setup, agents), _play) for slot in chosen]
    counted: Counter[tuple[str, str]] = Counter()
    for one in seen:
        counted.update(_counts(plan, one, measured=basis == "finished"))
    share = len(left) / max(1, len(seen))

    def amount(members: Collection[str], factor: float, caches: bool = True) -> Amount:
        requests = round(sum(counted[member, "requests"] for member in members) * share * factor)
        usage = {member: _usage(counted, member, share * factor, caches) for member in members}
        whole = sum(usage.values(), Usage())
        cost = total_price(pricing(plan.models.members), usage)
        return Amount(requests, whole.input_tokens, whole.output_tokens, whole.cached_tokens, cost)

    members = sorted({member for member, _part in counted})
    models = {member: amount([member], 1) for member in members}
    total, least, most = amount(members, 1), amount(members, LEAST), amount(members, MOST, caches=False)
    return Estimate(len(left), len(plan.slots) - len(left), basis, len(seen), models, total, least, most)


def _usage(counted: Mapping[tuple[str, str], int], member: str, factor: float, caches: bool) -> Usage:
    cached = round(counted[member, "cached"] * factor) if caches else 0
    return Usage(round(counted[member, "input"] * factor), round(counted[member, "output"] * factor), cached)


def _finished(plan: GenerationPlan) -> dict[str, Trajectory | None]:
    """The slots that are finished, with as many trajectories as the means are taken of."""
    if (plan.folder / MANIFEST).exists():
        require_same(plan.folder, plan.manifest)
    if not (plan.folder / TRAJECTORIES).exists():
        return {}
    with TrajectoryIndex(plan.folder) as trajectories:
        done = [slot.key for slot in plan.slots if slot.key in trajectories]
        read = set(done[:: max(1, len(done) // SAMPLE)][:SAMPLE])
        return {key: trajectories.read(key) if key in read else None for key in done}


def _play(request: Request) -> Reply:
    return gold_hint_of(request).reply


def _counts(plan: GenerationPlan, trajectory: Trajectory, measured: bool) -> Counter[tuple[str, str]]:
    """Requests and tokens of a dialogue by member: as the provider counted them, or estimated."""
    found: Counter[tuple[str, str]] = Counter()
    caches: dict[int, PrefixCache] = {}
    for step, messages in requested(trajectory.steps):
        member = plan.models.role_map(trajectory.task_id, step.role)
        usage = step.reply.usage
        if not measured:
            pieces = request_pieces(messages)
            cache = caches.setdefault(id(plan.models.members[member]), PrefixCache())
            cached = cache.cached_tokens(pieces)
            cache.add(pieces)
            output = round(estimated_tokens(step.reply.content or "") * LENGTHS[step.role])
            usage = Usage(round(len(pieces) * INPUT), output, round(cached * INPUT))
        found[member, "requests"] += 1
        found[member, "input"] += usage.input_tokens
        found[member, "output"] += usage.output_tokens
        found[member, "cached"] += usage.cached_tokens
    return found
