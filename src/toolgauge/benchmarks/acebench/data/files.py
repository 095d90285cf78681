"""ACEBench's folders, as `toolgauge data` asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.acebench.data.check import check_acebench
from toolgauge.benchmarks.acebench.data.load import ace_records, is_data_all, load_acebench
from toolgauge.benchmarks.acebench.data.statistics import ace_sections
from toolgauge.data.corrections import Record
from toolgauge.data.files import Findings, StatisticsTable


class AceFiles(Struct, frozen=True):
    """A `data_all` folder, or the folder that holds one."""

    def holds(self, path: Path) -> bool:
        return is_data_all(path)

    def records(self, path: Path) -> Iterator[Record]:
        return ace_records(path)

    def check(self, path: Path, language: str | None) -> Findings:
        found = check_acebench(path, language)
        return Findings(found.problems, found.known)

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        return ace_sections(load_acebench(path, language))
