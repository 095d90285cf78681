"""ACEBench's result files (`data_<category>_result.json`), read as trajectories and paired by id.

Source: docs/acebench.md#result-files-of-the-original-project.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.acebench.asking import AceOptions, single_request
from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceDataset, AceEntry
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.original_files import language_in_name
from toolgauge.chat import Reply
from toolgauge.data.lines import as_json, read_lines
from toolgauge.episode import Step, Trajectory
from toolgauge.errors import DataError, UsageError
from toolgauge.languages import has_han


class AcePredictions(Struct):
    """A folder of result files (all categories, or those that are there) or a single one of them.

    unusable: what could not be read as a trajectory, by id, with the reason: lines without a result, ids that the data
    do not have, ids that stand there again (the first one counts). A file of which no id is known is a DataError.
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
            raise UsageError(f"--predictions {self.file}: no data_<category>_result.json in this folder")
        return found

    def setup(self) -> Setup:
        """The categories whose result files are there; the others were not asked for."""
        names = {path.name for path in self.files()}
        present = tuple(name for name in CATEGORIES if f"data_{name}_result.json" in names)
        return Setup(options=AceOptions(categories=present))

    def __iter__(self) -> Iterator[Trajectory]:
        seen: set[str] = set()
        for path in self.files():
            for line, record in read_lines(path):
                if not isinstance(record, dict) or not isinstance(record.get("id"), str):
                    raise DataError("invalid result line: missing id", path, line)
                entry, place = self.dataset.by_id.get(record["id"]), f"{path.name}:{line}"
                if entry is None:
                    self.unusable[record["id"][:80]] = f"{place}: not in the data ({self.dataset.language})"
                elif entry.id in seen:
                    self.unusable[f"{entry.id} ({place})"] = f"{place}: duplicate line; the first one counts"
                elif "result" not in record:
                    self.unusable[entry.id] = f"{place}: no result in this line"
                else:
                    seen.add(entry.id)
                    yield _trajectory(entry, record)
        if not seen and self.unusable:
            raise DataError(f"no results for these data; is --language {self.dataset.language} right?", self.file)


LOOKED_AT = 200
"""Lines whose language is looked for."""
FEW = 0.1
"""Of the lines: with fewer that have Chinese characters, results are English."""


def language_recorded(file: Path) -> str | None:
    """The language of results, by the name of their folder (`result_zh`), else by what stands in them: calls on Chinese
    data hold Chinese values. None where neither tells."""
    if (named := language_in_name(file)) is not None:
        return named
    files = [file] if file.is_file() else [one for one in sorted(file.glob("data_*_result.json")) if one.is_file()]
    found = [
        has_han(as_json(record.get("result")))
        for one in files
        for _line, record in islice(read_lines(one), LOOKED_AT)
        if isinstance(record, dict)
    ]
    return None if not found else "zh" if sum(found) > FEW * len(found) else "en"


def results_in(folder: Path) -> list[Path]:
    """The folders of models in a folder (`result_en`), or itself, where the result files lie right in it."""
    if any(folder.glob("data_*_result.json")):
        return [folder]
    return [one for one in sorted(folder.iterdir()) if one.is_dir() and any(one.glob("data_*_result.json"))]


def _trajectory(entry: AceEntry, record: dict[str, object]) -> Trajectory:
    """Agents: the saved state and the executed messages; all others: the raw text (anything else stays no text), behind
    what the published style asks."""
    if entry.kind.group == "agent":
        process = record.get("process")
        extra = {"result": record["result"], "process": process if isinstance(process, list) else []}
        return Trajectory(entry.id, entry.session_id, (), 0, extra=extra)
    text = record["result"]
    asked, _tools = single_request(entry, "prompt")
    steps = (Step(asked, Reply(text)),) if isinstance(text, str) else ()
    return Trajectory(entry.id, entry.session_id, steps, entry.turn or 0)
