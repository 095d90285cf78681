"""`toolgauge analyse RUN...`: what a model loses its points with, where, and examples to open."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.output import Data, Json, Overwrite, Scoring, tell, write_json
from toolgauge.cli.terminal import console

if TYPE_CHECKING:
    from toolgauge.analysis.causes.show import Analysed
    from toolgauge.report.page import RunEntry


def analyse(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories, of any benchmark.")],
    scoring: Scoring = None,
    top: Annotated[int, typer.Option(min=1, help="How many failure causes to show in full.")] = 3,
    json: Json = None,
    data: Data = None,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge analyse runs/mini/en/builtin_noisy
    toolgauge analyse runs/before runs/after --top 5

    Show the main failure causes of each run in points, where they concentrate, and examples to open.
    """
    from toolgauge.analysis.causes.show import show_losses, show_matrix
    from toolgauge.report.page import entries_of
    from toolgauge.results import open_runs

    entries = entries_of(open_runs(runs, data, tell))
    terminal = console()
    analysed = [_analysed(entry, scoring, top) for entry in entries]
    for result in analysed:
        show_losses(result, terminal, top)
    if len(analysed) > 1:
        show_matrix(analysed, terminal)
    if json is not None:
        write_json(json, _content(entries, analysed), runs, overwrite)


def _analysed(entry: RunEntry, scoring: str | None, top: int) -> Analysed:
    from toolgauge.analysis.causes.show import Analysed
    from toolgauge.analysis.notes import notes
    from toolgauge.analysis.reports import find_examples, find_losses
    from toolgauge.benchmarks.registry import reason_texts
    from toolgauge.cli.show import known_scoring
    from toolgauge.visible import one_line

    run = entry.run
    dataset: object = run.dataset
    losses = find_losses(run.benchmark, dataset, run.scores, known_scoring(run.benchmark, scoring))
    examples = find_examples(run.benchmark, dataset, losses, top, run.trajectories())
    first = losses.losses[0].examples[0] if losses.losses else ""
    page = f"runs/{entry.slug}-task.html#{first}"
    missing = run.metrics.missing
    command = f"toolgauge view {shlex.quote(one_line(str(run.folder), 200))}"
    remark, texts = run.benchmark.report().layout.remark, reason_texts(run.benchmark, "en")
    what = (entry.label, entry.benchmark, entry.language)
    return Analysed(*what, missing, losses, examples, command, page, texts, remark, notes(run.metrics))


def _content(entries: tuple[RunEntry, ...], analysed: list[Analysed]) -> bytes:
    import msgspec

    from toolgauge.runs.lines import encode

    content = [
        {
            "run": str(entry.run.folder),
            "model": entry.run.model,
            "benchmark": result.benchmark,
            "language": result.language,
        }
        | {
            "missing": result.missing,
            **msgspec.to_builtins(result.losses),
            "details": msgspec.to_builtins(dict(result.examples)),
        }
        for entry, result in zip(entries, analysed, strict=True)
    ]
    return encode({"version": 1, "runs": content})
