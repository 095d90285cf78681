"""Progress on standard error: a bar in a terminal, a line a minute elsewhere, whether anything has ended or not.

Bar <- RunProgress (here), GenerationProgress (generation_progress.py)
"""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Self

from toolgauge.chat import Reply
from toolgauge.cli.terminal import console, echo, live_column, progress, text_column
from toolgauge.models.failures import RetryCause
from toolgauge.runs.executors.executor import GRACE_SECONDS, ProgressListener

if TYPE_CHECKING:
    from rich.progress import Progress

    from toolgauge.benchmarks.benchmark import Sample
    from toolgauge.episode import Trajectory
    from toolgauge.runs.plan import Plan

RETRIES = {
    RetryCause.TIMEOUT: "time-outs",
    RetryCause.BUSY: "HTTP 429",
    RetryCause.SERVER: "HTTP 5xx",
    RetryCause.CONNECTION: "broken connections",
    RetryCause.ANSWER: "unusable replies",
}
LINE_SECONDS = 60.0
"""Between two lines where there is no terminal."""
BAR_WIDTH = 20


class Bar(ProgressListener, ABC):
    """Counts replies and conversations of this command as they arrive and end; subclasses provide the texts.

    earlier: conversations that were done before; failed: those that were asked and failed; tokens: of the replies.
    """

    def __init__(self, total: int) -> None:
        self.total, self.earlier, self.done, self.failed, self.replies, self.tokens = total, 0, 0, 0, 0, 0
        self._retries: Counter[RetryCause] = Counter()
        self._last_line = time.monotonic()
        self._began = 0.0
        self._waits_until = 0.0
        self._interrupted = False
        self._shown = False
        self._in_terminal = sys.stderr.isatty()
        self._lock = threading.Lock()  # what is drawn is asked for in threads
        self._over = threading.Event()
        self._timer = threading.Thread(target=self._print_lines, daemon=True)

    @cached_property
    def _progress(self) -> Progress:
        """The bar of a terminal."""
        from rich.progress import BarColumn, MofNCompleteColumn

        columns = (BarColumn(BAR_WIDTH), MofNCompleteColumn(), live_column(self.status))
        return progress(text_column("{task.description}"), *columns, on=console(err=True))

    @abstractmethod
    def opening(self) -> str:
        """The line that says what begins."""

    @abstractmethod
    def name(self) -> str:
        """What stands before the bar."""

    def counts(self) -> list[str]:
        """What is said of conversations that have ended."""
        return [f"{self.failed:,} failed"] if self.failed else []

    def count(self, trajectory: Trajectory) -> None:
        """A conversation ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_unused: object) -> None:
        self._over.set()
        if self._began:
            self.show()
            if self._in_terminal:
                self._progress.stop()
        if self._retries:
            self.print_line(f"Requests of this command: {self._retried()}.")

    def begin(self, already_done: int) -> None:
        self.earlier = self.done = already_done
        self._began = time.monotonic()

    def show(self) -> None:
        """The line that says what begins, and the bar; from then on it keeps itself up to date."""
        if self._shown:
            return
        self._shown = True
        self.print_line(self.opening())
        if self._in_terminal:
            self._progress.add_task(self.name(), total=self.total, completed=self.done)
            self._progress.start()
        else:
            self._timer.start()

    def replied(self, key: str, role: str, reply: Reply) -> None:  # noqa: ARG002 - a listener is told whose it is
        with self._lock:
            self.replies += 1
            self.tokens += reply.usage.total

    def retrying(self, model: str, cause: RetryCause) -> None:  # noqa: ARG002 - a listener is told which
        with self._lock:
            self._retries[cause] += 1

    def ended(self, sample: Sample, trajectory: Trajectory | None) -> None:  # noqa: ARG002
        if trajectory is None and self._interrupted:
            return  # it was not asked, or not to its end: it is missing, and did not fail
        with self._lock:
            self.done += 1
            if trajectory is None:
                self.failed += 1
            else:
                self.count(trajectory)
        if self._shown and self._in_terminal:
            self._progress.update(self._progress.task_ids[0], advance=1)

    def waiting(self, model: str, until: float) -> None:
        """Say at once what nothing moves for, and until when."""
        self.print_line(
            f"{model} asks to wait until {clock(until)}; Ctrl-C ends the run, the same command continues it later."
        )
        self._waits_until = until

    def interrupted(self) -> None:
        self._interrupted = True
        self.print_line(
            f"Interrupted: requests under way have {GRACE_SECONDS:.0f} seconds to return; a second Ctrl-C or signal "
            "ends at once."
        )

    def status(self) -> str:
        """What stands behind the bar: the counts, the rate, and the end of a pause while it lasts."""
        with self._lock:
            seconds = time.monotonic() - self._began
            rate = self.replies / seconds if self._began and seconds > 0 else 0.0
            parts = [*self.counts(), f"{self.replies:,} replies ({rate_text(rate)})"]
            if self.tokens:
                parts.append(f"{self.tokens:,} tokens")
            if self._retries:
                parts.append(self._retried())
            if time.time() < self._waits_until:
                parts.append(f"waiting until {clock(self._waits_until)}")
            return ", ".join(parts)

    def _retried(self) -> str:
        reasons = ", ".join(f"{RETRIES[cause]}: {count:,}" for cause, count in self._retries.most_common())
        return f"{self._retries.total():,} retried ({reasons})"

    def _print_lines(self) -> None:
        """A line whenever nothing was said for a minute; runs in a thread of its own until the work is over."""
        while not self._over.wait(max(self._last_line + LINE_SECONDS - time.monotonic(), 0.1)):
            if self.is_time():
                elapsed = lasting(time.monotonic() - self._began)
                self.print_line(f"{self.done:,}/{self.total:,} after {elapsed}: {self.status()}")

    def print_line(self, line: str) -> None:
        """Print a line above the bar."""
        self.show()
        self._last_line = time.monotonic()
        if self._in_terminal:
            self._progress.console.print(line)
        else:
            echo(line, err=True)

    def is_time(self) -> bool:
        """Has nothing been said for long?"""
        return time.monotonic() - self._last_line >= LINE_SECONDS


class RunProgress(Bar):
    """Progress of a run: finished samples, and the state of its batches."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(len(plan.samples))
        self._benchmark, self._language, self._model = plan.dataset.name, plan.dataset.language, plan.model.name
        self._statuses: dict[str, str] = {}

    def opening(self) -> str:
        done = f", {self.earlier:,} already done" if self.earlier else ""
        plural = "" if self.total == 1 else "s"
        return f"{self.total:,} conversation{plural} of {self._benchmark} ({self._language}) for {self._model}{done}"

    def name(self) -> str:
        return f"{self._benchmark} {self._language}"

    def batch(self, batch: str, status: str, done: int, total: int) -> None:
        """Say what a batch does when that changes, and now and then how far it is."""
        if self._statuses.get(batch) != status or self.is_time():
            self._statuses[batch] = status
            self.print_line(f"Batch {batch}: {status}, {done:,} of {total:,} answered")


def rate_text(rate: float) -> str:
    """Replies per second or, where they are slow, per minute."""
    return f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"


def clock(until: float) -> str:
    """A time (seconds since the epoch) as this machine's clock shows it, with the day if that is another one."""
    then, now = time.localtime(until), time.localtime()
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d %H:%M", then)


def lasting(seconds: float) -> str:
    """How long something lasts, as precisely as one wants to know it."""
    minutes = round(seconds / 60)
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
