"""Runs on corrected data: which corrections a run has, and which of its recorded conversations still count.

run.json names the corrections by their sha256, and corrections.jsonl beside it is a copy of the file. A conversation
was had about the data as they were. It counts on corrected data if it would have been the same conversation: its
episode is played over the recorded replies on both, and the requests are compared. One that would have been another is
left out, its tasks are missing, and `run` with the same corrections asks them again.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import AppliedCorrections, Metrics, Tables
from toolgauge.benchmarks.benchmark import Benchmark, Data, Sample, Setup
from toolgauge.benchmarks.manifest import CorrectionsRecord, Manifest
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.chat import Message, Tool
from toolgauge.data.corrections import Corrections, read_corrections
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import DataError, UsageError
from toolgauge.files import check_targets
from toolgauge.locale import _
from toolgauge.runs.snapshot import Snapshot

CORRECTIONS = "corrections.jsonl"
KNOWN = "known"
"""In place of a file: the corrections that come with the benchmark."""

Asked = tuple[str, tuple[Message, ...], tuple[Tool, ...]]
"""Who was asked what, with which tools."""


def named_corrections(benchmark: Benchmark, given: Path | str) -> Corrections:
    """The corrections in a file, or those that come with the benchmark; raises UsageError, DataError."""
    if str(given) != KNOWN:
        return read_corrections(given)
    own: Path | None = getattr(benchmark, "known_corrections", None)
    if own is None:
        raise UsageError(
            _("{corrections_field} known: {benchmark} comes with no corrections; name a file", benchmark=benchmark.name)
        )
    return read_corrections(own)


def load_data(benchmark: Benchmark, file: Path, language: str, corrections: Corrections | None = None) -> Data:
    """A data set, with corrections if there are any; raises DataError, UsageError where the benchmark takes none."""
    if corrections is None:
        data: Data = benchmark.load(file, language)
        return data
    load: Any = benchmark.load  # with a third parameter, or not
    if "corrections" not in inspect.signature(load).parameters:
        raise UsageError(
            _("{corrections_field}: {benchmark} takes no corrections of its data", benchmark=benchmark.name)
        )
    corrected: Data = load(file, language, corrections.of(language))
    return corrected


def record_of(corrections: Corrections, language: str) -> CorrectionsRecord:
    """What run.json says of corrections; raises DataError where none is of the language."""
    return CorrectionsRecord(corrections.sha256, corrections.of(language).count)


def kept_corrections(folder: Path, manifest: Manifest) -> Corrections | None:
    """The corrections that a run directory holds, None where its run has none.

    Raises UsageError where they are missing, or not those that run.json names.
    """
    if not manifest.corrections:
        return None
    check_targets(folder, (CORRECTIONS,))
    try:
        found = read_corrections(folder / CORRECTIONS)
        why = None if found.sha256 == manifest.corrections.sha256 else _("another sha256")
    except DataError as error:
        why = error.message
    if why is not None:
        raise UsageError(
            _(
                "{file}: is not the file of corrections that {folder} was scored with ({why}); restore it, or name "
                "that file with {corrections_field}",
                file=folder / CORRECTIONS,
                folder=folder,
                why=why,
            )
        )
    return found


class Standing(Struct, frozen=True, dict=True):
    """Tells which recorded conversations count on corrected data; corrections: their sha256.

    original, corrected: the data set without and with them.
    """

    benchmark: Benchmark
    setup: Setup
    original: Data
    corrected: Data
    corrections: str

    @cached_property
    def _samples(self) -> tuple[dict[str, Sample], dict[str, Sample]]:
        every = replace(self.setup, ids=(), limit=None)
        before, after = (self.benchmark.samples(data, every) for data in (self.original, self.corrected))
        return {sample.key: sample for sample in before}, {sample.key: sample for sample in after}

    def __call__(self, trajectory: Trajectory) -> bool:
        """Would it be the same conversation on the corrected data? Also True for one of which the data know nothing."""
        with blamed_on(self.benchmark):
            before, after = (known.get(trajectory.task_id) for known in self._samples)
            if trajectory.corrections == self.corrections or after is None:
                return True
            now = self._replayed(self.corrected, after, trajectory)
            if not trajectory.corrections:
                return before is not None and now == self._replayed(self.original, before, trajectory)
            return _as_sent(now, trajectory)  # asked with other corrections: what was sent is all that is known

    def _replayed(self, data: Data, sample: Sample, trajectory: Trajectory) -> tuple[list[Asked], Trajectory | None]:
        """The requests of the episode over the recorded replies, and its result if it ends with them."""
        asked, made = replayed(self.benchmark.episode(data, sample, self.setup), trajectory)
        return asked, made and replace(made, stopped=None)  # why it ended is the judge's view, not what was said

    def tasks_of(self, keys: Iterable[str]) -> list[str]:
        """The ids of the tasks of some samples."""
        known = self._samples[1]
        return self.benchmark.task_ids(self.corrected, [known[key] for key in keys if key in known])


def replayed(episode: Episode, trajectory: Trajectory) -> tuple[list[Asked], Trajectory | None]:
    """What an episode asks while it is given the replies of a trajectory, one request more if it would go on; and what
    else it came to where it ends with the last of them."""
    asked: list[Asked] = []
    replies = iter(trajectory.replies)
    try:
        request = next(episode)
        for reply in replies:
            asked.append((request.role, request.messages, request.tools))
            request = episode.send(reply)
        asked.append((request.role, request.messages, request.tools))
    except StopIteration as end:
        made: Trajectory = end.value
        return asked, made
    finally:
        episode.close()
    return asked, None


def _as_sent(now: tuple[list[Asked], Trajectory | None], trajectory: Trajectory) -> bool:
    made = now[1]
    if made is None or len(made.steps) != len(trajectory.steps):
        return False
    steps = zip(made.steps, trajectory.steps, strict=True)
    same = all((one.role, one.messages, one.kept) == (other.role, other.messages, other.kept) for one, other in steps)
    return same and made.tools == trajectory.tools


class Selection:
    """The trajectories of a snapshot that count, in one pass, which also tells the others.

    left_out: their lines (from 1); outdated: the samples of which none counts.
    """

    def __init__(self, said: Snapshot, standing: Standing) -> None:
        self.said, self.standing = said, standing
        self.left_out: list[int] = []
        self.outdated: dict[str, None] = {}

    def __iter__(self) -> Iterator[Trajectory]:
        counted: set[str] = set()
        for line, trajectory in self.said.numbered():
            if trajectory.task_id in counted or not self.standing(trajectory):
                self.left_out.append(line)
                if trajectory.task_id not in counted:
                    self.outdated[trajectory.task_id] = None
            else:
                counted.add(trajectory.task_id)
                self.outdated.pop(trajectory.task_id, None)
                yield trajectory

    def applied(self, count: int, corrected: Metrics, without: Metrics) -> AppliedCorrections:
        """What metrics.json says of the corrections, after the pass."""
        return AppliedCorrections(
            count,
            self.standing.corrections,
            _differing(corrected.readings, without.readings),
            tuple(self.standing.tasks_of(self.outdated)),
            tuple(self.left_out),
        )


def _differing(corrected: Mapping[str, Tables], without: Mapping[str, Tables]) -> dict[str, Tables]:
    """The rows of tables without corrections that are others with them."""
    found: dict[str, Tables] = {}
    for reading, tables in without.items():
        for table, rows in tables.items():
            others = corrected.get(reading, {}).get(table, {})
            differing = {name: rate for name, rate in rows.items() if rate != others.get(name)}
            if differing:
                found.setdefault(reading, {})[table] = differing
    return found
