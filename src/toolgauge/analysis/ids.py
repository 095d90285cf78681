"""Task ids, taken apart."""

from __future__ import annotations

import re

from toolgauge.errors import ToolgaugeError

_TASK_ID = re.compile(r"(?s)(.+)/([0-9]{1,9})(?:#([0-9]{1,9}))?")


def parse_task_id(task_id: str) -> tuple[str, int, int]:
    """Session id, task index and epoch of "<session id>/<task index>[#<epoch>]"; ToolgaugeError for anything else."""
    match = _TASK_ID.fullmatch(task_id)
    if match is None:
        raise ToolgaugeError(f"invalid task id {task_id[:80]!r} in the scores; expected <session id>/<task index>")
    return match[1], int(match[2]), int(match[3] or 0)
