"""Calls that brought nothing: made again with nothing new between, or looking up what a result had told."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.annotation.lookups import AGAIN, AWAITED, MOVING, SEVERAL, TWICE
from toolgauge.conversations.checks.dialogue import MadeCall, RecordedDialogue
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place
from toolgauge.data.toolnames import name_words

MOST_COMPARED = 200
"""Earlier results with which one is compared."""
MOST_FACTS = 3000
"""Values of a result that are compared; nothing is said of larger ones."""

Facts = frozenset[tuple[str, str]]


class _Before(Struct, frozen=True):
    """An earlier call. changes: how many calls that may have changed something were made before its message."""

    call: MadeCall
    changes: int
    facts: Facts | None


def repeated_calls(dialogue: RecordedDialogue) -> Iterator[CallFinding]:
    """Every repeated or retried call, and every lookup whose result an earlier one told, with the earlier call."""
    seen: dict[tuple[object, ...], _Before] = {}
    told: list[_Before] = []
    changes = 0
    for calls in dialogue.by_message.values():
        for call in calls:
            now = _Before(call, changes, _facts(call) if call.reads else None)
            before = seen.get(call.key)
            code = None if before is None else _code(before, now, dialogue)
            if before is not None and code is not None:
                yield _finding(code, call, before.call, dialogue)
            elif before is None and (source := _telling(now, told, dialogue)) is not None:
                yield _finding(FindingCode.KNOWN_RESULT, call, source, dialogue)
            seen[call.key] = now
            if call.reads and call.answered:
                told = [*told[1 - MOST_COMPARED :], now]
        changes += sum(not (call.reads or call.failed) for call in calls)


def _finding(code: FindingCode, call: MadeCall, before: MadeCall, dialogue: RecordedDialogue) -> CallFinding:
    at, other = Place(call.message, call.index), Place(before.message, before.index)
    return CallFinding(dialogue.conversation.id, code, at, call.name, other)


def _code(before: _Before, now: _Before, dialogue: RecordedDialogue) -> FindingCode | None:
    """What a call is that was made before with the same arguments; None where something may have been new."""
    earlier, call = before.call, now.call
    same_request = earlier.request == call.request
    if earlier.failed:
        return FindingCode.RETRIED_CALL if same_request and before.changes == now.changes else None
    together = earlier.message == call.message
    moving = frozenset() if together else AWAITED if same_request else MOVING
    if moving & set(name_words(call.name)) or not (together or _brought_nothing(earlier, call)):
        return None
    said = dialogue.said_in(call.request)
    if same_request:
        again = TWICE if call.reads else SEVERAL
        if again.search(said):
            return None
        if call.writes:
            return FindingCode.REPEATED_CALL
        return FindingCode.REPEATED_CALL if together or _unchanged(before, now) else None
    if not call.reads or AGAIN.search(said) or before.changes != now.changes:
        return None
    return FindingCode.REPEATED_CALL


def _brought_nothing(earlier: MadeCall, call: MadeCall) -> bool:
    """Was the result there, and is that of the second call the same, or none?"""
    return earlier.answered and (not call.answered or call.failed or call.result == earlier.result)


def _unchanged(before: _Before, now: _Before) -> bool:
    """Nothing changed in between; of a tool that may do either the answer must be more than an "ok"."""
    if now.call.reads:
        return before.changes == now.changes
    return before.changes + 1 == now.changes and len(_facts(now.call) or ()) > 1


def _telling(now: _Before, told: list[_Before], dialogue: RecordedDialogue) -> MadeCall | None:
    """The earlier lookup whose result, about the same things, tells all that this one's does."""
    call = now.call
    if not call.reads or not call.answered or call.failed or now.facts is None or len(now.facts) < 2:
        return None
    if MOVING & set(name_words(call.name)) or AGAIN.search(dialogue.said_in(call.request)):
        return None
    asked = {folded(str(value)) for _, value in call.given}
    for before in told:
        earlier = before.call
        known = before.facts is not None and now.facts <= before.facts
        about = asked <= {folded(str(value)) for _, value in earlier.given}
        if known and about and before.changes == now.changes and earlier.result_at < call.message:
            return earlier
    return None


def _facts(call: MadeCall) -> Facts | None:
    """What a result tells beyond the arguments, and where in it; None of one with too many values."""
    given = {folded(str(value)) for _, value in call.given}
    found = set()
    for number, (path, value) in enumerate(leaves(call.result)):
        if number >= MOST_FACTS:
            return None
        if not isinstance(value, bool | None) and len(fact := folded(str(value))) > 1 and fact not in given:
            found.add((path, fact))
    return frozenset(found)
