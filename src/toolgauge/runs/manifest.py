"""run.json: what was asked for. Made in one place, for runs and for imported results, and checked when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from toolgauge.benchmarks.benchmark import MAX_EPOCHS, Benchmark, Data, Setup, recorded_options
from toolgauge.chat import Json
from toolgauge.episode import TRAJECTORY_VERSION
from toolgauge.errors import StoreError, UsageError
from toolgauge.files import read_own
from toolgauge.runs.lines import decode, newer
from toolgauge.version import __version__

MANIFEST = "run.json"
Language = Literal["en", "zh"]
"""Of data. Names of files and pages are made of it: another one is refused where it is read."""
GENERATION = "generation"
GENERATION_VERSION = 1
NOT_COMPARED = frozenset({"toolgauge", "data_file", "tools_file", "tasks", "conversations"})
"""What of a manifest may differ when a run is continued: the tool's version, where the data lie, counts."""


def new_manifest(benchmark: Benchmark, dataset: Data, setup: Setup, model: Json, sampling: Json) -> Json:
    """The manifest of a run before it begins. model: what a model says of itself (`describe`), and its name."""
    embedded = benchmark.embedded is not None and Path(dataset.file) == benchmark.embedded
    settings, selection = recorded_options(benchmark, setup)
    return {
        "toolgauge": __version__,
        "trajectory_version": TRAJECTORY_VERSION,
        "benchmark": benchmark.name,
        "language": dataset.language,
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "data_file": None if embedded else str(Path(dataset.file).resolve()),
        "model": model,
        "sampling": sampling,
        **settings,
        "epochs": setup.epochs,
        "selection": {"ids": list(setup.ids), "limit": setup.limit, "categories": []} | selection,
    }


def generation_manifest(language: str, seed: int, models: Json, sampling: Json, settings: Json) -> Json:
    """The manifest of a generation before it begins. models: what each of them says of itself, by name; settings: what
    else it was asked for."""
    return {
        "toolgauge": __version__,
        "trajectory_version": TRAJECTORY_VERSION,
        GENERATION: GENERATION_VERSION,
        "language": language,
        "seed": seed,
        "models": models,
        "sampling": sampling,
        **settings,
    }


def benchmark_name(manifest: Json, folder: Path) -> str:
    """The benchmark of a run; raises UsageError for a generation, which has none."""
    if GENERATION in manifest:
        data = folder / "sessions.jsonl"
        raise UsageError(
            f"{folder}: holds generated dialogues, not a run; `toolgauge run wildtoolbench --data {data}` runs them"
        )
    return str(manifest.get("benchmark"))


class _Named(Struct):
    name: str | None = None
    sha256: str | None = None


class _Selection(Struct):
    ids: list[str] = []
    limit: int | None = None
    categories: list[str] = []


_Epochs = Annotated[int, Meta(le=MAX_EPOCHS)]


class _Manifest(Struct):
    """The kinds of what others read from a manifest; every field may be absent."""

    benchmark: str | None = None
    language: Language | None = None
    dataset: _Named | None = None
    data_file: str | None = None
    model: _Named | None = None
    epochs: _Epochs | None = None
    selection: _Selection | None = None
    history: str | None = None
    style: str | None = None
    max_turns: int | None = None
    generation: int | None = None
    seed: int | None = None
    models: dict[str, _Named] = {}


def read_manifest(folder: Path) -> Json:
    """The run.json of a run directory."""
    path = folder / MANIFEST
    try:
        manifest: Json = decode(read_own(path), dict)
        for name, newest in (("trajectory_version", TRAJECTORY_VERSION), (GENERATION, GENERATION_VERSION)):
            if type(version := manifest.get(name)) is int and version > newest:
                raise newer(path)
        msgspec.convert(manifest, _Manifest)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; a run directory holds a {MANIFEST}") from error
    except ValueError as error:
        raise StoreError(
            f"{path}: not readable as a manifest ({error}); restore it or choose another folder"
        ) from error
    return manifest
