"""How long a run still takes, from the replies that came: also while no conversation has ended yet. No I/O.

A conversation consists of tasks, a task of steps (replies). Who asks says how many steps a task takes in the best case;
what tasks took so far corrects that.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from msgspec import Struct

from toolgauge.chat import Reply

WINDOW = 256
"""Replies from which the speed is told: what was long ago says little of an endpoint that has slowed down since."""
SETTLED = 1.25
"""Nothing is guessed before so many times what the first reply took: the others may be about to come, or to queue."""


class _UnderWay(Struct):
    """A conversation that runs. task: its current one; begun: how many of its tasks; step: replies that came in this
    task; steps: how many it takes in the best case, None where nobody says."""

    task: str
    begun: int
    step: int
    steps: int | None


class TimeLeft:
    """Counts steps. replies: that came in this go.

    usual: steps of a task as long as no task is over and nobody says it of any, if that is known. clock: seconds, of
    any beginning.
    """

    def __init__(self, usual: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._before, self._clock = usual, clock
        self.replies = 0
        self._waiting, self._tasks = 0, 1.0
        self._under_way: dict[str, _UnderWay] = {}
        self._done_tasks = self._done_steps = self._hinted = self._taken = 0
        self._times: deque[float] = deque(maxlen=WINDOW)
        self._seconds: deque[float] = deque(maxlen=WINDOW)
        self._first = 0.0

    def begin(self, conversations: int, tasks: float) -> None:
        """So many conversations are to run, of so many tasks each on average."""
        self._waiting, self._tasks = conversations, max(tasks, 1.0)

    def asking(self, key: str, task: str, step: int, steps: int | None) -> None:
        """A reply of a conversation is asked for: number `step` (from 0) of a task that takes at least `steps`."""
        if not self._times:
            self._times.append(self._clock())
        known = self._under_way.get(key)
        if known is None:
            self._waiting -= 1
            self._under_way[key] = _UnderWay(task, 1, step, steps)
        elif known.task != task:
            self._over(known)
            self._under_way[key] = _UnderWay(task, known.begun + 1, step, steps)
        else:
            known.step, known.steps = step, known.steps if steps is None else steps

    def replied(self, key: str, reply: Reply) -> None:
        """It came."""
        if known := self._under_way.get(key):
            known.step += 1
        self.replies += 1
        if self.replies == 1:
            self._first = self._clock() + (SETTLED - 1) * (self._clock() - self._times[0])
        self._times.append(self._clock())
        self._seconds.append(max(reply.seconds, 0.0))

    def ended(self, key: str, failed: bool) -> None:
        """A conversation is over; one that failed says nothing about how long they are."""
        known = self._under_way.pop(key, None)
        if known is None:
            self._waiting -= 1  # it failed before it was asked
        elif not failed:
            self._over(known)

    def _over(self, task: _UnderWay) -> None:
        self._done_tasks += 1
        self._done_steps += task.step
        if task.steps is not None:
            self._hinted += task.steps
            self._taken += task.step

    @property
    def steps_left(self) -> float | None:
        """Replies that are still to come, those under way included; None where nobody knows."""
        usual = self._usual()
        if usual is None:
            return None
        return sum(self._left(one, usual) for one in self._under_way.values()) + self._waiting * self._tasks * usual

    @property
    def seconds_left(self) -> float | None:
        """How long that takes at the speed of late; None as long as nobody knows."""
        usual, work = self._usual(), self.steps_left
        now = self._clock()
        if not self.replies or now < self._first or usual is None or work is None:
            return None
        last = self._times[-1]
        took = last - self._times[0]
        each = took / (len(self._times) - 1)
        silence = now - last
        if silence > 2 * max(each * max(len(self._under_way), 1), *self._seconds):
            each, silence = (took + silence) / (len(self._times) - 1), 0.0  # it has slowed down, or stands still
        running = [self._left(one, usual) for one in self._under_way.values()]
        recent = list(self._seconds)[-max(len(running), 1) :]
        step = sum(recent) / len(recent)  # also where few run at once, and most wait for their turn
        chain = max(running, default=0.0)  # the steps of a conversation come one after the other
        if self._waiting > 0:
            chain = max(chain, min(running, default=0.0) + self._tasks * usual)
        return max(each * work, step * chain - silence, 0.0)

    def _usual(self) -> float | None:
        """Steps of a task."""
        if self._done_tasks:
            return self._done_steps / self._done_tasks
        hints = [max(one.steps, one.step + 1) for one in self._under_way.values() if one.steps is not None]
        return sum(hints) / len(hints) if hints else self._before

    def _left(self, one: _UnderWay, usual: float) -> float:
        """Steps that a conversation still takes, at least the one that is awaited."""
        correction = (self._taken + 1) / (self._hinted + 1)
        expected = usual if one.steps is None else one.steps * correction
        return max(expected - one.step, 1.0) + max(self._tasks - one.begun, 0.0) * usual
