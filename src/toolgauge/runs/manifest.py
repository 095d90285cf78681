"""run.json: what was asked for. Made in one place, for runs and for imported results, and checked when it is read."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.artefacts import read
from toolgauge.benchmarks.benchmark import Benchmark, Data, Setup
from toolgauge.benchmarks.manifest import DataRecord, Manifest, ModelRecord, Selection
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.episode import TRAJECTORY_VERSION
from toolgauge.errors import StoreError, UsageError
from toolgauge.files import read_own
from toolgauge.locale import _
from toolgauge.locale.foreign import cause, os_cause
from toolgauge.models.model import Model, Sampling
from toolgauge.runs.lines import decode, newer
from toolgauge.version import __version__

MANIFEST = "run.json"
GENERATION_VERSION = 1
NOT_COMPARED = frozenset({"toolgauge", "data_file", "tools_file", "tasks", "conversations"})
"""What of a manifest may differ when a run is continued: the tool's version, where the data lie, counts."""


def new_manifest(
    benchmark: Benchmark, dataset: Data, setup: Setup, model: ModelRecord, sampling: Sampling | None = None
) -> Manifest:
    """The manifest of a run before it begins."""
    embedded = benchmark.embedded is not None and Path(dataset.file) == benchmark.embedded
    with blamed_on(benchmark):
        chosen = read({**benchmark.settings(setup), "language": dataset.language}, Manifest)
    return replace(
        chosen,
        toolgauge=__version__,
        trajectory_version=TRAJECTORY_VERSION,
        benchmark=benchmark.name,
        dataset=DataRecord(dataset.name, dataset.sha256),
        data_file=None if embedded else str(Path(dataset.file).resolve()),
        model=model,
        sampling=sampling or Sampling(),
        epochs=setup.epochs,
        selection=Selection(setup.ids, setup.limit, setup.categories),
    )


def model_record(model: Model) -> ModelRecord:
    """What a model says of itself, under the name that the user wrote."""
    return read({"name": model.name} | model.describe(), ModelRecord)


class _Kind(Struct):
    """What a run.json is of, and in which version."""

    trajectory_version: int = 0
    generation: int | None = None


def read_content(folder: Path) -> dict[str, object]:
    """The object in a folder's run.json, of a run or of a generation. Raises UsageError, StoreError."""
    path = folder / MANIFEST
    try:
        content: dict[str, object] = decode(read_own(path), dict)
        kind = msgspec.convert(content, _Kind)
    except OSError as error:
        raise UsageError(
            _("{path}: {why}; a run directory holds a {manifest}", path=path, why=os_cause(error), manifest=MANIFEST)
        ) from error
    except ValueError as error:
        raise _unreadable(path, error) from error
    if kind.trajectory_version > TRAJECTORY_VERSION or (kind.generation or 0) > GENERATION_VERSION:
        raise newer(path)
    return content


def read_manifest(folder: Path) -> Manifest:
    """The run.json of a run directory; raises UsageError for a generation, which has no benchmark."""
    content = read_content(folder)
    if "generation" in content:
        data = folder / "sessions.jsonl"
        raise UsageError(
            _(
                "{folder}: holds generated dialogues, not a run; `toolgauge run wildtoolbench --data {data}` runs them",
                folder=folder,
                data=data,
            )
        )
    try:
        return read(content, Manifest)
    except ValueError as error:
        raise _unreadable(folder / MANIFEST, error) from error


def _unreadable(path: Path, error: ValueError) -> StoreError:
    return StoreError(
        _(
            "{path}: not readable as a manifest ({why}); restore it or choose another folder",
            path=path,
            why=cause(error),
        )
    )
