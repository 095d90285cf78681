"""What a run or a generation spent, in a line: of this go, and of all goes where there were others."""

from __future__ import annotations

from typing import Protocol

from toolgauge.locale import Text, _, plain
from toolgauge.runs.budget import Spent
from toolgauge.runs.executors.executor import RunOutcome


class Result(Protocol):
    """tokens, cost: of all goes; earlier: of those before this one."""

    @property
    def outcome(self) -> RunOutcome: ...
    @property
    def tokens(self) -> int: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def earlier(self) -> Spent: ...


def spent_line(result: Result) -> Text:
    """Tokens, dollars and seconds. Seconds of earlier goes are not kept, so they are those of this one."""
    before = result.earlier
    cost = None if result.cost is None or before.cost is None else result.cost - before.cost
    now = _(
        "{tokens:,} tokens{cost}, {seconds:.1f} s",
        tokens=result.tokens - before.tokens,
        cost=dollars(cost),
        seconds=result.outcome.seconds,
    )
    if not before.tokens:
        return now
    return _(
        "This go: {now}; all goes together: {tokens:,} tokens{cost}",
        now=now,
        tokens=result.tokens,
        cost=dollars(result.cost),
    )


def dollars(cost: float | None) -> Text:
    """What stands behind tokens, if it is known."""
    return _(", ${dollars:.2f}", dollars=cost) if cost else plain("")
