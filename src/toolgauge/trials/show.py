"""What a trial found, in words and tables: for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from toolgauge.analysis.compare.content import Difference
from toolgauge.analysis.compare.sentences import (
    NOTHING,
    compared_sections,
    interval_text,
    p_text,
    percent,
    points,
    significant,
)
from toolgauge.analysis.decide import Better
from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.terminal import headed_table, plain
from toolgauge.report.exports.escaping import plain as escaped
from toolgauge.tools.variants import ToolVariant
from toolgauge.trials.report import RunOfTrial, TrialReport, VariantReport
from toolgauge.trials.trial_file import BASELINE
from toolgauge.visible import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAMED = 3
"""Tools that a change names."""
BESIDE = 6
"""Variants beside each other in a table."""
LISTED = 5
"""Rows of a table about one variant."""
WIDTH = 100
FIRST, WIDEST = 20, 40
"""Least characters of the first column, most of another one."""


class ShownTable(NamedTuple):
    """A table: what stands over its first column, its other columns, its rows."""

    heading: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def change_text(change: ToolVariant) -> str:
    """What a variant changes."""
    return ", ".join(_changes(change))


def verdict_text(variant: VariantReport) -> str:
    """What a variant did, in a sentence."""
    effect = variant.effect
    low, high = effect.ci95 or (None, None)
    what = change_text(variant.change)
    if variant.sessions < variant.run.sessions:
        what = f"{what} (in {variant.sessions:,} of {variant.run.sessions:,} sessions, which are compared)"
    over, least = _counted(variant.tasks, "task"), variant.smallest
    if variant.smallest is None:
        could = f"no difference could be significant in so few sessions ({variant.sessions:,})"
    else:
        could = f"the smallest difference that could be significant is {points(least).lstrip('+')} points"
    if not (effect.fixed or effect.broken or effect.difference):
        return f"{what}: nothing differs over {over}; {could}"
    measured = f"{points(effect.difference)} points, 95% interval {points(low)} to {points(high)}"
    if variant.outcome is Better.UNCLEAR:
        return f"{what}: no significant difference over {over}: {measured}; {could}"
    return f"{what}: {measured}"


def show_trial(report: TrialReport, console: Console) -> None:
    """Print a report."""
    console.print(_heading(report), style="bold", highlight=False)
    for sheet in _sheets(report):
        console.print()
        console.print(_table(sheet, min(WIDTH, console.width)))
    console.print()
    for variant in report.variants:
        said = f"{variant.name}: {verdict_text(variant)}"
        style = None if variant.outcome is Better.UNCLEAR else "bold"
        console.print(said, style=style, highlight=False, soft_wrap=True)
    console.print(_method(), style="dim", highlight=False)


def trial_markdown(report: TrialReport) -> str:
    """A report in GitHub's Markdown."""
    lines = [f"## {escaped(_heading(report), 400)}", ""]
    lines += [f"- **{escaped(variant.name)}**: {escaped(verdict_text(variant), 1000)}" for variant in report.variants]
    for sheet in _sheets(report):
        head = [escaped(text) for text in (sheet.heading, *sheet.columns)]
        lines += ["", _row(head), _row(["---", *("---:" for _column in sheet.columns)])]
        lines += [_row([escaped(cell) for cell in row]) for row in sheet.rows]
    return "\n".join([*lines, "", escaped(_method(), 1000), ""])


def _heading(report: TrialReport) -> str:
    scoring = scoring_text(report.scoring)
    return f"Trial of tools · {report.benchmark} · {report.language} · {report.model} · scoring: {scoring}"


def _method() -> str:
    return (
        "Differences: variant minus baseline over the tasks of the sessions that it changes, in percentage points; p "
        "is corrected for all variants of the trial (Holm). * p < 0.05, corrected within the variant's table only."
    )


def _changes(change: ToolVariant) -> Iterator[str]:
    if texts := [*change.descriptions, *(tool.name for tool in change.edited)]:
        yield f"changed description of {_named(texts)}"
    if change.rename:
        yield f"renamed {_named([f'{old} → {new}' for old, new in change.rename.items()])}"
    if change.distractors:
        alike = "" if change.similar is None else f" {'like' if change.similar else 'unlike'} the session's tools"
        yield f"{_counted(change.distractors, 'distractor')}{alike}"
    if change.offered:
        yield f"{_counted(change.offered, 'tool')} on offer"
    if change.search:
        yield "tools found by search"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name, 60) for name in names[:NAMED])
    if len(names) <= NAMED:
        return shown
    return f"{shown} and {len(names) - NAMED:,} more"


