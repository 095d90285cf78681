"""How a server of one's own keeps up: whether it is full, whether requests wait in its queue, how fast it writes.

Such a server has a few slots and no rate limit. It lets requests wait in its own queue, where their time-outs run, or
refuses them while it is full. The limit of requests under way learns from both; so does the time-out.
"""

from __future__ import annotations

from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.models.failures import AttemptFailure, FailureScope, RetryCause
from toolgauge.models.limit import AdaptiveLimit
from toolgauge.models.model import ModelOptions

MOST_TIMED_OUT = 2
"""Attempts at a reply that did not come in time although nothing stood before it: a model that talks without end does
so again, mostly."""
NOTICED_WAIT = 1.0
"""Seconds beside the server's own work that say nothing yet: the network, reading the request, writing the answer."""
TOKENS_FOR_SPEED = 16
"""Tokens from which a reply tells how fast its server writes."""
SLACK = 1.5
"""A whole reply may take so many times as long as at the slowest speed that was seen."""


class ServerLoad:
    """What the exchanges with one endpoint tell. own: it is a server of one's own; others are asked as ever."""

    def __init__(self, limit: AdaptiveLimit, options: ModelOptions, own: bool) -> None:
        self.slots = options.slots or 0
        self._limit, self._options, self._own = limit, options, own
        self._under_way: list[float] = []
        self._seconds_per_token = 0.0

    @property
    def timeout(self) -> float:
        """Seconds that an attempt may take: as asked for, or what a whole reply takes at the speed that was seen."""
        whole = SLACK * self._seconds_per_token * (self._options.sampling.max_tokens or 0)
        return min(max(self._options.timeout, whole), self._options.longest_timeout)

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
        if reply.usage.output_tokens >= TOKENS_FOR_SPEED:
            self._seconds_per_token = max(self._seconds_per_token, reply.seconds / reply.usage.output_tokens)
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
            kept = failure.scope is FailureScope.ENDPOINT and self._own
            self._limit.overloaded(round_, sum(start < began for start in self._under_way) if kept else 0)
        return failure

    def is_full(self, failure: AttemptFailure) -> bool:
        """Was a request refused because the server works on others of ours? Then its turn comes when one is done."""
        busy = failure.overload and failure.scope is FailureScope.ENDPOINT
        return busy and self._own and bool(self._under_way)
