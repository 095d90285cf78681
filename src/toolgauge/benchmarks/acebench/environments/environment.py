"""What every environment has: plain state, a table it was set up from, and the functions declared in its class."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import msgspec

from toolgauge.benchmarks.acebench.environments.declaration import CallOutcome, CallStatus, DeclaredFunction
from toolgauge.benchmarks.acebench.environments.rules import EnvironmentRules
from toolgauge.benchmarks.acebench.environments.values import Defect, Impossible
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.chat import Json
from toolgauge.errors import DataError

T = TypeVar("T")

_IMPOSSIBLE = BilingualText("{function} could not be carried out: {reason}.", "{function} 无法执行：{reason}。")


class Environment:
    """Base of the environments. A subclass names itself, its table and what of it is saved, and declares functions.

    state: plain data, all that can change. device: {"wifi", "logged_in"}, shared by the environments of a world.
    """

    name: ClassVar[str]
    section: ClassVar[str]
    """The name of its table among the tables ("message")."""
    saved: ClassVar[tuple[str, ...]]
    """The parts of `state` that a result shows, in order."""
    functions: ClassVar[dict[str, DeclaredFunction]] = {}

    def __init_subclass__(cls) -> None:
        declared = {name: part for name, part in vars(cls).items() if isinstance(part, DeclaredFunction)}
        cls.functions = {**cls.functions, **declared}

    def __init__(self, table: Any, rules: EnvironmentRules, device: Json) -> None:
        self.rules, self.device = rules, device
        self.state: Json = {}
        self.set_up(table)

    def set_up(self, table: object) -> None:
        """Fills `state` from the initial table; DataError if the table is not as it must be."""

    def configure(self, section: Json) -> None:
        """Takes an entry's configuration (the device apart, which the world configures)."""

    def offered(self) -> dict[str, DeclaredFunction]:
        """The functions that exist under the rules of this world."""
        return {name: function for name, function in self.functions.items() if function.offered(self.rules)}

    def call(self, function: DeclaredFunction, arguments: Json) -> CallOutcome:
        """Carries out one of the declared functions; whatever is given, it returns how that ended."""
        try:
            given = function.bind(arguments)
            for condition in function.conditions:
                if not condition.holds(self, given):
                    return self.refuse(condition.words)
            return function.effect(self, **given)
        except Impossible as problem:
            reason = self.say(problem.words, **problem.gaps).rstrip(".。")
            told = self.say(_IMPOSSIBLE, function=function.name, reason=reason)
            return CallOutcome(CallStatus.ERROR, told, defect=isinstance(problem, Defect))

    def save(self) -> Json:
        """What a result shows of this environment; not a copy."""
        return {part: self.state[part] for part in self.saved}

    def say(self, words: BilingualText, **gaps: object) -> str:
        return words.say(self.rules.language, **gaps)

    def done(self, words: BilingualText, **data: Any) -> CallOutcome:
        """Success, with the data that the function reports."""
        return CallOutcome(CallStatus.OK, {"status": True, "message": self.say(words), **data})

    def refuse(self, words: BilingualText, **gaps: object) -> CallOutcome:
        """A condition does not hold; nothing has changed."""
        return CallOutcome(CallStatus.FAIL, {"status": False, "message": self.say(words, **gaps)})


def read_table(table: object, kind: type[T], section: str) -> T:
    """A fresh copy of a table in its declared form; DataError that names the place if it does not have it."""
    try:
        return msgspec.convert(table, kind, str_keys=True)
    except msgspec.ValidationError as error:
        what, _at, path = str(error).partition(" - at ")
        said = f"environment table: {what}"
        raise DataError(said, f"{section}.json", None, path.strip("`") or None) from None
