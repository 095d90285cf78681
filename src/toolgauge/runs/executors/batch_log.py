"""What a run directory keeps of its batches, so that a run that is killed neither loses nor submits anything twice.

`batches.jsonl` grows by a line at every turn: a file was uploaded (with the ids of its requests), a batch was made of
it, it is over. The answers of a batch that is over lie in `batches/` until the run is complete.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.errors import StoreError, os_cause
from toolgauge.files import clear_leftovers, own_folder, read_own, sync_folder, write_whole
from toolgauge.limits import MAX_BATCH_BYTES
from toolgauge.runs.lines import AppendFile, decode, encode, read_whole_lines, refuse_newer
from toolgauge.runs.store import LINE_VERSION

BATCHES, ANSWERS = "batches.jsonl", "batches"
_NAME = re.compile(r"[0-9a-f]{16}\.jsonl")
"""Of a file with answers."""
ASKED_AGAIN = frozenset({"cancelled", "failed"})
"""Whoever continues after these has mended what was wrong: what such a batch did not answer is asked anew."""


class BatchLine(Struct, frozen=True, omit_defaults=True):
    """One turn: file alone with its requests (uploaded), with batch (made), with batch and status (over)."""

    file: str
    member: str = ""
    requests: tuple[str, ...] = ()
    batch: str = ""
    status: str = ""
    version: int = 1


class Batch(Struct, eq=False):
    """A batch of this run. status: "" while it is under way; earlier: it was over before this process began."""

    file: str
    member: str
    requests: frozenset[str]
    id: str = ""
    status: str = ""
    earlier: bool = False


class BatchLog:
    """The batches of a run directory, in the order in which they were submitted."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError where the files cannot be used."""
        self.folder = folder
        self.batches: list[Batch] = []
        known: dict[str, Batch] = {}
        lines = list(_read(folder / BATCHES))  # before it is opened for writing: a newer version stays as it is
        try:
            own_folder(folder / ANSWERS)
            self._file = AppendFile(folder / BATCHES)
            sync_folder(folder)
        except OSError as error:
            raise StoreError(f"{error.filename or folder / BATCHES}: {os_cause(error)}") from error
        for line in lines:
            batch = known.get(line.file)
            if batch is None:
                batch = known[line.file] = Batch(line.file, line.member, frozenset(line.requests))
                self.batches.append(batch)
            batch.id, batch.status = line.batch or batch.id, line.status or batch.status
            batch.earlier = bool(batch.status)

    def check(self) -> None:
        """Raise StoreError where nothing can be noted any more."""
        self._file.check()

    def uploaded(self, file: str, member: str, requests: Iterable[str]) -> Batch:
        """Note a file before a batch is made of it: should that answer be lost, the batch is found by the file."""
        ids = tuple(requests)
        self._file.append(encode(BatchLine(file, member, ids)))
        batch = Batch(file, member, frozenset(ids))
        self.batches.append(batch)
        return batch

    def made(self, batch: Batch, batch_id: str) -> None:
        self._file.append(encode(BatchLine(batch.file, batch=batch_id)))
        batch.id = batch_id

    def over(self, batch: Batch, status: str, answers: bytes) -> None:
        """Keep a batch's answers, then note that it is over."""
        write_whole(self._place(batch), answers, durable=True)
        self._file.append(encode(BatchLine(batch.file, batch=batch.id, status=status)))
        batch.status = status

    def answers(self, batch: Batch) -> bytes:
        """The answers of a batch that is over."""
        try:
            return read_own(self._place(batch), MAX_BATCH_BYTES)
        except OSError as error:
            raise StoreError(f"{self._place(batch)}: {os_cause(error)}; it held answers that are paid for") from error

    def _place(self, batch: Batch) -> Path:
        return self.folder / ANSWERS / f"{hashlib.sha256(batch.id.encode()).hexdigest()[:16]}.jsonl"

    def clear(self) -> None:
        """Take away the answers, once all that they said stands in trajectories on the disk. Never raises."""
        with suppress(OSError):
            places = self.folder / ANSWERS
            if not places.is_symlink():
                clear_leftovers(places)  # of a process that was killed while it kept answers
            for place in places.iterdir() if not places.is_symlink() else ():
                if _NAME.fullmatch(place.name):
                    place.unlink(missing_ok=True)
            places.rmdir()

    def under_way(self) -> list[Batch]:
        return [batch for batch in self.batches if not batch.status]

    def close(self) -> None:
        """Raises StoreError where the disk may have lost lines."""
        self._file.close()


def _read(path: Path) -> Iterator[BatchLine]:
    for number, line in read_whole_lines(path):
        refuse_newer(path, line, LINE_VERSION)
        try:
            yield decode(line, BatchLine)
        except (ValueError, msgspec.ValidationError) as error:
            raise StoreError(f"{path}:{number}: {error}; remove this line to submit its requests again") from error
