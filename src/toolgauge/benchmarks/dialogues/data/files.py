"""Files of sessions, as `toolgauge data` asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import detect_format, load_dataset
from toolgauge.benchmarks.dialogues.data.statistics import sections, statistics
from toolgauge.benchmarks.dialogues.data.weak_places import weak_places
from toolgauge.data.files import Findings
from toolgauge.data.problems import Problem
from toolgauge.data.schemas import Flavour
from toolgauge.data.session import Dataset
from toolgauge.data.statistics import StatisticsTable
from toolgauge.data.versions import Record, records_in


class DialogueFiles(Struct, frozen=True):
    """layout: of the records, None where they tell. rehearse: plays a data set in a layout with the annotated answers,
    which must pass, and with silence, which must fail."""

    layout: Flavour | None
    rehearse: Callable[[Flavour, Dataset], Iterable[Problem]]

    def holds(self, path: Path) -> bool:
        return path.exists() and not path.is_dir()

    def records(self, path: Path) -> Iterator[Record]:
        return records_in(path)

    def check(self, path: Path, language: str | None) -> Findings:
        def rehearse(dataset: Dataset) -> Iterable[Problem]:
            return self.rehearse(self.layout or detect_format(dataset.file), dataset)

        return Findings(check(path, self.layout, language, rehearse), weak=weak_places(path, language))

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        return sections(statistics(load_dataset(path, self.layout, language)))
