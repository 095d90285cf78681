"""journal.jsonl: the events of a review, appended one by one and never changed; on the disk before anybody is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from toolgauge.errors import StoreError
from toolgauge.locale import _
from toolgauge.locale.foreign import cause
from toolgauge.review.events import VERSION, AnyEvent, Opened
from toolgauge.runs.lines import AppendFile, newer, read_whole_lines, refuse_newer

JOURNAL = "journal.jsonl"
_DECODER = msgspec.json.Decoder(AnyEvent)


class Journal:
    """The journal of a review in a folder of its own, open in one process. Raises StoreError, OSError."""

    def __init__(self, folder: Path) -> None:
        self._file = AppendFile(folder / JOURNAL)

    @property
    def torn(self) -> int:
        """Bytes of an unfinished last event that were cut off; nobody was told that it had happened."""
        return self._file.torn

    def append(self, event: AnyEvent) -> None:
        """Write an event and push it to the disk. Raises StoreError, and nothing was written then."""
        self._file.append(msgspec.json.encode(event))
        self._file.sync()

    def close(self) -> None:
        self._file.close()


def read_journal(folder: Path) -> Iterator[AnyEvent]:
    """The events in their order. Raises StoreError for a line that is none, or that a later version wrote."""
    path = folder / JOURNAL
    for number, line in read_whole_lines(path):
        try:
            event = _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            refuse_newer(path, line, VERSION)
            raise StoreError(
                _("{path}:{number}: is no event of a review: {why}", path=path, number=number, why=cause(error))
            ) from error
        if isinstance(event, Opened) and event.version > VERSION:
            raise newer(path)
        yield event
