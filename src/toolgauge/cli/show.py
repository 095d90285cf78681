"""The tables of a run in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgauge.cli.language import interface_language
from toolgauge.cli.terminal import console
from toolgauge.errors import UsageError
from toolgauge.locale import _

if TYPE_CHECKING:
    from toolgauge.analysis.numbers import Metrics
    from toolgauge.benchmarks.benchmark import Benchmark


def known_reading(benchmark: Benchmark, reading: str | None) -> str:
    """The reading to show first: the one asked for, else the benchmark's headline; raises UsageError."""
    if reading is None:
        return benchmark.headline
    if reading not in benchmark.readings:
        raise UsageError(
            _(
                "--reading {reading!r}: {benchmark} has {readings}",
                reading=reading,
                benchmark=benchmark.name,
                readings=list(benchmark.readings),
            )
        )
    return reading


def show_metrics(metrics: Metrics, benchmark: Benchmark, reading: str | None) -> None:
    """Print the paper's kind of tables in the language of the terminal, and the main figures in a last line."""
    from toolgauge.analysis.show import show, summary_line

    first, language, shown = known_reading(benchmark, reading), interface_language(), console()
    show(metrics, first, shown, language)
    shown.print(summary_line(metrics, first, language))


def show_summary(name: str, metrics: Metrics, benchmark: Benchmark, reading: str | None) -> None:
    """Print the main figures of one of several runs, behind its name, and what is to be known about them."""
    from toolgauge.analysis.notes import notes
    from toolgauge.analysis.show import summary_line
    from toolgauge.analysis.terminal import note_lines, plain

    shown, language = console(), interface_language()
    shown.print(plain(name), style="bold", highlight=False)
    shown.print(summary_line(metrics, known_reading(benchmark, reading), language), highlight=False)
    for line, style in note_lines(notes(metrics), language):
        shown.print(plain(line), style=style, highlight=False)
