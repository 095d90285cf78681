"""Inspection rounds: drawing one, and saying what is wrong with a session of it."""

from __future__ import annotations

from toolgauge.locale import _
from toolgauge.review import commands, rounds
from toolgauge.review.desk import Desk
from toolgauge.review.events import Inspected, RoundDrawn
from toolgauge.review.handlers.team import require_lead, require_people
from toolgauge.review.refusals import Forbidden, Refused, Stale


def draw(desk: Desk, who: str, command: commands.DrawRound) -> RoundDrawn:
    """Raises Refused while a round is under way or has something left to mend."""
    require_lead(desk, who)
    require_people(desk, command.inspectors)
    state = desk.state
    if state.rounds and not state.rounds[-1].is_done:
        raise Refused(_("inspection round {number} is not done yet", number=len(state.rounds)))
    if left := [name for one in rounds.rounds_report(state).rounds for name in one.to_mend]:
        raise Refused(_("errors of the rounds before are not mended yet: {sessions}", sessions=left[:5]))
    people = command.inspectors or tuple(one.name for one in state.people.values() if one.is_active)
    drawn = rounds.draw(state, command.share, command.seed, people)
    if not drawn:
        raise Refused(_("there is no approved session that somebody else could inspect"))
    return RoundDrawn(round=len(state.rounds) + 1, seed=command.seed, share=command.share, inspectors=drawn)


def inspect(desk: Desk, who: str, command: commands.Inspect) -> Inspected:
    number = len(desk.state.rounds)
    drawn = desk.state.rounds[-1].drawn.inspectors if number else {}
    if command.session not in drawn:
        raise Refused(_("{session} is not in the inspection round", session=command.session))
    if drawn[command.session] != who:
        raise Forbidden(_("{session} is inspected by {name}", session=command.session, name=drawn[command.session]))
    copy = desk.session(command.session).common
    if copy.version != command.base:
        raise Stale(_("{session} was changed meanwhile", session=command.session), copy.version)
    return Inspected(round=number, session=command.session, base=copy.version, faults=command.faults)
