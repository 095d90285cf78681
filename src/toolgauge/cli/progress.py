"""Progress on standard error: a bar in a terminal, a line a minute elsewhere, whether anything has ended or not.

Bar <- RunProgress (here), GenerationProgress (generation_progress.py)
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Self

from toolgauge.chat import Reply
from toolgauge.cli.language import local
from toolgauge.cli.terminal import console, live_column, progress, text_column
from toolgauge.locale import Text, _, clauses, ngettext
from toolgauge.models.retry import RetryCause
from toolgauge.runs.executors.executor import GRACE_SECONDS, ProgressListener
from toolgauge.runs.time_left import TimeLeft

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from toolgauge.benchmarks.benchmark import Sample
    from toolgauge.episode import Trajectory
    from toolgauge.runs.spec import Plan

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
RETRIES = {
    RetryCause.TIMEOUT: _("time-outs: {count:,}"),
    RetryCause.BUSY: _("HTTP 429: {count:,}"),
    RetryCause.SERVER: _("HTTP 5xx: {count:,}"),
    RetryCause.CONNECTION: _("broken connections: {count:,}"),
    RetryCause.ANSWER: _("unusable answers: {count:,}"),
}
LINE_SECONDS = 60.0
"""Between two lines where there is no terminal."""
BAR_WIDTH = 20


class Bar(ProgressListener, ABC):
    """Counts replies and conversations of this go as they come and end; subclasses provide the texts.

    earlier: conversations that were done before this go; tokens: of the replies of this go. tasks: per conversation, on
    average; steps: of a task, as long as nothing better is known.
    """

    def __init__(self, total: int, tasks: float = 1.0, steps: float | None = None) -> None:
        self.total, self.earlier, self.done, self.failed, self.tokens = total, 0, 0, 0, 0
        self._tasks_each, self._time_left = tasks, TimeLeft(steps)
        self._retries: Counter[RetryCause] = Counter()
        self._last_line = time.monotonic()
        self._began = 0.0
        self._waits_until = 0.0
        self._task: TaskID | None = None
        self._lock = threading.Lock()  # what is drawn is asked for in threads
        self._over = threading.Event()
        self._timer = threading.Thread(target=self._say_now_and_then, daemon=True)

    @cached_property
    def _console(self) -> Console:
        return console(err=True)

    @cached_property
    def _progress(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn

        return progress(
            text_column("{task.description}"),
            BarColumn(BAR_WIDTH),
            MofNCompleteColumn(),
            live_column(self._behind),
            on=self._console,
            disable=not self._console.is_terminal,
        )

    @abstractmethod
    def opening(self) -> str:
        """The line that says what begins."""

    @abstractmethod
    def name(self) -> str:
        """What stands before the bar."""

    @abstractmethod
    def counts(self) -> list[Text]:
        """What is said of conversations that have ended."""

    def count(self, trajectory: Trajectory) -> None:
        """A conversation ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_unused: object) -> None:
        self._over.set()
        if self._began:
            self.show()
            self._progress.stop()
        if self._retries:
            self.print_line(local(_("Requests of this go: {retries}.", retries=self._asked_again())))

    def begin(self, already_done: int) -> None:
        """Called once the run directory is open and says how many conversations it holds."""
        self.earlier = self.done = already_done
        self._began = time.monotonic()
        self._time_left.begin(self.total - already_done, self._tasks_each)

    def show(self) -> None:
        """The line that says what begins, and the bar; from then on it keeps itself up to date."""
        if self._task is not None:
            return
        self._task = self._progress.add_task(self.name(), total=self.total, completed=self.done)
        self.print_line(self.opening())
        self._progress.start()
        if not self._console.is_terminal:
            self._timer.start()

    def asking(self, key: str, task: str, step: int, steps: int | None) -> None:
        with self._lock:
            self._time_left.asking(key, task, step, steps)

    def replied(self, key: str, role: str, reply: Reply) -> None:  # noqa: ARG002 - a listener is told whose it is
        with self._lock:
            self.tokens += reply.usage.total
            self._time_left.replied(key, reply)

    def retrying(self, model: str, cause: RetryCause) -> None:  # noqa: ARG002 - a listener is told which
        with self._lock:
            self._retries[cause] += 1

    def ended(self, sample: Sample, trajectory: Trajectory | None) -> None:
        with self._lock:
            self.done += 1
            self._time_left.ended(sample.key, trajectory is None)
            if trajectory is None:
                self.failed += 1
            else:
                self.count(trajectory)
        if self._task is not None:
            self._progress.update(self._task, advance=1)

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

    def _say_now_and_then(self) -> None:
        """A line whenever nothing was said for a minute; runs in a thread of its own until the work is over."""
        while not self._over.wait(max(self._last_line + LINE_SECONDS - time.monotonic(), 0.1)):
            if self.is_time():
                gone = lasting(time.monotonic() - self._began)
                counts = {"done": self.done, "total": self.total}
                self.print_line(local(_("{done:,}/{total:,} after {time}: ", time=gone, **counts)) + self._behind())

    def _behind(self) -> str:
        """What stands behind the bar: how long it takes, the counts, and the end of a pause while it lasts."""
        with self._lock:
            return local(clauses([*self._remaining(), *self.counts(), *self._asked_for(), *self._hindrances()]))

    def _remaining(self) -> list[Text]:
        left = self._time_left.seconds_left if self.done < self.total else None
        return [] if left is None else [_("about {time} left", time=lasting(left))]

    def _asked_for(self) -> list[Text]:
        """The replies that came, of how many, and their tokens."""
        left, came = self._time_left.steps_left, self._time_left.replies
        replies = (
            ngettext("{count:,} reply", "{count:,} replies", count=came)
            if not left
            else ngettext(
                "{came:,} of about {count:,} reply",
                "{came:,} of about {count:,} replies",
                came=came,
                count=round(came + left),
            )
        )
        return [replies, _("{tokens:,} tokens", tokens=self.tokens)] if came else [replies]

    def _hindrances(self) -> list[Text]:
        again = [self._asked_again()] if self._retries else []
        if time.time() < self._waits_until:
            again.append(_("waiting until {until}", until=clock(self._waits_until)))
        return again

    def _asked_again(self) -> Text:
        reasons = [RETRIES[cause].filled(count=count) for cause, count in self._retries.most_common()]
        return _("{count:,} asked again ({reasons})", count=self._retries.total(), reasons=reasons)

    def interrupted(self) -> None:
        self.print_line(
            local(
                _(
                    "Interrupted: what is under way has {seconds} seconds to come back; a second Ctrl-C or signal ends "
                    "at once.",
                    seconds=int(GRACE_SECONDS),
                )
            )
        )

    def print_line(self, line: str) -> None:
        """Print a line above the bar."""
        self.show()
        self._last_line = time.monotonic()
        self._console.print(line, soft_wrap=not self._console.is_terminal)

    def is_time(self) -> bool:
        """Has nothing been said for long?"""
        return time.monotonic() - self._last_line >= LINE_SECONDS


