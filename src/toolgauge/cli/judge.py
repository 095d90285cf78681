"""`toolgauge judge FOLDER -m MODEL`: a model judges the conversations of a run, or of a log that was imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.options import ModelName, with_groups
from toolgauge.cli.output import tell
from toolgauge.cli.progress import Bar
from toolgauge.cli.terminal import console, echo
from toolgauge.judging.options import JudgeOptions

if TYPE_CHECKING:
    from toolgauge.analysis.judgments import Judged
    from toolgauge.judging.benchmark_judge import BenchmarkJudging
    from toolgauge.judging.result import JudgingResult
    from toolgauge.judging.spec import JudgingPlan
    from toolgauge.runs.options import Limits

SHOWN = 3
"""Reasons for what was left out, and objections as examples, that are printed."""
LONGEST = 160


@with_groups
def judge(
    folder: Annotated[
        Path, typer.Argument(metavar="RUN|IMPORTED", help="A run directory, or a folder of `toolgauge data import`.")
    ],
    model: Annotated[str, ModelName],
    *,
    options: JudgeOptions,
) -> None:
    """\b
    toolgauge judge runs/mini/en/openai_gpt-5 -m anthropic/claude-opus-4-5
    toolgauge judge imported -m openai/gpt-5 --limit 50

    Have a model judge recorded conversations, a request for each task: values that nobody gave, replies that contradict
    results, wishes that were not met, work done twice. Where the benchmark of a run has a judge of its own, that one is
    asked again, over the recorded replies. The same command continues. `score`, pages and the review show
    judgments.jsonl.
    """
    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.judging.spec import plan_judging

    warn_of_open_keys(options.endpoint)
    plan = plan_judging(folder, model, options)
    finish(ask_judge(plan, options.limits))


def ask_judge(plan: JudgingPlan | BenchmarkJudging, limits: Limits) -> JudgingResult:
    """Carry a plan out under a progress bar."""
    from toolgauge.cli.endpoints import tell_endpoints
    from toolgauge.judging.spec import carry_out_judging

    tell_endpoints([plan.model])
    with _Progress(plan) as bar:
        return carry_out_judging(
            plan,
            limits.concurrency,
            **limits.keywords,
            listener=bar,
            probing=_ignore if limits.probe else None,
            stop_on_interrupt=True,
        )


def finish(result: JudgingResult) -> None:
    """Print what the judge says and what is missing; exit code 1 where something is, or nothing was judged."""
    from toolgauge.analysis.terminal import plain
    from toolgauge.cli.show import report_unfinished, spent_line

    for note in result.notes:
        echo(note, err=True)
    show_judged(result.folder, result.judge)
    for judgment in [judgment for judgment in result.judgments if not judgment.is_right][:SHOWN]:
        text = f"e.g. {judgment.task}: {judgment.objections[0][:LONGEST]}"
        console().print(plain(text), style="dim", highlight=False)
    if result.left_out:
        reasons = [f"{why[:LONGEST]} ({count:,})" for why, count in result.left_out.items()]
        echo(f"Not judged: {sum(result.left_out.values()):,} conversations: {'; '.join(reasons[:SHOWN])}", err=True)
    echo(spent_line(result))
    echo(f"Files: {result.folder} (judgments.jsonl)")
    if result.run is not None:
        echo(f"Next: toolgauge compare {result.folder} {result.run}")
    report_unfinished(result.run or result.folder, result.outcome)
    if not result.judgments:
        raise typer.Exit(1)


def show_judged(folder: Path, judge: str | None = None) -> None:
    """Print what judges say of the conversations in a folder; nothing where there are no judgements."""
    from toolgauge.analysis.judgments import judged, read_judgments
    from toolgauge.runs.manifest import MANIFEST

    judgments = [judgment for judgment in read_judgments(folder) if judge in (None, judgment.judge)]
    if not judgments:
        return
    if (folder / MANIFEST).exists():
        from toolgauge.results import open_run

        run = open_run(folder, tell=tell)
        tables = judged(judgments, run.scores, run.benchmark.headline)
    else:
        tables = judged(judgments)
    for table in tables:
        _show(table)


def _show(table: Judged) -> None:
    from toolgauge.analysis.terminal import headed_table

    printed = headed_table(f"judged by {table.judge}: {table.tasks:,} tasks")
    for column in ("tasks", "of", "share", "95% interval"):
        printed.add_column(column, justify="right")
    for title, rate in table.rows:
        share = "–" if rate.value is None else f"{rate.value:.1%}"
        ends = "–" if rate.ci95 is None else f"{rate.ci95[0]:.1%} to {rate.ci95[1]:.1%}"
        style = "" if rate.correct else "dim"
        printed.add_row(str(title), f"{rate.correct:,}", f"{rate.total:,}", share, ends, style=style)
    console().print(printed)
    if table.agreed:
        echo(table.agreed)


class _Progress(Bar):
    """Conversations that are judged."""

    def __init__(self, plan: JudgingPlan | BenchmarkJudging) -> None:
        super().__init__(len(plan.recorded))
        self._judge = plan.model.name

    def opening(self) -> str:
        done = f", {self.earlier:,} already done" if self.earlier else ""
        return f"{self.total:,} conversation{'' if self.total == 1 else 's'} for the judge {self._judge}{done}"

    def name(self) -> str:
        return "judged"


def _ignore(_result: object) -> None:
    """A judge answers in words: that an endpoint answers at all is enough."""
