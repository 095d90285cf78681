"""The progress of a generation on standard error: how many dialogues are accepted, how many not and why, the cost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import UNSET

from toolgauge.chat import Reply
from toolgauge.cli.language import local
from toolgauge.cli.progress import Bar
from toolgauge.generation.attempts import attempts_of
from toolgauge.locale import Text, _, clauses
from toolgauge.runs.budget import pricing

if TYPE_CHECKING:
    from toolgauge.episode import Trajectory
    from toolgauge.generation.spec import GenerationPlan

NAMED = 2
"""Reasons that stand beside the bar."""
REQUESTS_PER_TASK = 6.0
"""That a task takes, as long as no dialogue of this go is finished."""


class GenerationProgress(Bar):
    """Of a generation: accepted and rejected dialogues, and what they cost."""

    def __init__(self, plan: GenerationPlan) -> None:
        tasks = sum(len(slot.path) - slot.first_made for slot in plan.slots) / max(len(plan.slots), 1)
        super().__init__(len(plan.slots), steps=tasks * REQUESTS_PER_TASK)
        self.accepted, self.rejected, self.reasons = 0, 0, Counter[str]()
        self.cost: float | None = 0.0
        self._language, self._models = plan.options.language, plan.models
        self._price = pricing(plan.models.members)

    def opening(self) -> str:
        return local(
            _(
                "Dialogues to make ({language}): {total:,}, already there: {done:,}",
                total=self.total,
                done=self.earlier,
                language=self._language,
            )
        )

    def name(self) -> str:
        return local(_("dialogues"))

    def count(self, trajectory: Trajectory) -> None:
        super().count(trajectory)
        accepted = bool(trajectory.extra.get("accepted"))
        self.accepted += accepted
        self.rejected += not accepted
        for attempt in attempts_of(trajectory):
            if attempt.failed is not UNSET:
                self.reasons[attempt.failed] += 1

    def replied(self, key: str, role: str, reply: Reply) -> None:
        super().replied(key, role, reply)
        price = self._price(self._models.role_map(key, role), reply.usage)
        self.cost = None if self.cost is None or price is None else self.cost + price

    def counts(self) -> list[Text]:
        why = clauses([f"{reason} {count:,}" for reason, count in self.reasons.most_common(NAMED)])
        parts = [_("{count:,} accepted", count=self.accepted), _("{count:,} given up", count=self.rejected)]
        parts += [_("begun again for {what}", what=why)] if self.reasons else []
        parts += [_("{count:,} failed", count=self.failed)] if self.failed else []
        return [*parts, _("${dollars:.2f}", dollars=self.cost)] if self.cost else parts