class RunProgress(Bar):
    """Progress of a run: finished samples, and the state of its batches."""

    def __init__(self, plan: Plan) -> None:
        tasks = len(plan.benchmark.task_ids(plan.dataset, plan.samples))
        super().__init__(len(plan.samples), tasks / max(len(plan.samples), 1))
        self._names = {"benchmark": plan.benchmark.name, "language": plan.dataset.language}
        self._model = plan.model.name
        self._statuses: dict[str, str] = {}

    def opening(self) -> str:
        return local(
            ngettext(
                "{count:,} conversation of {benchmark} ({language}) for {model}, {done:,} already done",
                "{count:,} conversations of {benchmark} ({language}) for {model}, {done:,} already done",
                count=self.total,
                done=self.earlier,
                model=self._model,
                **self._names,
            )
        )

    def name(self) -> str:
        return " ".join(self._names.values())

    def counts(self) -> list[Text]:
        return [_("{count:,} failed", count=self.failed)] if self.failed else []

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


def lasting(seconds: float) -> Text:
    """How long something lasts, as precisely as one wants to know it."""
    minutes = round(seconds / 60)
    if round(seconds) < 60:
        return _("{seconds:.0f} s", seconds=seconds)
    if minutes < 60:
        return _("{minutes} min", minutes=minutes)
    return _("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
