"""A lead's work: who takes part, who reviews what."""

from __future__ import annotations

import random
from itertools import cycle, islice

from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Assigned, PersonAdded, PersonRemoved
from toolgauge.review.refusals import Forbidden, Refused
from toolgauge.review.state import SessionStatus


def require_lead(desk: Desk, who: str) -> None:
    """Raise Forbidden unless somebody leads the review."""
    person = desk.state.people.get(who)
    if person is None or not person.is_lead:
        raise Forbidden(_("only who leads the review does this"))


def add(desk: Desk, who: str, command: commands.AddPerson) -> PersonAdded:
    require_lead(desk, who)
    return PersonAdded(name=command.name, is_lead=command.is_lead, token_sha256=command.token_sha256)


def remove(desk: Desk, who: str, command: commands.RemovePerson) -> PersonRemoved:
    require_lead(desk, who)
    require_people(desk, (command.name,))
    if command.name == who:
        raise Refused(_("you cannot remove yourself"))
    return PersonRemoved(name=command.name)


def assign(desk: Desk, who: str, command: commands.Assign) -> Assigned:
    require_lead(desk, who)
    for name, reviewers in command.sessions.items():
        desk.session(name)
        require_people(desk, reviewers)
        if len(set(reviewers)) != len(reviewers):
            raise Refused(_("{session}: two opinions are of two people", session=name))
    return Assigned(sessions=command.sessions)


def distribute(desk: Desk, who: str, command: commands.Distribute) -> Assigned:
    """Sessions that nobody has, as evenly as they go; those of the share that two review are drawn by the seed."""
    require_lead(desk, who)
    require_people(desk, command.reviewers)
    if not command.reviewers or (command.twice and len(command.reviewers) < 2):
        raise Refused(_("say who reviews; a second opinion needs two people"))
    free = [name for name, one in desk.state.sessions.items() if not one.reviewers and one.status is SessionStatus.NEW]
    if not free:
        raise Refused(_("every new session has its reviewer"))
    rng = random.Random(command.seed)
    twice = set(rng.sample(free, round(command.twice * len(free))))
    turn = cycle(command.reviewers)
    return Assigned(sessions={name: tuple(islice(turn, 2 if name in twice else 1)) for name in free})


def require_people(desk: Desk, names: tuple[str, ...]) -> None:
    """Raise Refused where somebody does not take part."""
    active = {one.name for one in desk.state.people.values() if one.is_active}
    for name in names:
        if name not in active:
            raise Refused(_("{name} takes no part in the review", name=name))
