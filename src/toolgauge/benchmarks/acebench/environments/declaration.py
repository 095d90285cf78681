"""How a function of an environment is declared: name, parameters, conditions in order, effect, words in two languages.

A declared function looks like a method:

    @function(
        Words("Adds a reminder.", "添加一条提醒。"),
        Parameter("title", "string", Words("Its title.", "标题。")),
        LOGGED_IN,
        Condition(Words("The list is full.", "提醒已满。"), lambda here, given: len(here.reminders) < 6),
    )
    def add_reminder(self, title): ...effect, returns an Outcome...

but it is data: an environment offers exactly the functions declared in its class, a call names one of them, its
arguments are bound by name, the first condition that does not hold decides, and only then the effect takes place.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from toolgauge.benchmarks.acebench.environments.rules import EnvironmentRules
from toolgauge.benchmarks.acebench.environments.values import Impossible
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.chat import Json

REQUIRED: Final[Any] = object()
"""The default of a parameter that must be given."""


class CallStatus(StrEnum):
    """ok, fail: as the function reports it; none: it reports data or text without a status; error: the call could not
    be carried out (unknown function, arguments that do not fit, values it can do nothing with)."""

    OK = "ok"
    FAIL = "fail"
    NONE = "none"
    ERROR = "error"


class CallOutcome(Struct, frozen=True):
    """How a call ended.

    value: what the caller is told; plain JSON when it comes from a `World`. defect: the environment itself broke.
    """

    status: CallStatus
    value: Any
    defect: bool = False


class Parameter(Struct, frozen=True):
    """A parameter; kind is a JSON Schema type, choices the values it may take, fields those of an array's records.

    Kind and choices are what is said to the caller; the values that come are not held to them.
    """

    name: str
    kind: str
    words: BilingualText
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()
    fields: tuple[Parameter, ...] = ()

    def schema(self, language: str) -> Json:
        shown: Json = {"type": self.kind, "description": self.words.say(language)}
        if self.choices:
            shown["enum"] = list(self.choices)
        if self.fields:
            shown["items"] = object_schema(self.fields, language)
        return shown


class Condition(Struct, frozen=True):
    """Something that must hold before the effect; `holds` is given the environment and the bound arguments."""

    words: BilingualText
    holds: Callable[[Any, Json], bool]


class DeclaredFunction(Struct, frozen=True):
    """A declared function. `offered` says under which rules it exists."""

    name: str
    words: BilingualText
    parameters: tuple[Parameter, ...]
    conditions: tuple[Condition, ...]
    effect: Callable[..., CallOutcome]
    offered: Callable[[EnvironmentRules], bool]

    def bind(self, arguments: Json) -> Json:
        """The arguments by parameter, defaults filled in; Impossible if one is missing or not known."""
        names = {parameter.name for parameter in self.parameters}
        for name in arguments:
            if name not in names:
                raise Impossible(UNEXPECTED, name=name[:80] if isinstance(name, str) else "?")
        given: Json = {}
        for parameter in self.parameters:
            value = arguments.get(parameter.name, parameter.default)
            if value is REQUIRED:
                raise Impossible(MISSING, name=parameter.name)
            given[parameter.name] = value
        return given

    def schema(self, language: str) -> Json:
        """The function as it is offered to a model: name, description and parameters (JSON Schema)."""
        parameters = object_schema(self.parameters, language)
        return {"name": self.name, "description": self.words.say(language), "parameters": parameters}


def object_schema(parameters: tuple[Parameter, ...], language: str) -> Json:
    """The schema of an object with these parameters as its properties."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema(language) for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.default is REQUIRED],
    }


def function(
    words: BilingualText, *parts: Parameter | Condition, offered: Callable[[EnvironmentRules], bool] = lambda _: True
) -> Callable[[Callable[..., CallOutcome]], DeclaredFunction]:
    """Declares the method below as a function: its description, then parameters and conditions in order."""
    parameters = tuple(part for part in parts if isinstance(part, Parameter))
    conditions = tuple(part for part in parts if isinstance(part, Condition))

    def declare(effect: Callable[..., CallOutcome]) -> DeclaredFunction:
        return DeclaredFunction(effect.__name__, words, parameters, conditions, effect, offered)

    return declare


UNEXPECTED = BilingualText("it has no parameter {name}", "没有名为 {name} 的参数")
MISSING = BilingualText("the argument {name} is missing", "缺少参数 {name}")
