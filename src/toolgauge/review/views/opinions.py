"""Second opinions as data: who is still at it, where they differ, how far people agree."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.analysis.agreement import Agreement
from toolgauge.locale import _
from toolgauge.review import figures
from toolgauge.review.desk import Desk
from toolgauge.review.differences import Difference, differences
from toolgauge.review.events import Outcome
from toolgauge.review.handlers.opinions import may_settle
from toolgauge.review.refusals import Forbidden, Refused
from toolgauge.review.state import Person, SessionState, SessionStatus
from toolgauge.review.views.session import SessionView, copy_view


class BlindLine(Struct, frozen=True):
    """A session with several reviewers. decided: those who gave their opinion. may_settle: may the reader?"""

    session: str
    reviewers: tuple[str, ...]
    decided: list[str]
    may_settle: bool


class OpinionsView(Struct, frozen=True):
    """waiting: sessions where an opinion is missing; conflicts: where they differ; given: how often several people gave
    theirs; agreement: of these, judge: of people and the judge; None for who does not lead."""

    waiting: list[BlindLine]
    conflicts: list[BlindLine]
    given: int
    agreement: list[figures.Opinions] | None
    judge: Agreement | None


class Opinion(Struct, frozen=True):
    """version: of the copy, for the command that takes it. edits: how often it was changed."""

    who: str
    version: int
    outcome: Outcome
    tasks: int
    edits: int
    reason: str


class ConflictView(Struct, frozen=True):
    """Opinions side by side. differences: of each one but the first, from the first."""

    session: str
    opinions: list[Opinion]
    differences: list[list[Difference]]


def opinions_view(
    desk: Desk, person: Person, agreement: list[figures.Opinions] | None = None, judge: Agreement | None = None
) -> OpinionsView:
    """What somebody may know: whoever does not lead, of conflicts that they may settle."""
    blind = [one for one in desk.state.sessions.values() if one.is_blind]
    lines = [(one, _line(desk, person, one)) for one in blind]
    return OpinionsView(
        [line for one, line in lines if one.status is not SessionStatus.CONFLICT and person.is_lead],
        [line for one, line in lines if one.status is SessionStatus.CONFLICT and (person.is_lead or line.may_settle)],
        sum(len(one.all_given) for one in desk.state.sessions.values()),
        agreement if person.is_lead else None,
        judge if person.is_lead else None,
    )


def conflict_view(desk: Desk, person: Person, name: str) -> ConflictView:
    """Raises Refused, Forbidden."""
    session = _conflict(desk, person, name)
    first, *others = (desk.read(name, copy) for copy in session.opinions)
    return ConflictView(
        name,
        [
            Opinion(
                one.owner,
                one.version,
                one.outcome or Outcome.OPEN,
                one.approved,
                len(one.edits),
                one.decision.reason if one.decision else "",
            )
            for one in session.opinions
        ],
        [list(differences(first, other)) for other in others],
    )


def opinion_view(desk: Desk, person: Person, name: str, owner: str) -> SessionView:
    """The session as one of its reviewers has it. Raises Refused, Forbidden."""
    session = _conflict(desk, person, name)
    if owner not in session.reviewers:
        raise Refused(_("{session} has no opinions to choose from", session=name))
    return copy_view(desk, person, name, session.copies[owner], [])


def _conflict(desk: Desk, person: Person, name: str) -> SessionState:
    session = desk.session(name)
    if session.status is not SessionStatus.CONFLICT:
        raise Refused(_("{session} has no opinions to choose from", session=name))
    if not may_settle(desk, person.name, session):
        raise Forbidden(_("{session}: one of the opinions is yours; someone else must settle it", session=name))
    return session


def _line(desk: Desk, person: Person, session: SessionState) -> BlindLine:
    decided = [one.owner for one in session.opinions if one.outcome]
    return BlindLine(session.id, session.reviewers, decided, may_settle(desk, person.name, session))
