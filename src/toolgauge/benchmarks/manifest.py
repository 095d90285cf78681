"""What a run was asked for, as run.json keeps it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from toolgauge.artefacts import Extensible
from toolgauge.benchmarks.benchmark import MAX_EPOCHS, Benchmark, Setup, options_of
from toolgauge.models.model import Sampling
from toolgauge.models.probe import ProbeRecord
from toolgauge.models.text_calls import Interface
from toolgauge.options import declared

Language = Literal["en", "zh"]
"""Of data. Names of files and pages are made of it: another one is refused where it is read."""


class DataRecord(Struct, frozen=True):
    """Which data: their name, and what identifies their content."""

    name: str = ""
    sha256: str = ""


class CorrectionsRecord(Struct, frozen=True):
    """Corrections of the data (corrections.jsonl in the run directory): of the file's content, and how many."""

    sha256: str
    count: int = 0


class VariantRecord(Struct, frozen=True):
    """A variant of the tool lists (variant.json in the run directory): its name, and of the file's content."""

    name: Annotated[str, Meta(max_length=100)]
    sha256: str


class Decoding(StrEnum):
    """How a server forms the calls of a model."""

    GRAMMAR = "grammar"  # of the tools' schemas: llama.cpp's server, where it reads calls itself


class ReadAgain(Struct, frozen=True):
    """A run whose texts were read again: of its trajectories, and the dialect that had read them ("" natively)."""

    trajectories: str
    dialect: str = ""


class ModelRecord(Extensible, frozen=True, kw_only=True):
    """What a model says of itself, never a key. name: as the user wrote it. sha256: of an imported result file.

    more: what only it has, `dialect` or `api` among them.
    """

    name: str = ""
    provider: str | UnsetType = UNSET
    model: str | UnsetType | None = UNSET
    base_url: str | UnsetType | None = UNSET
    sha256: str | UnsetType = UNSET
    more: dict[str, object] = field(default_factory=dict)


class Selection(Extensible, frozen=True):
    """Which part of the data was chosen; see `Setup`. categories: written by every version, whoever has them.

    more: options of the benchmark that select.
    """

    ids: tuple[str, ...] = ()
    limit: int | None = None
    categories: tuple[str, ...] = ()
    more: dict[str, object] = field(default_factory=dict)


class ServerRecord(Struct, frozen=True, omit_defaults=True):
    """What a server of one's own said of itself before the run, and what follows for it.

    engine: who wrote the server. context: the most tokens of a conversation; slots: requests that it works on at once.
    max_tokens: the limit of replies that was chosen, for none was given. template: under which calls were rendered and
    read, the first 12 digits of the SHA-256 of its text (llama.cpp says it); parser: of tool calls (SGLang says it).
    """

    engine: str = ""
    context: int | None = None
    slots: int | None = None
    max_tokens: int | None = None
    template: str = ""
    parser: str = ""


class PackageRecord(Struct, frozen=True, omit_defaults=True):
    """The package that a benchmark of somebody else's comes from, and the library that it wraps."""

    name: str
    version: str
    wraps: str = ""
    wraps_version: str = ""

    @property
    def told(self) -> str:
        wrapped = f" ({self.wraps} {self.wraps_version})" if self.wraps else ""
        return f"{self.name} {self.version}".strip() + wrapped


class LimitsRecord(Struct, frozen=True):
    """timeout: seconds per request; concurrency: the most conversations at once. Both may change in between."""

    timeout: float
    concurrency: int


Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]
"""In UTC, by ISO 8601 to the second."""


class Asked(Extensible, frozen=True, kw_only=True):
    """What runs and generations record alike. toolgauge: the version that began it; sampling: only what was set.

    trajectory_version: of the lines of its trajectories. started: when the first request could be made; of imported
    results nobody knows. limits: as they were first. changed: what later commands changed that does not change a
    reply (addresses, limits), each {"at": when, name: [before, after], ...}.
    """

    toolgauge: str | UnsetType = UNSET
    trajectory_version: int | UnsetType = UNSET
    started: Moment | UnsetType = UNSET
    limits: LimitsRecord | UnsetType = UNSET
    changed: list[dict[str, object]] | UnsetType = UNSET


