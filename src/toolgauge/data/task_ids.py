"""Task ids, "<session id>/<task index>" or a question's own, with "#<epoch>" behind from the second epoch on."""

from __future__ import annotations

import re

from toolgauge.errors import ToolgaugeError

_TASK = re.compile(r"(?s)(.+)/([0-9]{1,9})")
_EPOCH = re.compile(r"(?s)(.+)#([0-9]{1,9})")


def parse_task_id(task_id: str) -> tuple[str, int, int]:
    """Session id, task index and epoch of "<session id>/<task index>[#<epoch>]"; ToolgaugeError for anything else."""
    base, epoch = split_epoch(task_id)
    match = _TASK.fullmatch(base)
    if match is None:
        raise ToolgaugeError(f"invalid task id {task_id[:80]!r} in the scores; expected <session id>/<task index>")
    return match[1], int(match[2]), epoch


def split_epoch(task_id: str) -> tuple[str, int]:
    """A task id without its epoch, and the epoch. Ids of data may have a "#" of their own in front of that."""
    match = _EPOCH.fullmatch(task_id)
    return (match[1], int(match[2])) if match else (task_id, 0)


def without_epoch(task_id: str, epoch: int | None = None) -> str:
    """The id that a task has in all epochs. epoch: which one it is, where that is known."""
    if epoch is None:
        return split_epoch(task_id)[0]
    return task_id.removesuffix(f"#{epoch}") if epoch else task_id


def with_epoch(base: str, epoch: int) -> str:
    """The id of a task, or of a whole session, in an epoch (from 0)."""
    return f"{base}#{epoch}" if epoch else base
