"""Every two runs of a board compared: a page for each pair and scoring, and one that lists the pairs of a board.

The pages of pairs are written as soon as their runs are compared, for the numbers of many pairs are not held in memory:
other pages need only which run is better and the intervals by which a board ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from markupsafe import Markup, escape
from msgspec import Struct

from toolgauge.analysis.compare.content import (
    Comparison,
    Difference,
    ScoringComparison,
    compare_runs,
    side_of,
)
from toolgauge.analysis.compare.pairing import Side
from toolgauge.analysis.compare.sentences import (
    compared_sections,
    mistake_title,
    note_sentence,
    outcome_words,
    significant,
)
from toolgauge.analysis.decide import Better
from toolgauge.analysis.floor import silence
from toolgauge.analysis.glossary import TERMS, scoring_name, term_name
from toolgauge.analysis.layout import Place, TableSection, layout_of
from toolgauge.analysis.notes import notes
from toolgauge.analysis.titles import part_title, title
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT
from toolgauge.locale import _, ngettext, translated
from toolgauge.report.display import display_of
from toolgauge.report.marks import Scale, Tick, pair_dots, rate_scale
from toolgauge.report.page import LANGUAGES, Page, PairResult, Refused, RunEntry, Site, board_heading, pair_page
from toolgauge.report.pages.facts import facts_of
from toolgauge.report.pages.tasks import task_link, tasks_link
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import SiteFolder
from toolgauge.report.table_files import write_comparison
from toolgauge.visible import tell_unseen

NEUTRAL = frozenset({"parameter_errors", "error_types", "near_misses", "near_miss_mistakes", "sessions_by_correct"})
"""Tables in which more is not better, beside those of mistakes and of the papers' classes (`mistakes...`)."""
CAUSES_SHOWN, TASKS_LISTED = 8, 12
"""Causes that are not folded; tasks that only one run has right, before the list of all."""
REFUSALS = {
    "data": _("They were made on different data: a task of one is not the same task in the other."),
    "absent": _("Their data file is not at hand; build the site again with {option}.", option="--data"),
    "tasks": _("They have no scored task, or no scoring, in common."),
}
"""Why two runs cannot be compared."""
SENSES = {Better.FIRST: ("worse", "▼"), Better.SECOND: ("better", "▲"), Better.UNCLEAR: ("other", "●")}
"""Class and sign of a row whose difference holds after Holm's correction, by the run that is better in it."""


WHOLE = Scale(0.0, 1.0, tuple(Tick(at, f"{at:g}") for at in (0.0, 25.0, 50.0, 75.0, 100.0)))
"""Of accuracies, which are compared from page to page."""
HEADING = _("Compare two runs")
BETTER = {
    Better.FIRST: _("A is better"),
    Better.SECOND: _("B is better"),
    Better.UNCLEAR: _("cannot be told apart"),
}
"""By the measure that decides, in the headline's scoring."""


class Line(NamedTuple):
    """A row of two rates, drawn but for its heading: numbers are the same in every language.

    start: the row's beginning; sign: behind the heading, "" where nothing holds; cells: both rates and their
    difference; tests: the cells behind these in the table of all differences.
    """

    start: str
    sign: str
    cells: str
    tests: str


class Words(Struct):
    """What the pairs of a board say in a language, found once. headings: of tables by their key, of rows by table and
    row, escaped; mistakes: by class, escaped; facts: what somebody set of a run, by slug; warnings: beside its scores.
    """

    language: str
    headings: dict[str | Place, str] = {}
    mistakes: dict[str, str] = {}
    facts: dict[str, dict[str, str]] = {}
    warnings: dict[str, list[str]] = {}

    def mistake(self, name: str) -> str:
        """A class of mistakes, or "correct"."""
        if name not in self.mistakes:
            self.mistakes[name] = _safe(mistake_title(name, self.language))
        return self.mistakes[name]

    def know(self, run: RunEntry) -> None:
        """Find what is said of a run."""
        if run.slug not in self.facts:
            facts = facts_of(run.run, self.language)
            self.facts[run.slug] = {fact.heading: fact.value for fact in facts if fact.chosen}
            warned = (translated(note.text, self.language) for note in notes(run.run.metrics) if note.warns)
            self.warnings[run.slug] = list(warned)

    def sections(self, content: Comparison, scoring: str, shown: Sequence[TableSection]) -> Iterator[TableSection]:
        """Tables with their headings in this language. shown: the same tables in any language."""
        wanted = {section.key for section in shown} | {(table, row) for one in shown for table, row, _name in one.rows}
        if not wanted <= self.headings.keys():
            for section in compared_sections(content, scoring, self.language, every=True):
                self.headings[section.key] = _safe(section.heading)
                self.headings |= {(table, row): _safe(heading) for table, row, heading in section.rows}
        for section in shown:
            rows = tuple((table, row, self.headings[table, row]) for table, row, _name in section.rows)
            yield TableSection(self.headings[section.key], rows, section.key)


