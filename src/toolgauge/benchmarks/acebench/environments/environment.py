"""What every environment has: state as plain attributes, functions that agents may call, and how a call ends.

An environment is a class; its functions are the methods marked with `@function`. A method checks its conditions in
order, returns `refuse(...)` or raises `Refused` at the first that does not hold, then changes the state and returns
`done(...)`. Every sentence is given in English and in Chinese.

Values are not checked beforehand, as the public environments do not check them. An operation that a value does not
support raises `Impossible`, which is an outcome of the call: a call never raises.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Literal, TypeVar

from msgspec import Struct

from toolgauge.chat import Json

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])
Scoring = Literal["released", "exact"]
Text = tuple[str, str]
"""A sentence in English and in Chinese."""

MAX_BITS = 1_000
"""Integers beyond this size are not calculated with: they would not fit beside a float."""


class CallStatus(StrEnum):
    """ok, fail: as the function reports it; none: it reports data or text without a status; error: the call could not
    be carried out (unknown function, arguments that do not fit, values it can do nothing with)."""

    OK = "ok"
    FAIL = "fail"
    NONE = "none"
    ERROR = "error"


class CallOutcome(Struct, frozen=True):
    """How a call ended."""

    status: CallStatus
    value: Any
    """What the caller is told; plain JSON when it comes from a `World`."""
    defect: bool = False
    """Whether the published environment itself broke."""


class NotDone(Exception):
    """A call ends without success; the texts say why."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.text: Text = en, zh


class Refused(NotDone):
    """A condition of a function does not hold; nothing has changed."""


class Impossible(NotDone):
    """A call cannot be carried out with the values that it was given."""


class Defect(Impossible):
    """The published environment breaks here, however right the call was."""


def function(method: Method) -> Method:
    """Mark a method as a function that agents may call, with its parameters as they are declared."""
    method.__dict__["parameters"] = dict(list(inspect.signature(method).parameters.items())[1:])
    return method


class Environment:
    """Base of the environments.

    device: {"wifi", "logged_in"}, shared by the environments of a world; exact: whether the rules are those of the
    scoring `exact`, which repairs what breaks in the public environments (docs/acebench.md#the-worlds).
    """

    name: ClassVar[str]
    saved: ClassVar[tuple[str, ...]]
    """The attributes that a result shows, in order."""
    functions: ClassVar[frozenset[str]] = frozenset()
    """The names of the functions of the class."""

    def __init_subclass__(cls) -> None:
        cls.functions |= {name for name, part in vars(cls).items() if hasattr(part, "parameters")}

    def __init__(self, table: Any, device: Json, config: Json, language: str, scoring: Scoring) -> None:
        """table: the initial state, taken over and changed; config: an entry's section `BaseApi`."""
        self.device, self.language, self.exact = device, language, scoring == "exact"
        self.set_up(table, config)

    def set_up(self, table: Any, config: Json) -> None:
        """Take over the initial state."""

    def hidden(self) -> frozenset[str]:
        """Functions of the class that do not exist under the rules of this world."""
        return frozenset()

    def call(self, name: str, arguments: Json) -> CallOutcome:
        """Carry out one of the functions; whatever is given, the outcome says how that ended."""
        method = getattr(self, name)
        try:
            return method(**bind(method.parameters, arguments))  # type: ignore[no-any-return]
        except Refused as refusal:
            return self.refuse(*refusal.text)
        except Impossible as problem:
            reason = self.say(problem.text).rstrip(".。")
            text = self.say((f"{name} could not be carried out: {reason}.", f"{name} 无法执行：{reason}。"))
            return CallOutcome(CallStatus.ERROR, text, defect=isinstance(problem, Defect))

    def save(self) -> Json:
        """What a result shows of this environment; not a copy."""
        return {part: getattr(self, part) for part in self.saved}

    def say(self, text: Text) -> str:
        return text[self.language == "zh"]

    def done(self, en: str, zh: str, **data: object) -> CallOutcome:
        """Success, with the data that the function reports."""
        return CallOutcome(CallStatus.OK, {"status": True, "message": self.say((en, zh)), **data})

    def refuse(self, en: str, zh: str) -> CallOutcome:
        """A condition does not hold; nothing has changed."""
        return CallOutcome(CallStatus.FAIL, {"status": False, "message": self.say((en, zh))})


def bind(parameters: Mapping[str, inspect.Parameter], arguments: Json) -> Json:
    """The arguments by parameter, without defaults; Impossible if one is missing or not known."""
    for name in arguments:
        if name not in parameters:
            shown = name[:80] if isinstance(name, str) else "?"
            raise Impossible(f"it has no parameter {shown}", f"没有名为 {shown} 的参数")
    for name, parameter in parameters.items():
        if name not in arguments and parameter.default is parameter.empty:
            raise Impossible(f"the argument {name} is missing", f"缺少参数 {name}")
    return arguments


def find(table: Mapping[Any, T], key: object) -> T | None:
    """The entry under a key, None if there is none; Impossible if the value cannot be a key (a list)."""
    try:
        return table.get(key)
    except TypeError:
        raise Impossible("a list or an object cannot be a name", "列表或对象不能作为名称") from None


def required(table: Mapping[Any, T], key: object, otherwise: Text) -> T:
    """The entry under a key; Refused with a sentence if there is none, Impossible as in `find`."""
    entry = find(table, key)
    if entry is None:
        raise Refused(*otherwise)
    return entry


def number(value: object) -> int | float:
    """The value as something to calculate with; Impossible otherwise. True and False count as 1 and 0."""
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= MAX_BITS):
        return value
    raise Impossible("a value that must be a number is none", "应为数字的值不是数字")


def lowered(value: object) -> str:
    """A text for a comparison that ignores case; Impossible for anything else."""
    if isinstance(value, str):
        return value.lower()
    raise Impossible("a value that must be a text is none", "应为文本的值不是文本")


def members(value: object) -> Iterable[Any]:
    """What a list, tuple, text or the keys of a dictionary hold; Impossible for anything else."""
    if isinstance(value, (list, tuple, dict, str, bytes)):
        return value
    raise Impossible("a value that must be a list is none", "应为列表的值不是列表")
