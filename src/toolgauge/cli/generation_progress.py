"""The progress of a generation on standard error: how many dialogues are accepted, how many not and why, the cost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from toolgauge.chat import Reply
from toolgauge.cli.progress import Bar
from toolgauge.runs.budget import pricing

if TYPE_CHECKING:
    from toolgauge.episode import Trajectory
    from toolgauge.generation.spec import GenerationPlan

NAMED = 2
"""Reasons that stand beside the bar."""


class GenerationProgress(Bar):
    """Of a generation: accepted and rejected dialogues, and what they cost."""

    def __init__(self, plan: GenerationPlan) -> None:
        super().__init__(len(plan.slots))
        self.accepted, self.rejected, self.reasons = 0, 0, Counter[str]()
        self.cost: float | None = 0.0
        self._language, self._models = plan.options.language, plan.models
        self._price = pricing(plan.models.members)

    def opening(self) -> str:
        done = f", {self.earlier:,} already done" if self.earlier else ""
        plural = "" if self.total == 1 else "s"
        return f"{self.total:,} dialogue{plural} ({self._language}) to make{done}"

    def name(self) -> str:
        return "dialogues"

    def count(self, trajectory: Trajectory) -> None:
        super().count(trajectory)
        accepted = bool(trajectory.extra.get("accepted"))
        self.accepted += accepted
        self.rejected += not accepted
        for attempt in trajectory.extra.get("attempts", ()):
            if attempt.get("failed"):
                self.reasons[attempt["failed"]] += 1

    def replied(self, key: str, role: str, reply: Reply) -> None:
        super().replied(key, role, reply)
        price = self._price(self._models.role_map(key, role), reply.usage)
        self.cost = None if self.cost is None or price is None else self.cost + price

    def counts(self) -> list[str]:
        parts = [f"{self.accepted:,} accepted", f"{self.rejected:,} given up"]
        if self.reasons:
            why = ", ".join(f"{reason} {count:,}" for reason, count in self.reasons.most_common(NAMED))
            parts.append(f"started over for {why}")
        return [*parts, *super().counts(), *([f"${self.cost:.2f}"] if self.cost else [])]
