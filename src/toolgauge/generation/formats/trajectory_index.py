"""Trajectories on disk, found by key: written as dialogues end, read slot by slot, one in memory at a time."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TypeVar

from msgspec import Struct

from toolgauge.episode import TRAJECTORY_VERSION, Trajectory
from toolgauge.errors import StoreError, os_cause
from toolgauge.files import lines_within, open_regular
from toolgauge.runs.lines import decode, newer
from toolgauge.runs.store import TRAJECTORIES

T = TypeVar("T")


class _Named(Struct):
    task_id: str
    version: int = TRAJECTORY_VERSION


class TrajectoryIndex:
    """The trajectories of a run directory. Of two with one key the first counts; a torn last line is left out."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / TRAJECTORIES
        self._places: dict[str, int] = {}

    def __enter__(self) -> TrajectoryIndex:
        """Look through the file once; raises StoreError where it cannot be read, or a later version wrote it."""
        try:
            self._file = open_regular(self.path, follow=False)
            place = 0
            for number, line in enumerate(lines_within(self._file), 1):
                if line.endswith(b"\n") and not line.isspace():
                    named = self._decoded(line, _Named, number)
                    if named.version > TRAJECTORY_VERSION:
                        raise newer(self.path)
                    self._places.setdefault(named.task_id, place)
                place += len(line)
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {os_cause(error)}") from error
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def read(self, key: str) -> Trajectory | None:
        """The trajectory of a slot; None if the slot is not finished."""
        if key not in self._places:
            return None
        self._file.seek(self._places[key])
        return self._decoded(self._file.readline(), Trajectory)

    def _decoded(self, line: bytes, kind: type[T], number: int | None = None) -> T:
        try:
            return decode(line, kind)
        except ValueError as error:
            where = f"{self.path}:{number}" if number else str(self.path)
            raise StoreError(f"{where}: {error}; remove the line to make the dialogue again") from error
