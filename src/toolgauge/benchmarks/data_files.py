"""Whose data are these? The data files of benchmarks, by name or by what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Benchmark, OwnData
from toolgauge.benchmarks.certificates import uncertified_tasks
from toolgauge.benchmarks.registry import OURS, blamed_on, find_benchmark, names
from toolgauge.data.corrections import Record, records_in
from toolgauge.data.files import DataFiles, Findings, StatisticsTable
from toolgauge.data.lines import LANGUAGES
from toolgauge.data.record import Problem
from toolgauge.data.session import Session
from toolgauge.errors import DataError, UsageError


def files_of(benchmark: str) -> DataFiles | None:
    """The data files of the benchmark of that name, None where there is none."""
    return _Blamed(find_benchmark(benchmark)) if benchmark in names() else None


def files_that_hold(path: Path) -> DataFiles | None:
    """Of the first benchmark of ours whose layout the data at a path may have."""
    every = (find_benchmark(name).data_files(told=False) for name in OURS)
    return next((files for files in every if files.holds(path)), None)


def files_for(path: Path) -> DataFiles:
    """As `files_that_hold`; where none does, of a benchmark that says what is missing there."""
    if (held := files_that_hold(path)) is not None:
        return held
    folder = path.is_dir()
    fitting = (one for one in map(find_benchmark, OURS) if any(source.folder for source in one.sources) == folder)
    return next(fitting).data_files(told=False)


def records_of(path: Path) -> Iterator[Record]:
    """The records of the data at a path, as corrections speak of them; raises DataError."""
    held = files_that_hold(path)
    return records_in(path) if held is None else held.records(path)


def sessions_in(path: Path) -> dict[str, tuple[Session, ...]]:
    """The sessions of a data file by their languages; raises DataError, and UsageError for data of another kind."""
    sessions = getattr(files_for(path), "sessions", None)
    if sessions is None:
        raise UsageError(f"{path}: not a file of sessions")
    found: dict[str, tuple[Session, ...]] = sessions(path)
    return found


class LoadedFiles(Struct, frozen=True):
    """Of a benchmark that says no more of its files than `load`: what can be read is sound, if its tasks are."""

    benchmark: Benchmark

    def holds(self, path: Path) -> bool:  # noqa: ARG002 - only asked by name
        return False

    def records(self, path: Path) -> Iterator[Record]:
        return records_in(path)

    def check(self, path: Path, language: str | None) -> Findings:
        """language: None for every language in which there are tasks. What the benchmark's own `check` finds, if it has
        one, is told too."""
        check = getattr(self.benchmark, "check", None)
        if check is not None:
            return Findings(check(path, language))
        problems: list[Problem] = []
        loaded: list[OwnData] = []
        for one in (language,) if language else getattr(self.benchmark, "languages", LANGUAGES):
            try:
                loaded.append(self.benchmark.load(path, one))
            except DataError as error:
                problems.append(Problem(error.file, error.message, error.line, error.path))
        if not loaded:
            return Findings(problems[:1])
        return Findings([], uncertified=[task for data in loaded for task in uncertified_tasks(self.benchmark, data)])

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:  # noqa: ARG002 - none
        raise UsageError(f"{self.benchmark.name}: this benchmark has no data statistics")


class _Blamed(Struct, frozen=True):
    """The data files of a benchmark that was named, which may be somebody else's."""

    benchmark: Benchmark

    def _files(self) -> DataFiles:
        given = getattr(self.benchmark, "data_files", None)
        files: DataFiles = LoadedFiles(self.benchmark) if given is None else given()
        return files

    def holds(self, path: Path) -> bool:
        with blamed_on(self.benchmark):
            return self._files().holds(path)

    def records(self, path: Path) -> Iterator[Record]:
        with blamed_on(self.benchmark):
            return self._files().records(path)

    def check(self, path: Path, language: str | None) -> Findings:
        with blamed_on(self.benchmark):
            return self._files().check(path, language)

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        with blamed_on(self.benchmark):
            return self._files().statistics(path, language)
