"""Does what the user is told at the end mention the facts that it must? A rate beside accuracy, never inside it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolgauge.chat import Reply
from toolgauge.data.meaning import Fact, Said


class FactsMentioned(Struct, frozen=True):
    """How many of the facts the reply mentions, of how many; missing: the others, by their first wording."""

    mentioned: int
    total: int
    missing: tuple[str, ...] = ()


def facts_mentioned(facts: Sequence[Fact], replies: Sequence[Reply]) -> FactsMentioned:
    """The facts in the last reply; one that makes calls, or none at all, tells the user nothing."""
    last = replies[-1] if replies else None
    said = Said(last.content or "") if last is not None and not last.tool_calls else Said("")
    missing = tuple(str(fact[0]) for fact in facts if not said.mentions(fact))
    return FactsMentioned(len(facts) - len(missing), len(facts), missing)
