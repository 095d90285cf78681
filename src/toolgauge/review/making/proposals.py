"""Other ways on from a point of a session: where that is, what the models are given, and what becomes of the result."""

from __future__ import annotations

from toolgauge.chat import Json
from toolgauge.data.corrections import Unfit
from toolgauge.data.session import Session
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.edits import replay_point
from toolgauge.generation.replay import LATER, read_points
from toolgauge.generation.setup import Part as MadePart
from toolgauge.locale import _
from toolgauge.review import changes
from toolgauge.review.desk import Desk
from toolgauge.review.events import EditOrigin, Part, Place, Proposed
from toolgauge.review.making.commands import Regenerate
from toolgauge.review.making.jobs import Command
from toolgauge.review.originals import read_session
from toolgauge.review.refusals import Refused
from toolgauge.review.state import Copy

NAME = "session"
"""Of the only command of such a job."""
_MADE_PARTS = {
    Part.CALL: MadePart.CALL,
    Part.ARGUMENTS: MadePart.CALL,
    Part.DEPENDENCIES: MadePart.CALL,
    Part.RESULT: MadePart.RESULT,
    Part.QUESTION: MadePart.QUESTION,
    Part.ANSWER: MadePart.ANSWER,
    Part.REPLY: MadePart.REPLY,
}


def command_of(desk: Desk, copy: Copy, asked: Regenerate) -> Command:
    """What is to be made. Raises Refused where the place is none, or nothing was edited."""
    name, record, language = asked.session, desk.record(asked.session, copy), desk.originals.language
    if asked.later not in LATER:
        raise Refused(_("{value} is none of {known}", value=asked.later, known=LATER))
    places = (point_name(name, asked.place),) if asked.place is not None else ()
    try:
        if places:
            read_points(places, {name: record}, language)
        else:
            before = read_session(before_edits(desk, name, copy), language)
            _require_edit(before, desk.read(name, copy))
    except UsageError as error:
        raise Refused(error.text) from error
    return Command(NAME, {name: copy.version}, places=places, per_path=asked.proposals, later=asked.later)


def _require_edit(before: Session, now: Session) -> None:
    """Raise Refused where nothing says from where on it is to be made; UsageError where several places do."""
    if replay_point(before, now) is None:
        raise Refused(_("nothing was edited that others could go on from; choose a place"))


def point_name(session: str, place: Place) -> str:
    """A place as `generate --replay-from` names it. Raises Refused for one that no dialogue goes on from."""
    if place.task is None:
        raise Refused(_("choose a place in a task"))
    if place.call is None:
        return f"{session}/{place.task}"
    part = _MADE_PARTS.get(place.part)
    if part is None:
        raise Refused(_("choose a place in a task"))
    return f"{session}/{place.task}/{place.call}/{part.value}"


def before_edits(desk: Desk, name: str, copy: Copy) -> Json:
    """A session's record as models made it last: before what people edited since."""
    undone = {one.undoes for one in copy.edits}
    made = (EditOrigin.LAYER, EditOrigin.PROPOSAL)
    last = max(
        (at for at, one in enumerate(copy.edits, 1) if one.origin in made and one.number not in undone), default=0
    )
    return desk.at_version(name, copy, last)


def proposed_record(desk: Desk, name: str, copy: Copy, proposed: Proposed, number: int) -> Json:
    """A session as a proposal (from 0) would have it. Raises Refused where it does not fit what was edited since."""
    if number >= len(proposed.proposals):
        raise Refused(_("{session} has no proposal {number}", session=name, number=number + 1))
    try:
        return changes.changed(desk.record(name, copy), proposed.proposals[number])
    except (Unfit, DataError) as error:
        raise Refused(
            _("the proposal does not fit what was edited since it was asked for; ask for another one")
        ) from error


def record_at(desk: Desk, name: str, copy: Copy, base: int) -> Json:
    """A session's record as the copy stood after event `base`."""
    return desk.at_version(name, copy, sum(one.number <= base for one in copy.edits))
