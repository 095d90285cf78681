"""The page on which any two runs of a board are compared, chosen from two menus; a data file per pair has the numbers.

`data/compare/<a>--<b>`, a and b in the order of the site: what `analysis/compare` found, scoring by scoring, which run
is better by the main number, and which tables are shown. The page shows it as it is, or its mirror image.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.analysis.compare.content import Comparison, ReadingComparison, compare_runs
from toolgauge.analysis.compare.pairing import Note, Side
from toolgauge.analysis.compare.rows import SIGNIFICANT, Better, Difference, better_run
from toolgauge.analysis.compare.sentences import compared_sections, mistake_title, note_sentence, outcome_words
from toolgauge.analysis.compare.sides import side_of
from toolgauge.analysis.glossary import TERMS, scoring_name, term_name
from toolgauge.analysis.layout import Place, layout_of
from toolgauge.analysis.notes import notes
from toolgauge.analysis.sections import sections
from toolgauge.analysis.titles import part_title, title
from toolgauge.errors import UsageError
from toolgauge.judge.mistakes import PAPER_TABLES
from toolgauge.locale import _, translated
from toolgauge.report.page import Page, PageValues, Refused, RunEntry, Site, board_heading
from toolgauge.report.page_data import write_chunk
from toolgauge.report.pages.facts import facts_of
from toolgauge.report.table_files import write_comparison

FEW_PAIRS = 10
"""A board with more pairs of runs than this has the terminal's tables only: files and time grow with the square of the
runs. All scorings are compared for any number."""
REFUSALS = {
    "data": _("They were made on different data: a task of one is not the same task in the other."),
    "absent": _("Their data file is not at hand; build the site again with {option}.", option="--data"),
    "tasks": _("They have no scored task, or no scoring, in common."),
}
"""Why two runs cannot be compared."""
NEUTRAL = frozenset(
    {
        "mistakes", *PAPER_TABLES, "parameter_errors", "error_types", "near_misses",
        "near_miss_mistakes", "sessions_by_correct",
    }
)  # fmt: skip
"""Tables in which more is not better."""


class Sense(Struct, frozen=True):
    """A row whose difference holds after Holm's correction. better: the run that has more, where more is better."""

    table: str
    row: str
    better: Better


class ReadingData(Struct, frozen=True):
    """One scoring of a pair. better: by the main number; sections: of the tables that are shown, key and rows (table,
    row) in their order."""

    found: ReadingComparison
    better: Better
    significant: list[Sense]
    sections: list[tuple[str, list[Place]]]


class PairData(Struct, frozen=True):
    """What a data file holds."""

    tasks: int
    same_model: bool
    notes: list[Note]
    readings: dict[str, ReadingData]


def comparisons(entries: Sequence[RunEntry]) -> dict[tuple[str, str], Comparison | Refused]:
    """The comparison of every two runs of a board, by their slugs; of runs that cannot be compared only why not."""
    boards: dict[str, list[RunEntry]] = {}
    for entry in entries:
        boards.setdefault(entry.board, []).append(entry)
    found: dict[tuple[str, str], Comparison | Refused] = {}
    for board in boards.values():
        sides: dict[str, Side] = {}
        tables = _brief(board) if _pairs(len(board)) > FEW_PAIRS else None
        for one, other in combinations(board, 2):
            found[one.slug, other.slug] = _compare(one, other, sides, tables)
    return found


def _pairs(runs: int) -> int:
    return runs * (runs - 1) // 2


def _brief(board: Sequence[RunEntry]) -> set[str]:
    """The tables that the terminal shows of any of these runs, and those of the page's charts."""
    layout = layout_of(board[0].benchmark)
    shown = {
        table
        for entry in board
        for reading in entry.run.metrics.readings
        for section in sections(entry.run.metrics, reading, "en")
        for table, _row, _heading in section.rows
    }
    return shown | {"mistakes", *(table for table, _row in (layout.main, *layout.compared, *layout.charted))}


def _compare(one: RunEntry, other: RunEntry, sides: dict[str, Side], tables: set[str] | None) -> Comparison | Refused:
    if one.run.manifest.data_identity != other.run.manifest.data_identity:
        return Refused("data")
    if one.run.dataset is None or other.run.dataset is None:
        return Refused("absent")
    try:
        a, b = (sides.setdefault(entry.slug, sides.get(entry.slug) or side_of(entry.run)) for entry in (one, other))
        return compare_runs(a, b, tables=tables)
    except UsageError:
        return Refused("tasks")


def write_data(site: Site, folder: Path, tables: Path) -> None:
    """Write the data file of every pair, and its numbers for other programs."""
    boards = {entry.slug: entry.board for entry in site.entries}
    for (one, other), content in site.comparisons.items():
        if isinstance(content, Comparison):
            brief = _pairs(len(site.board(boards[one]))) > FEW_PAIRS
            data = pair_data(content, brief)
            write_chunk(folder, f"compare/{one}--{other}", data)
            shown = {reading: part.found for reading, part in data.readings.items()}
            write_comparison(tables, one, other, msgspec.structs.replace(content, readings=shown))


def pair_data(content: Comparison, brief: bool = False) -> PairData:
    """brief: the terminal's tables only."""
    return PairData(
        content.tasks,
        content.same_model,
        content.notes,
        {reading: _reading_data(content, reading, brief) for reading in content.readings},
    )


