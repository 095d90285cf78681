"""Which models a review asks, and what they may cost: those that its user names, else those of the generation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.data.lines import sha256_of
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.generation.filters import DEFAULTS
from toolgauge.generation.formats.outcomes import DUPLICATES
from toolgauge.generation.manifest import GenerationManifest, SetupRecord, read_generation
from toolgauge.generation.model_roles import ModelRoles, open_models, unasked
from toolgauge.generation.state import HintProvider
from toolgauge.models.model import ModelOptions
from toolgauge.review.making.jobs import Settings
from toolgauge.runs.budget import Spent
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.options import OptionGroups
from toolgauge.runs.roles import Role, RoleModel


class MakingOptions(Struct, frozen=True):
    """asked: how models are reached, who plays whom, the limits. model: plays every agent without one of its own.

    hints: makes the scripted agents of built-in models (`plan_generation`). is_probed: ask a test question first."""

    asked: OptionGroups = OptionGroups()
    model: str | None = None
    hints: Callable[[str], HintProvider] | None = None
    is_probed: bool = True

    @property
    def names_models(self) -> bool:
        return bool(self.model or any(role.models for role in self.asked.roles.values()))


class ReviewModels(Struct, frozen=True):
    """everybody: plays the roles without a model of their own; roles: who plays the others; reached: how they are
    reached; names: by member, for people."""

    everybody: str | None
    roles: Mapping[str, Role]
    reached: ModelOptions
    names: dict[str, str]


def review_models(options: MakingOptions, place: Path) -> ReviewModels:
    """The models of a review. place: the folder of the generation, if it is one. Nothing is asked, and no key is needed
    yet. Raises UsageError where there are none."""
    roles, reached = options.asked.roles, options.asked.model_options()
    if options.names_models:
        opened = open_models(options.model, roles, unasked(reached), 0)
        return ReviewModels(options.model, roles, reached, _names(opened))
    if not (place / MANIFEST).is_file():
        raise UsageError("no model; start the review with -m MODEL, or with --demo for scripted agents")
    manifest = read_generation(place)
    roles = _roles_of(manifest)
    if reached.sampling == ModelOptions().sampling:
        reached = replace(reached, sampling=manifest.sampling)
    opened = open_models(None, roles, unasked(reached), 0)
    if options.asked.endpoint.base_url is None:
        _require_own_addresses(manifest, opened)
    return ReviewModels(None, roles, reached, _names(opened))


def settings_of(place: Path) -> tuple[Settings, list[str]]:
    """How the generation in a folder makes dialogues, and what of that cannot be taken over; the usual settings where
    it holds none that can be read."""
    try:
        manifest = read_generation(place) if (place / MANIFEST).is_file() else None
    except ToolgaugeError:  # `review_models` says so
        manifest = None
    if manifest is None:
        return Settings(), []
    setup, notes = manifest.setup, list[str]()
    examples = _file_as_it_was("examples", manifest.examples_file, manifest.examples, notes)
    scenarios = _file_as_it_was("scenarios", manifest.scenarios_file, manifest.scenarios, notes)
    return Settings(setup.attempts, setup.vague, setup.candidates, _filters(setup), examples, scenarios), notes


def _filters(setup: SetupRecord) -> tuple[str, ...]:
    """The filters of single dialogues, as they are asked for: the usual ones are not named."""
    single = tuple(name for name in setup.gates if name != DUPLICATES)
    return () if single == DEFAULTS else single or ("none",)


def _file_as_it_was(option: str, file: str | UnsetType, sha256: str | None, notes: list[str]) -> str | None:
    """A file that guided the generation, where it is as it was then. file: none of older generations."""
    if sha256 is None:
        return None
    named = file or ""
    with suppress(ToolgaugeError):
        if named and sha256_of(named) == sha256:
            return named
    why = f"{named} is missing or has changed" if named else "its run.json does not name the file"
    notes.append(f"models here do not use the generation's --{option}: {why}")
    return None


def _roles_of(manifest: GenerationManifest) -> dict[str, Role]:
    """As they were asked for when the dialogues were made."""
    models: dict[str, tuple[RoleModel, ...]] = {}
    for member, record in manifest.models.items():
        role = member.partition(":")[0]
        models[role] = (*models.get(role, ()), RoleModel(record.name))
    return {role: Role(named) for role, named in models.items()}


def _require_own_addresses(manifest: GenerationManifest, opened: ModelRoles) -> None:
    """Raise UsageError where the generation asked a server that nobody has named here: a folder of somebody else's must
    not tell where a key is sent."""
    for member, model in opened.members.items():
        record = manifest.models.get(member)
        before = record.base_url if record is not None and record.base_url is not UNSET else None
        if before and before != model.describe().get("base_url"):
            raise UsageError(f"the generation used {model.name} at {before}; pass --base-url to use it there")


def _names(opened: ModelRoles) -> dict[str, str]:
    return {member: model.name for member, model in opened.members.items()}


def is_spent(options: OptionGroups, spent: Spent) -> bool:
    """Is there nothing left of the limits?"""
    cost, tokens = options.limits.max_cost, options.limits.max_tokens_total
    return (cost is not None and (spent.cost or 0.0) >= cost) or (tokens is not None and spent.tokens >= tokens)
