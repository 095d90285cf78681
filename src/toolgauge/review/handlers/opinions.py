"""Decisions about sessions, second opinions, comments."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Commented, CommentResolved, Decided, Outcome, Settled
from toolgauge.review.refusals import Forbidden, Refused, Stale
from toolgauge.review.state import SessionState, SessionStatus


def decide(desk: Desk, who: str, command: commands.Decide) -> Decided:
    copy = desk.current(who, command.session, command.base)
    tasks = copy.tasks if command.tasks is None else command.tasks
    if tasks > copy.tasks:
        raise Refused(_("{session} has only {count} tasks", session=command.session, count=copy.tasks))
    return Decided(
        session=command.session,
        copy=copy.owner,
        base=copy.version,
        outcome=command.outcome,
        tasks=tasks if command.outcome is Outcome.APPROVED else 0,
        reason=command.reason,
    )


def settle(desk: Desk, who: str, command: commands.Settle) -> Settled:
    """A third person takes one of two opinions."""
    session = desk.session(command.session)
    if session.status is not SessionStatus.CONFLICT or command.chosen not in session.reviewers:
        raise Refused(_("{session} has no two opinions to choose from", session=command.session))
    if who in session.reviewers:
        raise Forbidden(_("{session}: one of the two opinions is yours; a third person settles it", session=session.id))
    chosen = session.copies[command.chosen]
    if chosen.version != command.base or chosen.outcome is None:
        raise Stale(_("{session} was changed meanwhile", session=session.id), chosen.version)
    return Settled(
        session=session.id, base=chosen.version, chosen=command.chosen, outcome=chosen.outcome, tasks=chosen.approved
    )


def agreement(desk: Desk, session: SessionState) -> Iterator[Settled]:
    """Opinions that say the same need nobody to settle them."""
    if not session.is_blind:
        return
    first, *others = (session.copies[name] for name in session.reviewers)
    if first.outcome is None or any(other.outcome is not first.outcome for other in others):
        return
    record = desk.record(session.id, first)
    if all(desk.record(session.id, other) == record for other in others):
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
        raise Refused(_("{session} has no comment {number}", session=session, number=number))
