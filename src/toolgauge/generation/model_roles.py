"""Models by role: one for each family of agents; of several for the user each dialogue draws one."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.manifest import ModelRecord
from toolgauge.errors import UsageError
from toolgauge.models.model import Model, ModelOptions
from toolgauge.models.providers import PLACEHOLDER_KEY, find_provider
from toolgauge.models.registry import BUILTIN, ModelOpening, is_on_this_machine, limited
from toolgauge.runs.manifest import model_record
from toolgauge.runs.roles import Draw, Role, RoleModel, member_of, require_roles
from toolgauge.runs.store import RoleMap, by_role

ROLES = ("user", "planner", "tool", "agent", "checker")


class ModelRoles(Struct, frozen=True):
    """The models by member; a member is a role, or of several users "user:<model>". role_map: which member speaks when.

    openings: how each of them is opened once more.
    """

    members: Mapping[str, Model]
    role_map: RoleMap = by_role
    openings: Mapping[str, ModelOpening] = {}

    @property
    def plays(self) -> bool:
        """Is one of them a built-in model, which needs hints?"""
        return any(model.describe()["provider"] == BUILTIN for model in self.members.values())

    @property
    def elsewhere(self) -> bool:
        """Is one of them neither built in nor on this machine, so that it may cost money?"""
        return any(
            model.describe()["provider"] != BUILTIN and not is_on_this_machine(model) for model in self.members.values()
        )

    @property
    def endpoints(self) -> tuple[str, ...]:
        """A member for each model that has to answer a test question."""
        return tuple({id(model): member for member, model in self.members.items()}.values())

    def described(self) -> dict[str, ModelRecord]:
        """For the manifest: the models of each member, never a key."""
        return {member: model_record(model) for member, model in self.members.items()}


def open_models(everybody: str | None, roles: Mapping[str, Role], options: ModelOptions, seed: int) -> ModelRoles:
    """The models of all roles; one with several roles is opened once. everybody: plays the roles without a model of
    their own. Raises UsageError."""
    require_roles(roles, ROLES, "a generation")
    opened: list[tuple[ModelOpening, Model]] = []
    members: dict[str, Model] = {}
    openings: dict[str, ModelOpening] = {}
    users: list[str] = []
    first = everybody or _models(roles, ROLES[0], everybody)[0].model
    for role in ROLES:
        named = _models(roles, role, everybody)
        for one in named:
            member = member_of(role, one.model, role == "user" and len(named) > 1)
            reached = _reached(options, one.base_url, _same_provider(one.model, first))
            opening = ModelOpening(one.model, roles.get(role, Role()).reached(reached, one.base_url))
            model = next((model for other, model in opened if other == opening), None)
            if model is None:
                model = opening.open()
                model = limited(opening).open() if is_on_this_machine(model) else model
                opened.append((opening, model))
            openings[member] = limited(opening) if is_on_this_machine(model) else opening
            members[member] = model
            if role == "user":
                users.append(member)
    role_map = Draw({"user": tuple(users)}, seed) if len(users) > 1 else by_role
    return ModelRoles(members, role_map, openings)


def _models(roles: Mapping[str, Role], role: str, everybody: str | None) -> tuple[RoleModel, ...]:
    """The models of a role. Raises UsageError where none is named, or several for another role than the user."""
    named = roles.get(role, Role()).models or ((RoleModel(everybody),) if everybody else ())
    if not named:
        raise UsageError(
            f"the role {role} has no model: name one with --role {role}=PROVIDER/MODEL, one for every role with "
            "-m PROVIDER/MODEL, or use scripted agents with --demo"
        )
    if len(named) > 1 and role != "user":
        raise UsageError(f"--role {role}: only the role user may have several models")
    return named


def _reached(options: ModelOptions, base_url: str | None, same_provider: bool) -> ModelOptions:
    """A server of one's own, and another provider at its own address, is not told the key for the first model."""
    if base_url is None and (same_provider or options.base_url is not None):
        return options
    key = options.api_key if options.api_key == PLACEHOLDER_KEY else None
    return replace(options, base_url=base_url, api_key=key)


def unasked(options: ModelOptions) -> ModelOptions:
    """The same for models that are only to be named and priced: no key is needed for those."""
    return replace(options, api_key=PLACEHOLDER_KEY)


def _same_provider(name: str, other: str) -> bool:
    """Whether one key opens both models; a provider's two sites have keys of their own."""
    one, two = (find_provider(spec.partition("/")[0]) for spec in (name, other))
    if one is None or two is None:
        return name.partition("/")[0] == other.partition("/")[0]
    return (one.key_variables, one.base_url) == (two.key_variables, two.base_url)
