"""The world of one episode: the involved environments on one device, and what can be asked of them from outside.

A world is set up afresh for every episode (Q32: the public one lives on between runs), from tables that it copies.
Source: docs/acebench.md#the-worlds; keys such as Q32: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.environments.base import BaseApi
from toolgauge.benchmarks.acebench.environments.declaration import CallOutcome, CallStatus, DeclaredFunction
from toolgauge.benchmarks.acebench.environments.environment import Environment
from toolgauge.benchmarks.acebench.environments.food import FoodPlatform
from toolgauge.benchmarks.acebench.environments.message import MessageApi
from toolgauge.benchmarks.acebench.environments.reminder import ReminderApi
from toolgauge.benchmarks.acebench.environments.rules import Scoring, rules_for
from toolgauge.benchmarks.acebench.environments.travel import Travel
from toolgauge.benchmarks.acebench.environments.values import Impossible, as_json, copied
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.chat import Json
from toolgauge.errors import UsageError

Kinds = Mapping[str, type[Environment]]

ENVIRONMENTS: Kinds = {kind.name: kind for kind in (BaseApi, MessageApi, ReminderApi, FoodPlatform, Travel)}
"""The environments of the benchmark. Another one is a file, and its place here or in `World(kinds=...)`."""

UNKNOWN = BilingualText("There is no function {name}.", "没有名为 {name} 的函数。")
BAD_ARGUMENTS = BilingualText("The arguments of {name} cannot be used: {reason}.", "{name} 的参数无法使用：{reason}。")
NO_OBJECT = BilingualText("they are no object", "参数不是对象")


class World:
    """The involved environments, in order, under the rules of a language ("en", "zh") and a scoring.

    tables: an initial table per environment, by section ("message", "reminder", "food", "travel"; more do no harm).
    config: an entry's initial_config; only its section BaseApi counts, since every environment takes that one last.
    Raises UsageError for an environment that does not exist, DataError for a table that cannot be used.
    """

    def __init__(
        self,
        involved: Sequence[str],
        tables: Mapping[str, Any],
        config: Any = None,
        language: str = "en",
        scoring: Scoring = "released",
        kinds: Kinds = ENVIRONMENTS,
    ) -> None:
        self.rules = rules_for(language, scoring)
        section = config.get("BaseApi") if isinstance(config, dict) else None
        section = section if isinstance(section, dict) else {}
        self.device: Json = {"wifi": section.get("wifi", False), "logged_in": section.get("logged_in", True)}
        self.environments = [self._made(name, kinds, tables) for name in dict.fromkeys(involved)]
        for environment in self.environments:
            environment.configure(section)
        self.functions = self._owners()
        """Every function that a call may name, with the environments that have it."""
        self._start = self.snapshot()

    def _made(self, name: str, kinds: Kinds, tables: Mapping[str, object]) -> Environment:
        kind = kinds.get(name)
        if kind is None:
            raise UsageError(f"unknown environment {name!r}; choose one of {', '.join(kinds)}")
        return kind(tables.get(kind.section, {}), self.rules, self.device)

    def _owners(self) -> dict[str, list[tuple[Environment, DeclaredFunction]]]:
        owners: dict[str, list[tuple[Environment, DeclaredFunction]]] = {}
        for environment in self.environments:
            for name, function in environment.offered().items():
                owners.setdefault(name, []).append((environment, function))
        return owners

    def function_list(self) -> list[Json]:
        """The functions as a model is offered them: name, description and parameters (JSON Schema)."""
        return [owners[0][1].schema(self.rules.language) for owners in self.functions.values()]

    def call(self, name: Any, arguments: Any) -> CallOutcome:
        """Makes one call on every environment that has the function; the last outcome counts. It never raises."""
        owners = self.functions.get(name) if isinstance(name, str) else None
        if not owners:
            return self._error(UNKNOWN, name if isinstance(name, str) else "?")
        try:
            given = copied(arguments)
        except Impossible as problem:
            return self._error(BAD_ARGUMENTS, name, reason=problem.words.say(self.rules.language))
        if not isinstance(given, dict):
            return self._error(BAD_ARGUMENTS, name, reason=NO_OBJECT.say(self.rules.language))
        outcomes = [environment.call(function, given) for environment, function in owners]
        return replace(outcomes[-1], value=as_json(outcomes[-1].value))

    def _error(self, words: BilingualText, name: str, **gaps: object) -> CallOutcome:
        return CallOutcome(CallStatus.ERROR, as_json(words.say(self.rules.language, name=name[:80], **gaps)))

    def saved(self) -> list[Json]:
        """What a result holds: `{class: {attribute: value}}` per involved class, in order, as plain JSON."""
        return [{environment.name: as_json(environment.save())} for environment in self.environments]

    def snapshot(self) -> Json:
        """Everything that can change, as a copy for `restore` and `diff`."""
        state = {environment.name: environment.state for environment in self.environments}
        return deepcopy({"device": self.device, **state})

    def restore(self, snapshot: Json) -> None:
        """Puts the world back to a snapshot of it, which stays as it is."""
        copy = deepcopy(snapshot)
        self.device.update(copy["device"])
        for environment in self.environments:
            environment.state = copy[environment.name]

    def reset(self) -> None:
        """Puts the world back to its start."""
        self.restore(self._start)

    def replay(self, calls: Iterable[tuple[str, Json]]) -> list[CallOutcome]:
        """Makes calls from the start; the same calls always lead to the same outcomes and state."""
        self.reset()
        return [self.call(name, arguments) for name, arguments in calls]
