"""A lead's work: who takes part, who reviews what, inspection rounds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from toolgauge.locale import _
from toolgauge.review import commands, events, rounds
from toolgauge.review.access import digest
from toolgauge.review.desk import Desk
from toolgauge.review.events import Forbidden, Refused, Stale
from toolgauge.review.state import Person, Round, SessionState, SessionStatus


def require_lead(desk: Desk, who: str) -> None:
    """Raise Forbidden unless somebody leads the review."""
    person = desk.state.people.get(who)
    if person is None or not person.is_lead:
        raise Forbidden(_("only a review lead can do this"))


def add(desk: Desk, who: str, command: commands.AddPerson) -> events.PersonAdded:
    """Somebody new, or a new link; the one before does not open the review any more."""
    require_lead(desk, who)
    name = command.name
    require_name(name)
    token = digest(command.token)
    if any(person.token_sha256 == token for person in desk.state.people.values()):
        raise Refused(_("this link already belongs to someone"))
    return events.PersonAdded(name=name, is_lead=command.is_lead or name == who, token_sha256=token)


def require_name(name: str) -> None:
    """Raise Refused where it is no name of a person."""
    if not name or name != name.strip() or not name.isprintable():
        raise Refused(_("a name must be one line of visible characters without spaces at its ends"))


def set_role(desk: Desk, who: str, command: commands.SetRole) -> events.PersonAdded:
    require_lead(desk, who)
    person = _person(desk, command.name)
    if command.name == who:
        raise Refused(_("you cannot change your own role; ask another lead"))
    return events.PersonAdded(name=person.name, is_lead=command.is_lead, token_sha256=person.token_sha256)


def remove(desk: Desk, who: str, command: commands.RemovePerson) -> events.PersonRemoved:
    require_lead(desk, who)
    _person(desk, command.name)
    if command.name == who:
        raise Refused(_("you cannot remove yourself"))
    return events.PersonRemoved(name=command.name)


def assign(desk: Desk, who: str, command: commands.Assign) -> events.Assigned:
    require_lead(desk, who)
    for name, reviewers in command.sessions.items():
        session = desk.session(name)
        require_people(desk, tuple(reviewer for reviewer in reviewers if reviewer not in session.reviewers))
        _require_different(reviewers)
        _require_assignable(session, reviewers)
    return events.Assigned(sessions=command.sessions)


def _require_assignable(session: SessionState, reviewers: tuple[str, ...]) -> None:
    """Raise Refused where what somebody did would be out of sight."""
    if len(reviewers) > 1 and session.is_decided:
        raise Refused(
            _("{session} is already decided; reopen it before assigning several reviewers", session=session.id)
        )
    stay = {*session.reviewers} & {*reviewers}
    if len(reviewers) < 2 and not stay and any(copy.is_touched for copy in session.opinions):
        raise Refused(_("the reviewers of {session} have started; keep one of them", session=session.id))


def distribute(desk: Desk, who: str, command: commands.Distribute) -> events.Assigned:
    """New sessions that nobody has, so that everybody has as many left as the others, what they had before included;
    those of the share that several review are drawn by the seed."""
    require_lead(desk, who)
    require_people(desk, command.reviewers)
    _require_different(command.reviewers)
    if len(command.reviewers) < (command.opinions if command.twice else 1):
        raise Refused(_("choose at least as many reviewers as opinions per session"))
    sessions = desk.state.sessions
    free = [name for name, session in sessions.items() if not session.reviewers and session.status is SessionStatus.NEW]
    if not free:
        raise Refused(_("every new session already has a reviewer"))
    rng = random.Random(command.seed)
    several = set(rng.sample(free, round(command.twice * len(free))))
    load = Counter(name for session in sessions.values() for name in session.reviewers if session.is_open_to(name))
    assigned = {name: _turn(command.reviewers, command.opinions if name in several else 1, load, rng) for name in free}
    return events.Assigned(sessions=assigned)


def hand_over(desk: Desk, who: str, command: commands.HandOver) -> events.Assigned:
    """What was begun in common goes on where it is; a blind opinion begins anew."""
    require_lead(desk, who)
    require_people(desk, command.to)
    _require_different(command.to)
    sessions = desk.state.sessions.values()
    load = Counter(name for session in sessions for name in session.reviewers if session.is_open_to(name))
    rng = random.Random(0)
    assigned: dict[str, tuple[str, ...]] = {}
    for session in sessions:
        free = [
            name
            for name in command.to
            if name not in session.reviewers and not (session.is_blind and name in session.hands)
        ]
        if command.name in session.reviewers and free and session.is_open_to(command.name):
            (other,) = _turn(free, 1, load, rng)
            assigned[session.id] = tuple(other if name == command.name else name for name in session.reviewers)
    if not assigned:
        raise Refused(_("{name} has no open session that the others could take", name=command.name))
    return events.Assigned(sessions=assigned)


def _turn(names: Iterable[str], count: int, load: Counter[str], rng: random.Random) -> tuple[str, ...]:
    """Those who have the least, and now have one more; among equals, drawn."""
    chosen = sorted(names, key=lambda name: (load[name], rng.random()))[:count]
    load.update(chosen)
    return tuple(chosen)


def require_people(desk: Desk, names: tuple[str, ...]) -> None:
    """Raise Refused where somebody does not take part."""
    there = {*desk.state.active}
    for name in names:
        if name not in there:
            raise Refused(_("{name} is not part of the review", name=name))


def _require_different(names: Sequence[str]) -> None:
    if len({*names}) != len(names):
        raise Refused(_("name each person only once"))


def _person(desk: Desk, name: str) -> Person:
    require_people(desk, (name,))
    return desk.state.people[name]


def draw(desk: Desk, who: str, command: commands.DrawRound) -> events.RoundDrawn:
    """Raises Refused while a round is under way or has something left to mend."""
    require_lead(desk, who)
    require_people(desk, command.inspectors)
    state = desk.state
    if state.rounds and rounds.left(state, state.rounds[-1]):
        raise Refused(_("inspection round {number} is not finished yet", number=len(state.rounds)))
    if unfixed := rounds.to_mend(state):
        raise Refused(_("errors from earlier rounds are not fixed yet: {sessions}", sessions=unfixed[:5]))
    drawn = rounds.draw(state, command.share, command.seed, command.inspectors or desk.state.active)
    if not drawn:
        raise Refused(_("no approved session is left that someone else could inspect"))
    return events.RoundDrawn(round=len(state.rounds) + 1, seed=command.seed, share=command.share, inspectors=drawn)


def change_inspector(desk: Desk, who: str, command: commands.ChangeInspector) -> events.InspectorsChanged:
    require_lead(desk, who)
    current = _round(desk)
    names = [name for name in rounds.left(desk.state, current) if current.inspectors[name] == command.name]
    others = [other for other in desk.state.active if other != command.name]
    replaced = rounds.shared_out(desk.state, names, others, len(names))
    if not replaced:
        raise Refused(_("{name} has no open inspection that someone else could take", name=command.name))
    return events.InspectorsChanged(round=current.drawn.round, inspectors=replaced)


def inspect(desk: Desk, who: str, command: commands.Inspect) -> events.Inspected:
    session, current = desk.session(command.session), _round(desk)
    inspector = current.inspectors.get(session.id)
    if inspector is None:
        raise Refused(_("{session} is not in the inspection round", session=session.id))
    if inspector != who:
        raise Forbidden(_("{session} is assigned to {name} for inspection", session=session.id, name=inspector))
    if not rounds.may_inspect(session, who):
        raise Forbidden(_("you edited or decided {session}; someone else must inspect it", session=session.id))
    version, earlier = session.common.version, current.inspected.get(session.id)
    if version != command.base:
        raise Stale(_("{session} has been changed in the meantime", session=session.id), version)
    if session.status is not SessionStatus.APPROVED and (earlier is None or earlier.base != version):
        raise Refused(_("{session} is not approved; only approved sessions are inspected", session=session.id))
    return events.Inspected(round=current.drawn.round, session=session.id, base=version, faults=command.faults)


def _round(desk: Desk) -> Round:
    """The round under way, or the last one. Raises Refused where there was none."""
    if not desk.state.rounds:
        raise Refused(_("no inspection round has been drawn yet"))
    return desk.state.rounds[-1]
