"""splits.jsonl: which messages begin a task, written for people to correct, and read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from toolgauge.conversations.splitting import Split
from toolgauge.data.lines import read_lines
from toolgauge.data.record import DataLine, shown
from toolgauge.errors import DataError

Splits = Mapping[str, Mapping[int, bool]]
"""What people decided: conversation -> place of a message -> does it begin a task?"""


def split_lines(splits: Iterable[Split]) -> Iterator[bytes]:
    """The lines of the file, with their ends."""
    return (msgspec.json.encode(one) + b"\n" for one in splits)


def read_splits(path: Path | str) -> Splits:
    """The file as people gave it back: only `conversation`, `message` and `begins` are looked at.

    Raises DataError for a line that lacks one of them, and for two lines that say different things of one message.
    """
    found: dict[str, dict[int, bool]] = {}
    for number, value in read_lines(path):
        line = DataLine(path, number, value)
        conversation = line.take(line.value, "conversation", str)
        place, begins = line.take(line.value, "message", int), line.take(line.value, "begins", bool)
        own = found.setdefault(conversation, {})
        if own.setdefault(place, begins) != begins:
            raise DataError(f"contradicts an earlier line on message {place} of {shown(conversation)}", path, number)
    return found
