"""`toolgauge compare`: what changed from one run to another, task by task, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolgauge.cli.output import Data, Json, Overwrite, Scoring, tell, write_json
from toolgauge.cli.terminal import console, echo


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN|FILE...", help="Run directories, or files of results; the first is the base."),
    ],
    scoring: Scoring = None,
    data: Data = None,
    json: Json = None,
    same_model: Annotated[
        bool,
        typer.Option("--same-model", help="Runs of one model (two checkpoints): report fixed and broken tasks."),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every row and the tasks that changed, not only significant differences.")
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge compare runs/before runs/after
    toolgauge compare mine.csv theirs.json

    Compare runs with the first one: which is better, and the rows that differ significantly.
    """
    import msgspec

    from toolgauge.analysis.compare.content import RESULTS
    from toolgauge.analysis.compare.show import show_comparison
    from toolgauge.api import compare as compare_all
    from toolgauge.errors import UsageError

    if len(runs) < 2:
        raise UsageError("compare needs at least two run directories; the others are compared with the first")
    content = compare_all(*runs, data=data, same_model=same_model, scoring=scoring, tell=tell)
    if content.comparisons[0].tables == RESULTS:
        scoring = None
    terminal = console()
    for number, comparison in enumerate(content.comparisons, 1):
        first = scoring or comparison.headline
        if first not in comparison.scorings:
            common = ", ".join(comparison.scorings)
            raise UsageError(f"--scoring {first!r}: {runs[0]} and {runs[number]} have only {common} in common")
    if json is not None:
        write_json(json, msgspec.json.encode(content), [run for run in runs if not run.is_file()], overwrite)
    for number, comparison in enumerate(content.comparisons, 1):
        if number > 1:
            terminal.rule(style="dim")
        other = chr(ord("A") + number) if number < 26 else f"B{number}"
        show_comparison(comparison, scoring or comparison.headline, terminal, other, everything)
    if json is not None:
        echo(f"Written: {json}")
