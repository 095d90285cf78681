"""Options declared once, in a Struct per group: the command line, Python, run.json and the help derive from it.

    class Limits(Struct, frozen=True, kw_only=True):
        GROUP: ClassVar[str] = "limits"
        PANEL: ClassVar[str] = "Limits"
        concurrency: Annotated[int, option("Conversations at once.", ge=1)] = 32
        patience: Annotated[float, option("Seconds to keep trying.", rare=True)] = 600.0

`toolgauge.run(..., concurrency=8)` and `--concurrency 8` set the first field. A rare option has no flag of its own:
`--set limits.patience=60`. A benchmark declares its own options in the same way (benchmarks/options.py).
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct

from toolgauge.errors import UsageError

T = TypeVar("T", bound=Struct)
Kind = Literal["word", "path", "choice", "integer", "number", "switch", "words", "json"]
"""What a field may be: a text, a path, one of some texts, int, float, bool, several texts, any other JSON value."""
_KINDS: dict[object, Kind] = {str: "word", Path: "path", int: "integer", float: "number", bool: "switch"}


def option(
    help: str,  # noqa: A002 - what typer calls it
    *,
    flag: str = "",
    metavar: str = "",
    ge: float | None = None,
    le: float | None = None,
    rare: bool = False,
    selects: bool = False,
    in_conversation: str | None = None,
) -> Meta:
    """What belongs to a field. help: one sentence for `--help`. flag: where it is not the field's name. ge, le: the
    least and the largest number. rare: set with `--set group.name=value`, without a flag of its own. For benchmarks:
    selects: chooses among the data, as `--limit` does; in_conversation: the only value with a model that keeps the
    conversation and its tools itself (`ConversationModel`)."""
    extra = {"flag": flag, "metavar": metavar, "ge": ge, "le": le, "rare": rare, "selects": selects}
    return Meta(description=help, extra=extra | {"in_conversation": in_conversation})


class Option(Struct, frozen=True):
    """A field of a group. shown: its name in errors and on the command line, --flag or group.name; flag: without the
    hyphens in front; choices: of texts; least, most: of numbers."""

    name: str
    shown: str
    kind: Kind
    flag: str
    help: str
    default: object
    choices: tuple[str, ...] = ()
    metavar: str = ""
    least: float | None = None
    most: float | None = None
    rare: bool = False
    selects: bool = False
    in_conversation: str | None = None

    def checked(self, value: Any) -> object:
        """The value as the field takes it. Raises UsageError."""
        if value is None:
            return None
        if self.kind == "words":
            return tuple(str(part) for part in value)
        if self.kind in ("integer", "number"):
            return self._number(value)
        if self.kind == "choice" and value not in self.choices:
            known = f"{guess(str(value), self.choices)} (choose one of {', '.join(self.choices)})"
            raise UsageError(f"{self.shown}: invalid value {value!r}{known}")
        if self.kind in ("word", "switch") and not isinstance(value, str if self.kind == "word" else bool):
            raise UsageError(f"{self.shown}: invalid value {value!r:.80}")
        return value

    def parsed(self, text: str) -> object:
        """The value that a text of the command line stands for. Raises UsageError."""
        if self.kind == "words":
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if self.kind in ("word", "choice", "path"):
            return self.checked(text)
        try:
            return self.checked(json.loads(text.lower() if self.kind == "switch" else text))
        except (ValueError, RecursionError) as error:
            wanted = {"switch": "true or false", "json": "JSON"}.get(self.kind, self._range)
            raise UsageError(f"{self.shown} must be {wanted}, not {text!r:.80}") from error

    @property
    def _range(self) -> str:
        kind = "an integer" if self.kind == "integer" else "a number"
        if self.least is not None and self.most is not None:
            return f"{kind} from {self.least:g} to {self.most:g}"
        return kind if self.least is None else f"{kind} >= {self.least:g}"

    def _number(self, value: Any) -> object:
        types = (int,) if self.kind == "integer" else (int, float)
        fits = isinstance(value, types) and not isinstance(value, bool)
        least, most = (-math.inf if self.least is None else self.least), (math.inf if self.most is None else self.most)
        if not fits or not least <= value <= most:
            raise UsageError(f"{self.shown} must be {self._range}")
        return value


@cache
def declared(group: type[Struct]) -> tuple[Option, ...]:
    """The options of a group, one for each field. Raises TypeError for a field without a default."""
    hints = get_type_hints(group, include_extras=True)
    name = getattr(group, "GROUP", "")
    return tuple(_declared(name, field, hints[field.name]) for field in msgspec.structs.fields(group))


def _declared(group: str, field: msgspec.structs.FieldInfo, hint: object) -> Option:
    notes = [note for note in get_args(hint)[1:] if isinstance(note, Meta)] if hasattr(hint, "__metadata__") else []
    meta = notes[0] if notes else Meta()
    kind, choices = _kind(get_args(hint)[0] if notes else hint)
    if field.default is NODEFAULT and field.default_factory is NODEFAULT:
        raise TypeError(f"{field.name}: an option needs a default")
    extra = {"ge": meta.ge, **(meta.extra or {})}
    flag, rare = str(extra.get("flag") or field.name).replace("_", "-"), bool(extra.get("rare"))
    return Option(
        field.name,
        f"{group}.{field.name}" if rare else f"--{flag}",
        kind,
        flag,
        meta.description or field.name.replace("_", " "),
        field.default if field.default is not NODEFAULT else field.default_factory(),
        choices,
        str(extra.get("metavar") or ""),
        extra["ge"],
        extra.get("le"),
        rare,
        bool(extra.get("selects")),
        extra.get("in_conversation"),
    )


def _kind(hint: object) -> tuple[Kind, tuple[str, ...]]:
    if get_origin(hint) is Literal:
        return "choice", tuple(map(str, get_args(hint)))
    if get_origin(hint) is tuple and set(get_args(hint)) <= {str, ...}:
        return "words", ()
    if hint in _KINDS:
        return _KINDS[hint], ()
    kinds = [_kind(part) for part in get_args(hint) if part is not type(None)]
    named = next((one for one in kinds if one[0] == "path"), None)
    return named or (kinds[0] if len(kinds) == 1 else ("json", ()))


def updated(group: T, given: Mapping[str, object]) -> T:
    """A group with these values in place of its own. Raises UsageError for one that does not fit; every name in `given`
    is a field."""
    known = {one.name: one for one in declared(type(group))}
    return msgspec.structs.replace(group, **{name: known[name].checked(value) for name, value in given.items()})


def guess(name: str, known: Iterable[str]) -> str:
    """What to add to "unknown X 'name'": the closest of the known names as a question, or nothing."""
    close = difflib.get_close_matches(name.lower(), list(known), 1, 0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def shown(value: object) -> str:
    """A default in the help."""
    if value in (None, UNSET, "", (), {}):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
