r"""Numbers as text: a summary in GitHub's Markdown, for a pull request (rates of runs side by side, losses, versions),
and rows of the papers' tables in LaTeX (`Model & 56.64 & ... \\`, under a comment that names the columns).

Rows have percentages with two decimals, or values from 0 to 1 with three, as the paper prints them. AP is the papers':
an argument error counts as complete progress.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import to_builtins

from toolgauge.analysis.causes import Loss
from toolgauge.analysis.causes.examples import ErrorExample
from toolgauge.analysis.causes.sentences import place_title, wrong_sentences
from toolgauge.analysis.compare.pairing import settings_of
from toolgauge.analysis.effort import RoleEffort
from toolgauge.analysis.glossary import scoring_name
from toolgauge.analysis.layout import sections_of
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Rate, Tables
from toolgauge.analysis.reports import find_examples, find_losses
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.locale import _, ngettext, translated
from toolgauge.models.model import Sampling
from toolgauge.reasons import ReasonTexts
from toolgauge.report.display import display_of
from toolgauge.report.exports.escaping import code, latex, plain
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.page import RunEntry, board_heading

TOP = 3
MOST_WRONG = 5
"""Wrong arguments of an example."""
NOTHING = "–"
NO_NUMBER = "--"
"""In LaTeX."""


def markdown(wanted: ExportRequest) -> Iterator[str]:
    """The lines; a section per board (benchmark and language of the data)."""
    ordered = sorted(wanted.entries, key=lambda entry: entry.board)
    for number, (board, group) in enumerate(groupby(ordered, key=lambda entry: entry.board)):
        entries = list(group)
        if number:
            yield ""
        scoring = wanted.scoring_of(entries[0])
        heading, said = board_heading(board, wanted.language), translated(_("scoring"), wanted.language)
        yield f"## {heading} · {said}: {scoring_name(scoring, wanted.language)}"
        yield from _rates(wanted, entries)
        yield from _losses(wanted, entries)
        yield from _versions(wanted, entries)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rates(wanted: ExportRequest, entries: Sequence[RunEntry]) -> Iterator[str]:
    language = wanted.language
    yield ""
    yield translated(_("Rates with {level} intervals, clustered by session", level="95%"), language)
    yield ""
    yield _row(["", *(code(entry.label, 80, in_table=True) for entry in entries)])
    yield _row(["---", *("---:" for _entry in entries)])
    headings: dict[tuple[str, str], str] = {}
    for entry in entries:
        if wanted.tables(entry):
            first = sections_of(entry.run.metrics, wanted.scoring_of(entry), language, brief=True)[0]
            headings.update({(table, row): heading for table, row, heading in first.rows})
    for (table, row), heading in headings.items():
        cells = [_rate(wanted.tables(entry).get(table, {}).get(row)) for entry in entries]
        yield _row([plain(heading.removeprefix("· ")), *cells])
    counts = [entry.run.metrics for entry in entries]
    scored = [
        translated(_("{scored:,} of {requested:,}", scored=one.scored, requested=one.requested), language)
        for one in counts
    ]
    yield _row([translated(_("tasks scored"), language), *scored])
    if any(one.missing for one in counts):
        missing = (f"**{one.missing:,}**" if one.missing else "0" for one in counts)
        yield _row([translated(_("missing"), language), *missing])
    yield ""
    for entry in entries:
        for note in notes(entry.run.metrics):
            said = plain(translated(note.text, language), 2000)  # whole: a note that ends amid numbers is none
            yield f"- {code(entry.label, 80)}: {f'**{said}**' if note.warns else said}"


def _rate(entry: Rate | None) -> str:
    if entry is None or entry.value is None:
        return NOTHING
    value = f"{100 * entry.value:.1f}%"
    if entry.ci95 is None:
        return value
    low, high = entry.ci95
    return f"{value} [{100 * low:.1f} – {100 * high:.1f}]"


def _losses(wanted: ExportRequest, entries: Sequence[RunEntry]) -> Iterator[str]:
    yield ""
    yield "### " + translated(_("Main failure causes"), wanted.language)
    for entry in entries:
        dataset: object = entry.run.dataset
        found = find_losses(entry.run.benchmark, dataset, entry.run.scores, wanted.scoring_of(entry))
        texts = reason_texts(entry.run.benchmark, wanted.language)
        yield ""
        if found.losses:
            yield f"{code(entry.label, 80)}"
            yield ""
            if remark := entry.run.benchmark.report().layout.remark:
                yield from (plain(translated(remark, wanted.language)), "")
            examples = find_examples(entry.run.benchmark, dataset, found, TOP, entry.run.trajectories())
            for number, loss in enumerate(found.losses[:TOP], 1):
                yield f"{number}. {_loss(loss, wanted.language, texts)}"
                yield from _wrong(loss, examples, texts, wanted.language)
        else:
            said = _("nothing is lost") if found.scored else _("no task has a score in this scoring")
            yield f"{code(entry.label, 80)}: {translated(said, wanted.language)}"


def _wrong(loss: Loss, examples: Mapping[str, ErrorExample], texts: ReasonTexts, language: str) -> Iterator[str]:
    """The wrong arguments of the loss's first example that has any."""
    task_id = next((one for one in loss.examples if one in examples and examples[one].wrong), None)
    if task_id is not None:
        for line in wrong_sentences(examples[task_id].wrong, texts, language, MOST_WRONG):
            yield f"   - {code(task_id, 100)}: {code(line, 400)}"


