"""The options that say which variants of the tools a trial has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.tools.variants import ToolVariant


class VariantFlags(NamedTuple):
    """What is tried."""

    variants_file: Annotated[
        Path | None, typer.Option("--variants", metavar="FILE", help="A trial file, TOML (docs/tool-trials.md).")
    ] = None
    descriptions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tool lists with edited descriptions: a variant of its own.")
    ] = None
    distractors: Annotated[str, typer.Option(metavar="N,N", help="So many tools more: a variant for each number.")] = ""
    offered: Annotated[
        str, typer.Option(metavar="N,N", help="So many tools in all, those needed among them: a variant for each.")
    ] = ""
    search: Annotated[
        bool, typer.Option("--search", help="A variant in which tools are not offered but found by a search.")
    ] = False
    source: Annotated[
        str, typer.Option("--from", metavar="FILE", help="Where further tools come from: library, or a file.")
    ] = "library"
    similar: Annotated[
        bool | None,
        typer.Option("--similar/--unlike", help="Those most, or least, like the session's own (default: any)."),
    ] = None
    sampling_seed: Annotated[int, typer.Option(help="Another seed draws other tools and places.")] = 0

    def variants(self, language: str) -> list[ToolVariant]:
        """The variants, those of the file first. Raises UsageError, DataError."""
        from toolgauge.trials.trial_file import VariantEntry, read_trial, usual_variants

        entry = VariantEntry(source=self.source, similar=self.similar)
        usual = usual_variants(
            self.descriptions,
            _numbers(self.distractors),
            _numbers(self.offered),
            self.search,
            entry,
            self.sampling_seed,
            language,
        )
        return [*(read_trial(self.variants_file, language) if self.variants_file else ()), *usual]


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        if part.strip():
            if not part.strip().isdecimal():
                raise UsageError(f"numbers of tools are written as 10,20, not {text!r}")
            yield int(part)
