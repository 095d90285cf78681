"""What a run came to, in the terminal: the answer in a few lines, and the papers' tables when they are asked for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from toolgauge.cli.language import interface_language
from toolgauge.cli.terminal import console, echo
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import EXACT

if TYPE_CHECKING:
    from toolgauge.analysis.numbers import Metrics
    from toolgauge.benchmarks.benchmark import Benchmark

CAUSES = 3
REASONS = 3
LONGEST_REASON = 200
ALL = "all"


def known_reading(benchmark: Benchmark, reading: str | None) -> str:
    """The scoring to show first: the one asked for, else the benchmark's headline; raises UsageError."""
    if reading is None:
        return benchmark.headline
    if reading not in benchmark.readings:
        raise UsageError(f"--reading {reading!r}: {benchmark.name} has {', '.join(benchmark.readings)}")
    return reading


def show_tables(metrics: Metrics, benchmark: Benchmark, reading: str | None, names: str) -> None:
    """Print tables of the papers' kind; names: their keys, separated by commas, or "all". Raises UsageError."""
    from toolgauge.analysis.show import show

    wanted = None if names == ALL else [name.strip() for name in names.split(",")]
    show(metrics, known_reading(benchmark, reading), console(), interface_language(), wanted)


def show_answer(metrics: Metrics, benchmark: Benchmark, reading: str | None, name: str = "") -> None:
    """Print the main rates with their intervals, what to beware of, and why most tasks failed (by `exact`).

    name: of one of several runs.
    """
    from toolgauge.analysis.notes import notes
    from toolgauge.analysis.show import summary_line
    from toolgauge.analysis.terminal import note_lines, plain

    shown, language, first = console(), interface_language(), known_reading(benchmark, reading)
    if name:
        shown.print(plain(name), style="bold", highlight=False)
    shown.print(summary_line(metrics, first, language), highlight=False)
    if first != EXACT and EXACT in metrics.readings:
        shown.print(summary_line(metrics, EXACT, language), style="dim", highlight=False)
    if causes := _main_causes(metrics):
        shown.print(plain(causes), highlight=False)
    for line, style in note_lines([note for note in notes(metrics) if note.warns], language):
        shown.print(plain(line), style=style, highlight=False)


def _main_causes(metrics: Metrics) -> str:
    """The most frequent mistakes of wrong tasks, "" where there are none."""
    from toolgauge.analysis.titles import title

    tables = metrics.readings.get(EXACT) or metrics.readings.get(str(metrics.headline)) or {}
    counts = {name: rate.correct for name, rate in tables.get("mistakes", {}).items() if rate.correct}
    if not counts:
        return ""
    most = sorted(counts, key=lambda name: -counts[name])[:CAUSES]
    wrong = sum(counts.values())
    causes = ", ".join(f"{title(name, interface_language())} {counts[name]:,}" for name in most)
    return f"Main causes of {wrong:,} wrong task{'s' if wrong > 1 else ''}: {causes}"


def show_missing(folder: Path) -> None:
    """Print how many conversations of a run are not done, and why, the most frequent reasons first."""
    from toolgauge.runs.scored import read_failures

    failures = read_failures(folder)
    if not failures:
        return
    plural = "s" if len(failures) > 1 else ""
    echo(f"Missing: {len(failures):,} conversation{plural}, in no rate; the same command asks again:", err=True)
    reasons = Counter((failure.blame, failure.reason) for failure in failures.values())
    for (blame, reason), count in reasons.most_common(REASONS):
        short = reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "..."
        echo(f"  {count:,} ({blame}): {short}", err=True)
    if len(reasons) > REASONS:
        echo(f"  {len(reasons) - REASONS:,} other reasons in {folder / 'failures.jsonl'}", err=True)
