"""What verbs about runs have in common: their options, lines on the side, and files of JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that exist, also in a folder that holds other files.")
]

Corrections = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Corrections of the data (docs/files.md); known: those that come with the benchmark."
    ),
]

Scoring = Annotated[
    str | None,
    typer.Option(help="Scoring: exact, released (official code), tables (paper tables), or the benchmark's own."),
]
Data = Annotated[Path | None, typer.Option(help="The data file or folder, if it has moved since.")]
Json = Annotated[Path | None, typer.Option(help="Also write everything to this file as JSON.")]


def tell(line: str) -> None:
    """Print a line for the user beside the output."""
    from toolgauge.cli.terminal import echo

    echo(f"Note: {line}", err=True)


def require_free(file: Path | None, overwrite: bool, runs: Iterable[Path] = ()) -> None:
    """Raise UsageError or StoreError where a file that the user named cannot be written: before work that costs.

    runs: what the file is about; what they consist of is never overwritten.
    """
    from toolgauge.files import require_new
    from toolgauge.runs.scored import files_of

    if file is not None:
        require_new(file, overwrite, [path for run in runs for path in files_of(run)])


def write_json(file: Path, content: bytes, runs: Iterable[Path], overwrite: bool) -> None:
    """Write a file of JSON about runs, indented; raises as `require_free`."""
    import msgspec

    from toolgauge.files import write_whole

    require_free(file, overwrite, runs)
    write_whole(file, msgspec.json.format(content, indent=1) + b"\n")
