"""What a trial found, in words and tables: for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from toolgauge.analysis.compare.rows import Better, Difference
from toolgauge.analysis.compare.sentences import compared_sections, printable
from toolgauge.analysis.compare.show import NOTHING, p_text, percent, points
from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.terminal import headed_table, plain
from toolgauge.locale import Text, _, clauses, ngettext, translated
from toolgauge.report.exports.escaping import plain as escaped
from toolgauge.tools.variants import ToolVariant
from toolgauge.trials.report import Confusion, RunOfTrial, TrialReport, VariantReport
from toolgauge.trials.trial_file import BASELINE

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


class Sheet(NamedTuple):
    """A table: what stands over its first column, its other columns, its rows."""

    heading: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def change_text(change: ToolVariant) -> Text:
    """What a variant changes."""
    return clauses(list(_changes(change)))


def verdict_text(variant: VariantReport) -> Text:
    """What a variant did, in a sentence."""
    effect = variant.effect
    low, high = effect.ci95 or (None, None)
    said = _("{what}: {points} points, {level} interval {low} to {high}")
    if variant.outcome is Better.UNCLEAR:
        said = ngettext(
            "{what}: no difference that {count:,} task could show: {points} points, {level} interval {low} to {high}",
            "{what}: no difference that {count:,} tasks could show: {points} points, {level} interval {low} to {high}",
            count=variant.tasks,
        )
    what = change_text(variant.change)
    if variant.sessions < variant.run.sessions:
        some = _("{what} (in {count:,} of {all:,} sessions)", count=variant.sessions, all=variant.run.sessions)
        what = some.filled(what=what)
    return said.filled(
        what=what,
        points=points(effect.difference),
        low=points(low),
        high=points(high),
        level="95%",
    )


def show_trial(report: TrialReport, console: Console, language: str) -> None:
    """Print a report."""
    console.print(plain(translated(_heading(report), language)), style="bold", highlight=False)
    for sheet in _sheets(report, language):
        console.print()
        console.print(_table(sheet, min(WIDTH, console.width)))
    console.print()
    for variant in report.variants:
        said = f"{variant.name}: {translated(verdict_text(variant), language)}"
        style = None if variant.outcome is Better.UNCLEAR else "bold"
        console.print(plain(said), style=style, highlight=False, soft_wrap=True)
    console.print(translated(_method(), language), style="dim", highlight=False)


def trial_markdown(report: TrialReport, language: str) -> str:
    """A report in GitHub's Markdown."""
    lines = [f"## {escaped(translated(_heading(report), language), 400)}", ""]
    lines += [
        f"- **{escaped(variant.name)}**: {escaped(translated(verdict_text(variant), language), 1000)}"
        for variant in report.variants
    ]
    for sheet in _sheets(report, language):
        head = [escaped(text) for text in (sheet.heading, *sheet.columns)]
        lines += ["", _row(head), _row(["---", *("---:" for _column in sheet.columns)])]
        lines += [_row([escaped(cell) for cell in row]) for row in sheet.rows]
    return "\n".join([*lines, "", escaped(translated(_method(), language), 1000), ""])


def _heading(report: TrialReport) -> Text:
    return _(
        "Trial of tools · {benchmark} · {language} · {model} · scoring: {scoring}",
        benchmark=report.benchmark,
        language=report.language,
        model=report.model,
        scoring=scoring_text(report.reading),
    )


def _method() -> Text:
    return _(
        "Differences are variant minus baseline over the same tasks, in percentage points; p is corrected for all "
        "variants of the trial (Holm). * p below 0.05, corrected for the rows of that variant's "
        "table, not for the other variants."
    )


def _changes(change: ToolVariant) -> Iterator[Text]:
    if texts := [*change.descriptions, *(tool.name for tool in change.edited)]:
        yield _("changed description of {names}", names=_named(texts))
    if change.rename:
        yield _("renamed {names}", names=_named([f"{old} → {new}" for old, new in change.rename.items()]))
    if change.distractors and change.similar is None:
        yield ngettext("{count:,} distractor", "{count:,} distractors", count=change.distractors)
    elif change.distractors:
        like = ngettext(
            "{count:,} distractor like the session's tools", "{count:,} distractors like the session's tools"
        )
        unlike = ngettext("{count:,} distractor unlike them", "{count:,} distractors unlike them")
        yield (like if change.similar else unlike).filled(count=change.distractors)
    if change.offered:
        yield ngettext("{count:,} tool on offer", "{count:,} tools on offer", count=change.offered)
    if change.search:
        yield _("tools found by a search")


