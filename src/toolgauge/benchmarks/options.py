"""A benchmark's own run options: one Struct, from which the command line, `toolgauge.run`, Inspect's tasks and run.json
follow.

    class Options(BenchmarkOptions, frozen=True):
        depth: Annotated[int, option("How deep to look.", "查找的深度。", ge=1)] = 3
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta, Struct

from toolgauge.errors import UsageError
from toolgauge.locale import translated

Kind = Literal["word", "choice", "number", "switch", "words"]
"""What a field may be: a text, one of some texts, a whole number, true or false, several texts."""


class BenchmarkOptions(Struct, frozen=True, kw_only=True):
    """Derived classes declare a field for each option, all with defaults; this one is for benchmarks without any.

    Fields are of type str, int, bool, tuple[str, ...] or a Literal of texts, or one of these or None. What
    `__post_init__` raises as UsageError is told as it is.
    """


T = TypeVar("T", bound=Struct)


def option(
    help: str,  # noqa: A002 - what typer calls it
    chinese: str = "",
    *,
    flag: str = "",
    ge: int | None = None,
    selects: bool = False,
    in_conversation: str | None = None,
) -> Meta:
    """What belongs to a field. help: for `toolgauge run --help`, a message of the catalogues; packages that have none
    give English, and its Chinese beside it. flag: on the command line, where it is not the field's name. ge: the least
    number. selects: chooses among the data, as `--limit` does. in_conversation: the only value with a model that keeps
    the conversation and its tools itself (`ConversationModel`)."""
    extra = {"help": help, "chinese": chinese, "flag": flag, "selects": selects, "in_conversation": in_conversation}
    return Meta(description=str(help), ge=ge, extra=extra)


class Option(Struct, frozen=True):
    """A field of a benchmark's options. least: of numbers; choices: of texts; flag: without its hyphens in front."""

    name: str
    kind: Kind
    flag: str
    help: str
    chinese: str
    default: object
    choices: tuple[str, ...] = ()
    least: int | None = None
    selects: bool = False
    in_conversation: str | None = None

    def checked(self, value: Any) -> object:
        """The value as the field takes it; raises UsageError."""
        if self.kind == "choice":
            if value not in self.choices:
                raise UsageError(f"--{self.flag}: invalid value {value!r}; choose one of {', '.join(self.choices)}")
        elif self.kind == "words":
            return tuple(str(part) for part in value)
        elif self.kind == "number":
            if type(value) is not int or (self.least is not None and value < self.least):
                if self.least is None:
                    raise UsageError(f"--{self.flag} is a whole number")
                raise UsageError(f"--{self.flag} is a whole number from {self.least} on")
        elif type(value) is not (bool if self.kind == "switch" else str):
            raise UsageError(f"--{self.flag}: no value for this option: {repr(value)[:80]}")
        return value


@cache
def declared(options: type[Struct]) -> tuple[Option, ...]:
    """The fields of a benchmark's options. Raises TypeError for what no option can be."""
    hints = get_type_hints(options, include_extras=True)
    return tuple(_declared(field, hints[field.name]) for field in msgspec.structs.fields(options))


def _declared(field: msgspec.structs.FieldInfo, hint: object) -> Option:
    notes = [note for note in get_args(hint)[1:] if isinstance(note, Meta)] if hasattr(hint, "__metadata__") else []
    said = notes[0] if notes else Meta()
    kind, choices = _kind(get_args(hint)[0] if notes else hint)
    if kind is None or field.default is NODEFAULT:
        raise TypeError(f"{field.name}: an option has a default and is a str, int, bool, tuple[str, ...] or Literal")
    extra = said.extra or {}
    help_ = extra.get("help") or said.description or field.name.replace("_", " ")
    flag = str(extra.get("flag") or field.name).replace("_", "-")
    least = None if said.ge is None else int(said.ge)
    selects = bool(extra.get("selects"))
    chinese = str(extra.get("chinese") or translated(help_, "zh"))
    whole = extra.get("in_conversation")
    return Option(field.name, kind, flag, str(help_), chinese, field.default, choices, least, selects, whole)


def _kind(hint: object) -> tuple[Kind | None, tuple[str, ...]]:
    several = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is Literal:
        return "choice", tuple(map(str, several))
    if len(several) == 1:
        return _kind(several[0])
    kinds: dict[object, Kind] = {str: "word", int: "number", bool: "switch", tuple[str, ...]: "words"}
    return kinds.get(hint), ()


def chosen_options(options: type[T], benchmark: str, given: Mapping[str, object] | Struct) -> T:
    """The options with these values, defaults otherwise (also for None). benchmark: its name, for errors.

    Raises UsageError for a value that does not fit, and for an option that the benchmark does not have.
    """
    if isinstance(given, options):
        return given
    known = {one.name: one for one in declared(options)}
    values = given if isinstance(given, Mapping) else msgspec.structs.asdict(given)
    values = {name: value for name, value in values.items() if value is not None and value != ()}
    for name in values.keys() - known.keys():
        option = name.replace("_", "-")
        raise UsageError(f"--{option}: {benchmark} has no such option")
    return options(**{name: known[name].checked(value) for name, value in values.items()})


def in_conversation(options: type[Struct], model: str, given: Mapping[str, object] | Struct) -> dict[str, object]:
    """The given options with those values that alone are possible with a model that keeps the conversation itself.

    Raises UsageError for another value.
    """
    values = dict(given if isinstance(given, Mapping) else msgspec.structs.asdict(given))
    for one in declared(options):
        if one.in_conversation is None:
            continue
        if values.get(one.name) not in (None, one.in_conversation):
            raise UsageError(
                f"--{one.flag} {str(values[one.name])!r}: {model} has tools and messages of its own; only "
                f"{one.in_conversation} is possible"
            )
        values[one.name] = one.in_conversation
    return values
