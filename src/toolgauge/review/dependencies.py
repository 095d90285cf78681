"""Dependencies that are worth a look: those that a value proves and that are missing, those that nothing speaks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgauge.chat import Json
from toolgauge.data.session import Call, Session
from toolgauge.generation.graph import EVIDENCE, STEP, VALUE
from toolgauge.locale import Text, _
from toolgauge.review.events import Part, Place
from toolgauge.review.regrounding import CONFIRMED


def unlikely_dependencies(session: Session) -> Iterator[tuple[Place, Text]]:
    """What is odd about the dependencies of a session whose calls carry evidence. The closing reply waits for
    everything, a question likewise: those are for the rules of the format."""
    if any(EVIDENCE in call.extra for task in session.tasks for call in task.calls):
        for task in session.tasks:
            for call in task.calls:
                if call.is_tool:
                    place = Place(Part.DEPENDENCIES, task.index, call.index)
                    yield from ((place, message) for message in _odd(call, task.calls))


def _odd(call: Call, calls: Sequence[Call]) -> Iterator[Text]:
    evidence, needed = _evidence(call), _needed(call, calls)
    for one in evidence:
        if _is_proof(one) and one.get("from") not in needed:
            yield _missing(one)
    spoken_for = {one.get("from") for one in evidence if one.get("why") != STEP or one.get(CONFIRMED)}
    for before in call.after:
        if before not in spoken_for:
            yield _("no evidence that this call needs call {before}", before=before + 1)


def _is_proof(one: Json) -> bool:
    return one.get("why") == VALUE and one.get("certain") is True and isinstance(one.get("from"), int)


def _missing(one: Json) -> Text:
    return _(
        "{path} comes only from call {before}, but this call does not list it as needed",
        path=str(one.get("path", "")),
        before=one["from"] + 1,
    )


def _evidence(call: Call) -> list[Json]:
    evidence = call.extra.get(EVIDENCE)
    return [one for one in evidence if isinstance(one, dict)] if isinstance(evidence, list) else []


def _needed(call: Call, calls: Sequence[Call]) -> set[int]:
    """All calls that must be done before one, directly or not."""
    found: set[int] = set()
    left = [*call.after]
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += calls[one].after
    return found
