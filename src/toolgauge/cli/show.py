"""What a run came to, in the terminal: the answer in a few lines, and the papers' tables when they are asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from toolgauge.cli.terminal import console, echo
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import EXACT
from toolgauge.options import guess
from toolgauge.runs.budget import Spent
from toolgauge.runs.executors.executor import RunOutcome

if TYPE_CHECKING:
    from toolgauge.analysis.numbers import Metrics
    from toolgauge.benchmarks.benchmark import Benchmark
    from toolgauge.runs.executors.executor import RunOutcome


CAUSES = 3
LONGEST_REASON = 300
ALL = "all"


def known_scoring(benchmark: Benchmark, scoring: str | None) -> str:
    """The scoring to show first: the one asked for, else the benchmark's headline; raises UsageError."""
    if scoring is None:
        return benchmark.headline
    if scoring not in benchmark.scorings:
        choices = f"{guess(scoring, benchmark.scorings)} (known: {', '.join(benchmark.scorings)})"
        raise UsageError(f"--scoring: unknown scoring {scoring!r} of {benchmark.name}{choices}")
    return scoring


def show_tables(metrics: Metrics, benchmark: Benchmark, scoring: str | None, names: str) -> None:
    """Print tables of the papers' kind; names: their keys, separated by commas, or "all". Raises UsageError."""
    from toolgauge.analysis.show import show, summary_line

    first, terminal = known_scoring(benchmark, scoring), console()
    if names == ALL:
        show(metrics, first, terminal)
        terminal.print(summary_line(metrics, first))
    else:
        show(metrics, first, terminal, names=[name.strip() for name in names.split(",")])


def show_answer(metrics: Metrics, benchmark: Benchmark, scoring: str | None, name: str = "") -> None:
    """Print the main rates with their intervals, what to beware of, and why most tasks failed (by `exact`).

    name: of one of several runs.
    """
    from toolgauge.analysis.notes import notes
    from toolgauge.analysis.show import summary_line
    from toolgauge.analysis.terminal import note_lines, plain

    terminal, first = console(), known_scoring(benchmark, scoring)
    if name:
        terminal.print(plain(name), style="bold", highlight=False)
    terminal.print(summary_line(metrics, first), highlight=False)
    if first != EXACT and EXACT in metrics.scorings:
        terminal.print(summary_line(metrics, EXACT), style="dim", highlight=False)
    if causes := _main_causes(metrics):
        terminal.print(plain(causes), highlight=False)
    for line, style in note_lines(notes(metrics)):
        terminal.print(plain(line), style=style, highlight=False)


def _main_causes(metrics: Metrics) -> str:
    """The most frequent mistakes of wrong tasks, "" where there are none."""
    from toolgauge.analysis.titles import title

    tables = metrics.scorings.get(EXACT) or metrics.scorings.get(str(metrics.headline)) or {}
    counts = {name: rate.correct for name, rate in tables.get("mistakes", {}).items() if rate.correct}
    if not counts:
        return ""
    most = sorted(counts, key=lambda name: -counts[name])[:CAUSES]
    wrong = sum(counts.values())
    causes = ", ".join(f"{title(name, 'en')} {counts[name]:,}" for name in most)
    return f"Main causes of {wrong:,} wrong task{'s' if wrong > 1 else ''}: {causes}"


def show_missing(folder: Path) -> None:
    """Print how many conversations of a run are not done, and for each who is to blame the most frequent reason."""
    from toolgauge.reasons import Blame
    from toolgauge.runs.scored import read_failures

    by_blame: dict[Blame, Counter[str]] = defaultdict(Counter)
    for failure in read_failures(folder).values():
        by_blame[failure.blame][failure.reason] += 1
    total = sum(reasons.total() for reasons in by_blame.values())
    if not total:
        return
    plural = "s" if total > 1 else ""
    echo(f"Missing: {total:,} conversation{plural}, excluded from all rates; the same command asks again:", err=True)
    for blame, reasons in by_blame.items():
        reason = reasons.most_common(1)[0][0]
        short = reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "..."
        more = f" ({len(reasons) - 1:,} other reasons in failures.jsonl)" if len(reasons) > 1 else ""
        echo(f"  {reasons.total():,} ({blame}): {short}{more}", err=True)
        if blame is Blame.CONTEXT:
            echo("  Serve the model with a longer context first (`toolgauge serve --context-length N`).", err=True)


def report_unfinished(folder: Path, outcome: RunOutcome) -> None:
    """Say what of a run or a generation is missing and why, and end the program with that where there is anything."""
    from toolgauge.signals import EndedInOrder

    if outcome.stopped:
        echo(f"Stopped early: {outcome.stopped}. The same command continues.", err=True)
    if outcome.missing:
        show_missing(folder)
    if outcome.interrupted and outcome.stopped:
        raise EndedInOrder
    if outcome.stopped or outcome.missing:
        raise typer.Exit(1)


class Result(Protocol):
    """tokens, cost: of all commands; earlier: of those before this one."""

    @property
    def outcome(self) -> RunOutcome: ...
    @property
    def tokens(self) -> int: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def earlier(self) -> Spent: ...


def spent_line(result: Result) -> str:
    """Tokens, dollars and seconds. Seconds of earlier commands are not kept, so they are those of this one."""
    before = result.earlier
    cost = None if result.cost is None or before.cost is None else result.cost - before.cost
    now = f"{result.tokens - before.tokens:,} tokens{dollars(cost)}, {result.outcome.seconds:.1f} s"
    if not before.tokens:
        return now
    return f"This command: {now}; with earlier ones: {result.tokens:,} tokens{dollars(result.cost)}"


def dollars(cost: float | None) -> str:
    """What stands behind tokens, if it is known."""
    return f", ${cost:.2f}" if cost else ""
