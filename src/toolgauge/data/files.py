"""What `toolgauge data` asks of a benchmark's data files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from toolgauge.data.problems import Problem
from toolgauge.data.statistics import StatisticsTable
from toolgauge.data.versions import Record, records_in
from toolgauge.errors import UsageError


class Findings(Struct, frozen=True):
    """What a check finds. known: what the published data are known to have wrong, no fault of the user's; weak:
    what is worth a look and breaks no rule."""

    problems: Sequence[Problem]
    known: Sequence[Problem] = ()
    weak: Sequence[Problem] = ()


class DataFiles(Protocol):
    """The files (or folders) in which a benchmark's data lie."""

    def holds(self, path: Path) -> bool:
        """May data of this layout be there? Asked where nobody named a benchmark; looks, but does not check."""
        ...

    def records(self, path: Path) -> Iterator[Record]:
        """What the pointers of corrections go into, session by session; raises DataError."""
        ...

    def check(self, path: Path, language: str | None) -> Findings:
        """All problems of the data; language None: of every language they have. Raises DataError for no data at all."""
        ...

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        """The figures that describe the data. Raises DataError; UsageError where there are none."""
        ...


class CheckAlone(Struct, frozen=True):
    """Of a benchmark that can check its data, or not even that. benchmark: with `name` and, maybe, `check`."""

    benchmark: Any

    def holds(self, path: Path) -> bool:  # noqa: ARG002 - only asked by name
        return False

    def records(self, path: Path) -> Iterator[Record]:
        return records_in(path)

    def check(self, path: Path, language: str | None) -> Findings:
        check = getattr(self.benchmark, "check", None)
        if check is None:
            raise UsageError(f"{self.benchmark.name}: this benchmark cannot check its data")
        return Findings(check(path, language))

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:  # noqa: ARG002 - none
        raise UsageError(f"{self.benchmark.name}: this benchmark has no data statistics")
