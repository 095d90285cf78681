"""The state of a review: what the journal's events make of the original sessions. No I/O, no clock, no draws.

`ReviewState.apply` takes the events in their order. It trusts them: whether somebody may do what an event says is
decided before it is written (`desk.py`). What an event cannot be about (a session that does not exist, a copy that
stands otherwise) is an `Impossible`, so a damaged journal is never replayed to another state in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.locale import _
from toolgauge.review import events
from toolgauge.review.events import Outcome, SessionEvent, Settled

COMMON = ""
"""The copy of a session that everybody works on."""


class Impossible(events.Refusal):
    """An event that cannot have happened."""


class SessionStatus(StrEnum):
    """Of a session. CONFLICT: two opinions that differ and nobody settled."""

    NEW = "new"
    IN_WORK = "in_work"
    APPROVED = "approved"
    REJECTED = "rejected"
    CONFLICT = "conflict"


class Person(Struct):
    """Somebody who takes part. is_active: False once removed."""

    name: str
    is_lead: bool = False
    token_sha256: str = ""
    is_active: bool = True


class Copy(Struct):
    """A copy of a session. version: the number of the event that changed it last, 0 for the original. tasks: how many
    there are. edits: the events that changed it, in order. decision: the last one; approved: how many of its tasks,
    from the first, stand as they were approved."""

    owner: str
    tasks: int
    version: int = 0
    edits: list[events.Edited] = []
    decision: events.Decided | Settled | None = None
    approved: int = 0

    def begun(self, owner: str) -> Copy:
        """Another copy that begins as this one stands, with no decision."""
        return Copy(owner, self.tasks, self.version, [*self.edits])

    def edit(self, event: events.Edited) -> None:
        """Tasks before the first one that is touched stay approved."""
        self.edits.append(event)
        self.version, self.tasks = event.number, event.tasks
        self.approved = min([self.approved, *event.touched])

    def decide(self, event: events.Decided | Settled) -> None:
        self.decision = event
        self.approved = min(event.tasks, self.tasks) if event.outcome is Outcome.APPROVED else 0

    def inspect(self, event: events.Inspected) -> None:
        """Tasks before the first one with an error stay approved."""
        if self.decision is not None and self.decision.outcome is Outcome.APPROVED:
            self.approved = min([self.tasks, *(fault.place.task or 0 for fault in event.faults)])

    def edits_since(self, number: int) -> list[events.Edited]:
        """The edits after an event that stand: without those that were taken back since."""
        later = {edit.number: edit for edit in self.edits if edit.number > number}
        for edit in list(later.values()):
            if edit.undoes in later:
                del later[edit.undoes], later[edit.number]
        return list(later.values())

    @property
    def outcome(self) -> Outcome | None:
        """The decision that holds for it as it stands; None where there is none, or it was edited since."""
        decision = self.decision
        if decision is None or decision.outcome is Outcome.OPEN:
            return None
        if decision.outcome is Outcome.APPROVED:
            return Outcome.APPROVED if self.approved >= self.tasks else None
        return Outcome.REJECTED if self.is_as_decided else None

    @property
    def is_as_decided(self) -> bool:
        return self.decision is not None and self.decision.number > self.version

    @property
    def is_touched(self) -> bool:
        return bool(self.edits) or self.decision is not None


class Comment(Struct):
    """A comment and what came of it."""

    event: events.Commented
    is_resolved: bool = False


class SessionState(Struct):
    """A session under review. reviewers: to whom it is assigned; several give opinions of their own, until it is
    settled. given: the opinions that were settled, time by time. hands: who edited it or decided about it. last: the
    number of the last event about it; events: all of them that name it."""

    id: str
    copies: dict[str, Copy]
    reviewers: tuple[str, ...] = ()
    is_settled: bool = False
    given: list[tuple[Copy, ...]] = []
    hands: set[str] = set()
    comments: dict[int, Comment] = {}
    last: int = 0
    events: list[SessionEvent] = []

    @property
    def is_blind(self) -> bool:
        """Does each of several reviewers work on a copy of their own?"""
        return len(self.reviewers) > 1 and not self.is_settled

    @property
    def common(self) -> Copy:
        return self.copies[COMMON]

    def copy_for(self, who: str) -> Copy | None:
        """The copy that somebody works on; None where others review it blind."""
        if not self.is_blind:
            return self.common
        return self.copies[who] if who in self.reviewers else None

    @property
    def status(self) -> SessionStatus:
        if self.is_blind:
            if all(copy.outcome for copy in self.opinions):
                return SessionStatus.CONFLICT
            return SessionStatus.IN_WORK if any(copy.is_touched for copy in self.opinions) else SessionStatus.NEW
        if self.common.outcome is not None:
            return SessionStatus(self.common.outcome.value)
        return SessionStatus.IN_WORK if self.common.is_touched else SessionStatus.NEW

    @property
    def is_decided(self) -> bool:
        return self.status in (SessionStatus.APPROVED, SessionStatus.REJECTED)

    def is_open_to(self, reviewer: str) -> bool:
        """Is one of its reviewers yet to decide about it?"""
        return self.copies[reviewer].outcome is None if self.is_blind else not self.is_decided

    def comments_for(self, who: str) -> list[Comment]:
        """The comments that somebody may read: while opinions are blind, one's own."""
        return [comment for comment in self.comments.values() if not self.is_blind or comment.event.who == who]

    @property
    def opinions(self) -> list[Copy]:
        """While it is blind: the copies of its reviewers."""
        return [self.copies[name] for name in self.reviewers] if self.is_blind else []

    @property
    def all_given(self) -> list[tuple[Copy, ...]]:
        """All opinions that several people gave of it, settled or not."""
        return [*self.given, *([tuple(self.opinions)] if self.status is SessionStatus.CONFLICT else [])]

    def assign(self, reviewers: tuple[str, ...]) -> None:
        """Who reviews it from now on. Those who join blind reviewers begin where these began; where several begin, all
        of them do as it stands; where one of several is left, the session is what that one made of it."""
        before = self.opinions
        self.reviewers = reviewers
        if len(reviewers) > 1:
            if not before:
                self.is_settled = False
            for owner in reviewers:
                if not before or owner not in {copy.owner for copy in before}:
                    self.copies[owner] = self.common.begun(owner)
        for copy in before if len(reviewers) < 2 else ():
            if copy.owner in reviewers:
                self.copies[COMMON] = replace(copy, owner=COMMON, edits=[*copy.edits])

    def settle(self, event: Settled) -> None:
        """The session is what the chosen opinion made of it; the others are kept as they were given."""
        self.given.append(tuple(self.opinions))
        self.copies[COMMON], self.is_settled = self.copies[event.chosen].begun(COMMON), True
        self.common.decide(event)


