"""Conversations that a judge is asked about, out of a run directory or an import."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from msgspec import Struct, structs

from toolgauge.chat import Message
from toolgauge.data.task_ids import with_epoch
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.logs.conversation import Conversation, LogMessage, Unreadable, settle
from toolgauge.logs.files import conversations_at, read_conversations
from toolgauge.report.exports.training import model_steps
from toolgauge.runs.lines import encode
from toolgauge.runs.manifest import MANIFEST, read_manifest
from toolgauge.runs.store import read_trajectories


class Recorded(Struct, frozen=True):
    """A conversation with what is judged of it. key: its id, with a mark of its content.

    tasks: ids of the judged tasks by the place of the message that begins them; None: all, named "<id>/<number>".
    begins: does a message of the user (its place) begin a task, where that is known? language: None for the user's.
    """

    key: str
    session: str
    conversation: Conversation
    tasks: Mapping[int, str] | None = None
    begins: Mapping[int, bool] = {}
    language: str | None = None


class Unjudged(Struct, frozen=True):
    """A conversation that cannot be judged, and why."""

    id: str
    why: str


def recorded_in(folder: Path, limit: int | None = None) -> Iterator[Recorded | Unjudged]:
    """The conversations of a run directory or of a folder of `data import`. Raises UsageError for another one."""
    log = conversations_at(folder)
    if log is not None:
        yield from imported(log, limit=limit)
    elif (folder / MANIFEST).exists():
        language = str(read_manifest(folder).language)
        yield from (of_run(one, language) for one in islice(read_trajectories(folder), limit))
    else:
        raise UsageError(f"{folder} is neither a run directory nor a folder of `toolgauge data import`")


def imported(
    log: Path, language: str | None = None, splits: Mapping[str, Mapping[int, bool]] = {}, limit: int | None = None
) -> Iterator[Recorded]:
    """The conversations of an import. language, splits: what was said when it was imported (`ImportOptions`)."""
    for one in islice(read_conversations(log), limit):
        yield Recorded(_key(one), one.id, one, begins=splits.get(one.id, {}), language=language)


def of_run(trajectory: Trajectory, language: str) -> Recorded | Unjudged:
    """What the measured model was asked and replied; tasks that stand in its history only are not judged."""
    steps = model_steps(trajectory)
    messages: list[Message] = []
    first_of: dict[int, int] = {}
    """The task that a message of the user begins, by the message's number among the user's."""
    for step in steps:
        messages += step.messages
        if step.task_index not in first_of.values():
            first_of[sum(one.role == "user" for one in messages) - 1] = step.task_index
    if min(first_of, default=-1) < 0:
        return Unjudged(trajectory.task_id, "no user message")
    messages.append(steps[-1].reply.message())
    try:
        settled = settle([LogMessage(**structs.asdict(one)) for one in messages], trajectory.tools)
    except Unreadable as error:
        return Unjudged(trajectory.task_id, str(error))
    places = [place for place, one in enumerate(settled) if one.role == "user"]
    if trajectory.task_index is None and len(first_of) > 1:
        named = {number: f"{trajectory.session_id}/{task}" for number, task in first_of.items()}
        tasks = {places[number]: with_epoch(name, trajectory.epoch) for number, name in named.items()}
    else:
        tasks = {places[number]: trajectory.task_id for number in first_of}
    begins = {place: place in tasks for place in places if place >= min(tasks)}
    conversation = Conversation(trajectory.task_id, settled, trajectory.tools)
    return Recorded(_key(conversation), trajectory.session_id, conversation, tasks, begins, language)


def _key(conversation: Conversation) -> str:
    """The id with the first digits of the content's sha256: a conversation that changed is another one."""
    return f"{conversation.id}@{hashlib.sha256(encode(conversation)).hexdigest()[:12]}"