class Manifest(Asked, frozen=True, kw_only=True):
    """A run. data_file: None for the data in the package; batch: the roles that were asked in batches.

    package: where the benchmark comes from, where it is not ours.
    more: the benchmark's own options. tasks, conversations: how many there are. user_model: who simulated the user;
    user_sampling: the settings of its replies that were made. role_models: by member ("role:model" of a pool, else the
    role), where others speak than one user; role_sampling: their settings, by role.
    probe: what the test question found before the last go that asked it. read_again: which run it was made of
    (runs/reread.py); judged_again: who judged in the run whose conversations these are (judging/benchmark_judge.py);
    decoding: where it is known; interface: how calls came through, after the last command that
    asked (analysis/replies.py). Old manifests lack what came later: that is UNSET.
    """

    benchmark: str | UnsetType = UNSET
    package: PackageRecord | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    dataset: DataRecord | UnsetType = UNSET
    data_file: str | UnsetType | None = UNSET
    model: ModelRecord | UnsetType = UNSET
    sampling: Sampling | UnsetType = UNSET
    more: dict[str, object] = field(default_factory=dict)
    epochs: Annotated[int, Meta(le=MAX_EPOCHS)] | UnsetType = UNSET
    selection: Selection | UnsetType = UNSET
    tasks: int | UnsetType = UNSET
    conversations: int | UnsetType = UNSET
    user_model: ModelRecord | UnsetType = UNSET
    user_sampling: Sampling | UnsetType = UNSET
    role_models: dict[str, ModelRecord] | UnsetType = UNSET
    role_sampling: dict[str, Sampling] | UnsetType = UNSET
    batch: list[str] | UnsetType = UNSET
    corrections: CorrectionsRecord | UnsetType = UNSET
    variant: VariantRecord | UnsetType = UNSET
    probe: ProbeRecord | UnsetType = UNSET
    server: ServerRecord | UnsetType = UNSET
    read_again: ReadAgain | UnsetType = UNSET
    judged_again: str | UnsetType = UNSET
    decoding: Decoding | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET

    @property
    def data(self) -> DataRecord:
        return self.dataset or DataRecord()

    @property
    def data_identity(self) -> str:
        """The same for runs that were made and judged on the same data with the same corrections."""
        return f"{self.data.sha256}+{self.corrections.sha256}" if self.corrections else self.data.sha256

    @property
    def asked_identity(self) -> str:
        """The same for runs whose data are the same in memory: with the same tool lists, too."""
        return f"{self.data_identity}/{self.variant.sha256}" if self.variant else self.data_identity

    @property
    def measured(self) -> ModelRecord:
        """The model that was measured."""
        return self.model or ModelRecord()

    @property
    def roles(self) -> dict[str, ModelRecord]:
        """Who spoke beside the measured model: by role, or member of a role's pool."""
        user = {"user": self.user_model} if self.user_model else {}
        return user | (self.role_models or {})

    def role_settings(self, member: str) -> Sampling:
        """The settings that were made for a role's replies, by the name of a member."""
        role = member.partition(":")[0]
        return (self.user_sampling if role == "user" else (self.role_sampling or {}).get(role)) or Sampling()

    @property
    def drawing(self) -> dict[str, object]:
        """How replies were drawn: the settings that were made, by name; a whole number as one, for 0 is read as 0.0."""
        settings: dict[str, object] = msgspec.to_builtins(self.sampling or Sampling())
        whole = {name: int(v) for name, v in settings.items() if isinstance(v, float) and v.is_integer()}
        return settings | whole


def setup_of(manifest: Manifest, benchmark: Benchmark) -> Setup:
    """How the benchmark was asked; raises UsageError for options that the benchmark does not have any more."""
    selection = manifest.selection or Selection()
    recorded = {**manifest.more, **selection.more, "categories": selection.categories}
    own = {one.name: recorded.get(one.name) for one in declared(options_of(benchmark))}
    return Setup(manifest.epochs or 1, selection.ids, selection.limit, own)