def write_pairs(site: Site, folder: SiteFolder) -> None:
    """Compare every two runs of each board; write the pages of each pair and its numbers for other programs, and keep
    in `site.comparisons` what other pages need."""
    for name in site.boards:
        entries = site.board(name)
        sides: dict[str, Side] = {}
        boards = display_of(entries[0].run.benchmark).boards([entry.run.metrics for entry in entries])
        columns = (column for board in boards for column in board.columns if column.key == board.ranked)
        ranked = {place for column in columns for place in column.measured}
        words = [Words(language) for language in LANGUAGES]
        site.comparisons[name] = {}
        for a, b in combinations(entries, 2):
            content = _compared(a, b, sides)
            if isinstance(content, Refused):
                site.comparisons[name][a.slug, b.slug] = content
                continue
            _write_pair(site, a, b, content, words, folder)
            write_comparison(folder, a.slug, b.slug, content)
            site.comparisons[name][a.slug, b.slug] = {
                scoring: PairResult(
                    found.better, {place: row.ci95 for place in ranked if (row := _row(found, place)) and row.ci95}
                )
                for scoring, found in content.scorings.items()
            }


def _row(found: ScoringComparison, place: Place) -> Difference | None:
    return found.tables.get(place[0], {}).get(place[1])


def _compared(a: RunEntry, b: RunEntry, sides: dict[str, Side]) -> Comparison | Refused:
    """sides: of the runs that were compared before."""
    if a.run.manifest.data_identity != b.run.manifest.data_identity:
        return Refused("data")
    if a.run.dataset is None or b.run.dataset is None:
        return Refused("absent")
    try:
        for entry in (a, b):
            if entry.slug not in sides:
                beside = next((side for side in sides.values() if side.dataset is entry.run.dataset), None)
                sides[entry.slug] = side_of(entry.run, beside)
        return compare_runs(sides[a.slug], sides[b.slug])
    except UsageError:
        return Refused("tasks")


def _write_pair(
    site: Site, a: RunEntry, b: RunEntry, content: Comparison, boards: Sequence[Words], folder: SiteFolder
) -> None:
    paths = {scoring: pair_page(a, b, scoring) for scoring in content.scorings}
    for scoring, found in content.scorings.items():
        lines = {
            (table, row): _line(table, row, entry)
            for table, rows in found.tables.items()
            for row, entry in rows.items()
            if entry.difference is not None
        }
        sections = compared_sections(content, scoring, LANGUAGES[0], every=True)
        for words in boards:
            own = list(words.sections(content, scoring, sections))
            values = _values(a, b, content, scoring, lines, own, words) | {
                "scoring": scoring,
                "scorings": paths,
                "entries": site.board(a.board),
                "chosen": (a, b),
                "board": a.board,
                "board_heading": board_heading(a.board, words.language),
            }
            page = Page(paths[scoring], "pair.html", translated(HEADING, words.language), values)
            folder.write(page.place(words.language), render(page, words.language, site).encode())


