"""What a job has made goes into the journal as edits. Nothing twice, and nothing over what somebody edited meanwhile:
beside that it becomes a proposal."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.lines import read_lines
from toolgauge.data.sessions import FILE
from toolgauge.locale import Text, _
from toolgauge.review import changes
from toolgauge.review.desk import Desk
from toolgauge.review.events import EditOrigin, Outcome, Proposed
from toolgauge.review.handlers.editing import becoming
from toolgauge.review.making.jobs import Job
from toolgauge.review.making.layers import session_of_made
from toolgauge.review.making.proposals import record_at
from toolgauge.review.making.running import made_folder
from toolgauge.review.objections import reason_text
from toolgauge.review.refusals import Refused
from toolgauge.review.state import Copy

REJECTED = "rejected.jsonl"


class Made(Struct, frozen=True):
    """Of a command. records: by the ids that the generation gave; why: of a slot that has none."""

    records: dict[str, Json]
    why: dict[str, str]


class Taken(Struct):
    """taken: sessions whose result is in the journal; left: the others, with the reason."""

    taken: int = 0
    left: dict[str, Text] = {}


class _Rejected(Struct, frozen=True):
    slot: str
    reason: str


async def take_result(desk: Desk, job: Job, folder: Path) -> Taken:
    """Take what the commands of a job have made so far. Other people's work goes on between two sessions."""
    result = Taken()
    for command in job.commands:
        made = await asyncio.to_thread(_read_made, made_folder(folder, command))
        by_session = {name: key for key, name in session_of_made(command, desk.originals.language).items()}
        for name, base in command.sessions.items():
            await asyncio.sleep(0)
            _take_task(desk, job, name, base, made, by_session[name], result)
    return result


def _read_made(folder: Path) -> Made:
    """Raises Refused where the generation has not written its files, DataError."""
    file = folder / FILE
    if not file.is_file():
        raise Refused(_("{file} not found: nothing was generated", file=file))
    records = {str(record.get("id")): record for _line, record in read_lines(file)}
    rejected = folder / REJECTED
    lines = read_lines(rejected) if rejected.is_file() else iter(())
    found = [msgspec.convert(line, _Rejected) for _number, line in lines]
    return Made(records, {one.slot: one.reason for one in found})


def _take_task(desk: Desk, job: Job, name: str, base: int, made: Made, made_id: str, result: Taken) -> None:
    """The next task of a session."""
    key = event_key(job, name)
    if (number := desk.state.keys.get(key)) is not None:
        is_beside = isinstance(desk.state.events[number - 1], Proposed)
        _note(result, name, _EDITED if is_beside else None)
        return
    session = desk.state.sessions[name]
    copy, record = session.common, made.records.get(made_id)
    if record is None:
        _note(result, name, _nothing(made.why.get(made_id)))
        return
    now = {**record, "id": name}
    if session.is_blind:
        _note(result, name, _("it is under independent review by several people"))
    elif copy.outcome is Outcome.REJECTED:
        _note(result, name, _("it has been rejected in the meantime"))
    elif copy.version != base:
        proposal = changes.changes_between(record_at(desk, name, copy, base), now)
        desk.happen(Proposed(session=name, base=min(base, copy.version), proposals=(proposal,), key=key))
        _note(result, name, _EDITED)
    else:
        _note(result, name, _edit(desk, copy, name, now, key, job.layer - 1))


def _edit(desk: Desk, copy: Copy, name: str, now: Json, key: str, standing: int) -> Text | None:
    """Add the task; returns why not. standing: so many tasks must be as they were."""
    try:
        event = becoming(desk, name, copy, now, origin=EditOrigin.LAYER)
    except Refused as error:
        return error.message
    if event.tasks != standing + 1 or any(task < standing for task in event.touched):
        return _("its approved tasks were changed by the models")
    desk.happen(replace(event, key=key))
    return None


def event_key(job: Job, session: str) -> str:
    """Of the event by which a session's result was taken; ids of sessions may be long."""
    return f"making/{job.number:04d}/{hashlib.sha256(session.encode()).hexdigest()[:32]}"


def _nothing(reason: str | None) -> Text:
    if reason is None:
        return _("nothing was generated for it yet")
    return _("everything generated for it was rejected ({why})", why=reason_text(reason))


def _note(result: Taken, name: str, why: Text | None) -> None:
    if why is None:
        result.taken += 1
    else:
        result.left[name] = why


_EDITED = _("it was edited in the meantime; the result is kept as a proposal")
