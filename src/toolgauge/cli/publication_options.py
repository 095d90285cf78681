"""The options that say where numbers are published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.report.exports.export_request import Publication


class PublicationFlags(NamedTuple):
    """What a run does not know of the place where it is published."""

    publisher: Annotated[str | None, typer.Option(metavar="NAME", help="hf: who publishes the numbers.")] = None
    evidence: Annotated[
        str | None, typer.Option(metavar="URL", help="hf: where what the numbers follow from is to be seen.")
    ] = None

    def given(self, to: str) -> Publication:
        """For an export in a format; raises UsageError where that has no place for them, or one cannot be used."""
        from toolgauge.report.exports.export_request import Publication

        values = self._asdict()
        for name, value in values.items():
            if value is not None and to != "hf":
                raise UsageError(f"--{name} goes with --to hf")
        return Publication(**{name: value or "" for name, value in values.items()})
