"""What a generation was asked for, as its run.json keeps it: all that may not change while it is continued."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from toolgauge.artefacts import read
from toolgauge.benchmarks.manifest import Asked, DataRecord, ModelRecord
from toolgauge.errors import StoreError, UsageError
from toolgauge.generation.setup import YEAR, SetupRecord
from toolgauge.models.model import Sampling
from toolgauge.runs.manifest import GENERATION_VERSION, MANIFEST, read_content


class Selection(Struct, frozen=True):
    """Which dialogues: action paths of `tasks` tasks, or those of `paths`; see `GenerationOptions`."""

    tasks: int | None
    paths: str | None
    sample: int | None
    per_path: int


class GenerationManifest(Asked, frozen=True, kw_only=True):
    """A generation. models: by the member that each plays; tools_file: None for the embedded library.

    scenarios, examples, resume_from: the digests of these files; scenarios_file, examples_file, resume_file: where they
    were.
    """

    generation: int
    language: str
    seed: int
    models: dict[str, ModelRecord]
    sampling: Sampling
    tools: DataRecord | None
    tools_file: str | None
    selection: Selection
    scenarios: str | None
    examples: str | None
    resume_from: str | None
    resume_file: str | None = None
    layer: int | None
    scenarios_file: str | UnsetType = UNSET
    examples_file: str | UnsetType = UNSET
    setup: SetupRecord
    conversations: int
    more: dict[str, object] = field(default_factory=dict)


def read_generation(folder: Path) -> GenerationManifest:
    """What the generation in a folder was asked for. Raises UsageError for another folder, StoreError."""
    content = read_content(folder)
    if "generation" not in content:
        raise UsageError(f"{folder}: contains a run, not generated dialogues")
    try:
        return read(content, GenerationManifest)
    except ValueError as error:
        raise StoreError(f"cannot read {folder / MANIFEST}: {error}") from error


def require_current(folder: Path) -> None:
    """Raise UsageError where an earlier version made dialogues in a folder: their prompts and replies were others."""
    if (folder / MANIFEST).exists():
        begun = msgspec.convert(read_content(folder), _Begun)
        if begun.generation is not None and begun.generation < GENERATION_VERSION:
            raise UsageError(
                f"{folder} was made by toolgauge {begun.toolgauge}, whose generations this version cannot continue; "
                "choose another --out (its sessions.jsonl can be reviewed, run, and continued with --resume-from)"
            )


class _Begun(Struct, frozen=True):
    """What a run.json says of the version and the year."""

    class Setup(Struct, frozen=True):
        year: int = YEAR

    setup: Setup = Setup()
    generation: int | None = None
    toolgauge: str | None = None


def year_of(folder: Path) -> int | None:
    """The year of the dialogues in a folder; None without a generation there. Raises UsageError, StoreError where its
    run.json cannot be read."""
    if not (folder / MANIFEST).exists():
        return None
    try:
        return msgspec.convert(read_content(folder), _Begun).setup.year
    except msgspec.ValidationError:  # not a generation: it is refused when the folder is opened
        return None
