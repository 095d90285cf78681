"""What a generation will take before anything is asked: means times prices.

The means per dialogue are those of finished dialogues of the same generation, else those of dialogues that scripted
agents play over the same tools, their texts as long as a model's (`LENGTHS`) and counted as a model would read them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

from msgspec import Struct

from toolgauge.chat import Reply, Request, Usage
from toolgauge.episode import Trajectory, drive, requested
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.formats.coverage import total_price
from toolgauge.generation.formats.files import TrajectoryIndex
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
    is_measured = any(one.usage.total for one in seen)
    if not is_measured:
        chosen = (left or list(plan.slots))[:: max(1, len(left) // SAMPLE)][:SAMPLE]
        seen = [drive(dialogue_episode(slot, plan.pool, plan.setup, agents), _play) for slot in chosen]
    requests: Counter[str] = Counter()
    spent: dict[str, Usage] = {}
    for trajectory in seen:
        for member, usage in _usages(plan, trajectory, is_measured):
            requests[member] += 1
            spent[member] = spent.get(member, Usage()) + usage
    share = len(left) / max(1, len(seen))

    def amount(members: Collection[str], factor: float, caches: bool = True) -> Amount:
        usages = {member: _times(spent[member], share * factor, caches) for member in members}
        whole = sum(usages.values(), Usage())
        count = round(sum(requests[member] for member in members) * share * factor)
        cost = total_price(pricing(plan.models.members), usages)
        return Amount(count, whole.input_tokens, whole.output_tokens, whole.cached_tokens, cost)

    members = sorted(spent)
    models = {member: amount([member], 1) for member in members}
    total, least, most = amount(members, 1), amount(members, LEAST), amount(members, MOST, caches=False)
    basis = "finished" if is_measured else "played"
    return Estimate(len(left), len(plan.slots) - len(left), basis, len(seen), models, total, least, most)


def _times(usage: Usage, factor: float, caches: bool) -> Usage:
    cached = round(usage.cached_tokens * factor) if caches else 0
    return Usage(round(usage.input_tokens * factor), round(usage.output_tokens * factor), cached)


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


def _usages(plan: GenerationPlan, trajectory: Trajectory, is_measured: bool) -> Iterator[tuple[str, Usage]]:
    """Of every request of a dialogue the member that is asked, and the tokens: as the provider counted them, or
    estimated."""
    caches: defaultdict[int, PrefixCache] = defaultdict(PrefixCache)
    for step, messages in requested(trajectory.steps):
        member = plan.models.role_map(trajectory.task_id, step.role)
        if is_measured:
            yield member, step.reply.usage
            continue
        pieces, cache = request_pieces(messages), caches[id(plan.models.members[member])]
        cached = cache.cached_tokens(pieces)
        cache.add(pieces)
        output = round(estimated_tokens(step.reply.content or "") * LENGTHS[step.role])
        yield member, Usage(round(len(pieces) * INPUT), output, round(cached * INPUT))
