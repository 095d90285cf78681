"""A benchmark's own run options: one Struct, from which the command line, `toolgauge.run`, Inspect's tasks and run.json
follow.

    class Options(BenchmarkOptions, frozen=True):
        depth: Annotated[int, option("How deep to look.", ge=1)] = 3
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeVar

import msgspec
from msgspec import Struct

from toolgauge.errors import UsageError
from toolgauge.options import declared, guess, option

__all__ = ["BenchmarkOptions", "chosen_options", "in_conversation", "option"]


class BenchmarkOptions(Struct, frozen=True, kw_only=True):
    """Derived classes declare a field for each option, all with defaults; this one is for benchmarks without any.

    Fields are of type str, int, float, bool, tuple[str, ...] or a Literal of texts, or one of these or None. What
    `__post_init__` raises as UsageError is shown as it is.
    """

    GROUP: ClassVar[str] = "benchmark"


T = TypeVar("T", bound=Struct)


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
        flag = name.replace("_", "-")
        raise UsageError(f"--{flag}: {benchmark} has no such option{guess(name, known)}")
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
                f"{one.shown} {values[one.name]}: {model} has tools and messages of its own; only "
                f"{one.in_conversation} is possible"
            )
        values[one.name] = one.in_conversation
    return values
