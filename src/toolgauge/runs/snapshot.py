"""trajectories.jsonl as it was at one moment, while a run may go on appending to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toolgauge.episode import Trajectory
from toolgauge.errors import StoreError
from toolgauge.files import line_too_long, open_regular
from toolgauge.limits import MAX_LINE_BYTES
from toolgauge.locale import joined
from toolgauge.locale.foreign import os_cause
from toolgauge.runs.store import TRAJECTORIES, read_lines_of, read_trajectories

_BLOCK = 1 << 20


class Snapshot(Struct, frozen=True):
    """The whole lines of a run's trajectories. size: in bytes; sha256: of these bytes; left_out: as `read_trajectories`
    has it."""

    folder: Path
    size: int
    sha256: str
    left_out: frozenset[int] | None = None

    @staticmethod
    def of(folder: Path) -> Snapshot:
        """What stands in the file now, without a torn last line; nothing where there is no file.

        Raises StoreError where it cannot be read.
        """
        digest, whole = hashlib.sha256(), hashlib.sha256()
        size = place = lines = 0
        try:
            with open_regular(folder / TRAJECTORIES, follow=False) as file:
                while block := file.read(_BLOCK):
                    end = block.rfind(b"\n") + 1
                    if end:
                        digest.update(block[:end])
                        whole, size, lines = digest.copy(), place + end, lines + block.count(b"\n")
                    digest.update(block[end:])
                    place += len(block)
                    if place - size > MAX_LINE_BYTES:
                        raise line_too_long(lines + 1)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(joined([folder / TRAJECTORIES, os_cause(error)], ": ")) from error
        return Snapshot(folder, size, whole.hexdigest())

    def trajectories(self) -> Iterator[Trajectory]:
        """What was said by then, a conversation at a time."""
        return read_trajectories(self.folder, self.size, self.left_out)

    def numbered(self) -> Iterator[tuple[int, Trajectory]]:
        """All that was said by then with its line, also what does not count."""
        return read_lines_of(self.folder, self.size)
