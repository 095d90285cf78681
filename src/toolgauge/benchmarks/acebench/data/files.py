"""ACEBench's folders, as `toolgauge data` asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.acebench.data.check import check_acebench, is_published
from toolgauge.benchmarks.acebench.data.entries import AceDataset
from toolgauge.benchmarks.acebench.data.load import ace_records, is_data_all, load_acebench
from toolgauge.benchmarks.acebench.data.statistics import ace_sections
from toolgauge.data.corrections import Record
from toolgauge.data.files import Findings, StatisticsTable
from toolgauge.data.lines import LANGUAGES
from toolgauge.data.record import Problem
from toolgauge.errors import DataError


class AceFiles(Struct, frozen=True):
    """A `data_all` folder, or the folder that holds one."""

    uncertified: Callable[[AceDataset], Mapping[str, str]]
    """The tasks of a data set that have no certificate, with what is missing."""

    def holds(self, path: Path) -> bool:
        return is_data_all(path)

    def records(self, path: Path) -> Iterator[Record]:
        return ace_records(path)

    def check(self, path: Path, language: str | None) -> Findings:
        found = check_acebench(path, language)
        known: list[Problem] = list(found.known)
        tasks: list[Problem] = []
        for side in () if found.problems else (language,) if language else LANGUAGES:
            try:
                data = load_acebench(path, side)
                missing = self.uncertified(data)
            except DataError:  # no entries in this language, or no tables: `run` asks for them
                continue
            for task, parts in missing.items():
                published = is_published(Path(data.folder), data.by_id[task].category, side)
                problem = Problem(data.file, f"{task} ({side}): {parts}")
                (known if published else tasks).append(problem)
        return Findings(found.problems, known, uncertified=tasks)

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        return ace_sections(load_acebench(path, language))
