"""What a benchmark's data are to the rest of the package: where the public ones live, and what `toolgauge data` asks of
its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from toolgauge.data.corrections import Record
from toolgauge.data.record import Problem

PARAMETER_KINDS = (
    "string", "integer", "string enum", "boolean", "array", "object", "float", "nested object", "integer enum", "other",
)  # fmt: skip


class RemoteFile(Struct, frozen=True):
    """A file of a public repository; `blob` is its git object id, which says exactly what it contains.

    place: where it goes below the data set's folder in the cache; under its own name where it is empty.
    """

    path: str
    blob: str
    place: str = ""

    @property
    def safe_name(self) -> str:
        """A name for any file system (the prediction files have colons in theirs)."""
        return self.place or re.sub(r"[^A-Za-z0-9._-]", "_", self.path.rpartition("/")[2])


class DataSource(Struct, frozen=True):
    """A public data set, or a set of prediction files, at a fixed commit of a GitHub repository ("owner/name")."""

    name: str
    about: str
    repository: str
    commit: str
    files: tuple[RemoteFile, ...]
    folder: str = ""
    """The part of its cache folder that commands take as the data set, where that is more than one file."""
    finish: Callable[[Path], None] | None = None
    """Makes what is read out of the files, below the cache folder that it is given."""


class StatisticsTable(Struct, frozen=True):
    """A table of figures, for printing."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Findings(Struct, frozen=True):
    """What a check of data finds."""

    problems: Sequence[Problem]
    known: Sequence[Problem] = ()
    """What the published data are known to have wrong, no fault of the user's."""
    weak: Sequence[Problem] = ()
    """What is worth a look and breaks no rule."""
    uncertified: Sequence[Problem] = ()
    """Tasks that are not fit to measure anybody, and why (benchmarks/certificates.py)."""


class DataFiles(Protocol):
    """The files (or folders) in which a benchmark's data lie."""

    def holds(self, path: Path) -> bool:
        """May data of this layout be there? Asked where nobody named a benchmark; looks, but does not check."""
        ...

    def records(self, path: Path) -> Iterator[Record]:
        """What the pointers of corrections go into, session by session; raises DataError."""
        ...

    def check(self, path: Path, language: str | None) -> Findings:
        """All problems of the data; language None: of every language they have. Raises DataError for no data at all."""
        ...

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        """The figures that describe the data. Raises DataError; UsageError where there are none."""
        ...


def parameter_kind(schema: Any, nested: bool) -> str:
    """The papers' class of a parameter: its type; enums and objects inside other objects have classes of their own."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "object":
        return "nested object" if nested else "object"
    if kind in ("float", "number"):
        return "float"
    if kind in ("string", "integer"):
        return f"{kind} enum" if "enum" in schema else kind
    return kind if kind in ("boolean", "array") else "other"