def _sheets(report: TrialReport) -> Iterator[ShownTable]:
    baseline, variants = report.baseline, report.variants
    alone = (BASELINE, f"{baseline.scored:,}", percent(baseline.rate.value), *(NOTHING,) * 5)
    headings: tuple[str, ...] = ("tasks", "accuracy", "difference", "95% interval", "p (Holm)", "fixed", "broken")
    yield ShownTable("Variant", headings, [alone, *map(_effect, variants)])
    headings = ("tools", "their tokens", "each", "replies per task", "input tokens per task")
    offers = [(BASELINE, *_offered(baseline)), *((variant.name, *_offered(variant.run)) for variant in variants)]
    yield ShownTable("On offer", headings, offers)
    for variant in variants:
        if tools := variant.definitions[:LISTED]:
            sizes = [(one_line(tool.name, 60), f"{tool.before:,}", f"{tool.after:,}") for tool in tools]
            yield ShownTable(f"Tokens of definitions in {variant.name}", ("before", "after"), sizes)
    yield from _differences(report)
    for variant in variants:
        if pairs := [pair for pair in variant.confusions if pair.baseline != pair.variant][:LISTED]:
            called = [
                (one_line(pair.called, 60), one_line(", ".join(pair.expected), 60) or NOTHING, f"{pair.baseline:,}",
                 f"{pair.variant:,}")
                for pair in pairs
            ]  # fmt: skip
            yield ShownTable(f"Called in {variant.name}", ("annotated", "before", "after"), called)


def _effect(variant: VariantReport) -> tuple[str, ...]:
    effect = variant.effect
    changed = (NOTHING if count is None else f"{count:,}" for count in (effect.fixed, effect.broken))
    difference = points(effect.difference), interval_text(effect.ci95), p_text(variant.p_holm)
    return variant.name, f"{variant.tasks:,}", percent(effect.b), *difference, *changed


def _differences(report: TrialReport) -> Iterator[ShownTable]:
    """Tables of rates with a column per variant; rows in which nothing changed are left out."""

    def signed(entry: Difference | None) -> str:  # with a star where it is sure looked at alone
        return NOTHING if entry is None else points(entry.difference) + (" *" if significant(entry) else "")

    headings: dict[str, str] = {}
    rows: dict[tuple[str, str], dict[str, Difference]] = {}
    for variant in report.variants:
        tables = variant.comparison.scorings[report.scoring].tables
        for section in compared_sections(variant.comparison, report.scoring, "en"):
            for table, row, heading in section.rows:
                headings[section.key] = section.heading
                rows.setdefault((section.key, heading), {})[variant.name] = tables[table][row]
    every = [variant.name for variant in report.variants]
    blocks = [tuple(every[start : start + BESIDE]) for start in range(0, len(every), BESIDE)]
    for (key, title), names in product(headings.items(), blocks):
        shown = [
            (heading, *(signed(entries.get(name)) for name in names))
            for (section_key, heading), entries in rows.items()
            if section_key == key and any(one.difference for one in entries.values())
        ]
        if shown:
            yield ShownTable(f"{title}, differences", names, shown)


def _offered(run: RunOfTrial) -> tuple[str, ...]:
    offer = run.offer
    tools = f"{offer.fewest}" if offer.fewest == offer.most else f"{offer.fewest}–{offer.most}"
    replies = NOTHING if run.replies is None else f"{run.replies:.2f}"
    tokens = f"{offer.tokens:,.0f}", f"{offer.tokens_per_tool:,.0f}"
    return tools, *tokens, replies, NOTHING if run.input_tokens is None else f"{run.input_tokens:,.0f}"


def _table(sheet: ShownTable, width: int) -> Table:
    table = headed_table(sheet.heading)
    for column in sheet.columns:
        table.add_column(str(column), justify="right", max_width=WIDEST)
    for row in sheet.rows:
        table.add_row(*map(plain, row))
    table.columns[0].min_width = FIRST
    table.width = width
    return table


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
