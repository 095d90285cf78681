"""Inspection rounds: drawing one, saying what is wrong with a session of it, passing on what an inspector has left."""

from __future__ import annotations

from toolgauge.locale import _
from toolgauge.review import commands, rounds
from toolgauge.review.desk import Desk
from toolgauge.review.events import Inspected, InspectorsChanged, RoundDrawn
from toolgauge.review.handlers.team import active, require_lead, require_people
from toolgauge.review.refusals import Forbidden, Refused, Stale
from toolgauge.review.state import Round, SessionStatus


def draw(desk: Desk, who: str, command: commands.DrawRound) -> RoundDrawn:
    """Raises Refused while a round is under way or has something left to mend."""
    require_lead(desk, who)
    require_people(desk, command.inspectors)
    state = desk.state
    if state.rounds and rounds.left(state, state.rounds[-1]):
        raise Refused(_("inspection round {number} is not finished yet", number=len(state.rounds)))
    if found := rounds.to_mend(state):
        raise Refused(_("errors from earlier rounds are not fixed yet: {sessions}", sessions=found[:5]))
    drawn = rounds.draw(state, command.share, command.seed, command.inspectors or active(desk))
    if not drawn:
        raise Refused(_("no approved session is left that someone else could inspect"))
    return RoundDrawn(round=len(state.rounds) + 1, seed=command.seed, share=command.share, inspectors=drawn)


def change(desk: Desk, who: str, command: commands.ChangeInspector) -> InspectorsChanged:
    require_lead(desk, who)
    one = _round(desk)
    names = [name for name in rounds.left(desk.state, one) if one.inspectors[name] == command.name]
    others = [other for other in active(desk) if other != command.name]
    found = rounds.shared_out(desk.state, names, others, len(names))
    if not found:
        raise Refused(_("{name} has no open inspection that someone else could take", name=command.name))
    return InspectorsChanged(round=one.drawn.round, inspectors=found)


def inspect(desk: Desk, who: str, command: commands.Inspect) -> Inspected:
    session, one = desk.session(command.session), _round(desk)
    inspector = one.inspectors.get(session.id)
    if inspector is None:
        raise Refused(_("{session} is not in the inspection round", session=session.id))
    if inspector != who:
        raise Forbidden(_("{session} is assigned to {name} for inspection", session=session.id, name=inspector))
    if not rounds.may_inspect(session, who):
        raise Forbidden(_("you edited or decided {session}; someone else must inspect it", session=session.id))
    version, said = session.common.version, one.inspected.get(session.id)
    if version != command.base:
        raise Stale(_("{session} has been changed in the meantime", session=session.id), version)
    if session.status is not SessionStatus.APPROVED and (said is None or said.base != version):
        raise Refused(_("{session} is not approved; only approved sessions are inspected", session=session.id))
    return Inspected(round=one.drawn.round, session=session.id, base=version, faults=command.faults)


def _round(desk: Desk) -> Round:
    """The round under way, or the last one. Raises Refused where there was none."""
    if not desk.state.rounds:
        raise Refused(_("no inspection round has been drawn yet"))
    return desk.state.rounds[-1]
