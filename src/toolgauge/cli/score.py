"""`toolgauge score`: score a run directory again, or a prediction file of the original projects. Needs no model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolgauge.cli.output import Corrections, Overwrite, tell
from toolgauge.cli.terminal import echo
from toolgauge.locale import _


def score(
    run: Annotated[Path | None, typer.Argument(help="A run directory.")] = None,
    benchmark: Annotated[str | None, typer.Option(help="With --predictions: the benchmark of the result file.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data file or folder, if it is not the public one or has moved.")
    ] = None,
    corrections: Corrections = None,
    predictions: Annotated[
        Path | None, typer.Option(help="A result file of the original project, or a model's folder of them.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="en (default) or zh, with --predictions.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results (with --predictions).")] = None,
    reading: Annotated[
        str | None, typer.Option(help="Which reading to show: exact, released, or another of the benchmark's.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never fetch data.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """Score what was said, in all readings at once, and print the tables."""
    from toolgauge.api import score as score_all
    from toolgauge.benchmarks.registry import find_benchmark
    from toolgauge.cli.language import local
    from toolgauge.cli.show import known_reading, show_metrics
    from toolgauge.errors import UsageError
    from toolgauge.runs.manifest import read_manifest

    if run is not None:
        given = {"--out": out, "--language": language, "--predictions": predictions, "--benchmark": benchmark}
        if extra := [option for option, value in given.items() if value is not None]:
            raise UsageError(
                _("{extra} goes with a result file; a run directory is scored as it is, where it is", extra=extra[0])
            )
    name = str(read_manifest(run).benchmark) if run else benchmark
    if name is None:
        raise UsageError(_("score needs a run directory, or --benchmark with --predictions and --out"))
    what = find_benchmark(name)
    known_reading(what, reading)
    metrics = score_all(
        run,
        benchmark=benchmark,
        data=data,
        corrections=corrections,
        predictions=predictions,
        language=language or "en",
        out=out,
        offline=offline,
        overwrite=overwrite,
        tell=tell,
    )
    if not metrics.readings:
        raise UsageError(
            _("{predictions}: holds nothing to score, no task of it is finished", predictions=predictions or run)
        )
    show_metrics(metrics, what, reading)
    if agreement := metrics.agreement:
        said = _(
            "Names of calls: judged as recorded in the result file in {same:,} of {compared:,} tasks",
            same=agreement.same,
            compared=agreement.compared,
        )
        echo(local(said))
    echo(local(_("Files: {folder}", folder=run or out)))
