"""Proposals of the models: one of them is taken, or they are put away."""

from __future__ import annotations

from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Edited, EditOrigin, Proposed
from toolgauge.review.handlers.editing import becoming
from toolgauge.review.making.proposals import proposed_record
from toolgauge.review.refusals import Refused
from toolgauge.review.state import Copy


def take(desk: Desk, who: str, command: commands.TakeProposal) -> Edited:
    """Raises Refused for a proposal that does not fit what was edited since it was asked for."""
    copy = desk.current(who, command.session, command.base)
    proposed = _proposed(copy, command.session)
    made = proposed_record(desk, command.session, copy, proposed, command.proposal)
    return becoming(desk, command.session, copy, made, origin=EditOrigin.PROPOSAL)


def put_away(desk: Desk, who: str, command: commands.PutAwayProposals) -> Proposed:
    copy = desk.copy_of(who, command.session)
    _proposed(copy, command.session)
    return Proposed(session=command.session, copy=copy.owner, base=copy.version, proposals=())


def _proposed(copy: Copy, session: str) -> Proposed:
    if (found := copy.open_proposals) is None:
        raise Refused(_("{session} has no proposals", session=session))
    return found
