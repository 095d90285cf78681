"""The page on which any two runs of a board are compared, chosen from two menus. Its numbers are in a data file per
pair (report/comparisons.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgauge.analysis.compare.pairing import Note
from toolgauge.analysis.compare.sentences import mistake_title, note_sentence, outcome_words
from toolgauge.analysis.floor import silence
from toolgauge.analysis.glossary import TERMS, scoring_name, term_name
from toolgauge.analysis.layout import Place, layout_of
from toolgauge.analysis.notes import notes
from toolgauge.analysis.titles import part_title, title
from toolgauge.locale import _, translated
from toolgauge.report.page import Page, PageValues, Refused, RunEntry, Site, board_heading
from toolgauge.report.pages.facts import facts_of

REFUSALS = {
    "data": _("They were made on different data: a task of one is not the same task in the other."),
    "absent": _("Their data file is not at hand; build the site again with {option}.", option="--data"),
    "tasks": _("They have no scored task, or no scoring, in common."),
}
"""Why two runs cannot be compared."""


def pages(site: Site, language: str) -> Iterator[Page]:
    """One page per board with two runs or more."""
    for board in site.boards:
        entries = site.board(board)
        if len(entries) > 1:
            heading = translated(_("Compare two runs"), language)
            yield Page(f"compare/{board}.html", "comparison.html", heading, _values(site, board, entries, language))


def _values(site: Site, board: str, entries: Sequence[RunEntry], language: str) -> PageValues:
    found, benchmark = site.comparisons[board], entries[0].run.benchmark
    layout, headings = layout_of(benchmark.name), found.headings[language]
    charted = list(dict.fromkeys((*layout.charted, *(("by_kind", kind) for kind in found.kinds))))
    return {
        "board": board,
        "board_heading": board_heading(board, language),
        "entries": entries,
        "silence": silence(entry.run.metrics.floor for entry in entries),
        "scorings": [{"scoring": name} for name in sorted(found.scorings, key=lambda name: name != benchmark.headline)],
        "config": {
            "runs": [_run(entry, language) for entry in entries],
            "refused": {
                f"{one}--{other}": translated(REFUSALS[pair.reason], language)
                for (one, other), pair in found.pairs.items()
                if isinstance(pair, Refused)
            },
            "headline": benchmark.headline,
            "decides": layout.decides,
            "measure": _measure(layout.decides, language),
            "charted": charted,
            "scoring_names": {name: scoring_name(name, language) for name in found.scorings},
            "words": {str(same).lower(): _words(same, language) for same in (True, False)},
            "notes": {code: note_sentence(Note(code, "{a}", "{b}"), language) for code in sorted(found.notes)},
            "mistakes": {outcome: mistake_title(outcome, language) for outcome in sorted(found.outcomes)},
            "sections": headings.sections,
            "rows": headings.rows,
            "alone": {f"{table}/{row}": part_title(row, language, table) for table, row in charted},
        },
    }


def _measure(place: Place, language: str) -> str:
    """What the measure that decides is called at the beginning of a sentence."""
    table, row = place
    name = term_name(row, language) if row in TERMS else title(row, language, table)
    return name[:1].upper() + name[1:]


def _run(entry: RunEntry, language: str) -> dict[str, object]:
    """What is said of a run beside its numbers. facts: what somebody set, of which the page shows what differs."""
    warned = [translated(note.text, language) for note in notes(entry.run.metrics) if note.warns]
    return {
        "slug": entry.slug,
        "label": entry.label,
        "facts": [(fact.heading, fact.value) for fact in facts_of(entry.run, language) if fact.chosen],
        "notes": warned,
    }


def _words(same_model: bool, language: str) -> dict[str, str]:
    words = outcome_words(same_model)
    return {
        "fixed": translated(words.second, language),
        "broken": translated(words.first, language),
        "both": translated(words.both, language),
        "neither": translated(words.neither, language),
        "fixed_tasks": translated(words.tasks_second, language),
        "broken_tasks": translated(words.tasks_first, language),
    }
