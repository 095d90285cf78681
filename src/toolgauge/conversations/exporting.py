"""Imported conversations as training data: `toolgauge export DIR/conversations.jsonl --to openai|sharegpt`."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from msgspec.json import encode

from toolgauge.conversations.files import read_conversations, training
from toolgauge.files import replacing, require_new
from toolgauge.report.exports.catalogue import TRAINING
from toolgauge.report.exports.export_request import Exported


def export_conversations(file: Path, to: str, out: Path | None = None, overwrite: bool = False) -> Exported:
    """Write the conversations of a file in a format of training data, by default beside it.

    Raises UsageError, DataError for a line that is no conversation, and StoreError.
    """
    place = out or file.parent / f"{to}.jsonl"
    require_new(place, overwrite, [file])
    with replacing(place) as target:
        return Exported((place,), write_conversations(file, to, target))


def write_conversations(file: Path, to: str, target: BinaryIO) -> tuple[str, ...]:
    """Write them as they are read; what is to be said of it."""
    lost = 0
    for conversation in read_conversations(file):
        line = TRAINING[to](training(conversation))
        lost += line is None
        if line is not None:
            target.write(encode(line) + b"\n")
    return (f"conversations left out, as the format cannot express them: {lost:,}",) if lost else ()
