"""`toolgauge data correct FILE`: corrections of a data file, made of two versions of it, listed, checked, applied."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgauge.data.corrections import Correction, Corrections

SHOWN = 60
"""Characters of a value in the list."""


def correct(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Corrections, or a benchmark that comes with some; with --since a data file or folder."
        ),
    ],
    data: Annotated[Path | None, typer.Option(help="Check the corrections against this data file or folder.")] = None,
    since: Annotated[
        Path | None, typer.Option(metavar="OLD", help="Make corrections: what changed in FILE since this version.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="With --since, the file of corrections; with --data, the corrected data.")
    ] = None,
    reason: Annotated[str, typer.Option(help="With --since: why it was changed.")] = "",
    source: Annotated[str, typer.Option(help="With --since: who found it, and where.")] = "",
    overwrite: Overwrite = False,
) -> None:
    """List corrections of a data file, check and apply them (--data), or make them of two versions (--since)."""
    from toolgauge.benchmarks.data_files import records_of
    from toolgauge.data.corrections import (
        between_versions,
        check,
        corrected_lines,
        encoded,
    )

    if data is not None and since is not None:
        raise UsageError("--data does not go with --since")
    if out is not None and data is None and since is None:
        raise UsageError("--out needs --data or --since")
    if since is not None:
        changes = list(between_versions(records_of(since), records_of(file), reason, source))
        if not changes:
            raise UsageError(f"{file} and {since} hold the same sessions")
        _show(changes)
        _write(out, encoded(changes), [file, since], overwrite)
        return
    corrections = _corrections(file)
    _show(corrections)
    if data is None:
        return
    if data.is_dir() and out is not None:
        raise UsageError(
            "--out: corrections of a folder are applied while it is read; run and score take them with --corrections"
        )
    if out is None:
        check(records_of(data), corrections)
        lines = []
    else:
        lines = list(corrected_lines(data, corrections))
    count, sessions = corrections.count, len(corrections.by_session)
    corrected = f"correction{'' if count == 1 else 's'} of {sessions:,} session{'' if sessions == 1 else 's'}"
    echo(f"{data}: {count:,} {corrected} fit the data")
    _write(out, b"".join(lines), [file, data], overwrite)


def _corrections(file: Path) -> Corrections:
    """Those in a file, or those that come with the benchmark of that name."""
    from toolgauge.benchmarks.registry import OURS, find_benchmark
    from toolgauge.data.corrections import read_corrections
    from toolgauge.runs.corrections import KNOWN, named_corrections

    if file.exists() or str(file) not in OURS:
        return read_corrections(file)
    return named_corrections(find_benchmark(str(file)), KNOWN)


def _show(corrections: Iterable[Correction]) -> None:
    from toolgauge.data.record import shown

    for correction in corrections:
        old, new = (_value(value) for value in (correction.old, correction.new))
        why = f"  # {shown(correction.reason)}" if correction.reason else ""
        language = f" ({correction.language})" if correction.language else ""
        echo(f"{correction.session}{language} {correction.pointer}: {old} -> {new}{why}")


def _value(value: object) -> str:
    from msgspec import Raw

    text = bytes(value).decode("utf-8", "replace") if isinstance(value, Raw) else "-"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _write(out: Path | None, content: bytes, inputs: list[Path], overwrite: bool) -> None:
    from toolgauge.files import require_new, write_whole

    if out is not None:
        require_new(out, overwrite, inputs)
        write_whole(out, content)
