"""What is said of a comparison, in the terminal and on its page alike."""

from __future__ import annotations

from typing import NamedTuple

from toolgauge.analysis.compare.content import RESULTS, Comparison, Difference
from toolgauge.analysis.compare.pairing import Note
from toolgauge.analysis.decide import SIGNIFICANT, Better
from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.layout import TableSection, layout_of, named, sections_of
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.analysis.titles import title
from toolgauge.judge.verdict import CORRECT
from toolgauge.locale import Text, _, pgettext, translated

NOTHING = "–"


def verdict_lines(comparison: Comparison, scoring: str, other: str = "B") -> tuple[str, str]:
    """What a comparison comes to, as its page says it: who is better, and by what. other: the second run's letter."""
    content, (table, name) = comparison.scorings[scoring], comparison.decides
    row = content.tables.get(table, {}).get(name)
    if row is None or row.difference is None or row.ci95 is None:
        return "In this scoring there is nothing to compare.", ""
    turned = content.better is Better.FIRST
    low, high = (-row.ci95[1], -row.ci95[0]) if turned else row.ci95
    gain = f"{points(-row.difference if turned else row.difference)} points [{points(low)}, {points(high)}]"
    if content.better is Better.UNCLEAR:
        verdict = f"A and {other} cannot be told apart: {other} − A is {gain}."
    else:
        verdict = f"{'A' if turned else other} is better: {gain}."
    measure, tasks = title(name, "en", table), content.tasks
    return verdict, (
        f"{measure[:1].upper()}{measure[1:]}, scoring “{scoring_text(scoring)}”: A {percent(row.a)}, {other} "
        f"{percent(row.b)}; p {'' if (row.p or 0) < 0.001 else '= '}{p_text(row.p)}. {tasks.pairs:,} tasks in pairs: "
        f"{tasks.fixed:,} right in {other} alone, {tasks.broken:,} in A alone."
    )


def significant(row: Difference) -> bool:
    """Does a difference hold after Holm's correction within its table?"""
    return row.p_holm is not None and row.p_holm < SIGNIFICANT


def percent(rate: float | None) -> str:
    """A rate."""
    return NOTHING if rate is None else f"{rate:.1%}"


def points(difference: float | None) -> str:
    """A difference of rates in percentage points."""
    if difference is None:
        return NOTHING
    rounded_points = round(difference * 100, 1)
    return f"{rounded_points:+.1f}" if rounded_points else "0.0"


def interval_text(bounds: tuple[float, float] | None) -> str:
    """The interval of a difference, in points."""
    return NOTHING if bounds is None else f"{points(bounds[0])} … {points(bounds[1])}"


def p_text(p: float | None) -> str:
    """A p-value."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


class OutcomeWords(NamedTuple):
    """What became of tasks. second, first: only that run has them right; both, neither. short: the same four where they
    stand below `head`; tasks_second, tasks_first: heads of lists."""

    second: Text
    first: Text
    both: Text
    neither: Text
    head: Text
    short: tuple[Text, Text, Text, Text]
    tasks_second: Text
    tasks_first: Text


def outcome_words(same_model: bool, other: str = "B") -> OutcomeWords:
    """Of one model tasks are fixed or broken; of two, one has right what the other has not. other: the second run."""
    every = _("both right"), _("both wrong")
    if same_model:
        changed = _("fixed"), _("broken")
        short = (*changed, _("both"), _("neither"))
        return OutcomeWords(*changed, *every, _("Right or wrong"), short, _("Fixed tasks"), _("Broken tasks"))
    second, first = (_("only {run} right", run=run) for run in (other, "A"))
    alone = (_("only {run}", run=other), _("only {run}", run="A"), _("both"), _("neither"))
    heads = (_("Tasks that only {run} has right", run=run) for run in (other, "A"))
    return OutcomeWords(second, first, *every, _("Right"), alone, *heads)


CONTEXT = "context"
"""The table of two runs that were sent different histories: what the earlier tasks are worth."""
COUNTED_OF = {
    **dict.fromkeys(("mistakes", "mistakes_counted", "error_types"), _("{heading}, of all tasks")),
    "parameter_errors": _("{heading}: tasks with one, of all tasks"),
    **dict.fromkeys(("near_misses", "near_miss_mistakes"), _("{heading}, of all sessions")),
}
"""Tables that count parts of what went wrong: of two runs they are shares of everything."""


def compared_sections(comparison: Comparison, scoring: str, language: str, every: bool = False) -> list[TableSection]:
    """The tables of a comparison, those of the terminal or every one, with the rows that count anything in a run."""
    rows = {
        table: {
            name: Rate(correct=sum(row.correct), total=round(total), requested=round(total))
            for name, row in rows.items()
            if (total := sum(row.total))
        }
        for table, rows in comparison.scorings[scoring].tables.items()
    }
    if comparison.tables == RESULTS:
        return [TableSection("Accuracy", (("overall", "task_accuracy", "task accuracy"),), "overall")]
    metrics = Metrics(benchmark=comparison.benchmark, scorings={scoring: rows})
    sections = sections_of(metrics, scoring, language, brief=not every)
    if any(note.code == "history" for note in comparison.notes):
        headings = {
            (table, row): f"{whole.heading}: {heading.removeprefix('· ')}"
            for whole in sections_of(metrics, scoring, language, brief=False)
            for table, row, heading in whole.rows
        }
        context = [(*place, headings[place]) for place in layout_of(comparison.benchmark).context if place in headings]
        sections.insert(0, named(CONTEXT, context, language))
    return [
        section._replace(heading=translated(COUNTED_OF[section.key].filled(heading=section.heading), language))
        if section.key in COUNTED_OF
        else section
        for section in sections
    ]


NOTES = {
    "epochs": _("epochs: {a} and {b}; those that both have make pairs"),
    "variant": _("different tool lists: {a} and {b}"),
    "history": _("different history: {a} and {b}"),
    "style": _("different styles of asking: {a} and {b}"),
    "max_turns": _("different limits of turns: {a} and {b}"),
    "sampling": _("different sampling: {a} and {b}"),
    "user_model": _("users simulated by different models: {a} and {b}"),
    "package": _("different versions of the benchmark: {a} and {b}"),
    "toolgauge": _("run with different versions of toolgauge: {a} and {b}"),
    "metrics": _("scored with different versions of the tables: {a} and {b}"),
    "scorings": _("scorings that only one has are left out: {a} and {b}"),
    "not_judgeable": _(
        "tasks whose recording ends too early for a scoring make no pairs in it: {a} of the first run, {b} of "
        "the second"
    ),
    "part": _("only part of the tasks is in both; left out: {a} of the first run, {b} of the second"),
}
"""By the codes of `notes_on`; what has none is an option of a benchmark."""


def note_sentence(note: Note, language: str) -> str:
    """A note of `notes_on` in a language."""
    return translated(note_text(note), language)


def note_text(note: Note) -> Text:
    """A note of `notes_on`; whole numbers get thousands separators."""
    text = NOTES.get(note.code) or _("different {option}: {a} and {b}", option=note.code.replace("_", " "))
    a, b = (f"{value:,}" if isinstance(value, int) else value for value in (note.a, note.b))
    return text.filled(a=_("none") if a is None else a, b=_("none") if b is None else b)


def mistake_title(mistake: str, language: str) -> str:
    """A class of mistakes, or "correct"."""
    return translated(pgettext("outcome", "correct"), language) if mistake == CORRECT else title(mistake, language)
