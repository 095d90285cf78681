"""The queue: every session in a line, with what filters and the bar of progress need."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.generation.checks import CHECKS
from toolgauge.locale import _, translated
from toolgauge.review.desk import Desk
from toolgauge.review.state import Copy, Person, SessionState, SessionStatus
from toolgauge.review.survey import Known, Survey
from toolgauge.review.warnings import DATA, SHOWN


class QueueLine(Struct, omit_defaults=True):
    """A session in the queue. version: of the copy that the reader works on, None for a blind one of others; mine: is
    it assigned to the reader? approved: so many of its tasks; last: the number of the last event about it. kinds: of
    its tasks; warnings: how many of each class, None while nobody looked; at: when something happened last, in seconds
    since the epoch; begins: the first words of the user."""

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
    kinds: tuple[str, ...] = ()
    warnings: dict[str, int] | None = None
    at: float = 0.0
    begins: str = ""


class QueueView(Struct):
    """number: of the last event that is told of; found: of the last finding about warnings. checked: of how many
    sessions the warnings are known, of `total`. sessions: all, or those that differ since the numbers that were asked
    for. classes: of warnings, in words."""

    number: int
    found: int
    you: str
    is_lead: bool
    language: str
    file: str
    people: list[str]
    counts: dict[SessionStatus, int]
    total: int
    checked: int
    classes: dict[str, str]
    sessions: list[QueueLine]


def queue_view(
    desk: Desk, person: Person, survey: Survey, language: str = "en", since: int = 0, found: int = 0
) -> QueueView:
    """The queue as somebody sees it: of a session that two others review blind, nothing but its state. language: of the
    interface. since, found: the numbers of an earlier view; only lines that differ from it are told."""
    state, original = desk.state, desk.originals
    counts = dict.fromkeys(SessionStatus, 0)
    lines = []
    for session in state.sessions.values():
        status = session.status
        counts[status] += 1
        copy = _copy(session, person.name)
        known = survey.of(session.id, copy)
        if not (since or found) or session.last > since or (known and known.number > found):
            at = state.events[session.last - 1].at if session.last else 0.0
            lines.append(_line(session, status, copy, person.name, known, at))
    return QueueView(
        state.number,
        survey.number,
        person.name,
        person.is_lead,
        original.language,
        original.file.name,
        [one.name for one in state.people.values() if one.is_active],
        counts,
        len(state.sessions),
        survey.checked,
        {DATA: translated(_("the data check"), language)} | {name: CHECKS[name][language == "zh"] for name in SHOWN},
        lines,
    )


def search(desk: Desk, person: Person, survey: Survey, wanted: str) -> list[str]:
    """The ids of the sessions that have every word in their id or in what the user says, as somebody sees them."""
    words = wanted.casefold().split()
    found = []
    for session in desk.state.sessions.values():
        known = survey.of(session.id, _copy(session, person.name))
        text = f"{session.id.casefold()}\n{known.words if known else ''}"
        if all(word in text for word in words):
            found.append(session.id)
    return found


def _copy(session: SessionState, who: str) -> Copy | None:
    """The copy that somebody works on."""
    if session.is_blind:
        return session.copies[who] if who in session.reviewers else None
    return session.common


def _line(
    session: SessionState, status: SessionStatus, copy: Copy | None, who: str, known: Known | None, at: float
) -> QueueLine:
    return QueueLine(
        session.id,
        status,
        copy.tasks if copy else session.common.tasks,
        copy.approved if copy else 0,
        copy.version if copy else None,
        bool(copy and copy.edits),
        session.open_comments(who),
        session.reviewers,
        session.is_blind,
        who in session.reviewers,
        session.last,
        known.kinds if known else (),
        known.warnings if known else None,
        at,
        known.begins if known else "",
    )
