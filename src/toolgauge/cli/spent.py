"""What a run or a generation spent, in a line: by this command, and by all where there were earlier ones."""

from __future__ import annotations

from typing import Protocol

from toolgauge.runs.budget import Spent
from toolgauge.runs.executors.executor import RunOutcome


class Result(Protocol):
    """tokens, cost: of all commands; earlier: of those before this one."""

    @property
    def outcome(self) -> RunOutcome: ...
    @property
    def tokens(self) -> int: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def earlier(self) -> Spent: ...


def spent_line(result: Result) -> str:
    """Tokens, dollars and seconds. Seconds of earlier commands are not kept, so they are those of this one."""
    before = result.earlier
    cost = None if result.cost is None or before.cost is None else result.cost - before.cost
    now = f"{result.tokens - before.tokens:,} tokens{dollars(cost)}, {result.outcome.seconds:.1f} s"
    if not before.tokens:
        return now
    return f"This command: {now}; with earlier ones: {result.tokens:,} tokens{dollars(result.cost)}"


def dollars(cost: float | None) -> str:
    """What stands behind tokens, if it is known."""
    return f", ${cost:.2f}" if cost else ""
