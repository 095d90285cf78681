"""trajectories.jsonl as it was at one moment, while a run may go on appending to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toolgauge.episode import Trajectory
from toolgauge.errors import StoreError
from toolgauge.files import open_regular
from toolgauge.runs.store import TRAJECTORIES, read_trajectories

_BLOCK = 1 << 20


class Snapshot(Struct, frozen=True):
    """The whole lines of a run's trajectories. size: in bytes; sha256: of these bytes."""

    folder: Path
    size: int
    sha256: str

    @staticmethod
    def of(folder: Path) -> Snapshot:
        """What stands in the file now, without a torn last line; nothing where there is no file.

        Raises StoreError where it cannot be read.
        """
        digest = hashlib.sha256()
        size, rest = 0, b""
        try:
            with open_regular(folder / TRAJECTORIES, follow=False) as file:
                while block := file.read(_BLOCK):
                    whole, line_end, torn = block.rpartition(b"\n")
                    if line_end:
                        for part in (rest, whole, line_end):
                            digest.update(part)
                            size += len(part)
                        rest = torn
                    else:
                        rest += block
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(f"{folder / TRAJECTORIES}: {error.strerror or error}") from error
        return Snapshot(folder, size, digest.hexdigest())

    def trajectories(self) -> Iterator[Trajectory]:
        """What was said by then, a conversation at a time."""
        return read_trajectories(self.folder, self.size)
