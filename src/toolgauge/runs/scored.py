"""A run directory with its scores, as everything after scoring reads it: comparisons, reports, exports."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.data.fetch import blob_id, cache_folder
from toolgauge.episode import Trajectory
from toolgauge.errors import ToolgaugeError
from toolgauge.judge.verdict import Score
from toolgauge.runs.corrections import CORRECTIONS, dataset_of
from toolgauge.runs.lines import decode, read_whole_lines
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.store import FAILURES, RUN_FILES, Failure, read_trajectories
from toolgauge.runs.variants import VARIANT

SCORES, METRICS, DETAILS = "scores.jsonl", "metrics.json", "details.csv"
METRICS_VERSION = 3
"""Of metrics.json: grows when tables are added that reports show."""


class ScoredRun(Struct, frozen=True, dict=True):
    """What a run directory holds. metrics: what metrics.json holds; data: where its data file is now, if told.

    loaded: data sets in memory by benchmark, language and sha256, shared by the runs that were opened together.
    said: what was scored of the trajectories, in bytes; a run may have gone on since.
    verified: the scores were computed from the trajectories; otherwise somebody saved them, and the data are missing.
    """

    folder: Path
    manifest: Manifest
    metrics: Metrics
    scores: list[Score]
    benchmark: Benchmark
    data: Path | None = None
    loaded: dict[tuple[str, str, str], Data] = {}
    said: int | None = None
    verified: bool = True

    @property
    def model(self) -> str:
        """The name of the model that was measured."""
        return self.manifest.measured.name or self.folder.name

    @property
    def language(self) -> str:
        return str(self.manifest.language)

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

    @cached_property
    def original(self) -> Data | None:
        """The data without the corrections that the run has; None where it has none, or its data are not to be had."""
        plain = replace(self, manifest=replace(self.manifest, corrections=UNSET))
        return plain.dataset if self.manifest.corrections and self.dataset is not None else None

    @cached_property
    def own_file(self) -> str | None:
        """The name of the file of data of one's own it was made with; None where it is a public one, or gone."""
        file = self.manifest.data_file
        if not isinstance(file, str) or cache_folder() in Path(file).parents:
            return None
        public = {one.blob for source in self.benchmark.sources for one in source.files}
        try:
            return None if blob_id(file) in public else Path(file).name
        except OSError:  # gone, or a folder: nothing is known of it
            return None

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.benchmark.name, self.language, self.manifest.asked_identity

    @property
    def _known(self) -> Data | None:
        return self.loaded.get(self._key)

    def trajectories(self) -> Iterator[Trajectory]:
        """What was said, a conversation at a time."""
        applied = self.metrics.corrections
        return read_trajectories(self.folder, self.said, frozenset(applied.left_out) if applied else None)


def read_failures(folder: Path) -> dict[str, Failure]:
    """The conversations that failed when the run went on last, by key; lines that cannot be read are left out."""
    found: dict[str, Failure] = {}
    for _unused, line in read_whole_lines(folder / FAILURES):
        try:
            failure = decode(line, Failure)
        except ValueError:
            continue
        found[failure.key] = failure
    return found


def files_of(folder: Path) -> list[Path]:
    """What a run directory consists of and was made on: nothing else that is made of a run may be written there."""
    own = [folder / name for name in (*RUN_FILES, CORRECTIONS, VARIANT, SCORES, METRICS)]
    data = read_manifest(folder).data_file
    return [*own, Path(data)] if data else own
