"""What a job needs before it begins: the kinds of next tasks, the files that the generation reads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import msgspec

from toolgauge.chat import Json
from toolgauge.files import write_whole
from toolgauge.review.desk import Desk
from toolgauge.review.events import Outcome
from toolgauge.review.making.commands import MakeLayer
from toolgauge.review.making.jobs import Command
from toolgauge.review.making.layers import Dealer, first_tasks, kinds_of
from toolgauge.review.making.proposals import record_at
from toolgauge.review.making.running import sessions_file
from toolgauge.review.state import SessionState


async def deal(desk: Desk, chosen: Iterable[SessionState], asked: MakeLayer) -> list[tuple[SessionState, str]]:
    """The sessions that get a task, each with its kind; those that have theirs already count. Other people's work goes
    on between two sessions."""
    begun, language = asked.layer - 1, desk.originals.language
    dealer, waiting = Dealer(asked.kinds), {one.id: one for one in chosen}
    paths: dict[str, tuple[str, ...]] = {}
    for session in list(desk.state.sessions.values()):
        await asyncio.sleep(0)
        path = kinds_of(desk.record(session.id, session.common), language)
        if session.id in waiting:
            paths[session.id] = path[:begun]
        elif len(path) > begun and session.common.outcome is not Outcome.REJECTED:
            dealer.count(path[: asked.layer])
    return [(waiting[name], dealer.kind(path)) for name, path in paths.items()]


async def write_inputs(desk: Desk, folder: Path, commands: Iterable[Command]) -> None:
    """The files that the commands of a job read."""
    for command in commands:
        given = list[Json]()
        for name, base in command.sessions.items():
            await asyncio.sleep(0)
            record = record_at(desk, name, desk.state.sessions[name].common, base)  # it may have been edited since
            given.append(first_tasks(record, desk.originals.language, command.layer - 1))
        await asyncio.to_thread(_write, sessions_file(folder, command), given)


def _write(path: Path, records: list[Json]) -> None:
    write_whole(path, b"".join(msgspec.json.encode(one) + b"\n" for one in records))
