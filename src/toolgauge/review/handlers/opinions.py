"""Decisions about sessions, second opinions, comments."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.differences import differences
from toolgauge.review.events import Commented, CommentResolved, Decided, Outcome, Settled
from toolgauge.review.handlers.team import active
from toolgauge.review.refusals import Forbidden, Refused, Stale
from toolgauge.review.state import SessionState, SessionStatus


def decide(desk: Desk, who: str, command: commands.Decide) -> Decided:
    """Raises DataError where what is to be approved cannot be read as a session."""
    copy = desk.current(who, command.session, command.base)
    tasks = copy.tasks if command.tasks is None else command.tasks
    if tasks > copy.tasks:
        raise Refused(
            _("cannot approve more tasks than {session} has ({count})", session=command.session, count=copy.tasks)
        )
    if command.outcome is Outcome.APPROVED:
        desk.read(command.session, copy)
    return Decided(
        session=command.session,
        copy=copy.owner,
        base=copy.version,
        outcome=command.outcome,
        tasks=tasks if command.outcome is Outcome.APPROVED else 0,
        reason=command.reason,
    )


def settle(desk: Desk, who: str, command: commands.Settle) -> Settled:
    """A third person takes one of the opinions, as it is or to edit it on."""
    session = desk.session(command.session)
    if session.status is not SessionStatus.CONFLICT or command.chosen not in session.reviewers:
        raise Refused(_("{session} has no opinions to choose from", session=command.session))
    if not may_settle(desk, who, session):
        raise Forbidden(_("{session}: one of the opinions is yours; someone else must settle it", session=session.id))
    chosen = session.copies[command.chosen]
    if chosen.version != command.base or chosen.outcome is None:
        raise Stale(_("{session} has been changed in the meantime", session=session.id), chosen.version)
    return Settled(
        session=session.id,
        base=chosen.version,
        chosen=command.chosen,
        outcome=chosen.outcome if command.is_final else Outcome.OPEN,
        tasks=chosen.approved if command.is_final else 0,
        reason=command.reason,
    )


def may_settle(desk: Desk, who: str, session: SessionState) -> bool:
    """Somebody else than its reviewers settles a conflict; a reviewer who leads does where nobody else takes part."""
    if who not in session.reviewers:
        return True
    return desk.state.people[who].is_lead and not {*active(desk)} - {*session.reviewers}


def agreement(desk: Desk, session: SessionState) -> Iterator[Settled]:
    """Opinions that say the same need nobody to settle them; what follows from other parts by itself may differ."""
    if session.status is not SessionStatus.CONFLICT:
        return
    first, *others = session.opinions
    if first.outcome is None or any(other.outcome is not first.outcome for other in others):
        return
    if first.outcome is Outcome.APPROVED:
        read = [desk.read(session.id, one) for one in session.opinions]
        if any(any(differences(read[0], other)) for other in read[1:]):
            return
    yield Settled(
        session=session.id, base=first.version, chosen=first.owner, outcome=first.outcome, tasks=first.approved
    )


def comment(desk: Desk, who: str, command: commands.Comment) -> Commented:
    copy = desk.copy_of(who, command.session)
    _require_comment(desk, command.session, command.answers)
    return Commented(
        session=command.session, copy=copy.owner, place=command.place, text=command.text, answers=command.answers
    )


def resolve(desk: Desk, who: str, command: commands.Resolve) -> CommentResolved:
    copy = desk.copy_of(who, command.session)
    _require_comment(desk, command.session, command.comment)
    return CommentResolved(
        session=command.session, copy=copy.owner, comment=command.comment, is_resolved=command.is_resolved
    )


def _require_comment(desk: Desk, session: str, number: int | None) -> None:
    if number is not None and number not in desk.session(session).comments:
        raise Refused(_("comment {number} of {session} not found", session=session, number=number))
