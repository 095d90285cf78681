"""Files of sessions, as `toolgauge data` asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import Family, detect_family, languages_in, load_dataset
from toolgauge.benchmarks.dialogues.data.statistics import sections, statistics
from toolgauge.data.corrections import Record, records_in
from toolgauge.data.files import Findings, StatisticsTable
from toolgauge.data.record import Problem
from toolgauge.data.session import Dataset, Session
from toolgauge.data.sessions import session_file
from toolgauge.data.weaknesses import weak_places


class DialogueFiles(Struct, frozen=True):
    """A file of sessions, or the folder of a generation."""

    family: Family | None
    """Of the records; None where they tell."""
    uncertified: Callable[[Family, Dataset], Sequence[Problem]]
    """The tasks of a data set that have no certificate."""

    def holds(self, path: Path) -> bool:
        file = session_file(path)
        return file.exists() and not file.is_dir()

    def records(self, path: Path) -> Iterator[Record]:
        return records_in(session_file(path))

    def check(self, path: Path, language: str | None) -> Findings:
        file = session_file(path)
        problems, weak = check(file, self.family, language), weak_places(file, language)
        if problems:
            return Findings(problems, weak=weak)
        family = self.family or detect_family(file)
        data = [load_dataset(file, family, one) for one in ((language,) if language else languages_in(file, family))]
        return Findings([], weak=weak, uncertified=[task for one in data for task in self.uncertified(family, one)])

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        return sections(statistics(load_dataset(path, self.family, language)))

    def sessions(self, path: Path) -> dict[str, tuple[Session, ...]]:
        """All sessions by their languages (English, so that its absence is said, where there is none)."""
        file = session_file(path)
        return {one: load_dataset(file, self.family, one).sessions for one in languages_in(file) or ("en",)}
