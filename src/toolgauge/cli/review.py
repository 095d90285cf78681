"""`toolgauge review`: people review sessions, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import echo
from toolgauge.errors import MissingExtra

if TYPE_CHECKING:
    from toolgauge.review.serving import Serving


def review(
    place: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="A generation's folder, or a file of sessions.")],
    reviewer: Annotated[
        list[str] | None, typer.Option("--reviewer", metavar="NAME", help="Who reviews; the first one leads.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the server; 0 takes a free one.")] = 8770,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where it listens; other machines need one of this machine.")
    ] = "127.0.0.1",
    language: Annotated[str | None, typer.Option(help="en or zh, if the file has both.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the review is kept (default: beside the sessions).")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write what is approved there, and serve nothing.")
    ] = None,
    unapproved: Annotated[
        bool, typer.Option("--unapproved", help="With --export: everything that was not rejected.")
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge review generated/en --reviewer Ana
    toolgauge review generated/en --export approved

    Review sessions in a browser: read, correct, approve; the files stay as they are.
    """
    try:
        from toolgauge.review.serving import serving
    except ImportError as error:
        raise MissingExtra("toolgauge review", error.name or "starlette", "review") from error
    if export is not None:
        _export(place, out, language, export, unapproved, overwrite)
        return
    with serving(place, out, reviewer or [], (host, port), language) as started:
        try:
            started.run(lambda: _tell(started))
        except KeyboardInterrupt:
            echo("Ended. The same command continues.", err=True)


def _tell(started: Serving) -> None:
    """Who opens which link, and what to know."""
    for note in started.notes:
        echo(note, err=True)
    if started.is_open_to_others:
        echo(
            "Warning: other machines reach this server, unencrypted; use it in a network you trust only",
            err=True,
        )
    for name, link in started.links.items():
        echo(f"{name}: {link}")
    echo(f"Ctrl-C ends. Everything is kept in {started.folder}", err=True)


def _export(
    place: Path, out: Path | None, language: str | None, folder: Path, unapproved: bool, overwrite: bool
) -> None:
    from toolgauge.review.export import prepared, write
    from toolgauge.review.serving import open_desk

    with open_desk(place, out, language, is_read_only=True) as desk:
        for note in desk.originals.notes:
            echo(note, err=True)
        archive = prepared(desk, unapproved)
    for problem in archive.problems:
        echo(problem.message)
    if archive.problems:
        echo(
            f"Nothing was written: {len(archive.problems)} problems, listed above",
            err=True,
        )
        raise typer.Exit(1)
    write(archive, folder, overwrite)
    summary = (
        f"{archive.sessions:,} session{'' if archive.sessions == 1 else 's'} in {folder}: {', '.join(archive.files)}"
    )
    echo(summary)
    if archive.left_out:
        echo(
            (
                f"{archive.left_out:,} session is not approved and stays here"
                if archive.left_out == 1
                else f"{archive.left_out:,} sessions are not approved and stay here"
            ),
            err=True,
        )
