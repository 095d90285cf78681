"""run.json: what was asked for. Made in one place, for runs and for imported results, and checked when it is read."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.artefacts import read, written
from toolgauge.benchmarks.benchmark import Benchmark, Data, Sample, Setup, recorded_options
from toolgauge.benchmarks.manifest import Asked, DataRecord, Decoding, Manifest, ModelRecord, Selection, setup_of
from toolgauge.benchmarks.registry import blamed_on, package_of
from toolgauge.episode import TRAJECTORY_VERSION
from toolgauge.errors import StoreError, UsageError, os_cause
from toolgauge.files import check_targets, read_own
from toolgauge.models.local_server import LLAMACPP
from toolgauge.models.model import EndpointOptions, Model, Sampling
from toolgauge.options import declared
from toolgauge.runs.lines import decode, encode, newer
from toolgauge.version import __version__

MANIFEST = "run.json"
GENERATION_VERSION = 4
NOT_COMPARED = frozenset(
    {
        "toolgauge",
        "package",
        "started",
        "changed",
        "data_file",
        "tools_file",
        "resume_file",
        "scenarios_file",
        "examples_file",
        "tasks",
        "conversations",
        "probe",
        "server",
        "read_again",
        "judged_again",
        "decoding",
        "interface",
    }
)
"""What says nothing of what is asked: the tool's version, times, where data lie, counts, what the server says."""
SELECTION = frozenset({"selection", "epochs"})
"""What a larger command of a run changes (`grown`)."""
RECORDED = ("trajectories.jsonl", "replies.jsonl", "batches.jsonl")
"""Files that hold what a model replied, or was paid to reply."""
MODELS = frozenset({"model", "models", "user_model", "role_models"})
OPTIONS = {
    "model": "-m",
    "models": "-m",
    "dataset": "--data",
    "user_model": "--role user",
    "user_sampling": "--set user.*",
    "role_sampling": "--set ROLE.*",
    "generation": "prompts of version",
    "batch": "--engine",
}
"""The option behind a setting, where it is not named like the setting."""
RARE = {
    one.name: f"{group}.{one.name}"
    for group, options in (("endpoint", EndpointOptions), ("sampling", Sampling))
    for one in declared(options)
    if one.rare
} | {name: f"dialogues.{name}" for name in ("vague", "year", "layer")}
"""Options that are set with `--set`."""


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
        package=package_of(benchmark) or UNSET,
        dataset=DataRecord(dataset.name, dataset.sha256),
        data_file=None if embedded else str(Path(dataset.file).resolve()),
        model=model,
        decoding=decoding_of(model),
        sampling=(sampling or Sampling()).recorded,
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
        raise UsageError(f"{folder} is not a run directory: cannot read {path}: {os_cause(error)}") from error
    except ValueError as error:
        raise _unreadable(path, error) from error
    if kind.trajectory_version > TRAJECTORY_VERSION or (kind.generation or 0) > GENERATION_VERSION:
        raise newer(path)
    return content


def read_manifest(folder: Path) -> Manifest:
    """The run.json of a run directory; raises UsageError for a generation, which has no benchmark."""
    content = read_content(folder)
    if "generation" in content:
        raise UsageError(
            f"{folder} holds generated dialogues, not a run; run them with `toolgauge run {folder / 'sessions.jsonl'}`"
        )
    try:
        return read(content, Manifest)
    except ValueError as error:
        raise _unreadable(folder / MANIFEST, error) from error


def _unreadable(path: Path, error: ValueError) -> StoreError:
    return StoreError(f"{path}: cannot be parsed ({error}); restore it or choose another folder")


def grown(folder: Path, manifest: Manifest, benchmark: Benchmark, dataset: Data, samples: Iterable[Sample]) -> Manifest:
    """The manifest with the selection that the run in a folder has afterwards: the larger one, its own or the new one.

    samples: those of the new selection. Raises UsageError where neither selection holds the other.
    """
    if is_free(folder) or not (folder / MANIFEST).exists():
        return manifest
    check_targets(folder, (MANIFEST,))
    before = read_manifest(folder)
    if before.data.sha256 == manifest.data.sha256:  # a file that was renamed is the same data
        manifest = replace(manifest, dataset=before.dataset)
    if (before.selection, before.epochs) == (manifest.selection, manifest.epochs):
        return manifest
    if (before.benchmark, before.data, before.more) != (manifest.benchmark, manifest.data, manifest.more):
        return manifest  # what differs is told when the folder is opened
    with blamed_on(benchmark):
        had = {sample.key for sample in benchmark.samples(dataset, setup_of(before, benchmark))}
    selected = {sample.key for sample in samples}
    if had <= selected:
        return manifest
    if selected <= had:
        unchanged = {name: getattr(before, name) for name in ("selection", "epochs", "tasks", "conversations")}
        return replace(manifest, **unchanged)
    raise UsageError(
        f"{folder} was run with {_selected(before)}, this command says {_selected(manifest)}, and neither includes "
        "the other; ask for both together or choose another --out"
    )