def _reading_data(content: Comparison, reading: str, brief: bool) -> ReadingData:
    found, layout = content.readings[reading], layout_of(content.benchmark)
    listed = [
        (section.key, [(table, row) for table, row, _heading in section.rows if row in found.tables.get(table, {})])
        for section in compared_sections(content, reading, "en", every=not brief)
    ]
    shown = {place for _key, rows in listed for place in rows}
    shown |= {*layout.compared, *layout.charted}
    shown |= {("mistakes", row) for row, entry in found.tables.get("mistakes", {}).items() if any(entry.correct)}
    tables = {
        name: {row: entry for row, entry in rows.items() if (name, row) in shown} for name, rows in found.tables.items()
    }
    table, row = layout.main
    return ReadingData(
        msgspec.structs.replace(found, tables={name: rows for name, rows in tables.items() if rows}),
        better_run(found.tables.get(table, {}).get(row)),
        [
            Sense(name, row_name, _better(name, entry))
            for name, rows in tables.items()
            for row_name, entry in rows.items()
            if entry.p_holm is not None and entry.p_holm < SIGNIFICANT and entry.difference
        ],
        [(key, rows) for key, rows in listed if rows],
    )


def _better(table: str, entry: Difference) -> Better:
    if table in NEUTRAL:
        return Better.UNCLEAR
    return Better.SECOND if (entry.difference or 0) > 0 else Better.FIRST


def pages(site: Site, language: str) -> Iterator[Page]:
    """One page per board with two runs or more, and what leads on from the addresses of earlier sites."""
    for board in site.boards:
        entries = site.board(board)
        if len(entries) > 1:
            heading = translated(_("Compare two runs"), language)
            yield Page(f"compare/{board}.html", "comparison.html", heading, _values(site, board, entries, language))
    entries_by_slug = {entry.slug: entry for entry in site.entries}
    for one, other in site.comparisons:
        to = site.comparison_page(entries_by_slug[one], entries_by_slug[other]).removeprefix("compare/")
        yield Page(f"compare/{one}--{other}.html", "moved.html", translated(_("Moved"), language), {"to": to})


def _values(site: Site, board: str, entries: Sequence[RunEntry], language: str) -> PageValues:
    slugs = {entry.slug for entry in entries}
    pairs = {pair: content for pair, content in site.comparisons.items() if pair[0] in slugs}
    found = [content for content in pairs.values() if isinstance(content, Comparison)]
    benchmark = entries[0].run.benchmark
    layout = layout_of(benchmark.name)
    charted = _charted(found, layout.charted)
    readings = dict.fromkeys(name for content in found for name in content.readings)
    return {
        "board": board,
        "board_heading": board_heading(board, language),
        "entries": entries,
        "brief": _pairs(len(entries)) > FEW_PAIRS,
        "readings": [{"reading": name} for name in sorted(readings, key=lambda name: name != benchmark.headline)],
        "config": {
            "runs": [_run(entry, language) for entry in entries],
            "refused": {
                f"{one}--{other}": translated(REFUSALS[content.reason], language)
                for (one, other), content in pairs.items()
                if isinstance(content, Refused)
            },
            "headline": benchmark.headline,
            "main": layout.main,
            "measure": _measure(layout.main, language),
            "charted": charted,
            "scorings": {name: scoring_name(name, language) for name in readings},
            "words": {str(same).lower(): _words(same, language) for same in (True, False)},
            "notes": _note_texts(found, language),
            "mistakes": _mistakes(found, language),
            **_headings(found, charted, language),
        },
    }


def _charted(found: Sequence[Comparison], places: Sequence[Place]) -> list[Place]:
    """The rows of the chart; of a benchmark without types of its own the kinds of its tasks."""
    kinds = [
        ("by_kind", row)
        for content in found
        for reading in content.readings.values()
        for row in reading.tables.get("by_kind", {})
    ]
    return list(dict.fromkeys((*places, *kinds)))


def _measure(main: Place, language: str) -> str:
    """What the main number is called at the beginning of a sentence."""
    table, row = main
    name = term_name(row, language) if row in TERMS else title(row, language, table)
    return name[:1].upper() + name[1:]


def _run(entry: RunEntry, language: str) -> dict[str, object]:
    """What is said of a run beside its numbers. facts: its set-up, of which the page shows what differs."""
    warned = [translated(note.text, language) for note in notes(entry.run.metrics) if note.warns]
    return {
        "slug": entry.slug,
        "label": entry.label,
        "facts": [(fact.heading, fact.value) for fact in facts_of(entry.run, language)],
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


def _note_texts(found: Sequence[Comparison], language: str) -> dict[str, str]:
    """Sentences with {a} and {b} for what is in each run, by the codes of notes."""
    codes = {note.code for content in found for note in content.notes}
    return {code: note_sentence(Note(code, "{a}", "{b}"), language) for code in sorted(codes)}


def _mistakes(found: Sequence[Comparison], language: str) -> dict[str, str]:
    """Titles of all outcomes that tasks have in any pair."""
    outcomes = {
        outcome
        for content in found
        for reading in content.readings.values()
        for before, row in reading.moves.items()
        for outcome in (before, *row)
    }
    return {outcome: mistake_title(outcome, language) for outcome in sorted(outcomes)}


def _headings(found: Sequence[Comparison], charted: Sequence[Place], language: str) -> dict[str, dict[str, str]]:
    """Headings of sections by key, of rows by "table/row", and of rows where they stand alone."""
    keys: dict[str, str] = {}
    rows: dict[str, str] = {}
    for content in found:
        for reading in content.readings:
            for section in compared_sections(content, reading, language, every=True):
                keys[section.key] = section.heading
                rows |= {f"{table}/{row}": heading for table, row, heading in section.rows}
    alone = {f"{table}/{row}": part_title(row, language, table) for table, row in charted}
    return {"sections": keys, "rows": rows, "alone": alone}
