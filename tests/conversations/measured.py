"""How often the checks find what is not there, and how much they find of what was planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from tests.conversations.planted import planted
from toolgauge.conversations.checks.check import checked
from toolgauge.conversations.checks.findings import SCHEMA, FindingCode
from toolgauge.conversations.conversation import Conversation


class FalseFindings(Struct, frozen=True):
    """In gold dialogues. misfits: calls that do not fit their tool's definition, which needs no reading; confirmed:
    findings in conversations where a person read them, and they are so; false: all others."""

    conversations: int
    calls: int
    misfits: int
    confirmed: int
    false: int
    codes: dict[FindingCode, int]

    @property
    def rate(self) -> float:
        """False findings per call."""
        return self.false / self.calls if self.calls else 0.0


def false_findings(conversations: Sequence[Conversation], real: Collection[str] = ()) -> FalseFindings:
    """Faults found; a recording that ends with its last call (`CUT_OFF`) is none. Of several findings in one call one
    counts. real: conversations in which a person confirmed what was found."""
    codes: Counter[FindingCode] = Counter()
    misfits: set[tuple[str, int, int | None]] = set()
    confirmed: set[tuple[str, int, int | None]] = set()
    false: set[tuple[str, int, int | None]] = set()
    calls = 0
    for one in map(checked, conversations):
        calls += len(one.calls)
        for found in one.findings:
            if found.code.is_fault:
                group = misfits if found.code in SCHEMA else confirmed if one.id in real else false
                group.add((one.id, found.at.message, found.at.call))
                codes[found.code] += 1
    return FalseFindings(len(conversations), calls, len(misfits), len(confirmed), len(false), dict(codes))


class Recall(Struct, frozen=True):
    """Of faults planted in one way."""

    what: str
    code: FindingCode
    found: int
    planted: int

    @property
    def rate(self) -> float:
        return self.found / self.planted


def recalls(conversations: Iterable[Conversation], every: int = 1) -> list[Recall]:
    """By the way of planting; every: only each so-many-th planted fault, which saves time."""
    found: Counter[tuple[str, FindingCode]] = Counter()
    total: Counter[tuple[str, FindingCode]] = Counter()
    for what, code, one in _each(conversations, every):
        total[what, code] += 1
        found[what, code] += any(finding.code is code for finding in checked(one).findings)
    return [Recall(what, code, found[what, code], number) for (what, code), number in total.items()]


def _each(conversations: Iterable[Conversation], every: int) -> Iterator[tuple[str, FindingCode, Conversation]]:
    seen: Counter[str] = Counter()
    for conversation in conversations:
        for what, code, one in planted(conversation):
            seen[what] += 1
            if seen[what] % every == 0:
                yield what, code, one
