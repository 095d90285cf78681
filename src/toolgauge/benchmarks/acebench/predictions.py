"""ACEBench's result files (`data_<category>_result.json`), read as trajectories and paired by id (spec 8.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply
from toolgauge.data.acebench import CATEGORIES, AceDataset, AceEntry
from toolgauge.data.lines import read_lines
from toolgauge.episode import Step, Trajectory
from toolgauge.errors import DataError, UsageError


class AcePredictions(Struct):
    """A folder of result files (all categories, or those that are there) or a single one of them.

    unusable: ids of lines without a result. Unknown and repeated ids are DataErrors that name their place.
    """

    file: Path
    dataset: AceDataset
    unusable: dict[str, str] = {}

    def files(self) -> list[Path]:
        """The result files, in the order of the categories; raises UsageError where there is none."""
        if self.file.is_file():
            return [self.file]
        found = [path for name in CATEGORIES if (path := self.file / f"data_{name}_result.json").is_file()]
        if not found:
            raise UsageError(f"--predictions {self.file}: holds no data_<category>_result.json")
        return found

    def setup(self) -> Setup:
        """The categories whose result files are there; the others were not asked for."""
        return Setup(categories=tuple(name for name in CATEGORIES if any(_is_of(name, path) for path in self.files())))

    def __iter__(self) -> Iterator[Trajectory]:
        seen: set[str] = set()
        for path in self.files():
            for line, record in read_lines(path):
                entry = self._entry(record, path, line)
                if entry.id in seen:
                    raise DataError(f"{entry.id!r} stands here a second time", path, line, "id")
                seen.add(entry.id)
                if "result" not in record:
                    self.unusable[entry.id] = "the line has no result"
                    continue
                yield _trajectory(entry, record)

    def _entry(self, record: Any, path: Path, line: int) -> AceEntry:
        if not isinstance(record, dict) or not isinstance(record.get("id"), str):
            raise DataError("is no result line: it needs an id", path, line)
        entry = self.dataset.by_id.get(record["id"])
        if entry is None:
            raise DataError(f"{record['id'][:80]!r} is not in the data ({self.dataset.language})", path, line, "id")
        return entry


def _is_of(category: str, path: Path) -> bool:
    return path.name == f"data_{category}_result.json"


def _trajectory(entry: AceEntry, record: dict[str, Any]) -> Trajectory:
    """Agents: the saved state and the executed messages; all others: the raw text (anything else stays no text)."""
    if entry.kind.group == "agent":
        process = record.get("process")
        extra = {"result": record["result"], "process": process if isinstance(process, list) else []}
        return Trajectory(entry.id, entry.session_id, (), 0, extra=extra)
    text = record["result"]
    steps = (Step((), Reply(text)),) if isinstance(text, str) else ()
    return Trajectory(entry.id, entry.session_id, steps, entry.turn or 0)
