"""A generation's run directory, opened without the options with which it was made: they stand in its run.json."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import UNSET, Struct

from toolgauge.artefacts import read
from toolgauge.chat import Usage
from toolgauge.data.load import sha256_of
from toolgauge.errors import StoreError, ToolgaugeError, UsageError
from toolgauge.generation.formats.coverage import CoverageReport
from toolgauge.generation.formats.files import FILES, write_files
from toolgauge.generation.manifest import GenerationManifest
from toolgauge.generation.model_roles import UserDraw
from toolgauge.generation.replay import EditedSessions
from toolgauge.generation.rescued import RESCUED
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.slots import AskedDialogues, slots_asked
from toolgauge.locale import _
from toolgauge.locale.foreign import cause
from toolgauge.models.prices import cost
from toolgauge.runs.manifest import MANIFEST, read_content
from toolgauge.runs.store import REPLIES, RoleMap, RunStore, by_role


class Generation(Struct, frozen=True):
    """A run directory with what its files are made of besides its trajectories."""

    folder: Path
    manifest: GenerationManifest
    slots: tuple[Slot, ...]

    @property
    def role_map(self) -> RoleMap:
        users = tuple(member for member in self.manifest.models if member.startswith("user:"))
        return UserDraw(users, self.manifest.seed) if users else by_role

    def write_files(self) -> CoverageReport:
        """As `GenerationPlan.write_files`."""
        setup = GenerationSetup(language=self.manifest.language, filters=self.manifest.setup.gates)
        return write_files(self.folder, self.slots, setup, self.role_map, self._price)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes out of the folder for the block. Raises StoreError where one is at work in it."""
        is_under_way = (self.folder / REPLIES).exists()
        store = RunStore(self.folder, self.role_map).open(self.manifest, (*FILES, RESCUED))
        try:
            yield
        finally:
            store.close(complete=not is_under_way)

    def _price(self, member: str, usage: Usage) -> float | None:
        model = self.manifest.models[member]
        return cost(model.name, usage, model.base_url or None)


def read_generation(folder: Path) -> GenerationManifest:
    """What the generation in a folder was asked for. Raises UsageError for another folder, StoreError."""
    content = read_content(folder)
    if "generation" not in content:
        raise UsageError(_("{folder}: holds a run, no generated dialogues", folder=folder))
    try:
        manifest = read(content, GenerationManifest)
    except ValueError as error:
        raise StoreError(
            _("{path}: not readable as a manifest ({why})", path=folder / MANIFEST, why=cause(error))
        ) from error
    return manifest


def reopen(folder: Path, resume_from: Path | str | None = None) -> Generation:
    """The generation in a folder. resume_from: where the sessions that it goes on from lie, if they were moved.

    Raises UsageError for another folder, and where these sessions are missing or were changed.
    """
    manifest = read_generation(folder)
    opened = _openings(manifest, resume_from) if manifest.resume_from is not None else None
    edited = _edited(manifest)
    asked = AskedDialogues(manifest.language, manifest.seed, manifest.selection, (), opened, manifest.layer, edited)
    return Generation(folder, manifest, tuple(slots_asked(asked)))


def _openings(manifest: GenerationManifest, named: Path | str | None) -> str:
    """The file of the sessions that a generation goes on from, which must be as it was."""
    file = str(named or manifest.resume_file or "")
    with suppress(ToolgaugeError):
        if file and sha256_of(file) == manifest.resume_from:
            return file
    raise UsageError(
        _(
            "the sessions that these dialogues go on from are not in {file!r}, or were changed; name the file with "
            "{resume_from_field}",
            file=file,
        )
    )


def _edited(manifest: GenerationManifest) -> EditedSessions | None:
    """The edited sessions that a generation made again, which must be as they were."""
    if manifest.replay is UNSET or manifest.replay_files is UNSET:
        return None
    asked, (edited, *original) = manifest.replay, manifest.replay_files
    found = EditedSessions(edited, next(iter(original), None), asked.places, asked.later)
    with suppress(ToolgaugeError):
        if found.record() == asked:
            return found
    raise UsageError(
        _(
            "the edited sessions that were made again, or the original ones, are no longer in {files}, or were changed",
            files=list(manifest.replay_files),
        )
    )
