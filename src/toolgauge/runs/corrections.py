"""Runs on corrected data: which corrections a run has, and which of its recorded conversations still count.

run.json names the corrections by their sha256, and corrections.jsonl beside it is a copy of the file. A corrected
annotation is scored again. A conversation whose requests would be others on the corrected data does not count: its
tasks are missing, and `run` with the same corrections asks them again.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import AppliedCorrections, Metrics, Tables
from toolgauge.benchmarks.benchmark import Benchmark, Data, Sample, Setup
from toolgauge.benchmarks.data_files import files_of
from toolgauge.benchmarks.manifest import CorrectionsRecord, Manifest
from toolgauge.benchmarks.registry import blamed_on, find_benchmark
from toolgauge.chat import Message, Tool
from toolgauge.data.corrections import (
    Corrections,
    Record,
    between_versions,
    encoded,
    read_corrections,
    records_in,
)
from toolgauge.data.lines import sha256_of
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import DataError, Tell, UsageError
from toolgauge.files import check_targets, read_whole, write_whole
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.store import RunStore, read_lines_of
from toolgauge.runs.variants import kept_variant, varied_data

CORRECTIONS = "corrections.jsonl"
KNOWN, NONE = "known", "none"
"""In place of a file: the corrections that come with the benchmark; those that a run has are taken back."""

Asked = tuple[str, tuple[Message, ...], tuple[Tool, ...]]
"""Who was asked what, with which tools."""


def named_corrections(benchmark: Benchmark, name: Path | str) -> Corrections:
    """The corrections in a file, or those that come with the benchmark; raises UsageError, DataError."""
    if str(name) != KNOWN:
        return read_corrections(name)
    file: Path | None = getattr(benchmark, "known_corrections", None)
    if file is None:
        raise UsageError(f"--corrections known: {benchmark.name} has no known corrections; give a file")
    return read_corrections(file)


def load_data(benchmark: Benchmark, file: Path, language: str, corrections: Corrections | None = None) -> Data:
    """A data set, with corrections if there are any; raises DataError, UsageError where the benchmark takes none."""
    if corrections is None:
        data: Data = benchmark.load(file, language)
        return data
    load: Any = benchmark.load  # with a third parameter, or not
    if "corrections" not in inspect.signature(load).parameters:
        raise UsageError(f"--corrections: {benchmark.name} does not support corrections")
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
    why: str = "another sha256"
    try:
        corrections = read_corrections(folder / CORRECTIONS)
        if corrections.sha256 == manifest.corrections.sha256:
            return corrections
    except DataError as error:
        why = error.message
    raise UsageError(
        f"{folder / CORRECTIONS} is not the corrections file that {folder} was scored with ({why}); restore it or "
        "give that file with --corrections"
    )


def dataset_of(manifest: Manifest, benchmark: Benchmark, folder: Path, data: Path | None) -> Data:
    """The data that a run was made with, with its corrections and its variant; raises UsageError where the file is
    gone or has another content."""
    file = data or (Path(manifest.data_file) if manifest.data_file else benchmark.embedded)
    if file is None or not file.exists():
        raise UsageError(f"{folder}: the data file ({manifest.data_file or 'none'}) is missing; give it with --data")
    dataset = load_data(benchmark, file, str(manifest.language), kept_corrections(folder, manifest))
    if manifest.data.sha256 != dataset.sha256:
        raise UsageError(f"{file} is not the data file of {folder} (different sha256); give that file with --data")
    return varied_data(benchmark, dataset, kept_variant(folder, manifest))


class Standing(Struct, frozen=True, dict=True):
    """Tells which recorded conversations count on corrected data; corrections: their sha256.

    corrected: the data set with them. original: the one without, for imported results: their requests are not recorded.
    """

    benchmark: Benchmark
    setup: Setup
    corrected: Data
    corrections: str
    original: Data | None = None

    def __call__(self, trajectory: Trajectory) -> bool:
        """Would its requests be the same on the corrected data? Also True where the data know nothing of it."""
        if trajectory.corrections == self.corrections or trajectory.task_id not in self._samples:
            return True
        with blamed_on(self.benchmark):
            sample = self._samples[trajectory.task_id]
            episode = self.benchmark.episode(self.corrected, sample, self.setup)
            if self.original is not None:
                before = self.benchmark.episode(self.original, sample, self.setup)
                return replayed(before, trajectory)[0] == replayed(episode, trajectory)[0]
            replay = replayed(episode, trajectory)[1]
        if replay is None or len(replay.steps) != len(trajectory.steps):
            return False
        steps = zip(replay.steps, trajectory.steps, strict=True)
        same = all((now.role, now.messages, now.kept) == (then.role, then.messages, then.kept) for now, then in steps)
        return same and replay.tools == trajectory.tools

    @cached_property
    def _samples(self) -> dict[str, Sample]:
        every = replace(self.setup, ids=(), limit=None)
        with blamed_on(self.benchmark):
            return {sample.key: sample for sample in self.benchmark.samples(self.corrected, every)}

    def tasks_of(self, keys: Iterable[str]) -> list[str]:
        """The ids of the tasks of some samples."""
        return self.benchmark.task_ids(self.corrected, [self._samples[key] for key in keys if key in self._samples])


def replayed(episode: Episode, trajectory: Trajectory) -> tuple[list[Asked], Trajectory | None]:
    """What an episode asks while it is given the replies of a trajectory, one request more if it would go on; and what
    it returns where it ends with the last of them."""
    requests: list[Asked] = []
    replies = iter(trajectory.replies)
    try:
        request = next(episode)
        for reply in replies:
            requests.append((request.role, request.messages, request.tools))
            request = episode.send(reply)
        requests.append((request.role, request.messages, request.tools))
    except StopIteration as end:
        trajectory_now: Trajectory = end.value
        return requests, trajectory_now
    finally:
        episode.close()
    return requests, None


class Selection:
    """The trajectories in the first `size` bytes of a run that count, in one pass, which also tells the others.

    left_out: their lines (from 1); outdated: the samples of which none counts.
    """

    def __init__(self, folder: Path, size: int, standing: Standing) -> None:
        self.folder, self.size, self.standing = folder, size, standing
        self.left_out: list[int] = []
        self.outdated: dict[str, None] = {}

    def __iter__(self) -> Iterator[Trajectory]:
        counted: set[str] = set()
        for line, trajectory in read_lines_of(self.folder, self.size):
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
            _differing(corrected.scorings, without.scorings),
            tuple(self.standing.tasks_of(self.outdated)),
            tuple(self.left_out),
        )


def _differing(corrected: Mapping[str, Tables], without: Mapping[str, Tables]) -> dict[str, Tables]:
    """The rows of tables without corrections that are others with them."""
    tables_by_scoring: dict[str, Tables] = {}
    for scoring, tables in without.items():
        for table, rows in tables.items():
            others = corrected.get(scoring, {}).get(table, {})
            differing = {name: rate for name, rate in rows.items() if rate != others.get(name)}
            if differing:
                tables_by_scoring.setdefault(scoring, {})[table] = differing
    return tables_by_scoring


def correct_run(folder: Path, name: Path | str | None, data: Path | None, tell: Tell) -> Path | None:
    """Give a run other corrections: those in a file, or what differs in a data file that was corrected itself.

    given: a file, "known" or "none"; None: those that the run has stay, unless `data` are another version of its data.
    Returns where the data are that it was made on (None: where run.json says). Raises UsageError or DataError before
    anything is changed, StoreError while the run goes on.
    """
    manifest = read_manifest(folder)
    benchmark = find_benchmark(str(manifest.benchmark))
    if name is not None:
        corrections = None if str(name) == NONE else named_corrections(benchmark, name)
        _adopt(folder, manifest, benchmark, corrections, data)
        return data
    if data is None or load_data(benchmark, data, str(manifest.language)).sha256 == manifest.data.sha256:
        return data
    if lines := _difference(folder, manifest, benchmark, data):
        with NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(lines)
            file.flush()
            _adopt(folder, manifest, benchmark, read_corrections(file.name), None)
        count = lines.count(b"\n")
        tell(
            f"{data} differs from the data of {folder} by {count:,} correction{'s' if count > 1 else ''}, saved as "
            f"{folder / CORRECTIONS}"
        )
    return None  # or nothing but blanks is different


def _difference(folder: Path, manifest: Manifest, benchmark: Benchmark, data: Path) -> bytes:
    """What was changed in a data file, as the lines of a file of corrections. Raises UsageError without the earlier
    version."""
    try:
        original = dataset_of(replace(manifest, corrections=UNSET), benchmark, folder, None)
    except UsageError as error:
        raise UsageError(
            f"{data} is not the data file of {folder} (different sha256), which is missing; give that file with --data "
            "and the changes with --corrections (`toolgauge data correct NEW --since OLD` creates them)"
        ) from error
    return encoded(between_versions(_records(benchmark, Path(original.file)), _records(benchmark, data)))


def _records(benchmark: Benchmark, path: Path) -> Iterator[Record]:
    files = files_of(benchmark.name)
    return records_in(path) if files is None else files.records(path)


def _adopt(
    folder: Path, manifest: Manifest, benchmark: Benchmark, corrections: Corrections | None, data: Path | None
) -> None:
    """Check corrections against the data of the run, and keep them with it."""
    original = dataset_of(replace(manifest, corrections=UNSET), benchmark, folder, data)
    if corrections is not None:
        load_data(benchmark, Path(original.file), original.language, corrections)
    copy = folder / CORRECTIONS
    edited = manifest.corrections and copy.exists() and sha256_of(copy) != manifest.corrections.sha256
    if edited and (corrections is None or not Path(corrections.file).samefile(copy)):
        raise UsageError(f"{copy} was edited; pass it with --corrections {copy}, or move it out of the folder")
    store = RunStore(folder).open(manifest)
    try:
        if corrections is None:
            store.record(corrections=UNSET)
        else:
            write_whole(copy, read_whole(corrections.file), durable=True)
            store.record(corrections=msgspec.to_builtins(record_of(corrections, original.language)))
    finally:
        store.close(complete=True)  # replies of conversations under way were given to requests that may be others now
