"""A lead's work: who takes part, who reviews what."""

from __future__ import annotations

from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Assigned, PersonAdded, PersonRemoved
from toolgauge.review.refusals import Forbidden, Refused


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


def require_people(desk: Desk, names: tuple[str, ...]) -> None:
    """Raise Refused where somebody does not take part."""
    active = {one.name for one in desk.state.people.values() if one.is_active}
    for name in names:
        if name not in active:
            raise Refused(_("{name} takes no part in the review", name=name))
