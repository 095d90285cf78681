"""Progress on standard error: a bar in a terminal, a line now and then elsewhere.

Bar <- RunProgress (here), GenerationProgress (generation_progress.py)
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from toolgauge.cli.language import local
from toolgauge.cli.terminal import console, progress, text_column
from toolgauge.locale import _, clauses
from toolgauge.runs.executors.executor import GRACE_SECONDS, ProgressListener

if TYPE_CHECKING:
    from rich.progress import TaskID

    from toolgauge.api import Plan
    from toolgauge.benchmarks.benchmark import Sample
    from toolgauge.episode import Trajectory

STATUSES = {
    "validating": _("validating"),
    "in_progress": _("in_progress"),
    "finalizing": _("finalizing"),
    "completed": _("completed"),
    "expired": _("expired"),
    "failed": _("failed"),
    "cancelling": _("cancelling"),
    "cancelled": _("cancelled"),
}
"""Of a batch, as providers name them."""
LINE_SECONDS = 30.0
"""Between two lines where there is no terminal."""


class Bar(ProgressListener, ABC):
    """Counts conversations as they end in this go; who derives from it says in which words."""

    def __init__(self, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

        self.total, self.done, self.failed, self.tokens = total, 0, 0, 0
        self._console = console(err=True)
        self._last_line = time.monotonic()
        self._waits_until = 0.0
        self._progress = progress(
            text_column("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            text_column("{task.fields[counts]}"),
            TimeRemainingColumn(),
            on=self._console,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None

    @abstractmethod
    def opening(self) -> str:
        """The line that says what begins."""

    @abstractmethod
    def name(self) -> str:
        """What stands before the bar."""

    @abstractmethod
    def counts(self) -> str:
        """What stands behind the bar."""

    def count(self, trajectory: Trajectory) -> None:
        """A conversation was had."""
        self.tokens += trajectory.usage.total

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, already_done: int) -> None:
        """Called once the run directory is open and says how many conversations it holds."""
        self.done = already_done
        self.print_line(self.opening())
        self._task = self._progress.add_task(
            self.name(), total=self.total, completed=already_done, counts=self.counts()
        )

    def ended(self, sample: Sample, trajectory: Trajectory | None) -> None:  # noqa: ARG002 - a watcher is told which
        self.done += 1
        if trajectory is None:
            self.failed += 1
        else:
            self.count(trajectory)
        if self._task is not None:
            self._progress.update(self._task, advance=1, counts=self._behind())
        if not self._console.is_terminal and self.is_time():
            self.print_line(f"{self.done}/{self.total} {self.counts()}")

    def waiting(self, model: str, until: float) -> None:
        """Say at once what nothing moves for, and until when."""
        self.print_line(
            local(
                _(
                    "{model} asks to wait until {until}; Ctrl-C ends, the same command goes on later.",
                    model=model,
                    until=clock(until),
                )
            )
        )
        self._waits_until = until
        if self._task is not None:
            self._progress.update(self._task, counts=self._behind())

    def _behind(self) -> str:
        """What stands behind the bar: the counts, and the end of a pause while it lasts."""
        if time.time() >= self._waits_until:
            return self.counts()
        return local(clauses([self.counts(), _("waiting until {until}", until=clock(self._waits_until))]))

    def interrupted(self) -> None:
        self.print_line(
            local(
                _(
                    "Interrupted: what is under way has {seconds} seconds to come back; Ctrl-C again ends at once.",
                    seconds=int(GRACE_SECONDS),
                )
            )
        )

    def print_line(self, line: str) -> None:
        """Print a line above the bar."""
        self._last_line = time.monotonic()
        self._console.print(line)

    def is_time(self) -> bool:
        """Has nothing been said for long?"""
        return time.monotonic() - self._last_line > LINE_SECONDS


class RunProgress(Bar):
    """Progress of a run: finished samples, and the state of its batches."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(len(plan.samples))
        self._names = {"benchmark": plan.benchmark.name, "language": plan.dataset.language}
        self._model = plan.model.name
        self._statuses: dict[str, str] = {}

    def opening(self) -> str:
        return local(
            _(
                "{total:,} conversations of {benchmark} ({language}) for {model}, {done:,} already done",
                total=self.total,
                done=self.done,
                model=self._model,
                **self._names,
            )
        )

    def name(self) -> str:
        return " ".join(self._names.values())

    def counts(self) -> str:
        failed = [_("{count:,} failed", count=self.failed)] if self.failed else []
        return local(clauses([*failed, _("{tokens:,} tokens", tokens=self.tokens)]))

    def batch(self, batch: str, status: str, done: int, total: int) -> None:
        """Say what a batch does when that changes, and now and then how far it is."""
        if self._statuses.get(batch) != status or self.is_time():
            self._statuses[batch] = status
            self.print_line(
                local(
                    _(
                        "Batch {batch}: {status}, {done:,} of {total:,} answered",
                        batch=batch,
                        status=status,
                        done=done,
                        total=total,
                    )
                )
            )


def clock(until: float) -> str:
    """A time (seconds since the epoch) as this machine's clock shows it, with the day if that is another one."""
    then, now = time.localtime(until), time.localtime()
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d %H:%M", then)
