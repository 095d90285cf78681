"""Every value of a call was said, answered, or follows from it: otherwise it was invented. See annotation/grounding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.grounding.composed import COMPOSED
from toolgauge.annotation.grounding.derivation_kinds import is_loose
from toolgauge.annotation.grounding.knowledge import KNOWLEDGE
from toolgauge.annotation.grounding.values import leaves
from toolgauge.data.record import shown
from toolgauge.data.session import Call, Session
from toolgauge.generation.filters.filter import against, calls_of


def without_source(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Values without a source, and what a `text` that was written for the call claims without one; tolerated ones that
    only knowledge explains, a loose derivation, or that they were written for the call."""
    for task, call in calls_of(session, dialogue):
        for path, value in leaves(call.arguments):
            found = sources_at(call, path)
            if not found:
                yield against(task, call, path=path, value=shown(value))
                continue
            unsaid = found[0].get("unsaid")
            if isinstance(unsaid, list | tuple) and unsaid:
                yield against(task, call, path=path, value=", ".join(map(shown, unsaid)), text=shown(value))
                continue
            how = found[0].get("note") or found[0].get("reading")
            loose = found[0].get("from") in (KNOWLEDGE, COMPOSED) or is_loose(str(how))
            if how and loose and not isinstance(value, bool):
                yield against(task, call, path=path, value=shown(value), source=how, tolerated=True)


def sources_at(call: Call, path: str) -> list[Any]:
    """The sources of a path; a source of what it lies in counts for it as well."""
    covering = [
        sources
        for known, sources in call.sources.items()
        if path == known or path.startswith((f"{known}.", f"{known}["))
    ]
    return [source for sources in covering for source in sources]
