"""What is said of a comparison, in the terminal and on its page alike."""

from __future__ import annotations

from toolgauge.analysis.compare.pairing import Note
from toolgauge.analysis.titles import title
from toolgauge.judge.verdict import CORRECT
from toolgauge.locale import Text, _, pgettext, translated

OUTCOMES = (_("fixed"), _("broken"), _("both"), _("neither"), _("McNemar p"), _("odds ratio"))
"""What became of tasks, and how certain that is."""
NOTES = {
    "epochs": _("{a} epochs and {b}; epochs that both have make pairs"),
    "history": _("different history: {a} and {b}"),
    "style": _("different styles of asking: {a} and {b}"),
    "max_turns": _("different limits of turns: {a} and {b}"),
    "sampling": _("different sampling: {a} and {b}"),
    "user_model": _("users simulated by different models: {a} and {b}"),
    "toolgauge": _("run with different versions of toolgauge: {a} and {b}"),
    "metrics": _("scored with different versions of the tables: {a} and {b}"),
    "readings": _("readings that only one has are left out: {a} and {b}"),
    "not_judgeable": _(
        "tasks whose recording ends too early for a reading make no pairs in it: {a} of the first run, {b} of "
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
    said = NOTES.get(note.code) or _("different {option}: {a} and {b}", option=note.code.replace("_", " "))
    a, b = (f"{value:,}" if isinstance(value, int) else value for value in (note.a, note.b))
    return said.filled(a=_("none") if a is None else a, b=_("none") if b is None else b)


def mistake_title(mistake: str, language: str) -> str:
    """A class of mistakes, or "correct"."""
    return translated(pgettext("outcome", "correct"), language) if mistake == CORRECT else title(mistake, language)


def printable(text: str, longest: int = 60) -> str:
    """A name that somebody else chose, on one line: no control or direction marks, cut where it is long."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
