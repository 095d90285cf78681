"""`toolgauge report RUN... --out SITE` and `toolgauge view RUN...`: the web site, as a folder or in the browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from toolgauge.cli.output import Overwrite, tell
from toolgauge.cli.terminal import echo

Runs = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Run directories, of any benchmark, or folders of them, such as a trial's."),
]
Data = Annotated[
    Path | None, typer.Option(help="The data file or folder of runs whose own is not where it was when they were made.")
]


def _say_working(runs: int) -> None:
    """A sign of life on a terminal. Nothing moves in it: the site is not forked from a process with threads."""
    if sys.stderr.isatty():
        echo(f"Making the site of {runs:,} run{'' if runs == 1 else 's'} ...", err=True)


def report(
    runs: Runs,
    out: Annotated[Path, typer.Option(metavar="SITE", help="Folder for the site; an earlier site is replaced.")],
    data: Data = None,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge report runs/before runs/after --out site
    toolgauge report runs --out site --overwrite

    Make a web site of runs: leaderboards with the published models, every table, every task.

    The folder needs no server and loads nothing from elsewhere: open its index.html, or copy it where you like.
    """
    from toolgauge.api import make_site
    from toolgauge.results import run_folders

    folders = run_folders(runs)
    _say_working(len(folders))
    pages = make_site(folders, out, data=data, overwrite=overwrite, tell=tell)
    megabytes = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    plural = "" if len(folders) == 1 else "s"
    echo(f"Site of {len(folders):,} run{plural}, {pages:,} pages, {megabytes:.1f} MB: {out}/index.html")


def view(
    runs: Runs,
    data: Data = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on the loopback (default: a free one).")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """\b
    toolgauge view runs/mini/en/builtin_noisy
    toolgauge view runs --port 8080

    Look at runs in the browser: makes the site in a temporary folder and serves it on this machine only.
    """
    import tempfile

    from toolgauge.api import make_site
    from toolgauge.cli.terminal import interface_language
    from toolgauge.report.serving import server
    from toolgauge.results import run_folders

    with tempfile.TemporaryDirectory(prefix="toolgauge-") as scratch:
        site = Path(scratch) / "site"
        folders = run_folders(runs)
        _say_working(len(folders))
        make_site(folders, site, data=data, tell=tell)
        with server(site, port) as serving:
            start = "zh/index.html" if interface_language() == "zh" else "index.html"
            address = f"http://127.0.0.1:{serving.server_address[1]}/{start}"
            try:
                echo(f"{address} (Ctrl-C ends)")
                if browser:
                    webbrowser.open(address)
                serving.serve_forever()
            except KeyboardInterrupt:
                echo()  # the terminal has written ^C
