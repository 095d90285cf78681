"""What differs between two versions of a session, as somebody may see it."""

from __future__ import annotations

from toolgauge.data.session import Session
from toolgauge.data.sessions import session_from
from toolgauge.review.desk import Desk
from toolgauge.review.differences import Difference, differences
from toolgauge.review.state import Copy, Person


def differences_view(desk: Desk, person: Person, name: str, since: int, until: int | None) -> list[Difference]:
    """Between a copy after event `since` (0: the original) and after event `until` (None: as it stands). Raises
    Refused, Forbidden."""
    copy = desk.copy_of(person.name, name)
    return list(differences(_at(desk, name, copy, since), _at(desk, name, copy, until)))


def _at(desk: Desk, name: str, copy: Copy, number: int | None) -> Session:
    edits = len(copy.edits) if number is None else sum(one.number <= number for one in copy.edits)
    return session_from(desk.at_version(name, copy, edits), desk.originals.language)
