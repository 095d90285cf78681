"""Edits of a copy, by hand and taken back."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.lines import parse_line, within_depth
from toolgauge.data.session import Session
from toolgauge.data.sessions import session_from
from toolgauge.errors import DataError
from toolgauge.limits import MAX_LINE_BYTES
from toolgauge.locale import _, plain
from toolgauge.review import changes, commands
from toolgauge.review.applying import edited, first_tasks
from toolgauge.review.desk import Desk
from toolgauge.review.edits import (
    AddCall,
    RemoveCall,
    SetAnswer,
    SetArguments,
    SetResult,
    SetTool,
    SetUtterance,
    described,
    place_of_edit,
)
from toolgauge.review.events import Edited, EditOrigin
from toolgauge.review.refusals import Refused
from toolgauge.review.state import Copy
from toolgauge.review.warnings import place_of

FOLLOWED = (SetUtterance, SetArguments, SetTool, SetResult, SetAnswer, AddCall, RemoveCall)
"""Edits of what later tasks follow."""


def edit(desk: Desk, who: str, command: commands.Edit) -> Edited:
    """Raises Refused for an edit that does not fit the session."""
    copy, made = with_edits(desk, who, command)
    becomes = becoming(desk, command.session, copy, made, tuple(map(described, command.edits)))
    return replace(becomes, asked=tuple(sorted({one.task for one in command.edits})))


def with_edits(desk: Desk, who: str, command: commands.Edit) -> tuple[Copy, Json]:
    """The copy that somebody edits, and its record as it would be. Of a generated dialogue the tasks behind an approved
    task that is edited are dropped: they were made to follow what it was (`generate --resume-from` makes them again).
    Raises Refused, Forbidden, Stale, DataError."""
    copy = desk.current(who, command.session, command.base)
    for one in command.edits:
        if not within_depth(msgspec.to_builtins(one)):  # before anything walks over its values
            raise Refused(_("too deeply nested"), place_of_edit(one))
    desk.read(command.session, copy)  # says best what is wrong with one that cannot be read
    language = desk.originals.language
    before = desk.record(command.session, copy)
    made = edited(before, language, command.edits)
    first = min((one.task for one in command.edits if isinstance(one, FOLLOWED)), default=copy.tasks)
    if made != before and first < min(copy.approved, copy.tasks - 1) and _is_generated(made):
        made = first_tasks(made, language, first + 1)
    return copy, made


def _is_generated(record: Json) -> bool:
    origin = record.get("origin")
    return isinstance(origin, dict) and "tool_list" in origin


def undo(desk: Desk, who: str, command: commands.Undo) -> Edited:
    """Raises Refused where there is no edit to take back."""
    copy = desk.current(who, command.session, command.base)
    undone = {one.undoes for one in copy.edits}
    last = next((one for one in reversed(copy.edits) if one.number not in undone and one.undoes is None), None)
    if last is None:
        raise Refused(_("nothing to undo"))
    made = changes.changed(desk.record(command.session, copy), changes.inverse(last.changes))
    becomes = becoming(desk, command.session, copy, made, origin=EditOrigin.UNDO, undoes=last.number)
    return replace(becomes, asked=last.asked)


def becoming(
    desk: Desk,
    name: str,
    copy: Copy,
    made: Json,
    what: tuple[str, ...] = (),
    *,
    origin: EditOrigin = EditOrigin.PERSON,
    undoes: int | None = None,
) -> Edited:
    """The event by which a copy becomes another record. Raises Refused where that is no session, or nothing changes."""
    before = desk.record(name, copy)
    found = changes.changes_between(before, made)
    if not found:
        raise Refused(_("nothing was changed"))
    session = readable(desk, made)
    return Edited(
        session=name,
        copy=copy.owner,
        base=copy.version,
        changes=found,
        tasks=len(session.tasks),
        touched=_touched(desk.read(name, copy), session),
        what=what,
        origin=origin,
        undoes=undoes,
    )


def readable(desk: Desk, made: Json) -> Session:
    """The session that a record would be. Raises Refused, with the place, where no line of data could hold it."""
    line = msgspec.json.encode(made)
    if len(line) > MAX_LINE_BYTES:
        raise Refused(_("too long for one line of a data file"))
    try:
        parse_line(line, desk.originals.file, 0)
        return session_from(made, desk.originals.language)
    except DataError as error:
        raise Refused(plain(error.message), place_of(error.path or "")) from error


def _touched(before: Session, after: Session) -> tuple[int, ...]:
    """The positions of the tasks that differ, new and removed ones included; all where tools or clock differ."""
    count = max(len(before.tasks), len(after.tasks))
    if (before.clock, before.original_tools) != (after.clock, after.original_tools):
        return tuple(range(count))
    common = min(len(before.tasks), len(after.tasks))
    return tuple(index for index in range(count) if index >= common or before.tasks[index] != after.tasks[index])
