"""run.json: what was asked for. Made in one place, for runs and for imported results, and checked when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.artefacts import read
from toolgauge.benchmarks.benchmark import Benchmark, Data, Setup, recorded_options
from toolgauge.benchmarks.manifest import DataRecord, Decoding, Manifest, ModelRecord, Selection, ServerRecord
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.episode import TRAJECTORY_VERSION
from toolgauge.errors import StoreError, ToolgaugeError, UsageError
from toolgauge.files import read_own
from toolgauge.locale import _, joined
from toolgauge.locale.foreign import cause, os_cause
from toolgauge.models.local_server import LLAMACPP
from toolgauge.models.model import Model, Sampling
from toolgauge.runs.lines import decode, encode, newer
from toolgauge.version import __version__

MANIFEST = "run.json"
GENERATION_VERSION = 2
NOT_COMPARED = frozenset(
    {
        "toolgauge",
        "started",
        "data_file",
        "tools_file",
        "resume_file",
        "replay_files",
        "scenarios_file",
        "examples_file",
        "tasks",
        "conversations",
        "probe",
        "server",
        "read_again",
        "decoding",
    }
)
"""What may differ when a run is continued: the tool's version, when it began, where data lie, counts, what the server
said."""


def new_manifest(
    benchmark: Benchmark, dataset: Data, setup: Setup, model: ModelRecord, sampling: Sampling | None = None
) -> Manifest:
    """The manifest of a run before it begins."""
    embedded = benchmark.embedded is not None and Path(dataset.file) == benchmark.embedded
    with blamed_on(benchmark):
        settings, selection = recorded_options(benchmark, setup)
        chosen = read({**settings, "language": dataset.language}, Manifest)
    return replace(
        chosen,
        toolgauge=__version__,
        trajectory_version=TRAJECTORY_VERSION,
        benchmark=benchmark.name,
        dataset=DataRecord(dataset.name, dataset.sha256),
        data_file=None if embedded else str(Path(dataset.file).resolve()),
        model=model,
        decoding=decoding_of(model),
        sampling=sampling or Sampling(),
        epochs=setup.epochs,
        selection=read({"ids": setup.ids, "limit": setup.limit, **selection}, Selection),
    )


def decoding_of(model: ModelRecord, engine: str = "") -> Decoding | UnsetType:
    """Who forms a model's calls. engine: what its server says that it is; "" where it says nothing: then the provider's
    name counts."""
    native = "dialect" not in model.more
    return Decoding.GRAMMAR if native and (engine or model.provider) == LLAMACPP else UNSET


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


def recorded_server(folder: Path) -> ServerRecord | None:
    """What the run in a folder recorded of its server, empty where that is nothing; None without a run."""
    try:
        return read_manifest(folder).server or ServerRecord()
    except ToolgaugeError:  # nothing is there, or what has to be mended before the run goes on
        return None


def _unreadable(path: Path, error: ValueError) -> StoreError:
    return StoreError(
        _(
            "{path}: not readable as a manifest ({why}); restore it or choose another folder",
            path=path,
            why=cause(error),
        )
    )


def require_same(folder: Path, manifest: Mapping[str, object]) -> None:
    """Raise UsageError where the run in a folder asks for something else than a manifest, so that it cannot be
    continued with that."""
    then, now = _settings(read_content(folder)), _settings(manifest)
    differing = [key for key in {**now, **then} if then.get(key) != now.get(key)]
    if differing:
        corrected = all(key.startswith("corrections.") for key in differing)
        what = joined(
            [
                _("{key}: {there} there, {now} now", key=key, there=_short(then.get(key)), now=_short(now.get(key)))
                for key in differing
            ]
        )
        if corrected:
            raise UsageError(
                _(
                    "{folder}: holds a run with other corrections of the data, or none ({what}); name its own "
                    "with {corrections_field}, or give these to it first: `toolgauge score {folder}` with "
                    "{corrections_field}",
                    folder=folder,
                    what=what,
                )
            )
        raise UsageError(
            _(
                "{folder}: holds another run ({what}); choose another folder with {out_field}",
                folder=folder,
                what=what,
            )
        )


def _settings(manifest: Mapping[str, object]) -> dict[str, object]:
    """What of a manifest must be the same to continue a run; objects field by field (`selection.limit`)."""
    settings: dict[str, object] = {}
    for key, value in manifest.items():
        if key in NOT_COMPARED:
            continue
        if isinstance(value, dict) and value:
            settings.update({f"{key}.{field}": part for field, part in value.items()})
        elif value != {}:
            settings[key] = value
    return settings


def _short(value: object) -> str:
    text = encode(value).decode()
    return text if len(text) <= 40 else text[:37] + "..."
