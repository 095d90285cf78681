"""What a run's page says in tables that hold no rates: effort, latency, and how much the reading matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolgauge.analysis.effort import AMOUNTS
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.sensitivity import OnlyIn, ReadingPair
from toolgauge.analysis.titles import note, sentence, title

NOTHING = "–"
DOLLARS = "dollars"


class SummaryTable(NamedTuple):
    """A table of texts: headings of the columns, then rows of as many cells, the first the row's own heading.

    key: its name in either language; note: a sentence about what is counted, or nothing.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: str
    note: str = ""


def listings(metrics: Metrics, reading: str, language: str) -> list[SummaryTable]:
    """The tables that hold no rates, in their order, without empty ones."""
    found = [*_effort(metrics, reading, language), *_sensitivity(metrics, reading, language)]
    return [listing for listing in found if listing.rows]


def effort_line(metrics: Metrics, language: str) -> str | None:
    """What a task took on average, in a sentence; None where there is nothing to say."""
    amounts = metrics.effort.amounts
    said = [
        title(f"effort_{name}", language).format(_number(amounts[name].per_task, name))
        for name in ("steps", "input_tokens", "output_tokens", "seconds", DOLLARS)
        if name in amounts and amounts[name].per_task
    ]
    return sentence("effort_line", language, {"amounts": title("and", language).join(said)}) if said else None


def _effort(metrics: Metrics, reading: str, language: str) -> Iterator[SummaryTable]:
    effort = metrics.effort
    if not effort.tasks:
        return
    columns = ("per_task", "per_correct_task", "total")
    amounts = effort.amounts
    rows = [
        (
            title(name, language),
            _number(amounts[name].per_task, name),
            _number(amounts[name].per_correct_task.get(reading), name),
            _number(amounts[name].total, name),
        )
        for name in AMOUNTS
        if amounts[name].total is not None
    ]
    yield _listing("effort", columns, rows, language)
    measures = ("mean", "p50", "p95")
    latencies = [
        (title(name, language), *(_number(getattr(latency, measure), "seconds") for measure in measures))
        for name, latency in effort.latency.by_name().items()
        if latency.mean is not None
    ]
    yield _listing("latency", measures, latencies, language)


def _listing(key: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], language: str) -> SummaryTable:
    headings = ("", *(title(column, language) for column in columns))
    return SummaryTable(title(key, language), headings, tuple(rows), key, note(key, language))


def _sensitivity(metrics: Metrics, reading: str, language: str) -> Iterator[SummaryTable]:
    """A table for every other reading; kinds of task without a difference are left out."""
    for pair in metrics.sensitivity:
        kind = title(layout_of(metrics.benchmark).task_word, language)
        one, other = pair.readings
        if reading not in (one, other):
            continue
        only = title("only_in", language)
        counted: dict[str, OnlyIn | ReadingPair] = {"all": pair, **pair.by_kind}
        rows = [
            (
                title(name, language),
                f"{counts.compared:,}",
                *(f"{number:,}" for number in counts.correct_only_in.values()),
            )
            for name, counts in counted.items()
            if name == "all" or any(counts.correct_only_in.values())
        ]
        yield SummaryTable(
            title("sensitivity", language).format(one, other),
            (kind, title("compared", language), only.format(one), only.format(other)),
            tuple(rows),
            f"sensitivity_{one}_{other}",
            note("sensitivity", language),
        )


def _number(number: float | None, name: str) -> str:
    """A number as a cell: three digits that say something, whole ones from a hundred on; dollars to the cent and
    below."""
    if number is None:
        return NOTHING
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.2f}" if name == DOLLARS and number else f"{number:,.0f}"
    if abs(number) >= 1:
        return f"{number:.2f}"
    return f"{number:.4f}" if name == DOLLARS and number < 0.1 else f"{number:.3f}"
