"""A run directory with its scores, as everything after scoring reads it: comparisons, reports, exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.data.fetch import blob_id, cache_folder
from toolgauge.episode import Trajectory
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.judge.verdict import Score
from toolgauge.locale import _
from toolgauge.runs.corrected import CORRECTIONS, kept_corrections, load_data
from toolgauge.runs.lines import decode, read_whole_lines
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.store import FAILURES, RUN_FILES, Failure, read_trajectories
from toolgauge.runs.variants import VARIANT, kept_variant, varied_data

SCORES, METRICS, DETAILS = "scores.jsonl", "metrics.json", "details.csv"
METRICS_VERSION = 3
"""Of metrics.json: grows when tables are added that reports show."""


class ScoredRun(Struct, frozen=True, dict=True):
    """What a run directory holds. metrics: what metrics.json holds; data: where its data file is now, if told.

    loaded: data sets in memory by benchmark, language and sha256, shared by the runs that were opened together.
    said: what was scored of the trajectories, in bytes; a run may have gone on since.
    verified: the scores were computed from the trajectories; otherwise somebody saved them, and the data are missing.
    features: what comparisons need of the trajectories (`Report.features`), where it is known.
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
    features: Mapping[str, object] | None = None

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


def dataset_of(manifest: Manifest, benchmark: Benchmark, folder: Path, data: Path | None) -> Data:
    """The data that a run was made with, with its corrections and its variant; raises UsageError where the file is
    gone or has another content."""
    file = data or _data_file(manifest, benchmark)
    if file is None or not file.exists():
        raise UsageError(
            _(
                "{folder}: its data file ({data_file}) is not there; name it with {data_field}",
                folder=folder,
                data_file=manifest.data_file or None,
            )
        )
    dataset = load_data(benchmark, file, str(manifest.language), kept_corrections(folder, manifest))
    if manifest.data.sha256 != dataset.sha256:
        raise UsageError(
            _(
                "{file}: is not the data that {folder} was run on (another sha256); name that file with {data_field}",
                file=file,
                folder=folder,
            )
        )
    return varied_data(benchmark, dataset, kept_variant(folder, manifest))


def _data_file(manifest: Manifest, benchmark: Benchmark) -> Path | None:
    file = Path(manifest.data_file) if manifest.data_file else benchmark.embedded
    return file if file is not None and file.exists() else None
