"""The progress of a run on standard error: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toolgauge.cli.chinese import local
from toolgauge.cli.words import say
from toolgauge.runs.runner import GRACE_SECONDS, Watcher

if TYPE_CHECKING:
    from rich.progress import TaskID

    from toolgauge.api import Plan
    from toolgauge.benchmarks.benchmark import Unit
    from toolgauge.episode import Trajectory

LINE_SECONDS = 30.0
"""Between two lines where there is no terminal."""


class ProgressBar(Watcher):
    """Counts the conversations of a plan as they end."""

    def __init__(self, plan: Plan) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.plan, self.failed, self.tokens, self.done = plan, 0, 0, 0
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
        self._statuses: dict[str, str] = {}

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, already_done: int) -> None:
        """Called once the run directory is open and says how many conversations it holds."""
        plan, total = self.plan, len(self.plan.units)
        self.done = already_done
        names = {"benchmark": plan.benchmark.name, "language": plan.dataset.language}
        self._console.print(
            say("asking", total=total, done=already_done, model=plan.model.name, **names), markup=False, highlight=False
        )
        self._task = self._progress.add_task(
            say("progress", **names), total=total, completed=already_done, counts=self._counts()
        )

    def ended(self, unit: Unit, trajectory: Trajectory | None) -> None:  # noqa: ARG002 - a watcher is told which
        self.done += 1
        if trajectory is None:
            self.failed += 1
        else:
            self.tokens += trajectory.usage.total
        if self._task is not None:
            self._progress.update(self._task, advance=1, counts=self._counts())
        if not self._console.is_terminal and time.monotonic() - self._last_line > LINE_SECONDS:
            self._last_line = time.monotonic()
            self._console.print(f"{self.done}/{len(self.plan.units)} {self._counts()}", highlight=False)

    def batch(self, batch: str, status: str, done: int, total: int) -> None:
        """Say what a batch does when that changes, and now and then how far it is."""
        changed = self._statuses.get(batch) != status
        if changed or time.monotonic() - self._last_line > LINE_SECONDS:
            self._statuses[batch] = status
            self._last_line = time.monotonic()
            what = say("batch", batch=batch, status=local(status), done=done, total=total)
            self._console.print(what, markup=False, highlight=False)

    def interrupted(self) -> None:
        self._console.print(say("interrupting", seconds=int(GRACE_SECONDS)), markup=False, highlight=False)

    def _counts(self) -> str:
        failed = f"{self.failed} {say('failed')}, " if self.failed else ""
        return f"{failed}{self.tokens:,} {say('tokens')}"