class Round(Struct):
    """An inspection round. inspectors: who looks at which session; inspected: by session, the last word about it."""

    drawn: events.RoundDrawn
    inspectors: dict[str, str]
    inspected: dict[str, events.Inspected] = {}

    @property
    def faulty(self) -> int:
        """Sessions in which an error was found."""
        return sum(bool(mark.faults) for mark in self.inspected.values())


class ReviewState:
    """Everything that is known of a review. number: of the last event."""

    def __init__(self, tasks: Mapping[str, int]) -> None:
        """tasks: of each session of the file, in its order, how many it has."""
        self.number = 0
        self.opened: events.Opened | None = None
        self.sessions = {name: SessionState(name, {COMMON: Copy(COMMON, count)}) for name, count in tasks.items()}
        self.people: dict[str, Person] = {}
        self.rounds: list[Round] = []
        self.keys: dict[str, int] = {}
        self.events: list[events.AnyEvent] = []

    @property
    def active(self) -> tuple[str, ...]:
        """Who takes part."""
        return tuple(person.name for person in self.people.values() if person.is_active)

    def apply(self, event: events.AnyEvent) -> None:
        """Take an event. Raises Impossible, and nothing has changed then."""
        if event.number != self.number + 1:
            raise Impossible(_("unexpected event {number} after event {last}", number=event.number, last=self.number))
        if isinstance(event, SessionEvent):
            self._apply_to_session(self.session(event.session), event)
        else:
            self._apply(event)
        self.number = event.number
        self.events.append(event)
        if event.key:
            self.keys[event.key] = event.number

    def _apply(self, event: events.AnyEvent) -> None:
        match event:
            case events.Opened():
                self.opened = event
            case events.PersonAdded():
                self.people[event.name] = Person(event.name, event.is_lead, event.token_sha256)
            case events.PersonRemoved():
                if event.name not in self.people:
                    raise Impossible(_("unknown reviewer {name}", name=event.name))
                self.people[event.name].is_active = False
            case events.Assigned():
                for session in [self.session(name) for name in event.sessions]:
                    session.assign(event.sessions[session.id])
                    session.last = event.number
            case events.RoundDrawn():
                for name in event.inspectors:
                    self.session(name)
                self.rounds.append(Round(event, {**event.inspectors}))
            case events.InspectorsChanged():
                self._round(event.round).inspectors.update(event.inspectors)
            case events.Inspected():
                copy = self._copy(event.session, COMMON, event.base)
                self._round(event.round).inspected[event.session] = event
                copy.inspect(event)

    def _apply_to_session(self, session: SessionState, event: SessionEvent) -> None:
        match event:
            case events.Edited():
                self._copy(session.id, event.copy, event.base).edit(event)
            case events.Decided():
                self._copy(session.id, event.copy, event.base).decide(event)
            case Settled():
                self._copy(session.id, event.chosen, event.base)
                session.settle(event)
            case events.Commented():
                session.comments[event.number] = Comment(event)
            case events.CommentResolved():
                if event.comment not in session.comments:
                    raise Impossible(
                        _("comment {number} of {session} not found", session=session.id, number=event.comment)
                    )
                session.comments[event.comment].is_resolved = event.is_resolved
        if event.who and isinstance(event, events.Edited | events.Decided | Settled):
            session.hands.add(event.who)
        session.last = event.number
        session.events.append(event)

    def session(self, name: str) -> SessionState:
        """Raises Impossible where there is none of that id."""
        if name not in self.sessions:
            raise Impossible(_("session {session} not found", session=name))
        return self.sessions[name]

    def _copy(self, session: str, owner: str, base: int) -> Copy:
        """A copy that stands as after event `base`; raises Impossible where there is none, or it was changed since."""
        copy = self.session(session).copies.get(owner)
        if copy is None or copy.version != base:
            raise Impossible(_("{session} has changed since event {base}", session=session, base=base))
        return copy

    def _round(self, number: int) -> Round:
        if number > len(self.rounds):
            raise Impossible(_("inspection round {number} not found", number=number))
        return self.rounds[number - 1]
