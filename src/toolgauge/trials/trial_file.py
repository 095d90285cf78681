"""What a trial is asked for: a file of variants (TOML), or the usual ones from the command line.

seed = 7
[variants.clearer]
descriptions = {"search_trains" = "Find trains between two cities.", "search_trains.date" = "Day of departure."}
[variants.crowded]
distractors = 10
from = "library"
similar = true
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.record import shown
from toolgauge.errors import DataError, UsageError
from toolgauge.options import option
from toolgauge.tools.documents import read_bytes
from toolgauge.tools.toollist import read_tool_lists, tool_library
from toolgauge.tools.variants import MOST_OFFERED, ToolVariant

BASELINE = "baseline"
LIBRARY = "library"
MOST_VARIANTS = 50
MOST_BYTES = 8 << 20
"""Of a trial file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
Number = Annotated[int, Meta(ge=1, le=MOST_OFFERED)]


class VariantEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A table `[variants.NAME]`; see `ToolVariant`. descriptions: by name, or a file with edited tool lists; source:
    "library" or a file of tool lists. Files are named as seen from the trial file."""

    descriptions: dict[str, str] | str = {}
    rename: dict[str, str] = {}
    distractors: Number | None = None
    offered: Number | None = None
    source: str = field(default=LIBRARY, name="from")
    similar: bool | None = None
    search: bool = False


class TrialFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A trial file. seed: of what is drawn."""

    variants: dict[str, VariantEntry]
    seed: int = 0


def read_trial(file: Path, language: str) -> list[ToolVariant]:
    """The variants of a trial file. language: of the data, in which the library is taken. Raises DataError."""
    content = read_bytes(file)
    if len(content) > MOST_BYTES:
        raise DataError(f"larger than {MOST_BYTES >> 20} MB", file)
    try:
        trial = msgspec.convert(tomllib.loads(content.decode()), TrialFile)
    except (ValueError, RecursionError) as error:
        raise DataError(f"invalid trial file: {error}", file) from error
    try:
        return _checked(
            [made(name, entry, trial.seed, language, file.parent) for name, entry in trial.variants.items()]
        )
    except UsageError as error:
        raise DataError(error.text, file) from error


def made(name: str, entry: VariantEntry, seed: int, language: str, folder: Path = Path()) -> ToolVariant:
    """The variant that an entry says, with the tools of the files that it names. Raises UsageError, DataError."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"invalid variant name {shown(name)}: use at most 64 letters, digits, _ . and -")
    if entry.distractors and entry.offered:
        raise UsageError(f"variant {name}: use distractors or offered, not both")
    texts = entry.descriptions
    pool: Sequence[Tool] = _pool(entry.source, language, folder) if entry.distractors or entry.offered else ()
    return ToolVariant(
        name,
        seed,
        texts if isinstance(texts, dict) else {},
        () if isinstance(texts, dict) else tuple(_tools(folder / texts)),
        entry.rename,
        entry.distractors or 0,
        entry.offered,
        entry.similar,
        tuple(pool),
        entry.search,
    )


class Variants(Struct, frozen=True, kw_only=True):
    """What is tried, as the command line asks for it."""

    GROUP: ClassVar[str] = "variants"
    PANEL: ClassVar[str] = "Variants"

    file: Annotated[
        Path | str | None, option("A trial file, TOML (docs/tools.md#trials).", flag="variants", metavar="FILE")
    ] = None
    descriptions: Annotated[
        Path | str | None, option("Tool lists with edited descriptions: one variant.", metavar="FILE")
    ] = None
    distractors: Annotated[tuple[str, ...], option("Add so many tools: a variant for each number.", metavar="N,N")] = ()
    offered: Annotated[
        tuple[str, ...], option("Offer so many tools, the needed ones among them: a variant for each.", metavar="N,N")
    ] = ()
    search: Annotated[bool, option("A variant in which tools are found by a search instead of being offered.")] = False
    source: Annotated[
        str, option("Where further tools come from: library, or a file.", flag="from", metavar="FILE")
    ] = LIBRARY
    similar: Annotated[
        bool | None, option("Only those most like the session's own (false: least like them).", rare=True)
    ] = None

    def read(self, language: str, seed: int) -> list[ToolVariant]:
        """The variants, those of the file first. seed: draws tools and places. Raises UsageError, DataError."""
        from_file = read_trial(Path(self.file), language) if self.file else []
        pool = VariantEntry(source=self.source, similar=self.similar)
        asked: dict[str, VariantEntry] = {}
        if self.descriptions:
            asked["descriptions"] = VariantEntry(descriptions=str(self.descriptions))
        for number in map(_number, self.distractors):
            asked[f"distractors-{number}"] = replace(pool, distractors=number)
        for number in map(_number, self.offered):
            asked[f"offered-{number}"] = replace(pool, offered=number)
        if self.search:
            asked["search"] = VariantEntry(search=True)
        return [*from_file, *(made(name, entry, seed, language) for name, entry in asked.items())]


def _number(text: str) -> int:
    if not text.isdecimal():
        raise UsageError(f"numbers of tools must be written as 10,20, not {text!r}")
    if not 1 <= int(text) <= MOST_OFFERED:
        raise UsageError(f"the number of tools must be 1 to {MOST_OFFERED:,}, not {int(text)}")
    return int(text)


def require_variants(variants: Sequence[ToolVariant]) -> Sequence[ToolVariant]:
    """Raise UsageError where these cannot be the variants of one trial."""
    if not variants:
        raise UsageError(
            "nothing to try: give a trial file, or variants by their options (--distractors, --offered, --search)"
        )
    return _checked(variants)


def _checked(variants: Sequence[ToolVariant]) -> list[ToolVariant]:
    if not 0 < len(variants) <= MOST_VARIANTS:
        raise UsageError(f"a trial must have 1 to {MOST_VARIANTS} variants, not {len(variants)}")
    names = {BASELINE}
    for variant in variants:
        if variant.name.lower() in names:
            raise UsageError(f"variant name {variant.name} is already used ({BASELINE} is the run without a variant)")
        names.add(variant.name.lower())
    return list(variants)


def _pool(source: str, language: str, folder: Path) -> list[Tool]:
    """The tools of the library or of a file; of several with one name the first."""
    if source == LIBRARY and not (folder / source).exists():
        return [tool for one in tool_library(language) for tool in one.tools]
    return _tools(folder / source)


@cache
def _tools(file: Path) -> list[Tool]:
    found: dict[str, Tool] = {}
    for one in read_tool_lists(file):
        for tool in one.tools:
            found.setdefault(tool.name, tool)
    return list(found.values())
