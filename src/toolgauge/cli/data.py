"""`toolgauge data ...`: list and fetch public data sets, check and describe data files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from toolgauge.cli.terminal import console, echo, progress, text_column
from toolgauge.errors import UsageError
from toolgauge.locale import _

if TYPE_CHECKING:
    from toolgauge.benchmarks.dialogues.data.check import Rehearsal
    from toolgauge.data.problems import Problem
    from toolgauge.data.schemas import Flavour
    from toolgauge.data.session import Dataset
    from toolgauge.data.statistics import StatisticsTable

app = typer.Typer(help="Data sets: list, fetch, check and describe them.", no_args_is_help=True)

File = Annotated[str, typer.Argument(metavar="FILE", help="A data file, ACEBench's data_all folder, or a known name.")]
Format = Annotated[
    str | None, typer.Option("--format", metavar="wildtoolbench|mmtb", help="Default: told by the fields of the file.")
]
Cache = Annotated[
    Path | None, typer.Option("--cache-dir", help="Folder for downloads (default: the platform's cache folder).")
]
Offline = Annotated[bool, typer.Option("--offline", help="Never touch the network.")]


def resolve(name_or_path: str, cache_dir: Path | None = None, offline: bool = True, progress: Any = None) -> Path:
    """The file or folder that a user means: a path, an embedded benchmark, or a public data set.

    A public data set is taken from the cache; it is downloaded only where `offline` is false.
    """
    from toolgauge.benchmarks.acebench.data.load import find_data_all, is_data_all

    path = Path(name_or_path)
    if (path.exists() and not path.is_dir()) or is_data_all(path):
        return path  # what is no regular file either is refused by whoever reads it
    embedded = _embedded()
    if name_or_path in embedded:
        return embedded[name_or_path]
    from toolgauge.benchmarks.catalogue import CATALOGUE

    if name_or_path not in CATALOGUE:
        if path.is_dir():
            return find_data_all(path)  # says what it lacks
        known = ", ".join([*embedded, *CATALOGUE])
        raise UsageError(
            _(
                "{name_or_path}: no such file, and no data set of that name ({known})",
                name_or_path=name_or_path,
                known=known,
            )
        )
    from toolgauge.data.fetch import fetch_path

    return fetch_path(CATALOGUE[name_or_path], cache_dir, offline, progress)


@app.command("list")
def list_sources(cache_dir: Cache = None) -> None:
    """Show the data sets that toolgauge knows."""
    from toolgauge.analysis.terminal import open_table
    from toolgauge.benchmarks.catalogue import CATALOGUE
    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say
    from toolgauge.data.fetch import is_cached

    table = open_table(*say("data_list").split("|"))
    for name in _embedded():
        table.add_row(name, _about(name), "1", say("embedded"))
    for source in CATALOGUE.values():
        state = say("cached" if is_cached(source, cache_dir) else "absent")
        table.add_row(source.name, local(source.about), str(len(source.files)), state)
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

    if name in _embedded():
        echo(resolve(name))
        return
    wanted = source(name)
    with _ProgressBar() as bar:
        if wanted.folder:
            paths: tuple[Path, ...] = (fetch_path(wanted, cache_dir, offline, bar),)
        else:
            paths = fetch(wanted, cache_dir, offline, bar)
    for path in paths:
        echo(path)


@app.command("check")
def check_file(
    file: File,
    data_format: Format = None,
    language: Annotated[str | None, typer.Option(help="en or zh (default: every language the file has).")] = None,
    cache_dir: Cache = None,
) -> None:
    """List every problem of a data set. Exit code 0: none; 1: some; 2: it cannot be used at all."""
    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say
    from toolgauge.data.problems import MAX_PROBLEMS

    path = resolve(file, cache_dir)
    own = _installed(data_format or file)
    flavour = None if own else _flavour(data_format)
    _known_language(language)
    problems = _checked_by(own, path, language) if own else _problems(path, flavour, language)
    for problem in problems:
        echo(local(str(problem)))
    if not problems:
        echo(say("no_problems", path=path))
        return
    count = len(problems)
    key = "more_problems" if count >= MAX_PROBLEMS else "problems" if count > 1 else "one_problem"
    echo(say(key, count=str(count)), err=True)
    raise typer.Exit(1)


@app.command("stats")
def show_statistics(
    file: File,
    data_format: Format = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    cache_dir: Cache = None,
) -> None:
    """Print the figures by which the papers describe a data set."""
    from rich.cells import cell_len

    from toolgauge.analysis.terminal import open_table
    from toolgauge.cli.chinese import local

    shown = console()
    if own := _installed(data_format or file):
        raise UsageError(_("{own}: toolgauge has no figures of this benchmark's data", own=own.name))
    for section in _sections(resolve(file, cache_dir), _flavour(data_format), language):
        table = open_table()
        table.title, table.title_justify, table.title_style = local(section.title), "left", "bold cyan"
        table.show_header = any(section.header)
        table.min_width = min(cell_len(local(section.title)), shown.width)
        for heading, cells in zip(section.header, zip(*section.rows, strict=True), strict=True):
            counts = heading and all(cell[:1].isdigit() or not cell for cell in cells)
            table.add_column(local(heading), justify="right" if counts else "left", overflow="fold")
        for row in section.rows:
            table.add_row(*map(local, row))
        shown.print(table)
        shown.print()


def _about(name: str) -> str:
    """What an embedded benchmark is, in a few words."""
    from toolgauge.cli.words import say

    own = _installed(name)
    return str(getattr(own, "title", "") or name) if own else say(name)


def _checked_by(benchmark: Any, path: Path, language: str | None) -> Sequence[Problem]:
    """What an installed benchmark finds wrong with its data."""
    from toolgauge.benchmarks.registry import blamed_on

    check = getattr(benchmark, "check", None)
    if check is None:
        raise UsageError(_("{benchmark}: this benchmark has no check of its data", benchmark=benchmark.name))
    with blamed_on(benchmark):
        problems: Sequence[Problem] = check(path, language)
    return problems


def _problems(path: Path, flavour: Flavour | None, language: str | None) -> Sequence[Problem]:
    """What is wrong with a file or a `data_all` folder; known errors of published files are printed on the way."""
    if path.is_dir():
        from toolgauge.benchmarks.acebench.data.check import check_acebench
        from toolgauge.cli.chinese import local
        from toolgauge.cli.words import say

        findings = check_acebench(path, language)
        for known in findings.known:
            echo(say("known", what=local(str(known))))
        return findings.problems
    from toolgauge.benchmarks.dialogues.data.check import check

    return check(path, flavour, language, _rehearsal(flavour))


def _sections(path: Path, flavour: Flavour | None, language: str) -> list[StatisticsTable]:
    """The figures of a file or a `data_all` folder, as tables."""
    if path.is_dir():
        from toolgauge.benchmarks.acebench.data.load import load_acebench
        from toolgauge.benchmarks.acebench.data.statistics import ace_sections

        return ace_sections(load_acebench(path, language))
    from toolgauge.benchmarks.dialogues.data.load import load_dataset
    from toolgauge.benchmarks.dialogues.data.statistics import sections, statistics

    return sections(statistics(load_dataset(path, flavour, language)))


def _rehearsal(flavour: Flavour | None) -> Rehearsal:
    """Plays a data set with the annotated answers, which must pass, and with silence, which must fail."""

    def rehearse_data(dataset: Dataset) -> Iterable[Problem]:
        from toolgauge.benchmarks.dialogues.data.load import detect_format
        from toolgauge.benchmarks.dialogues.rehearse import rehearse
        from toolgauge.benchmarks.registry import find_benchmark

        return rehearse(find_benchmark(flavour or detect_format(dataset.file)), dataset)

    return rehearse_data


def _embedded() -> dict[str, Path]:
    """The benchmarks that come with their data, and their files. A package that cannot be loaded is told, and left
    out."""
    from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS
    from toolgauge.benchmarks.registry import find_benchmark, installed
    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say

    found = {name: one.embedded for name, one in GRAPH_BENCHMARKS.items()}
    for name in sorted(installed()):
        try:
            found[name] = find_benchmark(name).embedded
        except UsageError as error:
            echo(say("warning", what=local(str(error))), err=True)
    return {name: Path(file) for name, file in found.items() if file is not None}


def _installed(name: str | None) -> Any:
    """The benchmark of that name in an installed package, if it has one; None otherwise."""
    from toolgauge.benchmarks.registry import find_benchmark, installed

    return find_benchmark(name) if name is not None and name in installed() else None


def _flavour(name: str | None) -> Flavour | None:
    if name is not None and name not in ("wildtoolbench", "mmtb"):
        raise UsageError(_("--format {name!r} is not known; choose wildtoolbench or mmtb", name=name))
    return cast("Flavour | None", name)


def _known_language(language: str | None) -> None:
    if language not in (None, "en", "zh"):
        raise UsageError(_("--language {language!r} is not known; choose en or zh", language=language))


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
