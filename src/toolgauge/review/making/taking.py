"""What a job has made goes into the journal: a layer as edits, other ways on as proposals. Nothing twice, and nothing
over what somebody edited meanwhile."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.lines import read_lines
from toolgauge.generation.replay import SESSIONS
from toolgauge.locale import Text, _
from toolgauge.review import changes
from toolgauge.review.changes import Change
from toolgauge.review.desk import Desk
from toolgauge.review.events import EditOrigin, Outcome, Proposed
from toolgauge.review.handlers.editing import becoming
from toolgauge.review.making.jobs import Command, Job, JobKind
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
        if job.kind is JobKind.PROPOSALS:
            _take_proposals(desk, job, command, made, result)
            continue
        by_session = {name: key for key, name in session_of_made(command, desk.originals.language).items()}
        for name, base in command.sessions.items():
            await asyncio.sleep(0)
            _take_task(desk, job, name, base, made, by_session[name], result)
    return result


def _read_made(folder: Path) -> Made:
    """Raises Refused where the generation has not written its files, DataError."""
    file = folder / SESSIONS
    if not file.is_file():
        raise Refused(_("{file} is not there yet: nothing was made", file=file))
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
        _note(result, name, _("several people review it, each on their own"))
    elif copy.outcome is Outcome.REJECTED:
        _note(result, name, _("it was rejected meanwhile"))
    elif copy.version != base:
        proposal = changes.changes_between(record_at(desk, name, copy, base), now)
        desk.happen(Proposed(session=name, base=min(base, copy.version), proposals=(proposal,), key=key))
        _note(result, name, _EDITED)
    else:
        _note(result, name, _edit(desk, copy, name, now, key, _layer(job) - 1))


def _edit(desk: Desk, copy: Copy, name: str, now: Json, key: str, standing: int) -> Text | None:
    """Add the task; returns why not. standing: so many tasks must be as they were."""
    try:
        event = becoming(desk, name, copy, now, origin=EditOrigin.LAYER)
    except Refused as error:
        return error.text
    if event.tasks != standing + 1 or any(task < standing for task in event.touched):
        return _("its approved tasks came back changed")
    desk.happen(replace(event, key=key))
    return None


def _take_proposals(desk: Desk, job: Job, command: Command, made: Made, result: Taken) -> None:
    """All that was made of a session, side by side."""
    for name, base in command.sessions.items():
        key = event_key(job, name)
        if key in desk.state.keys:
            _note(result, name, None)
            continue
        copy = desk.state.sessions[name].copies[job.copy]
        before = record_at(desk, name, copy, base)
        found = tuple({msgspec.json.encode(one): one for one in _proposals(before, name, made)}.values())
        if not found:
            _note(result, name, _nothing(next(iter(made.why.values()), None)))
            continue
        desk.happen(
            Proposed(
                session=name,
                copy=job.copy,
                base=min(base, copy.version),
                proposals=found,
                spent={"tokens": job.spent.tokens},
                who=job.who,
                key=key,
            )
        )
        _note(result, name, None)


def _proposals(before: Json, name: str, made: Made) -> Iterator[tuple[Change, ...]]:
    for record in made.records.values():
        if found := changes.changes_between(before, {**record, "id": name}):
            yield found


def event_key(job: Job, session: str) -> str:
    """Of the event by which a session's result was taken; ids of sessions may be long."""
    return f"making/{job.number:04d}/{hashlib.sha256(session.encode()).hexdigest()[:32]}"


def _layer(job: Job) -> int:
    return next(one.layer for one in job.commands if one.layer is not None)


def _nothing(reason: str | None) -> Text:
    if reason is None:
        return _("nothing was made of it yet")
    return _("all that was made of it was rejected ({why})", why=reason_text(reason))


def _note(result: Taken, name: str, why: Text | None) -> None:
    if why is None:
        result.taken += 1
    else:
        result.left[name] = why


_EDITED = _("it was edited meanwhile; what was made stands beside it as a proposal")
