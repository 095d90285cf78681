"""journal.jsonl: the events of a review, appended one by one and never changed; on the disk before anybody is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from toolgauge.errors import StoreError, os_cause
from toolgauge.files import make_folders
from toolgauge.limits import MAX_LINE_BYTES
from toolgauge.locale import _
from toolgauge.review.events import VERSION, AnyEvent, Opened
from toolgauge.review.refusals import Refused
from toolgauge.runs.lines import AppendFile, newer, read_whole_lines, refuse_newer

JOURNAL = "journal.jsonl"
_DECODER = msgspec.json.Decoder(AnyEvent)


class Journal:
    """The journal of a review in a folder of its own, open in one process. Raises StoreError."""

    def __init__(self, folder: Path) -> None:
        try:
            make_folders(folder)
            self._file = AppendFile(folder / JOURNAL)
        except OSError as error:
            raise StoreError(f"cannot open {error.filename or folder / JOURNAL}: {os_cause(error)}") from error

    @property
    def torn(self) -> int:
        """Bytes of an unfinished last event that were cut off; nobody was told that it had happened."""
        return self._file.torn

    def append(self, event: AnyEvent) -> None:
        """Write an event and push it to the disk. Raises StoreError, or Refused for one that could not be read again,
        and nothing was written then."""
        try:
            line = msgspec.json.encode(event)
            _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            raise Refused(_("cannot be saved: {why}", why=str(error))) from error
        if len(line) >= MAX_LINE_BYTES:
            raise Refused(_("cannot be saved: {why}", why=_("longer than {most} MB", most=MAX_LINE_BYTES >> 20)))
        self._file.append(line, durable=True)

    def take_back(self) -> None:
        """Cut off the event that was just written: it was impossible."""
        self._file.take_back()

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
            raise StoreError(f"{path}:{number}: invalid review event: {error}") from error
        if isinstance(event, Opened) and event.version > VERSION:
            raise newer(path)
        yield event
