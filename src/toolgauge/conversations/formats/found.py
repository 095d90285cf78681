"""What a reader of a format finds in a log: conversations, what it had to leave out, and what it noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from toolgauge.conversations.conversation import Conversation
from toolgauge.data.record import Problem
from toolgauge.errors import DataError


class Rejected(Problem, frozen=True):
    """A line, or another part of a log, that is left out. The message never repeats a value of the log."""


class Remark(Problem, frozen=True):
    """Something odd in a conversation that is kept. The message never repeats a value of the log."""


Found: TypeAlias = Conversation | Rejected | Remark
Finds: TypeAlias = Iterator[Found]


def rejected(error: DataError) -> Rejected:
    """An error of reading as a finding."""
    return Rejected(error.file, error.message, error.line, error.path)


def left_out(message: str, path: Path | str, line: int | None = None, place: str | None = None) -> Rejected:
    return Rejected(str(path), message, line, place)
