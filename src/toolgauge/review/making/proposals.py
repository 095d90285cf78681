"""Proposals of the models beside a session: what it would become with one, and as what version they were made of."""

from __future__ import annotations

from toolgauge.chat import Json
from toolgauge.data.corrections import Unfit
from toolgauge.errors import DataError
from toolgauge.locale import _
from toolgauge.review import changes
from toolgauge.review.desk import Desk
from toolgauge.review.events import Proposed
from toolgauge.review.refusals import Refused
from toolgauge.review.state import Copy


def proposed_record(desk: Desk, name: str, copy: Copy, proposed: Proposed, number: int) -> Json:
    """A session as a proposal (from 0) would have it. Raises Refused where it does not fit what was edited since."""
    if number >= len(proposed.proposals):
        raise Refused(_("proposal {number} of {session} not found", session=name, number=number + 1))
    try:
        return changes.changed(desk.record(name, copy), proposed.proposals[number])
    except (Unfit, DataError) as error:
        raise Refused(
            _("the session has been edited since and the proposal no longer applies; request a new one")
        ) from error


def record_at(desk: Desk, name: str, copy: Copy, base: int) -> Json:
    """A session's record as the copy stood after event `base`."""
    return desk.at_version(name, copy, sum(one.number <= base for one in copy.edits))
