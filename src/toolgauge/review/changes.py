"""Changes of a session's record, as the journal keeps them: where, what stood there, what stands there now.

A change is a correction of data (data/corrections.py) without its session: it is applied only where the old value
stands, so a journal cannot be replayed over other data than those it was written for.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, Raw, Struct, UnsetType

from toolgauge.chat import Json
from toolgauge.data.corrections import Correction, apply_changes, between


class Change(Struct, frozen=True, omit_defaults=True):
    """pointer: a JSON Pointer into the record. old, new: JSON; without `old` a field is new, without `new` gone."""

    pointer: str
    old: Raw | UnsetType = UNSET
    new: Raw | UnsetType = UNSET

    @property
    def inverse(self) -> Change:
        return Change(self.pointer, self.new, self.old)

    def correction(self, session: str, reason: str = "", source: str = "") -> Correction:
        """The same as a line of a file of corrections."""
        return Correction(session, self.pointer, None, None, self.old, self.new, reason, source)


def changes_between(old: Json, new: Json) -> tuple[Change, ...]:
    """What makes one version of a record of another. Raises Unfit where the ids differ."""
    return tuple(Change(one.pointer, one.old, one.new) for one in between("", old, new))


def changed(record: Json, changes: Iterable[Change]) -> Json:
    """A copy of a record with the changes, in their order. Raises Unfit where one does not fit."""
    return apply_changes(record, (one.correction("") for one in changes))


def inverse(changes: Iterable[Change]) -> tuple[Change, ...]:
    """What takes changes back: the last one first."""
    return tuple(one.inverse for one in reversed(tuple(changes)))
