"""Nobody says what models write around their words: reasoning, names, remarks, marks and machinery.

The readers of replies (agents/speech.py) take such things away or refuse them; what has come through all the same, or
by another way, is found here.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue, Entry, Speaker
from toolgauge.annotation.grounding.values import leaves
from toolgauge.data.session import Session
from toolgauge.generation.agents.leftovers import Leftover, leftover
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.agents.speech import said_by
from toolgauge.generation.filters.filter import against

SHOWN = 80
"""Characters of the evidence."""


def unclean(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Words of the user and the assistant that cleaning would change, and what nobody says in any entry."""
    for number, entry in enumerate(dialogue.kept):
        if entry.task < dialogue.earlier or number < dialogue.judged:
            continue
        for part, found in _found(entry):
            task = session.tasks[entry.task]
            yield against(task, entry=number, path=part, value=found.found[:SHOWN], why=found.code)


def _found(entry: Entry) -> Iterator[tuple[str, Leftover]]:
    """(part of the entry, what stands in it)."""
    if entry.speaker in (Speaker.USER, Speaker.AGENT):
        if found := leftover(entry.text, entry.speaker):
            yield entry.speaker.value, found
        elif (words := _cleaned(entry)) != entry.text.strip():
            yield entry.speaker.value, Leftover("around_words", _difference(entry.text, words))
    if entry.decision is not None:
        for part, text in (("thought", entry.decision.thought), ("plan", entry.decision.plan)):
            if found := leftover(text, Speaker.PLANNER):
                yield part, found
    for observation in entry.observations:
        for path, value in leaves(observation.response):
            if isinstance(value, str) and (found := leftover(value, Speaker.TOOL)):
                yield f"response.{path}".rstrip("."), found


def _cleaned(entry: Entry) -> str:
    """The words once more cleaned; those that are too many are another filter's."""
    try:
        return said_by(entry.text, entry.speaker)
    except Unreadable:
        return entry.text.strip()


def _difference(text: str, words: str) -> str:
    """What cleaning would take away."""
    before, _, after = text.partition(words) if words else (text, "", "")
    return (before.strip() or after.strip() or text)[:SHOWN]
