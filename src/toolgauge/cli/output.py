"""What verbs that write files have in common: `--overwrite`, lines on the side, and files of JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from toolgauge.locale import Text, _

Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Also replace files that were changed, or not written by toolgauge.")
]

Corrections = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Corrections of the data (docs/corrections.md); known: those that come with the benchmark."
    ),
]


def tell(line: Text | str) -> None:
    """Print a line for the user beside the output."""
    from toolgauge.cli.language import local
    from toolgauge.cli.terminal import echo

    echo(local(_("Note: {what}", what=line)), err=True)


def write_json(file: Path, content: bytes, runs: Iterable[Path], overwrite: bool) -> None:
    """Write a file of JSON about runs, indented.

    Raises UsageError where it would overwrite what the runs consist of, or a file that is not ours.
    """
    import msgspec

    from toolgauge.files import write_whole
    from toolgauge.runs.scored import files_of
    from toolgauge.written import replacing_one, require_apart

    require_apart([file], [path for run in runs for path in files_of(run)])
    with replacing_one(file, overwrite):
        write_whole(file, msgspec.json.format(content, indent=1) + b"\n")