def _named(names: Sequence[str]) -> Text | str:
    shown = ", ".join(printable(name) for name in names[:NAMED])
    if len(names) <= NAMED:
        return shown
    return _("{names} and {count:,} more", names=shown, count=len(names) - NAMED)


def _sheets(report: TrialReport, language: str) -> Iterator[Sheet]:
    yield _effects(report, language)
    yield _offers(report, language)
    yield from _differences(report, language)
    columns = tuple(translated(text, language) for text in (_("annotated"), _("before"), _("after")))
    for variant in report.variants:
        changed = [one for one in variant.confusions if one.baseline != one.variant][:LISTED]
        if changed:
            heading = translated(_("Called in {name}", name=variant.name), language)
            yield Sheet(heading, columns, list(map(_confusion, changed)))


def _confusion(one: Confusion) -> tuple[str, ...]:
    expected = printable(", ".join(one.expected)) or NOTHING
    return printable(one.called), expected, f"{one.baseline:,}", f"{one.variant:,}"


def _effects(report: TrialReport, language: str) -> Sheet:
    headings = (
        _("accuracy"), _("difference"), _("{level} interval", level="95%"), _("p (Holm)"), _("fixed"), _("broken"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [(BASELINE, percent(report.baseline.rate.value), *(NOTHING,) * 5)]
    for one in report.variants:
        effect = one.effect
        bounds = NOTHING if effect.ci95 is None else f"{points(effect.ci95[0])} … {points(effect.ci95[1])}"
        counts = (NOTHING if count is None else f"{count:,}" for count in (effect.fixed, effect.broken))
        rows.append((one.name, percent(effect.b), points(effect.difference), bounds, p_text(one.p_holm), *counts))
    return Sheet(translated(_("Variant"), language), tuple(translated(text, language) for text in headings), rows)


def _offers(report: TrialReport, language: str) -> Sheet:
    """Tools on offer, and what they take."""
    headings = (_("tools"), _("their tokens"), _("replies per task"), _("input tokens per task"))
    rows = [(BASELINE, *_offered(report.baseline))]
    rows += [(one.name, *_offered(one.run)) for one in report.variants]
    return Sheet(translated(_("On offer"), language), tuple(translated(text, language) for text in headings), rows)


def _differences(report: TrialReport, language: str) -> Iterator[Sheet]:
    """Tables of rates with a column per variant; rows in which nothing changed are left out."""
    headings: dict[str, str] = {}
    rows: dict[tuple[str, str], dict[str, Difference]] = {}
    for variant in report.variants:
        tables = variant.comparison.readings[report.reading].tables
        for section in compared_sections(variant.comparison, report.reading, language):
            for table, row, heading in section.rows:
                headings[section.key] = section.heading
                rows.setdefault((section.key, heading), {})[variant.name] = tables[table][row]
    every = [variant.name for variant in report.variants]
    blocks = [tuple(every[start : start + BESIDE]) for start in range(0, len(every), BESIDE)]
    for (key, title), names in product(headings.items(), blocks):
        shown = [
            (heading, *(_signed(entries.get(name)) for name in names))
            for (section_key, heading), entries in rows.items()
            if section_key == key and any(one.difference for one in entries.values())
        ]
        if shown:
            yield Sheet(translated(_("{what}, differences", what=title), language), names, shown)


def _signed(entry: Difference | None) -> str:
    """A difference, with a star where it is sure looked at alone."""
    if entry is None:
        return NOTHING
    return points(entry.difference) + (" *" if entry.p_holm is not None and entry.p_holm < 0.05 else "")


def _offered(run: RunOfTrial) -> tuple[str, ...]:
    offer = run.offer
    tools = f"{offer.fewest}" if offer.fewest == offer.most else f"{offer.fewest}–{offer.most}"
    replies = NOTHING if run.replies is None else f"{run.replies:.2f}"
    return tools, f"{offer.tokens:,.0f}", replies, NOTHING if run.input_tokens is None else f"{run.input_tokens:,.0f}"


def _table(sheet: Sheet, width: int) -> Table:
    table = headed_table(sheet.heading)
    for column in sheet.columns:
        table.add_column(plain(column), justify="right", max_width=WIDEST)
    for row in sheet.rows:
        table.add_row(*map(plain, row))
    table.columns[0].min_width = FIRST
    table.width = width
    return table


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
