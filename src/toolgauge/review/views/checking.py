"""A session as it would be with edits that nobody has made yet: what would be worth a look then. Nothing is kept."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.handlers.editing import readable, with_edits
from toolgauge.review.state import Person
from toolgauge.review.warnings import Warned, warnings


class CheckedWarning(Struct, frozen=True):
    """A warning of the session as it would be. is_new: the session as it stands does not have it."""

    warned: Warned
    is_new: bool


class CheckView(Struct, frozen=True):
    """version: of the copy that was edited; solved: how many warnings would be gone."""

    version: int
    warnings: list[CheckedWarning]
    solved: int


def check_view(desk: Desk, person: Person, command: commands.Edit, language: str) -> CheckView:
    """What edits would lead to. language: of the interface. Raises Refused, Forbidden, Stale."""
    copy, made = with_edits(desk, person.name, command)
    session = readable(desk, made)
    before = Counter(warnings(desk.read(command.session, copy), language))
    after = list(warnings(session, language))
    told = []
    for one in after:
        told.append(CheckedWarning(one, is_new=not before[one]))
        before[one] -= before[one] > 0
    return CheckView(copy.version, told, before.total())
