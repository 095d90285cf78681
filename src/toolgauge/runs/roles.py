"""Who speaks beside the measured model: roles, the models that play them, and how each of these is reached.

    --role user=openai/gpt-5@https://server/v1      given twice for a role: a pool of which one is drawn
    roles={"user": "openai/gpt-5"}                  as Python has it

`--set user.temperature=0` sets one of a role's own settings: those of `Sampling` and `EndpointOptions`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.errors import UsageError
from toolgauge.models.model import EndpointOptions, ModelOptions, Sampling
from toolgauge.options import declared, guess, updated

_SERVED_AT = re.compile(r"(?P<model>[^@]+)@(?P<url>https?://.+)", re.DOTALL)


class RoleModel(Struct, frozen=True):
    """A model that plays a role. model: "provider/model"; base_url: where it is served, if not at its provider."""

    model: str
    base_url: str | None = None

    def __repr__(self) -> str:
        """Without the address, which may hold a key."""
        return f"RoleModel({self.model!r})"


class Role(Struct, frozen=True):
    """Who plays a role, and how. models: none for the usual one; of several one is drawn for each conversation.
    settings: of `Sampling` and `EndpointOptions`, by name; what is not named has its default."""

    models: tuple[RoleModel, ...] = ()
    settings: Mapping[str, object] = {}

    def reached(self, options: ModelOptions, base_url: str | None) -> ModelOptions:
        """The options with which a model of this role is opened. options: those that it would have otherwise."""
        endpoint = {name: value for name, value in self.settings.items() if name in _ENDPOINT}
        sampling = {name: value for name, value in self.settings.items() if name in _SAMPLING}
        changed = updated(options, endpoint)
        if base_url is not None:
            changed = msgspec.structs.replace(changed, base_url=base_url)
        return msgspec.structs.replace(changed, sampling=updated(changed.sampling, sampling))

    def __repr__(self) -> str:
        return f"Role({self.models!r}, {sorted(self.settings)})"


_ENDPOINT = frozenset(one.name for one in declared(EndpointOptions))
_SAMPLING = frozenset(one.name for one in declared(Sampling))
SETTINGS = {one.name: one for group in (Sampling, EndpointOptions) for one in declared(group)}
"""What `--set ROLE.NAME=value` may set."""


class Draw(Struct, frozen=True):
    """Which of several models speaks in a role: by the seed and the conversation's key alone. pools: members by
    role."""

    pools: Mapping[str, tuple[str, ...]]
    seed: int

    def __call__(self, key: str, role: str) -> str:
        return self._random(key, role).choice(self.pools[role]) if role in self.pools else role

    def _random(self, key: str, role: str) -> random.Random:
        digest = sha256(f"{self.seed}/{key}/{role} model".encode("utf-8", "replace")).digest()
        return random.Random(int.from_bytes(digest[:8], "big"))


def member_of(role: str, model: str, several: bool) -> str:
    """The name under which a model of a role is known in a run: the role, or of a pool "role:model"."""
    return f"{role}:{model}" if several else role


def parsed_roles(given: Iterable[str], settings: Mapping[str, Mapping[str, object]] = {}) -> dict[str, Role]:
    """The roles that `--role NAME=MODEL[@URL]` names. settings: by role, of `--set`. Raises UsageError."""
    models: dict[str, list[RoleModel]] = {name: [] for name in settings}
    for text in given:
        name, sign, model = text.partition("=")
        if not (sign and name.strip() and model.strip()):
            raise UsageError(f"--role {text!r} must be ROLE=MODEL, for example user=openai/gpt-5")
        models.setdefault(name.strip(), []).append(parse_model(model.strip()))
    return {name: Role(tuple(models_of_role), settings.get(name, {})) for name, models_of_role in models.items()}


def as_roles(given: Mapping[str, Any]) -> dict[str, Role]:
    """Roles as Python's users write them: a model ("provider/model", "provider/model@URL"), several, or a `Role`."""
    roles: dict[str, Role] = {}
    for name, value in given.items():
        if isinstance(value, Role):
            roles[name] = value
        else:
            several: Sequence[str] = (value,) if isinstance(value, str) else value
            roles[name] = Role(tuple(parse_model(model) for model in several))
    return roles


def require_roles(given: Mapping[str, Role], known: Sequence[str], what: str) -> None:
    """Raise UsageError for a role that nobody has, and for a model that stands twice in a pool. what: whose roles they
    are, for errors."""
    for name, role in given.items():
        if name not in known:
            there = f"its roles are {', '.join(known)}" if known else "nobody else speaks in these conversations"
            raise UsageError(f"--role {name}: unknown role of {what}{guess(name, known)}; {there}")
        if len({model.model for model in role.models}) < len(role.models):
            raise UsageError(f"--role {name}: the same model is named twice")


def parse_model(text: str) -> RoleModel:
    """A model and where it is served: "provider/model", or "provider/model@URL"."""
    match = _SERVED_AT.fullmatch(text)
    return RoleModel(match["model"], match["url"]) if match else RoleModel(text)
