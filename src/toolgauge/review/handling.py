"""What each command does: it is checked, and becomes an event."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.lines import parse_line, within_depth
from toolgauge.data.session import Session
from toolgauge.data.sessions import session_from
from toolgauge.errors import DataError
from toolgauge.limits import MAX_SESSION_BYTES
from toolgauge.locale import _, plain
from toolgauge.review import commands, events, team
from toolgauge.review.desk import Desk
from toolgauge.review.differences import differences
from toolgauge.review.editing import edited, first_tasks
from toolgauge.review.events import Forbidden, Refused, Stale
from toolgauge.review.state import Copy, SessionState, SessionStatus
from toolgauge.review.warnings import place_of

FOLLOWED = (
    commands.SetUtterance,
    commands.SetArguments,
    commands.SetTool,
    commands.SetResult,
    commands.SetAnswer,
    commands.AddCall,
    commands.RemoveCall,
)
"""Edits of what later tasks follow."""


def do(desk: Desk, who: str, command: commands.AnyCommand) -> events.AnyEvent:
    """Do what somebody asks for; returns what happened. Raises Refused, Forbidden, Stale, StoreError, and nothing has
    happened then."""
    if command.key and (number := desk.state.keys.get(command.key)):
        event = desk.state.events[number - 1]
        if event.who != who:
            raise Forbidden(_("this key belongs to another person's command"))
        return event
    event = desk.happen(replace(_HANDLERS[type(command)](desk, who, command), who=who, key=command.key))
    complete(desk)
    return event


def complete(desk: Desk) -> None:
    """Let happen what follows from the last event by itself: also after a kill in between."""
    last = desk.state.events[-1] if desk.state.events else None
    if isinstance(last, events.Decided) and (settled := _agreement(desk, desk.session(last.session))):
        desk.happen(settled)


def _edit(desk: Desk, who: str, command: commands.Edit) -> events.Edited:
    """Raises Refused for an edit that does not fit the session."""
    copy, changed = with_edits(desk, who, command)
    return _becoming(desk, command.session, copy, changed, {edit.task for edit in command.edits})


def with_edits(desk: Desk, who: str, command: commands.Edit) -> tuple[Copy, Json]:
    """The copy that somebody edits, and its record as it would be. Of a generated dialogue the tasks behind an approved
    task that is edited are dropped: they were made to follow what it was (`generate --resume-from` makes them again).
    Raises Refused, Forbidden, Stale, DataError."""
    copy = desk.current(who, command.session, command.base)
    for edit in command.edits:
        if not within_depth(msgspec.to_builtins(edit)):  # before anything walks over its values
            raise Refused(_("too deeply nested"), edit.place)
    desk.read(command.session, copy)  # says best what is wrong with one that cannot be read
    language, before = desk.originals.language, desk.record(command.session, copy)
    changed = edited(before, language, command.edits)
    first = min((edit.task for edit in command.edits if isinstance(edit, FOLLOWED)), default=copy.tasks)
    origin = changed.get("origin")
    is_generated = isinstance(origin, dict) and "tool_list" in origin
    if is_generated and changed != before and first < min(copy.approved, copy.tasks - 1):
        changed = first_tasks(changed, language, first + 1)
    return copy, changed


def _undo(desk: Desk, who: str, command: commands.Undo) -> events.Edited:
    """Raises Refused where there is no edit to take back."""
    copy = desk.current(who, command.session, command.base)
    undone = {edit.undoes for edit in copy.edits}
    last = next((edit for edit in reversed(copy.edits) if edit.number not in undone and edit.undoes is None), None)
    if last is None:
        raise Refused(_("nothing to undo"))
    inverse = [change.inverse for change in reversed(last.changes)]
    restored = events.changed(desk.record(command.session, copy), inverse)
    return replace(_becoming(desk, command.session, copy, restored, last.asked), undoes=last.number)


def _becoming(desk: Desk, name: str, copy: Copy, record: Json, asked: Collection[int]) -> events.Edited:
    """The event by which a copy becomes another record. Raises Refused where that is no session, or nothing changes."""
    changes = events.changes_between(desk.record(name, copy), record)
    if not changes:
        raise Refused(_("nothing was changed"))
    session = readable(desk, record)
    return events.Edited(
        session=name,
        copy=copy.owner,
        base=copy.version,
        changes=changes,
        tasks=len(session.tasks),
        touched=_touched(desk.read(name, copy), session),
        asked=tuple(sorted(asked)),
    )


def readable(desk: Desk, record: Json) -> Session:
    """The session that a record would be. Raises Refused, with the place, where no line of data could hold it."""
    line = msgspec.json.encode(record)
    if len(line) > MAX_SESSION_BYTES:
        raise Refused(_("longer than {most} MB", most=MAX_SESSION_BYTES >> 20))
    try:
        parse_line(line, desk.originals.file, 0)
        return session_from(record, desk.originals.language)
    except DataError as error:
        raise Refused(plain(error.message), place_of(error.path or "")) from error


def _touched(before: Session, after: Session) -> tuple[int, ...]:
    """The positions of the tasks that differ, new and removed ones included; all where tools or clock differ."""
    count = max(len(before.tasks), len(after.tasks))
    if (before.clock, before.original_tools) != (after.clock, after.original_tools):
        return tuple(range(count))
    common = min(len(before.tasks), len(after.tasks))
    return tuple(index for index in range(count) if index >= common or before.tasks[index] != after.tasks[index])


def _decide(desk: Desk, who: str, command: commands.Decide) -> events.Decided:
    """Raises DataError where what is to be approved cannot be read as a session."""
    copy = desk.current(who, command.session, command.base)
    tasks = copy.tasks if command.tasks is None else command.tasks
    if tasks > copy.tasks:
        raise Refused(
            _("cannot approve more tasks than {session} has ({count})", session=command.session, count=copy.tasks)
        )
    if command.outcome is events.Outcome.APPROVED:
        desk.read(command.session, copy)
    return events.Decided(
        session=command.session,
        copy=copy.owner,
        base=copy.version,
        outcome=command.outcome,
        tasks=tasks if command.outcome is events.Outcome.APPROVED else 0,
        reason=command.reason,
    )


def _settle(desk: Desk, who: str, command: commands.Settle) -> events.Settled:
    """A third person takes one of the opinions, as it is or to edit it on."""
    session = desk.session(command.session)
    if session.status is not SessionStatus.CONFLICT or command.chosen not in session.reviewers:
        raise Refused(_("{session} has no opinions to choose from", session=command.session))
    if not may_settle(desk, who, session):
        raise Forbidden(_("{session}: one of the opinions is yours; someone else must settle it", session=session.id))
    chosen = session.copies[command.chosen]
    if chosen.version != command.base or chosen.outcome is None:
        raise Stale(_("{session} has been changed in the meantime", session=session.id), chosen.version)
    return events.Settled(
        session=session.id,
        base=chosen.version,
        chosen=command.chosen,
        outcome=chosen.outcome if command.is_final else events.Outcome.OPEN,
        tasks=chosen.approved if command.is_final else 0,
        reason=command.reason,
    )


def may_settle(desk: Desk, who: str, session: SessionState) -> bool:
    """Somebody else than its reviewers settles a conflict; a reviewer who leads does where nobody else takes part."""
    if who not in session.reviewers:
        return True
    return desk.state.people[who].is_lead and not {*desk.state.active} - {*session.reviewers}


def _agreement(desk: Desk, session: SessionState) -> events.Settled | None:
    """Opinions that say the same need nobody to settle them; what follows from other parts by itself may differ."""
    if session.status is not SessionStatus.CONFLICT:
        return None
    first, *others = session.opinions
    if first.outcome is None or any(other.outcome is not first.outcome for other in others):
        return None
    if first.outcome is events.Outcome.APPROVED:
        read = [desk.read(session.id, copy) for copy in session.opinions]
        if any(any(differences(read[0], other)) for other in read[1:]):
            return None
    return events.Settled(
        session=session.id, base=first.version, chosen=first.owner, outcome=first.outcome, tasks=first.approved
    )


def _comment(desk: Desk, who: str, command: commands.Comment) -> events.Commented:
    name, owner = command.session, desk.copy_of(who, command.session).owner
    if command.answers is not None:
        _require_comment(desk, name, command.answers)
    return events.Commented(session=name, copy=owner, place=command.place, text=command.text, answers=command.answers)


def _resolve(desk: Desk, who: str, command: commands.Resolve) -> events.CommentResolved:
    name, owner = command.session, desk.copy_of(who, command.session).owner
    _require_comment(desk, name, command.comment)
    return events.CommentResolved(session=name, copy=owner, comment=command.comment, is_resolved=command.is_resolved)


def _require_comment(desk: Desk, session: str, number: int) -> None:
    if number not in desk.session(session).comments:
        raise Refused(_("comment {number} of {session} not found", session=session, number=number))


_HANDLERS: dict[type[commands.Command], Callable[[Desk, str, Any], events.AnyEvent]] = {
    commands.Edit: _edit,
    commands.Undo: _undo,
    commands.Decide: _decide,
    commands.Settle: _settle,
    commands.Comment: _comment,
    commands.Resolve: _resolve,
    commands.AddPerson: team.add,
    commands.SetRole: team.set_role,
    commands.RemovePerson: team.remove,
    commands.Assign: team.assign,
    commands.Distribute: team.distribute,
    commands.HandOver: team.hand_over,
    commands.DrawRound: team.draw,
    commands.ChangeInspector: team.change_inspector,
    commands.Inspect: team.inspect,
}
"""desk, who asks, the command -> what happens. Raises Refused, Forbidden, Stale."""
