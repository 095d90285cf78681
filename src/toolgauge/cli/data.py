"""`toolgauge data ...`: list and fetch public data sets, check and describe data files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolgauge.cli.correct import correct
from toolgauge.cli.import_logs import import_logs
from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import console, echo, progress, text_column
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.data.files import DataFiles, DataSource, StatisticsTable

app = typer.Typer(help="Data sets: list, fetch, check, describe and correct them.", no_args_is_help=True)

File = Annotated[str, typer.Argument(metavar="FILE", help="A data file or folder, or a known name.")]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="BENCHMARK", help="Format of the data (default: detected)."),
]
Cache = Annotated[
    Path | None, typer.Option("--cache-dir", help="Folder for downloads (default: the platform's cache folder).")
]
Offline = Annotated[bool, typer.Option("--offline", help="Never use the network.")]


def resolve(name_or_path: str, cache_dir: Path | None = None, offline: bool = True, progress: Any = None) -> Path:
    """The file or folder that a user means: a path, an embedded benchmark, or a public data set.

    A public data set is taken from the cache; it is downloaded only where `offline` is false.
    """
    from toolgauge.benchmarks.data_files import files_that_hold

    path = Path(name_or_path)
    if files_that_hold(path) is not None:
        return path  # what is no regular file either is refused by whoever reads it
    file, source = _known(name_or_path, path.exists())
    if file is not None:
        return file
    if source is None:
        if path.exists():
            return path  # whoever reads it says what it lacks
        from toolgauge.benchmarks.catalogue import CATALOGUE
        from toolgauge.benchmarks.registry import names

        choices = ", ".join(dict.fromkeys((*names(), *CATALOGUE)))
        raise UsageError(f"{name_or_path}: file not found, and no data set of this name (known: {choices})")
    from toolgauge.data.fetch import fetch_path

    return fetch_path(source, cache_dir, offline, progress)


def _known(name: str, is_path: bool) -> tuple[Path | None, DataSource | None]:
    """The embedded file, or the public data set, of that name. Packages of other people's are imported where one of
    their benchmarks is named, or where nothing else has the name."""
    from toolgauge.benchmarks.catalogue import CATALOGUE, known_sources
    from toolgauge.benchmarks.registry import blamed_on, find_benchmark, names, usable

    if name in names():
        benchmark = find_benchmark(name)
        with blamed_on(benchmark):
            if benchmark.embedded is not None:
                return Path(benchmark.embedded), None
        name = benchmark.source or name
        return None, known_sources([benchmark], _warn).get(name)
    if name in CATALOGUE or is_path:
        return None, CATALOGUE.get(name)
    return None, known_sources(usable(_warn), _warn).get(name)


@app.command("list")
def list_sources(cache_dir: Cache = None) -> None:
    """Show the data sets that toolgauge knows."""
    from toolgauge.analysis.terminal import open_table
    from toolgauge.benchmarks.catalogue import known_sources
    from toolgauge.benchmarks.registry import distribution_of, foreign, installed, summary_of
    from toolgauge.data.fetch import is_cached
    from toolgauge.visible import visible

    table = open_table("name", "what it is", "files", "here?")
    table.add_row("mini", "our own small benchmark, English and Chinese", "1", "part of the package")
    for source in known_sources(foreign(), _warn).values():
        state = "in the cache" if is_cached(source, cache_dir) else "to be fetched"
        table.add_row(source.name, str(source.about), str(len(source.files)), state)
    for name, point in installed().items():  # by their metadata: nothing of them is imported
        table.add_row(name, summary_of(point), "", visible(distribution_of(point)))
    console().print(table)


@app.command("fetch")
def fetch_source(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `toolgauge data list` shows it.")],
    cache_dir: Cache = None,
    offline: Offline = False,
) -> None:
    """Download a public data set into the cache and verify it."""
    from toolgauge.benchmarks.catalogue import source
    from toolgauge.data.fetch import fetch, fetch_path

    file, known_source = _known(name, False)
    if file is not None:
        echo(file)
        return
    chosen = known_source or source(name)
    with _ProgressBar() as bar:
        if chosen.folder:
            paths: tuple[Path, ...] = (fetch_path(chosen, cache_dir, offline, bar),)
        else:
            paths = fetch(chosen, cache_dir, offline, bar)
    for path in paths:
        echo(path)


@app.command("check")
def check_file(
    file: File,
    data_format: Format = None,
    language: Annotated[str | None, typer.Option(help="en or zh (default: every language the file has).")] = None,
    cache_dir: Cache = None,
) -> None:
    """List every problem of a data set, the tasks without a certificate (the annotated answer fails, silence or a wrong
    value passes), and what is weak in imported sessions that nobody has reviewed.

    Exit code 0: no problems; 1: some; 2: it cannot be used at all.
    """
    from toolgauge.data.record import MAX_PROBLEMS

    path = resolve(file, cache_dir)
    files = _data_files(file, path, data_format)
    if language not in (None, "en", "zh"):
        raise UsageError(f"--language: unknown language {language!r}; choose en or zh")
    findings = files.check(path, language)
    for finding in findings.known:
        echo(f"known: {finding.text}")
    for place in findings.weak:
        echo(f"weak: {place.text}")
    for task in findings.uncertified:
        echo(f"no certificate: {task.text}")
    for problem in findings.problems:
        echo(problem.text)
    if not findings.problems and not findings.uncertified:
        echo(f"{path}: no problems")
        return
    for listed, what in ((findings.problems, "problem"), (findings.uncertified, "task without a certificate")):
        if len(listed) >= MAX_PROBLEMS:
            echo(f"{len(listed)} or more {_plural(what)}", err=True)
        elif listed:
            echo(f"{len(listed)} {what if len(listed) == 1 else _plural(what)}", err=True)
    raise typer.Exit(1)


@app.command("stats")
def show_statistics(
    file: File,
    data_format: Format = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also draw the counts, an SVG file for each table.")
    ] = None,
    cache_dir: Cache = None,
    overwrite: Overwrite = False,
) -> None:
    """Print the figures by which the papers describe a data set."""
    from rich.cells import cell_len

    from toolgauge.analysis.terminal import open_table

    terminal = console()
    path = resolve(file, cache_dir)
    tables = _data_files(file, path, data_format).statistics(path, language)
    if figures is not None:
        _draw(tables, figures, f"{path.name} · {language}", overwrite)
    for section in tables:
        table = open_table()
        table.title, table.title_justify, table.title_style = section.title, "left", "bold cyan"
        table.show_header = any(section.header)
        table.min_width = min(cell_len(section.title), terminal.width)
        for heading, cells in zip(section.header, zip(*section.rows, strict=True), strict=True):
            counts = heading and all(not str(cell) or str(cell)[0].isdigit() for cell in cells)
            table.add_column(str(heading), justify="right" if counts else "left", overflow="fold")
        for row in section.rows:
            table.add_row(*map(str, row))
        terminal.print(table)
        terminal.print()


def _draw(tables: Sequence[StatisticsTable], folder: Path, subtitle: str, overwrite: bool) -> None:
    from toolgauge.files import slug
    from toolgauge.report.exports.export_request import file_below, require_export_folder
    from toolgauge.report.figures import statistics_figures

    require_export_folder(folder, "--figures", overwrite)
    for title, drawing in statistics_figures(tables, subtitle):
        name = title.partition(" (")[0].lower().replace(" ", "-")
        with file_below(folder, f"{slug(name)}.svg") as (path, file):
            file.write(drawing.encode())
        echo(path, err=True)


app.command("correct")(correct)
app.command("import")(import_logs)


def _plural(what: str) -> str:
    return what.replace("task", "tasks") if what.startswith("task") else f"{what}s"


def _data_files(name: str, path: Path, data_format: str | None) -> DataFiles:
    """Of the benchmark whose data these are: the one that is named, else the first whose layout they may have."""
    from toolgauge.benchmarks.data_files import files_for, files_of
    from toolgauge.benchmarks.registry import installed, names

    if data_format is not None:
        if (files := files_of(data_format)) is None:
            raise UsageError(f"--format: unknown format {data_format!r}; choose one of {', '.join(names())}")
        return files
    return (files_of(name) if name in installed() else None) or files_for(path)


def _warn(message: str) -> None:

    echo(f"Warning: {message}", err=True)


class _ProgressBar:
    """A bar on standard error for the file that is being downloaded; nothing appears where all files are here."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, DownloadColumn, TransferSpeedColumn

        columns = (text_column("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._progress = progress(*columns, on=console(err=True))
        self._started = False
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> _ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._started:
            self._progress.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        if not self._started:  # not before: an idle bar leaves an empty line
            self._progress.start()
            self._started = True
        if name not in self._tasks:
            for earlier in self._tasks.values():
                self._progress.update(earlier, visible=False)
            self._tasks[name] = self._progress.add_task(name)
        self._progress.update(self._tasks[name], completed=done, total=total or None)