def _loss(loss: Loss, language: str, texts: ReasonTexts) -> str:
    low, high = loss.ci95 or (float("nan"), float("nan"))
    said = ngettext(
        "{name}: {points} points [{low} – {high}], {count:,} task",
        "{name}: {points} points [{low} – {high}], {count:,} tasks",
        name=plain(title(loss.mistake, language)),
        points=f"{loss.points:.1f}",
        low=f"{low:.1f}",
        high=f"{high:.1f}",
        count=loss.tasks,
    )
    places = [
        _(
            "{place} ({rate}, elsewhere {elsewhere})",
            place=plain(place_title(place.dimension, place.name, language)),
            rate=f"{100 * place.rate:.1f}%",
            elsewhere=f"{100 * place.elsewhere_rate:.1f}%",
        )
        for place in loss.concentrates
    ]
    if places:
        said = _("{loss}; mostly {places}", loss=said, places=places)
    if loss.pattern:
        said = _("{loss}; usually {text}", loss=said, text=code(loss.pattern.in_words(texts)))
    return translated(said, language)


def _role(settings: Sampling, used: RoleEffort | None) -> Iterator[str]:
    """How a role replied, and what it took."""
    made: dict[str, object] = to_builtins(settings)
    yield from (f"{name}={value}" for name, value in made.items() if value is not None)
    if used is not None:
        yield f"({used.input_tokens + used.output_tokens:,} tokens" + (
            ")" if used.dollars is None else f", ${used.dollars:.4f})"
        )


def _versions(wanted: ExportRequest, entries: Sequence[RunEntry]) -> Iterator[str]:
    yield ""
    yield "### " + translated(_("How it was run"), wanted.language)
    yield ""
    settings = [settings_of(entry.run.manifest) for entry in entries]
    for entry, own in zip(entries, settings, strict=True):
        started = {"started": entry.run.manifest.started} if entry.run.manifest.started else {}
        manifest, used = entry.run.manifest, entry.run.metrics.effort.roles or {}
        roles = {
            role: " ".join((model.name, *_role(manifest.role_settings(role), used.get(role.partition(":")[0]))))
            for role, model in manifest.roles.items()
        }
        told = ", ".join(f"{name} {code(text, 100)}" for name, text in (own | roles | started).items())
        yield f"- {code(entry.label, 80)}: {told}"
    alike = [{name: text for name, text in own.items() if name not in ("toolgauge", "model")} for own in settings]
    if any(own != alike[0] for own in alike):
        yield ""
        yield translated(
            _("These runs differ in what they were run on or how they were asked: compare with care."), wanted.language
        )


def latex_rows(wanted: ExportRequest) -> Iterator[str]:
    """The lines: per board (benchmark and language) its paper's tables, a row per run."""
    boards = dict.fromkeys((entry.benchmark, entry.language) for entry in wanted.entries)
    for benchmark, language in boards:
        entries = [entry for entry in wanted.entries if (entry.benchmark, entry.language) == (benchmark, language)]
        for table in display_of(benchmark).latex:
            names = " & ".join(name for name, _, _ in table.columns)
            board = f"{benchmark} ({latex(language)}), scoring: {scoring_name(wanted.scoring_of(entries[0]))}"
            yield f"% {board}; columns of {table.heading}:"
            yield f"% model & {names}"
            for entry in entries:
                cells = [_value(wanted.tables(entry), column, table.as_printed) for column in table.columns]
                yield " & ".join([latex(entry.label, 80), *cells]) + r" \\"
                for note in notes(entry.run.metrics):
                    yield f"% {latex(entry.label, 80)}: {translated(note.text, wanted.language)}"
            yield ""


def _value(tables: Tables, column: tuple[str, str, str], as_printed: bool) -> str:
    _, table, row = column
    found = tables.get(table, {}).get(row)
    if as_printed:
        found = tables.get("published", {}).get(row) or found
        return NO_NUMBER if not found or found.value is None else f"{found.value:.3f}"
    return NO_NUMBER if not found or found.value is None else f"{100 * found.value:.2f}"
