"""The queue: every session in a line, with what filters and the bar of progress need."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.review.desk import Desk
from toolgauge.review.state import Person, SessionState, SessionStatus


class QueueLine(Struct):
    """A session in the queue. version: of the copy that the reader works on, None for a blind one of others; mine: is
    it assigned to the reader? approved: so many of its tasks; last: the number of the last event about it."""

    id: str
    status: SessionStatus
    tasks: int
    approved: int
    version: int | None
    is_edited: bool
    comments: int
    reviewers: tuple[str, ...]
    is_blind: bool
    mine: bool
    last: int


class QueueView(Struct):
    """number: of the last event that is told of."""

    number: int
    you: str
    is_lead: bool
    language: str
    file: str
    people: list[str]
    counts: dict[SessionStatus, int]
    sessions: list[QueueLine]


def queue_view(desk: Desk, person: Person) -> QueueView:
    """The queue as somebody sees it: of a session that two others review blind, nothing but its state."""
    state = desk.state
    lines = [_line(session, person.name) for session in state.sessions.values()]
    counts = {status: sum(line.status is status for line in lines) for status in SessionStatus}
    people = [one.name for one in state.people.values() if one.is_active]
    original = desk.originals
    return QueueView(
        state.number, person.name, person.is_lead, original.language, original.file.name, people, counts, lines
    )


def _line(session: SessionState, who: str) -> QueueLine:
    mine = who in session.reviewers
    copy = (session.copies[who] if mine else None) if session.is_blind else session.common
    return QueueLine(
        session.id,
        session.status,
        copy.tasks if copy else session.common.tasks,
        copy.approved if copy else 0,
        copy.version if copy else None,
        bool(copy and copy.edits),
        session.open_comments(who),
        session.reviewers,
        session.is_blind,
        mine,
        session.last,
    )
