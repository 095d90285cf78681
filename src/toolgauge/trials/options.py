"""Which variants of the tools a trial has, as the command line asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from toolgauge.errors import UsageError
from toolgauge.options import option
from toolgauge.tools.variants import ToolVariant
from toolgauge.trials.trial_file import VariantEntry, read_trial, usual_variants


class Variants(Struct, frozen=True, kw_only=True):
    """What is tried."""

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
    ] = "library"
    similar: Annotated[
        bool | None, option("Only those most like the session's own (false: least like them).", rare=True)
    ] = None

    def read(self, language: str, seed: int) -> list[ToolVariant]:
        """The variants, those of the file first. seed: draws tools and places. Raises UsageError, DataError."""
        entry = VariantEntry(source=self.source, similar=self.similar)
        usual = usual_variants(
            Path(self.descriptions) if self.descriptions else None,
            _numbers(self.distractors),
            _numbers(self.offered),
            self.search,
            entry,
            seed,
            language,
        )
        return [*(read_trial(Path(self.file), language) if self.file else ()), *usual]


def _numbers(texts: tuple[str, ...]) -> Iterator[int]:
    for text in texts:
        if not text.isdecimal():
            raise UsageError(f"numbers of tools must be written as 10,20, not {text!r}")
        yield int(text)