def _values(
    a: RunEntry,
    b: RunEntry,
    content: Comparison,
    scoring: str,
    lines: Mapping[Place, Line],
    sections: Sequence[TableSection],
    words: Words,
) -> dict[str, object]:
    """What the template shows of a pair in one scoring."""
    language, found, layout = words.language, content.scorings[scoring], layout_of(content.benchmark)
    words.know(a)
    words.know(b)
    places = dict.fromkeys((*layout.charted, *(("by_kind", kind) for kind in found.tables.get("by_kind", {}))))
    kinds = [(_safe(part_title(row, language, table)), (table, row)) for table, row in places if (table, row) in lines]
    mistakes = [(row, entry) for row, entry in found.tables.get("mistakes", {}).items() if entry.a or entry.b]
    mistakes.sort(key=lambda one: (-max(one[1].a or 0, one[1].b or 0), one[0]))
    causes = [(words.mistake(row), ("mistakes", row)) for row, _entry in mistakes]
    lost = rate_scale(rate for _, entry in mistakes for rate in (entry.a, entry.b))
    moves = [
        (words.mistake(before), words.mistake(after), tasks)
        for before, row in found.moves.items()
        for after, tasks in row.items()
        if before != after and CORRECT not in (before, after)
    ]
    ours, theirs = words.facts[a.slug], words.facts[b.slug]

    def drawn(rows: Sequence[tuple[str, Place]], scale: Scale) -> Markup:
        entries = [(heading, lines[place], found.tables[place[0]][place[1]]) for heading, place in rows]
        return _rows(
            (heading, line, f'<td class="dots">{pair_dots(one.a, one.b, scale)}</td>') for heading, line, one in entries
        )

    return {
        "name": f"{a.slug}--{b.slug}",
        "silence": silence([a.run.metrics.floor, b.run.metrics.floor]),
        "verdict": _verdict(content, scoring, language),
        "notes": [
            *(note_sentence(note, language) for note in content.notes),
            *(f"A: {note}" for note in words.warnings[a.slug]),
            *(f"B: {note}" for note in words.warnings[b.slug]),
        ],
        "kinds": (drawn(kinds, WHOLE), WHOLE),
        "causes": (drawn(causes[:CAUSES_SHOWN], lost), lost),
        "more_causes": (drawn(causes[CAUSES_SHOWN:], lost), len(causes[CAUSES_SHOWN:])),
        "lists": list(_lists(a, b, content, scoring, words)),
        "settings": [
            (name, ours.get(name, "–"), theirs.get(name, "–"))
            for name in dict.fromkeys((*ours, *theirs))
            if ours.get(name) != theirs.get(name)
        ],
        "words": [translated(word, language) for word in outcome_words(content.same_model)[:4]],
        "outcomes": {
            unit: (one.fixed, one.broken, one.both, one.neither)
            for unit, one in (("tasks", found.tasks), ("sessions", found.sessions))
        },
        "moves": Markup(  # noqa: S704 - escaped
            "".join(
                f"<tr><td>{before}</td><td>{after}</td><td class=number>{tasks}</td></tr>"
                for before, after, tasks in sorted(moves, key=lambda move: (-move[2], move[0], move[1]))
            )
        ),
        "moved": len(moves),
        "sections": [
            (section.key, Markup(section.heading), _rows(rows))  # noqa: S704 - escaped
            for section in sections
            if (
                rows := [
                    (name, own, own.tests) for table, row, name in section.rows if (own := lines.get((table, row)))
                ]
            )
        ],
        "certain": sum(bool(line.sign) for line in lines.values()),
    }


def _rows(rows: Iterable[tuple[str, Line, str]]) -> Markup:
    """Rows of a table: each with its heading, which is escaped, and its last cells."""
    return Markup(  # noqa: S704 - escaped
        "\n".join(
            f'{line.start}<th scope="row">{heading}{line.sign}</th>{line.cells}{last}</tr>'
            for heading, line, last in rows
        )
    )


def _safe(text: str) -> str:
    return str(escape(tell_unseen(text)))


def _verdict(content: Comparison, scoring: str, language: str) -> tuple[str, str]:
    """Which run is better and by how much; then both rates, p, and the tasks in pairs."""
    found, (table, name) = content.scorings[scoring], content.decides
    row = found.tables.get(table, {}).get(name)
    if row is None or row.difference is None:
        return translated(_("In this scoring there is nothing to compare."), language), ""
    measure = term_name(name, language) if name in TERMS else title(name, language, table)
    sides = _(
        "{measure}, scoring “{scoring}”: A {a}%, B {b}%; p {p}.",
        measure=measure[:1].upper() + measure[1:],
        scoring=scoring_name(scoring, language),
        a=_percent(row.a),
        b=_percent(row.b),
        p=p_value if (p_value := _probability(row.p)).startswith("<") else f"= {p_value}",
    )
    tasks = ngettext(
        "{count} task in pairs: {fixed} right in B alone, {broken} in A alone.",
        "{count} tasks in pairs: {fixed} right in B alone, {broken} in A alone.",
        count=found.tasks.pairs,
        fixed=f"{found.tasks.fixed:,}",
        broken=f"{found.tasks.broken:,}",
    )
    turned = found.better is Better.FIRST
    bounds = row.ci95 and (0 - row.ci95[1], 0 - row.ci95[0]) if turned else row.ci95
    said = {
        Better.FIRST: _("A is better: {points} points {interval}."),
        Better.SECOND: _("B is better: {points} points {interval}."),
        Better.UNCLEAR: _("A and B cannot be told apart: B − A is {points} points {interval}."),
    }[found.better].filled(points=_points(0 - row.difference if turned else row.difference), interval=_interval(bounds))
    gap = "" if language == "zh" else " "
    return translated(said, language), gap.join(translated(text, language) for text in (sides, tasks))


