"""`toolgauge score`: score a run directory again, or prediction files of the original projects. Needs no model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.output import Corrections, Overwrite, Scoring, tell
from toolgauge.cli.terminal import echo
from toolgauge.errors import ToolgaugeError, UsageError

if TYPE_CHECKING:
    from toolgauge.analysis.numbers import Metrics
    from toolgauge.benchmarks.benchmark import Benchmark
    from toolgauge.runs.recordings import Recording


def score(
    run: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN", help="A run directory; a folder of `data import`; with --predictions, more result files."
        ),
    ] = None,
    benchmark: Annotated[str | None, typer.Option(help="With --predictions: the benchmark of the result file.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data file or folder, if it is not the public one or has moved.")
    ] = None,
    corrections: Corrections = None,
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="<path>...",
            help="A result file of the original project, a model's folder of them, or a folder of either; several in a "
            "row.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="With --predictions: the model's name, if it is not the file's; once for each of several files."
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="With --predictions: en or zh, if the results do not say it.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="With --predictions: folder for the results; for those of several files a folder in it each. With "
            "--dialect: folder for the new run."
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            help="Read the recorded texts of a run again as this dialect does, into --out (docs/models.md#dialects)."
        ),
    ] = None,
    scoring: Scoring = None,
    tables: Annotated[
        str | None, typer.Option(metavar="NAME|all", help="Print these tables, by their names with commas, or all.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never fetch data.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge score runs/mini/en/builtin_noisy --tables all
    toolgauge score --benchmark mini --predictions model.jsonl --out scored

    Score recorded replies by all scorings at once; --tables prints the papers' tables.
    """
    from toolgauge.api import score as score_folder
    from toolgauge.benchmarks.registry import find_benchmark
    from toolgauge.cli.show import known_scoring
    from toolgauge.runs.corrections import named_corrections
    from toolgauge.runs.plan import find_data
    from toolgauge.runs.recordings import data_of, recordings, result_files, score_recording

    if (log := _log(run or [])) is not None:
        options = (benchmark, data, corrections, predictions, name, language, out, dialect, scoring, tables)
        _score_log(log, any(options), overwrite)
        return
    given = {
        "--out": None if dialect else out,
        "--language": language,
        "--predictions": predictions,
        "--benchmark": benchmark,
        "--name": name,
    }
    folder = _run_directory(run or [], [option for option, value in given.items() if value])
    if folder is not None:
        again = partial(score_folder, folder, data=data, corrections=corrections, dialect=dialect, tell=tell)
        _score_run(folder, partial(again, out=out, overwrite=overwrite), scoring, tables, out or folder)
        return
    if dialect is not None:
        raise UsageError("--dialect needs a run directory")
    if benchmark is None or not predictions or out is None:
        raise UsageError("score needs a run directory, or --benchmark with --predictions and --out")
    what = find_benchmark(benchmark)
    known_scoring(what, scoring)
    results = recordings(result_files(what, _listed([*predictions, *(run or [])])), name or [], out)
    if not any(recording.file.exists() for recording in results):  # told before any data are fetched
        raise UsageError(f"--predictions {results[0].file}: file not found")
    file = find_data(what, data, offline)
    correct = None if corrections is None else named_corrections(what, corrections)

    def score_one(recording: Recording) -> Metrics:
        return score_recording(
            what, data_of(what, recording, file, language, tell), recording, overwrite, tell, correct
        )

    if len(results) > 1:
        _score_several(what, score_one, results, scoring)
    else:
        _show(what, _judged(score_one(results[0]), results[0].file), scoring, tables, results[0].out)


def _log(paths: Sequence[Path]) -> Path | None:
    """The file of imported conversations that is to be checked; None where there is none."""
    from toolgauge.logs.files import conversations_at

    return conversations_at(paths[0]) if len(paths) == 1 else None


def _score_log(log: Path, has_options: bool, overwrite: bool) -> None:
    """Conversations without gold: what can be said of them, and no accuracy."""
    from toolgauge.cli.judge import show_judged
    from toolgauge.cli.terminal import console
    from toolgauge.logs.check_tables import FINDINGS, TABLES, check_log, show_checks

    if has_options:
        raise UsageError(f"{log}: recorded conversations have no annotation; only --overwrite goes with them")
    show_checks(check_log(log, overwrite), console())
    show_judged(log.parent)
    echo(f"Files: {log.parent}")
    echo(f"  {FINDINGS}, {TABLES}")


def _run_directory(paths: Sequence[Path], others: Sequence[str]) -> Path | None:
    """The one run directory that is to be scored; None where result files are.

    others: the options that go with result files. Raises UsageError where both are meant, or several run directories.
    """
    from toolgauge.runs.manifest import MANIFEST

    if not paths or ("--predictions" in others and not any(os.path.lexists(path / MANIFEST) for path in paths)):
        return None
    if others:
        raise UsageError(f"{others[0]} goes with --predictions, not with a run directory")
    if len(paths) > 1:
        raise UsageError(f"score takes one run directory, not {len(paths)}")
    return paths[0]


def _listed(paths: Sequence[Path]) -> list[Path]:
    """What the paths name: several may stand in one with commas between them, unless there is a file of that name."""
    files: list[Path] = []
    for path in paths:
        parts = [] if os.path.lexists(path) else [part.strip() for part in str(path).split(",")]
        files += [Path(part) for part in parts if part] or [path]
    return files


def _score_run(
    folder: Path, score_it: Callable[[], Metrics], scoring: str | None, tables: str | None, out: Path
) -> None:
    from toolgauge.benchmarks.registry import find_benchmark
    from toolgauge.cli.judge import show_judged
    from toolgauge.cli.show import known_scoring
    from toolgauge.runs.manifest import read_manifest

    what = find_benchmark(str(read_manifest(folder).benchmark))
    known_scoring(what, scoring)
    _show(what, _judged(score_it(), out), scoring, tables, out)
    show_judged(out)


def _judged(metrics: Metrics, source: Path) -> Metrics:
    if not metrics.scorings:
        raise UsageError(f"{source}: nothing to score; no task is finished")
    return metrics


def _score_several(
    what: Benchmark, score_one: Callable[[Recording], Metrics], results: Sequence[Recording], scoring: str | None
) -> None:
    """A summary of each; a file that cannot be scored does not keep the others from it."""
    from toolgauge.cli.show import show_answer

    failed: list[ToolgaugeError] = []
    for recording in results:
        try:
            metrics = _judged(score_one(recording), recording.file)
        except ToolgaugeError as error:
            failed.append(error)
            echo(f"{recording.file}: not scored: {error.text}", err=True)
            continue
        show_answer(metrics, what, scoring, recording.name)
        _tell_files(metrics, recording.out)
    if failed:
        raise typer.Exit(1 if len(failed) < len(results) else max(error.exit_code for error in failed))


def _show(what: Benchmark, metrics: Metrics, scoring: str | None, tables: str | None, folder: Path) -> None:
    from toolgauge.cli.show import show_answer, show_tables

    if tables:
        show_tables(metrics, what, scoring, tables)
    else:
        show_answer(metrics, what, scoring)
    _tell_files(metrics, folder)


def _tell_files(metrics: Metrics, folder: Path) -> None:

    if agreement := metrics.agreement:
        lines = (
            f"Names of calls: judged as recorded in the result file in {agreement.same:,} of "
            f"{agreement.compared:,} task{'' if agreement.compared == 1 else 's'}"
        )
        echo(lines)
    echo(f"Files: {folder}")
