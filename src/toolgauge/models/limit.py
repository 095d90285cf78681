"""How many requests may be under way at once: halved when the endpoint is overloaded, creeping up when it is not.

Additive increase, multiplicative decrease, as in TCP: a round is what was sent since the last change, so that a burst
of refusals to requests of one round halves the limit once. Nobody polls: whoever waits is woken.

A server of one's own has a few slots and no rate limit. It lets requests wait in its own queue, where their time-outs
run, or refuses them while it is full. The limit learns from both.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import Callable

from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.models.failures import AttemptFailure, FailureScope, RetryCause
from toolgauge.models.model import ModelOptions, wrapped_models

NOTICED = 5.0
"""Pauses from this length (seconds) on are reported."""
MOST_TIMED_OUT = 2
"""Attempts at a reply that did not come in time although nothing stood before it: a model that talks without end does
so again, mostly."""
NOTICED_WAIT = 1.0
"""Seconds beside the server's own work that say nothing yet: the network, reading the request, writing the answer."""


class AdaptiveLimit:
    """A first come, first served limit for one event loop.

    A request draws one `ticket` and acquires with it for every attempt: a retry keeps its place before later requests.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = self.limit = max(1, most)
        self.in_flight = 0
        self._clock = clock
        self._tickets = itertools.count()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._round = 0
        self._successes = 0
        self._open_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._told_until = 0.0
        self.told: Callable[[float], None] = lambda _until: None
        """Is told of pauses that a person would notice: the time until which nobody is admitted (since the epoch)."""
        self.told_retry: Callable[[RetryCause], None] = lambda _cause: None
        """Is told why a request is asked again, each time."""

    def ticket(self) -> int:
        return next(self._tickets)

    async def acquire(self, ticket: int) -> int:
        """Wait for a place; returns the round, which `overloaded` wants to know. Every acquire needs one `release`."""
        if not self._waiting and self.in_flight < self.limit and self._clock() >= self._open_at:
            self.in_flight += 1
            return self._round
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (ticket, place))
        self._admit()
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # the place was given and the waiter cancelled in the same turn of the loop
                self.release()
            raise
        return self._round

    def release(self) -> None:
        self.in_flight -= 1
        self._admit()

    def succeeded(self) -> None:
        """Count an answered request: after as many as the limit allows at once, one more is allowed."""
        self._successes += 1
        if self.limit < self.most and self._successes >= self.limit:
            self.limit += 1
            self._successes = 0
            self._admit()

    def narrow(self, most: int) -> None:
        """Never more than this many at once: what else is sent waits at the server, and its time-out runs."""
        self.most = max(1, min(self.most, most))
        self.limit = min(self.limit, self.most)

    def overloaded(self, round_: int, served: int = 0) -> None:
        """Halve the limit, unless that happened since this request was sent.

        served: so many are being worked on meanwhile, so that fewer than these are never needed.
        """
        if round_ == self._round:
            self.limit = min(self.limit, max(1, served, self.limit // 2))
            self._round += 1
        self._successes = 0

    def pause(self, seconds: float) -> None:
        """Admit no request for this long (seconds)."""
        until = self._clock() + seconds
        self._open_at = max(self._open_at, until)
        if seconds >= NOTICED and until > self._told_until + NOTICED:
            self._told_until = until
            self.told(time.time() + seconds)

    def close(self) -> None:
        """Admit no request any more; those that wait do so until they are cancelled."""
        self._open_at = math.inf

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            remaining = self._open_at - self._clock()
            if remaining > 0:
                if self._timer is not None:
                    self._timer.cancel()
                if remaining < math.inf:
                    self._timer = asyncio.get_running_loop().call_later(remaining, self._admit)
                return
            place = heapq.heappop(self._waiting)[1]
            if not place.done():  # else its waiter was cancelled
                self.in_flight += 1
                place.set_result(None)


class ServerLoad:
    """What the exchanges with one endpoint tell. own: it is a server of one's own; others are asked as ever."""

    def __init__(self, limit: AdaptiveLimit, options: ModelOptions, is_own: bool) -> None:
        self.slots = options.slots or 0
        self._limit, self._own = limit, is_own
        self._under_way: list[float] = []

    @property
    def has_a_slot(self) -> bool:
        """Does the server say that it works on a request that is sent now, and not on others before it?"""
        return self._own and len(self._under_way) < self.slots

    def begin(self, at: float) -> None:
        """A request is sent; `at`: seconds of a clock that never goes back."""
        self._under_way.append(at)

    def end(self, at: float) -> None:
        self._under_way.remove(at)

    def answered(self, reply: Reply, had_a_slot: bool, round_: int) -> None:
        """A reply came. Where most of its time was waiting at the server, fewer requests at once lose nothing.

        had_a_slot: as `has_a_slot` was when it was sent; then it waited for the work on others that have one.
        """
        waited = reply.latency - reply.seconds
        if waited > max(NOTICED_WAIT, reply.seconds) and not had_a_slot:
            self._limit.overloaded(round_)
        elif waited <= max(NOTICED_WAIT, reply.seconds / 4):
            self._limit.succeeded()

    def failed(self, failure: AttemptFailure, began: float, had_a_slot: bool, round_: int) -> AttemptFailure:
        """An attempt failed; returns what is to be made of it. had_a_slot: see `answered`."""
        if failure.cause is RetryCause.TIMEOUT and had_a_slot:
            return replace(failure, overload=False, most_attempts=MOST_TIMED_OUT)
        if failure.overload:
            keeps_working = failure.scope is FailureScope.ENDPOINT and self._own
            self._limit.overloaded(round_, sum(start < began for start in self._under_way) if keeps_working else 0)
        return failure

    def is_full(self, failure: AttemptFailure) -> bool:
        """Was a request refused because the server works on others of ours? Then its turn comes when one is done."""
        busy = failure.overload and failure.scope is FailureScope.ENDPOINT
        return busy and self._own and bool(self._under_way)


def limit_of(model: object) -> AdaptiveLimit | None:
    """The limit of the endpoint behind a model, through whatever is wrapped around it (`inner`).

    None without a limit, and while requests are gathered for a batch, which do not count towards it.
    """
    for layer in wrapped_models(model):
        if getattr(layer, "desk", None) is not None:
            return None
        if isinstance(limit := getattr(layer, "limit", None), AdaptiveLimit):
            return limit
    return None
