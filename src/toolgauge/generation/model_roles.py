"""Models by role: one for each family of agents; of several for the user each dialogue draws one."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.manifest import ModelRecord
from toolgauge.errors import UsageError
from toolgauge.generation.state import seeded_random
from toolgauge.models.model import Model, ModelOptions
from toolgauge.models.providers import PLACEHOLDER_KEY, find_provider
from toolgauge.models.registry import BUILTIN, ModelOpening, is_on_this_machine, limited
from toolgauge.runs.manifest import model_record
from toolgauge.runs.store import RoleMap, by_role

ROLES = ("user", "planner", "tool", "agent", "checker")


class Roles(Struct, frozen=True):
    """Models by role, as the user named them; `everybody` is for the roles without a model of their own.

    base_urls: where the models of a role are served, if not where the others are.
    """

    everybody: str | None = None
    user: tuple[str, ...] = ()
    planner: str | None = None
    tool: str | None = None
    agent: str | None = None
    checker: str | None = None
    base_urls: Mapping[str, str] = {}

    def names(self, role: str) -> tuple[str, ...]:
        """The models of a role; raises UsageError if no model is named, or a user model twice."""
        named = getattr(self, role)
        found = named if isinstance(named, tuple) else (named,) if named else ()
        found = found or ((self.everybody,) if self.everybody else ())
        if not found:
            raise UsageError(
                f"no model for the {role}: name one with --{role}-model, one for all with -m, or try --demo"
            )
        if len(set(found)) < len(found):
            raise UsageError("--user-model: one of the models stands twice")
        return found


class UserDraw(Struct, frozen=True):
    """Which of several users speaks: by the seed and the dialogue's key alone."""

    users: tuple[str, ...]
    seed: int

    def __call__(self, key: str, role: str) -> str:
        return seeded_random(self.seed, key, "user model").choice(self.users) if role == "user" else role


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
    def endpoints(self) -> tuple[str, ...]:
        """A member for each model that has to answer a test question."""
        return tuple({id(model): member for member, model in self.members.items()}.values())

    def described(self) -> dict[str, ModelRecord]:
        """For the manifest: the models of each member, never a key."""
        return {member: model_record(model) for member, model in self.members.items()}


def open_models(roles: Roles, options: ModelOptions, seed: int) -> ModelRoles:
    """The models of all roles; one with several roles is opened once. Raises UsageError."""
    unknown = sorted(set(roles.base_urls) - set(ROLES))
    if unknown:
        raise UsageError(f"base URL for the role {unknown[0]!r}: known are {', '.join(ROLES)}")
    opened: dict[tuple[str, str | None], Model] = {}
    members: dict[str, Model] = {}
    openings: dict[str, ModelOpening] = {}
    users: list[str] = []
    first = roles.everybody or roles.names(ROLES[0])[0]
    for role in ROLES:
        names = roles.names(role)
        for name in names:
            member = f"user:{name}" if role == "user" and len(names) > 1 else role
            place = (name, roles.base_urls.get(role))
            opening = ModelOpening(name, _reached(options, place[1], _same_provider(name, first)))
            if place not in opened:
                model = opening.open()
                opened[place] = limited(opening).open() if is_on_this_machine(model) else model
            openings[member] = limited(opening) if is_on_this_machine(opened[place]) else opening
            members[member] = opened[place]
            if role == "user":
                users.append(member)
    role_map = UserDraw(tuple(users), seed) if len(users) > 1 else by_role
    return ModelRoles(members, role_map, openings)


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
