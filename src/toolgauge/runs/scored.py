"""A run directory with its scores, as everything after scoring reads it: comparisons, reports, exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Json
from toolgauge.episode import Trajectory
from toolgauge.errors import StoreError, ToolgaugeError, UsageError
from toolgauge.files import read_own
from toolgauge.judge.verdict import Score
from toolgauge.runs.lines import decode
from toolgauge.runs.manifest import Language, benchmark_name, read_manifest
from toolgauge.runs.store import read_trajectories

SCORES, METRICS, DETAILS = "scores.jsonl", "metrics.json", "details.csv"
METRICS_VERSION = 2
"""Of metrics.json: grows when tables are added that reports show."""


class _Named(Struct):
    """What of metrics.json becomes a part of names: of pages, files and boards."""

    language: Language
    readings: dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,40}\Z")], Json]


class ScoredRun(Struct, frozen=True, dict=True):
    """What a run directory holds. metrics: the content of metrics.json; data: where its data file is now, if told.

    loaded: data sets in memory by benchmark, language and sha256, shared by the runs that were opened together.
    """

    folder: Path
    manifest: Json
    metrics: Json
    scores: list[Score]
    benchmark: Benchmark
    data: Path | None = None
    loaded: dict[tuple[str, str, str], Data] = {}

    @property
    def model(self) -> str:
        """The name of the model that was measured."""
        return str((self.manifest.get("model") or {}).get("name") or self.folder.name)

    @property
    def language(self) -> str:
        return str(self.metrics["language"])

    @cached_property
    def dataset(self) -> Data | None:
        """The data it was run on; None where its data file is gone or has changed since (a run from elsewhere).

        Raises UsageError where the user named a file and it is another one.
        """
        if self.data is not None:
            return self.required_dataset()
        try:
            return self.required_dataset()
        except ToolgaugeError:
            return None

    def required_dataset(self) -> Data:
        """The data it was run on; raises UsageError where they are not to be found."""
        if self._known is None:
            self.loaded[self._key] = dataset_of(self.manifest, self.benchmark, self.folder, self.data)
        return self.loaded[self._key]

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.benchmark.name, self.language, str((self.manifest.get("dataset") or {}).get("sha256"))

    @property
    def _known(self) -> Data | None:
        return self.loaded.get(self._key)

    def trajectories(self) -> Iterator[Trajectory]:
        """What was said, a conversation at a time."""
        return read_trajectories(self.folder)


def open_runs(folders: Sequence[Path], data: Path | None = None) -> list[ScoredRun]:
    """Several runs, whose data sets are read once; data: for those whose data file is not where it was.

    Raises UsageError as `open_run` does, and for a folder that is named twice.
    """
    runs: list[ScoredRun] = []
    loaded: dict[tuple[str, str, str], Data] = {}
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            raise UsageError(f"{folder}: named twice")
        seen.add(folder.resolve())
        runs.append(replace(open_run(folder), loaded=loaded))
    return runs if data is None else _with_data(runs, data)


def _with_data(runs: Sequence[ScoredRun], data: Path) -> list[ScoredRun]:
    """The runs, those that lack their data set with the one named; raises UsageError where it is nobody's."""
    given, unfit = [], None
    for run in runs:
        named = replace(run, data=data)
        try:
            fits = run.dataset is None and named.dataset is not None
        except ToolgaugeError as error:
            fits, unfit = False, unfit or error
        given.append(named if fits else run)
    if unfit is not None and all(run.data is None for run in given):
        raise unfit
    return given


def open_run(folder: Path, data: Path | None = None) -> ScoredRun:
    """The run in a directory; raises UsageError where it is not scored yet, or by an older version."""
    manifest = read_manifest(folder)
    benchmark = find_benchmark(benchmark_name(manifest, folder))
    metrics: Json = _decoded(folder / METRICS, dict)
    if metrics.get("version") != METRICS_VERSION:
        raise UsageError(f"{folder}: scored by another version of toolgauge; `toolgauge score {folder}` mends that")
    try:
        msgspec.convert(metrics, _Named)
    except ValueError as error:
        raise StoreError(f"{folder / METRICS}: {error}; `toolgauge score {folder}` writes it anew") from error
    lines = _content(folder / SCORES)
    try:
        scores = decode(b"[" + b",".join(lines.splitlines()) + b"]", list[Score])  # also what strict readers refuse
    except ValueError as error:
        raise StoreError(f"{folder / SCORES}: {error}; `toolgauge score {folder}` writes it anew") from error
    return ScoredRun(folder, manifest, metrics, scores, benchmark, data, {})


def dataset_of(manifest: Json, benchmark: Benchmark, folder: Path, data: Path | None) -> Data:
    """The data that a run was made with; raises UsageError where the file is gone or has another content."""
    file = data or _data_file(manifest, benchmark)
    if file is None or not file.exists():
        raise UsageError(f"{folder}: its data file ({manifest.get('data_file')}) is not there; name it with --data")
    dataset: Data = benchmark.load(file, str(manifest.get("language")))
    recorded = manifest.get("dataset") or {}
    if recorded.get("sha256") != dataset.sha256:
        raise UsageError(
            f"{file}: is not the data that {folder} was run on (another sha256); name that file with --data"
        )
    return dataset


def _data_file(manifest: Json, benchmark: Benchmark) -> Path | None:
    file = Path(manifest["data_file"]) if manifest.get("data_file") else benchmark.embedded
    return file if file is not None and file.exists() else None


def _decoded(path: Path, kind: type[Json]) -> Json:
    try:
        content: Json = msgspec.json.decode(_content(path), type=kind)
    except msgspec.DecodeError as error:
        raise StoreError(f"{path}: {error}; `toolgauge score {path.parent}` writes it anew") from error
    return content


def _content(path: Path) -> bytes:
    try:
        return read_own(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; `toolgauge score {path.parent}` makes it") from error
