"""The progress of a generation on standard error: how many dialogues are accepted, how many not and why, the cost."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from toolgauge.chat import Usage
from toolgauge.cli.progress import LINE_SECONDS
from toolgauge.cli.words import say
from toolgauge.runs.carrying import pricing
from toolgauge.runs.runner import GRACE_SECONDS, Watcher

if TYPE_CHECKING:
    from rich.progress import TaskID

    from toolgauge.benchmarks.benchmark import Unit
    from toolgauge.episode import Trajectory
    from toolgauge.generating import GenerationPlan

NAMED = 2
"""Reasons that stand beside the bar."""


class GenerationProgress(Watcher):
    """Counts the dialogues of a plan as they end in this go."""

    def __init__(self, plan: GenerationPlan) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.plan, self.done, self.accepted, self.failed, self.tokens = plan, 0, 0, 0, 0
        self.rejected, self.reasons = 0, Counter[str]()
        self.cost: float | None = 0.0
        self._price = pricing(plan.cast.members)
        self._console = Console(stderr=True)
        self._last_line = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> GenerationProgress:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, already_done: int) -> None:
        """Called once the run directory is open and says how many dialogues it holds."""
        self.done, total, language = already_done, len(self.plan.slots), self.plan.options.language
        text = say("generating", total=total, done=already_done, language=language)
        self._console.print(text, markup=False, highlight=False)
        self._task = self._progress.add_task(
            say("generation"), total=total, completed=already_done, counts=self._counts()
        )

    def ended(self, unit: Unit, trajectory: Trajectory | None) -> None:  # noqa: ARG002 - a watcher is told which
        self.done += 1
        if trajectory is None:
            self.failed += 1
        else:
            self._count(trajectory)
        if self._task is not None:
            self._progress.update(self._task, advance=1, counts=self._counts())
        if not self._console.is_terminal and time.monotonic() - self._last_line > LINE_SECONDS:
            self._last_line = time.monotonic()
            text = f"{self.done}/{len(self.plan.slots)} {self._counts()}"
            self._console.print(text, markup=False, highlight=False)

    def interrupted(self) -> None:
        self._console.print(say("interrupting", seconds=int(GRACE_SECONDS)), markup=False, highlight=False)

    def _count(self, trajectory: Trajectory) -> None:
        accepted = bool(trajectory.extra.get("accepted"))
        self.accepted += accepted
        self.rejected += not accepted
        for attempt in trajectory.extra.get("attempts", []):
            if "failed" in attempt:
                self.reasons[str(attempt["failed"])] += 1
        self.tokens += trajectory.usage.total
        spent: dict[str, Usage] = {}
        for step in trajectory.steps:
            member = self.plan.cast.casting(trajectory.task_id, step.role)
            spent[member] = spent.get(member, Usage()) + step.reply.usage
        prices = [self._price(member, usage) for member, usage in spent.items()]
        known = [price for price in prices if price is not None]
        self.cost = self.cost + sum(known) if self.cost is not None and len(known) == len(prices) else None

    def _counts(self) -> str:
        why = say("comma").join(f"{reason} {count:,}" for reason, count in self.reasons.most_common(NAMED))
        parts = [say("accepted", count=self.accepted), say("rejected", count=self.rejected)]
        parts += [say("retried", what=why)] if why else []
        parts += [f"{self.failed:,} {say('failed')}"] if self.failed else []
        cost = say("cost", dollars=self.cost) if self.cost else ""
        return say("comma").join([*parts, f"{self.tokens:,} {say('tokens')}{cost}"])