def _selected(manifest: Manifest) -> str:
    """A selection as the options that made it."""
    chosen = {**written(manifest.selection or Selection()), "epochs": manifest.epochs or 1}
    options = [
        f"--{name} {','.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in chosen.items()
        if value and (name, value) != ("epochs", 1)
    ]
    return " ".join(options) or "every task"


def as_written(manifest: Asked) -> dict[str, object]:
    """The object that stands in run.json."""
    content: dict[str, object] = decode(encode(written(manifest)), dict)
    return content


def is_free(folder: Path) -> bool:
    """Whether nothing that a model said is recorded in a folder: then another run may begin in it."""
    return not any(holds_something(folder / name) for name in RECORDED)


def holds_something(path: Path) -> bool:
    """Is there a file with a byte in it, or something that is no file?"""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # whoever opens it says why it cannot be read
    return not stat.S_ISREG(status.st_mode) or status.st_size > 0


def continued(folder: Path, manifest: Asked) -> tuple[dict[str, object], list[str]]:
    """What run.json says of the run in a folder that is continued with a manifest, and what changed, a line each.

    Raises UsageError for a change that would be another question or another model.
    """
    before, after = read_content(folder), as_written(manifest)
    require_same(folder, manifest)
    content = dict(before)
    if isinstance(manifest, Manifest):
        content |= {name: after[name] for name in (*SELECTION, "tasks", "conversations") if name in after}
    then, this = _flat(before), _flat(after)
    changes = {
        key: [value, this[key]] for key, value in then.items() if _may_change(key) and this.get(key, value) != value
    }
    if changes:
        at = {} if manifest.started is UNSET else {"at": manifest.started}
        earlier = before.get("changed")
        content["changed"] = [*(earlier if isinstance(earlier, list) else ()), {**at, **changes}]
        content |= {name: after[name] for name in (*MODELS, "limits") if name in after}
    notes = [
        f"{folder}: continuing with {_option(key)} {_short(new)} (was {_short(old)})"
        for key, (old, new) in changes.items()
    ]
    if "limits" not in before and "limits" in after:
        content["limits"] = after["limits"]
    return content, notes


def require_same(folder: Path, manifest: Asked) -> None:
    """Raise UsageError where the run in a folder was asked something else, or of somebody else, than a manifest says.

    A folder in which nothing is recorded yet is free for any run.
    """
    if is_free(folder):
        return
    then, now = _flat(read_content(folder)), _flat(as_written(manifest))
    grows = SELECTION if isinstance(manifest, Manifest) else frozenset()
    differing: dict[str, str] = {}
    for key in {**now, **then}:
        if then.get(key) != now.get(key) and key.partition(".")[0] not in NOT_COMPARED | grows and not _may_change(key):
            option, values = _option(key), (_short(then.get(key)), _short(now.get(key)))
            differing.setdefault(option, f"{option} {values[0]}, this command says {values[1]}")
    if not differing:
        return
    advice = "choose another --out"
    if differing.keys() == {"--corrections"}:
        advice = f"use the same ones, or change them first with `toolgauge score {folder} --corrections FILE|none`"
    raise UsageError(f"{folder} was run with {'; '.join(differing.values())}; {advice}")


def _flat(content: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """The settings of a manifest by their dotted names (`sampling.seed`); an empty object counts as missing."""
    settings: dict[str, object] = {}
    for key, value in content.items():
        if isinstance(value, dict):
            settings |= _flat(value, f"{prefix}{key}.")
        else:
            settings[prefix + key] = value
    return settings


def _may_change(key: str) -> bool:
    """Addresses and limits change no reply: they get a note, and both values are recorded."""
    first, last = key.partition(".")[0], key.rpartition(".")[2]
    return first == "limits" or (first in MODELS and last == "base_url")


def _option(key: str) -> str:
    """The option that sets what stands in run.json under a dotted name."""
    first, last = key.partition(".")[0], key.rpartition(".")[2]
    if first == "role_models":
        return f"--role {key.split('.')[1].partition(':')[0]}"
    if first in OPTIONS and (last not in ("base_url", "dialect") or OPTIONS[first].startswith(("--role", "--set"))):
        return OPTIONS[first]
    name = first if first in ("corrections", "variant") else last
    return RARE.get(name) or f"--{name.replace('_', '-')}"


def _short(value: object) -> str:
    """A value in a message; nothing there reads as "none"."""
    text = "none" if value is None else value if isinstance(value, str) else encode(value).decode()
    return text if len(text) <= 40 else text[:37] + "..."