def _lists(
    a: RunEntry, b: RunEntry, content: Comparison, scoring: str, said: Words
) -> Iterator[tuple[str, str, int, list[tuple[str, str, Markup]], str]]:
    """Of the tasks that only one run has right: name and heading, how many, the first with their links and mistakes,
    and where all of them are listed."""
    words, found = outcome_words(content.same_model), content.scorings[scoring]
    for name, heading, tasks, wrong, right in (
        ("fixed", words.tasks_second, found.fixed, a, b),
        ("broken", words.tasks_first, found.broken, b, a),
    ):
        shown = [
            (
                task.task_id,
                f"{task_link(wrong, task.task_id, scoring)}&with={right.slug}",
                Markup(said.mistake(task.mistake)),  # noqa: S704 - escaped
            )
            for task in tasks[:TASKS_LISTED]
        ]
        everything = tasks_link(wrong, scoring=scoring, result="failed", other=f"correct:{right.slug}")
        yield name, translated(heading, said.language), len(tasks), shown, everything if len(tasks) > len(shown) else ""


def _line(table: str, row: str, entry: Difference) -> Line:
    sense = sign = ""
    if significant(entry) and entry.difference:
        more = Better.SECOND if entry.difference > 0 else Better.FIRST
        sense, sign = SENSES[Better.UNCLEAR if table in NEUTRAL or table.startswith("mistakes") else more]
    few = "<sup>*</sup>" if entry.few else ""
    interval = f'<span class="interval">{_interval(entry.ci95)}</span>' if entry.ci95 else ""
    changed = "<td class=number>–</td>"
    if entry.fixed is not None and entry.broken is not None:
        changed = f"<td class=number data-sort={entry.fixed - entry.broken}>{entry.fixed} / {entry.broken}</td>"
    effect = "" if entry.cohens_h is None else _points(entry.cohens_h, 2, 1)
    look = f' class="significant {sense}"' if sense else ""
    return Line(
        f'<tr{look} data-table="{escape(table)}" data-row="{escape(row)}">',
        f'&nbsp;<span class="sign">{sign}</span>' if sign else "",
        f"<td class=number>{_percent(entry.a)}</td><td class=number>{_percent(entry.b)}</td>"
        f"<td class=number><b>{_points(entry.difference)}</b>{few}{interval}</td>",
        f"{changed}<td class=number>{effect}</td>{_probability_cell(entry.p)}{_probability_cell(entry.p_holm)}",
    )


def _probability_cell(p: float | None) -> str:
    small = f" data-sort={p}" if p is not None and p < 0.0001 else ""  # its text is no number
    return f"<td class=number{small}>{_probability(p).replace('<', '&lt;')}</td>"


def _number(number: float, digits: int) -> str:
    """With a minus sign; what rounds to nothing has none."""
    text = f"{number:.{digits}f}"
    return text if number >= 0 else text.replace("-", "−" if float(text) else "")


def _percent(rate: float | None) -> str:
    return "–" if rate is None else _number(100 * rate, 1)


def _points(difference: float | None, digits: int = 1, times: int = 100) -> str:
    """A difference with its sign."""
    if difference is None:
        return "–"
    text = _number(times * difference, digits)
    return f"+{text}" if difference > 0 and float(text) else text


def _interval(bounds: tuple[float, float] | None) -> str:
    return f"[{_percent(bounds[0])}, {_percent(bounds[1])}]" if bounds else ""


def _probability(p: float | None) -> str:
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def pages(site: Site, language: str) -> Iterator[Page]:
    """One page per board with two runs or more: its pairs, and which run of each is better."""
    for board in site.boards:
        entries = {entry.slug: entry for entry in site.board(board)}
        if len(entries) < 2:
            continue
        headline = next(iter(entries.values())).run.benchmark.headline
        listed, opened = [], {}
        for (a, b), found in site.pairs(board).items():
            one, other = entries[a], entries[b]
            if isinstance(found, Refused):
                listed.append((one, other, "", translated(REFUSALS[found.reason], language)))
                continue
            scoring = headline if headline in found else next(iter(found))
            opened[f"{a}--{b}"] = {name: pair_page(one, other, name).removeprefix("compare/") for name in found}
            listed.append(
                (one, other, pair_page(one, other, scoring), translated(BETTER[found[scoring].better], language))
            )
        values = {
            "board": board,
            "board_heading": board_heading(board, language),
            "silence": silence(entry.run.metrics.floor for entry in entries.values()),
            "pairs": listed,
            "config": {"runs": list(entries), "headline": headline, "pages": opened},
        }
        yield Page(f"compare/{board}.html", "comparison.html", translated(HEADING, language), values)
