"""The options that say where numbers are published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolgauge.errors import UsageError
from toolgauge.locale import _, named_field

if TYPE_CHECKING:
    from toolgauge.report.exports.export_request import Publication

PUBLISHED = ("hf", "eee", "eval-results")
"""Formats that have a place for them."""


class PublicationFlags(NamedTuple):
    """What a run does not know of the place where it is published."""

    publisher: Annotated[
        str | None, typer.Option(metavar="NAME", help="hf, eee, eval-results: who publishes the numbers.")
    ] = None
    evidence: Annotated[
        str | None,
        typer.Option(metavar="URL", help="hf, eee, eval-results: where what the numbers follow from is to be seen."),
    ] = None
    hub_dataset: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER/NAME[:TASK]", help="eee, eval-results: the benchmark's data set on Hugging Face's hub."
        ),
    ] = None

    def given(self, to: str) -> Publication:
        """For an export in a format; raises UsageError where that has no place for them, or one cannot be used."""
        from toolgauge.report.exports.export_request import Publication

        values = self._asdict()
        for name, value in values.items():
            if value is not None and to not in PUBLISHED:
                raise UsageError(
                    _("{option} goes with {to_field} {formats}", option=named_field(name), formats=PUBLISHED)
                )
        return Publication(**{name: value or "" for name, value in values.items()})
