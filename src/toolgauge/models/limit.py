"""How many requests may be under way at once: halved when the endpoint is overloaded, creeping up when it is not.

Additive increase, multiplicative decrease, as in TCP: a round is what was sent since the last change, so that a burst
of refusals to requests of one round halves the limit once. Nobody polls: whoever waits is woken.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import Callable

from toolgauge.models.failures import RetryCause
from toolgauge.models.model import wrapped_models

NOTICED = 5.0
"""Pauses from this length (seconds) on are reported."""


class AdaptiveLimit:
    """A first come, first served limit for one event loop.

    A request draws one `ticket` and acquires with it for every attempt: a retry keeps its place before later requests.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = self.limit = max(1, most)
        self.in_flight = 0
        self._clock = clock
        self._tickets = itertools.count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()
        self._round = 0
        self._successes = 0
        self._open_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._told_until = 0.0
        self.told: Callable[[float], None] | None = None
        """Is told of pauses that a person would notice: the time until which nobody is admitted (since the epoch)."""
        self.told_retry: Callable[[RetryCause], None] | None = None
        """Is told why a request is asked again, each time."""

    def tell_retry(self, cause: RetryCause) -> None:
        """A request failed and is asked again."""
        if self.told_retry is not None:
            self.told_retry(cause)

    def ticket(self) -> int:
        return next(self._tickets)

    async def acquire(self, ticket: int) -> int:
        """Wait for a place; returns the round, which `overloaded` wants to know. Every acquire needs one `release`."""
        if not self._waiting and self.in_flight < self.limit and self._clock() >= self._open_at:
            self.in_flight += 1
            return self._round
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (ticket, next(self._arrivals), place))
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
        if self.told is not None and seconds >= NOTICED and until > self._told_until + NOTICED:
            self._told_until = until
            self.told(time.time() + seconds)

    def close(self) -> None:
        """Admit no request any more; those that wait do so until they are cancelled."""
        self._open_at = math.inf
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            remaining = self._open_at - self._clock()
            if remaining > 0:
                if remaining < math.inf:
                    self._wake_in(remaining)
                return
            place = heapq.heappop(self._waiting)[2]
            if not place.done():  # else its waiter was cancelled
                self.in_flight += 1
                place.set_result(None)

    def _wake_in(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._admit()


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
