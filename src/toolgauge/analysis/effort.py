"""What a run took: steps, requests, tokens, seconds and dollars, per task and per right task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.artefacts import DIGITS
from toolgauge.chat import Usage
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.models.prices import total_cost


class Amount(Struct, frozen=True):
    """Of something that was used: in all, per task, and per right task of each scoring, what a right answer costs.

    None where the provider does not tell, and for a price nobody knows.
    """

    total: float | int | None = None
    per_task: float | int | None = None
    per_correct_task: dict[str, float | int | None] = {}

    def at_share(self, share: float) -> Amount:
        """For a share of it: what batches cost of the list price."""
        right = {scoring: _part(value, share) for scoring, value in self.per_correct_task.items()}
        return Amount(_part(self.total, share), _part(self.per_task, share), right)


class Latency(Struct, frozen=True):
    """Seconds; None where nothing was measured. p50, p95: quantiles."""

    mean: float | None = None
    p50: float | None = None
    p95: float | None = None


class Latencies(Struct, frozen=True):
    """Of a reply, and of a task: its replies one after the other."""

    reply: Latency = Latency()
    task: Latency = Latency()

    def by_name(self) -> dict[str, Latency]:
        return {"reply": self.reply, "task": self.task}


class RoleEffort(Struct, frozen=True):
    """What a role beside the measured model took, in all. dollars: None where no price is known."""

    replies: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    dollars: float | None = None


class Effort(Struct, frozen=True):
    """What a run took. tasks: that were done; correct: those of them that are right, by scoring; amounts: `AMOUNTS`;
    roles: what those who speak beside the model took, where any did."""

    tasks: int = 0
    correct: dict[str, int] = {}
    amounts: dict[str, Amount] = {}
    latency: Latencies = Latencies()
    roles: dict[str, RoleEffort] | UnsetType = UNSET

    def at_price_share(self, share: float) -> Effort:
        """With the dollars at a share of the list price."""
        return replace(self, amounts=self.amounts | {"dollars": self.amounts["dollars"].at_share(share)})


AMOUNTS = (
    "steps", "requests", "input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens", "seconds", "dollars",
)  # fmt: skip
"""Steps are replies, requests the tries they took; seconds are those of the replies, one after the other."""
TOKENS = ("input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens")
_MOST = 1 << 40  # of tokens, tries or seconds in a reply: what is more, or below 0, is no count


class Meter:
    """Adds up what replies took, role by role, while their trajectories stream by.

    models: by role, the name that its prices are known by, "" where nobody knows it; the measured model is ASSISTANT.
    """

    def __init__(self, models: Mapping[str, str]) -> None:
        self._models = models
        self._usages: dict[str, list[Usage]] = {}
        self._seconds: dict[str, list[float]] = {}
        self._requests = 0
        self._tasks: list[float] = []

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories, counted."""
        for trajectory in trajectories:
            tasks: dict[int, list[float]] = {}
            for step in trajectory.steps:
                reply, seconds = step.reply, float(_bounded(step.reply.seconds))
                usage = Usage(*(int(_bounded(getattr(reply.usage, name))) for name in Usage.__struct_fields__))
                self._usages.setdefault(step.role, []).append(usage)
                self._seconds.setdefault(step.role, []).append(seconds)
                if step.role == ASSISTANT:
                    self._requests += int(_bounded(reply.attempts))
                    tasks.setdefault(step.task_index if trajectory.task_index is None else 0, []).append(seconds)
            self._tasks += map(math.fsum, tasks.values())
            yield trajectory

    def effort(self, scores: Iterable[Score]) -> Effort:
        """What the measured model took, over these scores."""
        right, tasks, replies = correct_tasks(scores), len(self._tasks), self._seconds.get(ASSISTANT, [])
        used, dollars = self._used(ASSISTANT)
        has_usage = used.total > 0
        totals: dict[str, float | None] = {
            "steps": len(replies),
            "requests": self._requests,
            **{name: getattr(used, name) if has_usage else None for name in TOKENS},
            "seconds": math.fsum(replies) or None,
            "dollars": dollars if has_usage else None,
        }
        amounts = {
            name: Amount(
                None if total is None else round(total, DIGITS),
                _share(total, tasks),
                {scoring: _share(total, number) for scoring, number in right.items()},
            )
            for name, total in totals.items()
        }
        return Effort(tasks, right, amounts, Latencies(_latency(replies), _latency(self._tasks)))

    def roles(self) -> dict[str, RoleEffort]:
        """What the other roles took, of which a provider told anything."""
        by_role = {}
        for role in (role for role in self._usages if role != ASSISTANT):
            used, dollars = self._used(role)
            if used.input_tokens:
                seconds = round(math.fsum(self._seconds[role]), DIGITS)
                dollars = None if dollars is None else round(dollars, DIGITS)
                by_role[role] = RoleEffort(
                    len(self._usages[role]), used.input_tokens, used.output_tokens, seconds, dollars
                )
        return by_role

    def _used(self, role: str) -> tuple[Usage, float | None]:
        """Tokens in all, and what they cost."""
        usages, model = self._usages.get(role, []), self._models.get(role)
        return sum(usages, Usage()), total_cost(model, usages) if model else None


def _part(dollars: float | None, share: float) -> float | None:
    return None if dollars is None else round(dollars * share, DIGITS)


def correct_tasks(scores: Iterable[Score]) -> dict[str, int]:
    """By scoring, how many tasks are right; of two scores of one task the later counts."""
    counts: dict[str, int] = {}
    for score in {score.task_id: score for score in scores}.values():
        for scoring, verdict in score.scorings.items():
            counts[scoring] = counts.get(scoring, 0) + verdict.correct
    return counts


def _share(total: float | None, number: int) -> float | None:
    return None if total is None or not number else round(total / number, DIGITS)


def _latency(seconds: Sequence[float]) -> Latency:
    ordered = sorted(seconds)
    if not ordered or not ordered[-1]:
        return Latency()
    values = (math.fsum(ordered) / len(ordered), quantile(ordered, 0.5), quantile(ordered, 0.95))
    return Latency(*(round(value, DIGITS) for value in values))


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of numbers in order (at least one), interpolated between neighbours (Hyndman and Fan's type 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _bounded(number: float) -> float:
    return min(max(number, 0), _MOST)
