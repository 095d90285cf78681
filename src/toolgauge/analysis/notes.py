"""What has to stand beside every score of a run: short notes and warnings, made of its numbers.

The terminal, pages and exports print this list and know nothing of what is in it. A new kind of note is a function
here, in `_KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

from msgspec import UNSET, Struct

from toolgauge.analysis.endings import EndingCount
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Metrics
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import Text, _
from toolgauge.models.endings import Unfinished

WARN_FROM = 0.01
"""The share of unfinished replies from which on a score says less about the model than about its limits."""


class NoteLevel(StrEnum):
    NOTE = "note"
    WARNING = "warning"


class Note(Struct, frozen=True):
    """Something to know about a score. text: sentences; short: the same in a few words, for cells of tables."""

    level: NoteLevel
    text: Text
    short: Text

    @property
    def warns(self) -> bool:
        return self.level is NoteLevel.WARNING


def notes(metrics: Metrics) -> list[Note]:
    """The notes on a run's scores, warnings first."""
    found = [note for kind in _KINDS for note in kind(metrics)]
    return sorted(found, key=lambda note: not note.warns)


def _saturated(metrics: Metrics) -> Iterator[Note]:
    """That a benchmark cannot tell the model from a better one: all is right, or might be."""
    reading = metrics.headline if metrics.headline in metrics.readings else EXACT
    known = metrics.benchmark and metrics.readings
    rate = metrics.rate(str(reading), *layout_of(metrics.benchmark).main) if known else None
    if rate is None or rate.value is None or rate.ci95 is None:
        return
    low, high = (f"{100 * bound:.1f}%" for bound in rate.ci95)
    if rate.value == 1:
        all_right = _(
            "Everything that is scored is right ({level} interval from {low}): the benchmark is saturated for this "
            "model, and cannot tell it from a better one.",
            level="95%",
            low=low,
        )
        yield Note(NoteLevel.NOTE, all_right, _("saturated"))
    elif high == "100.0%":
        reaches = _("The {level} interval reaches {all}: the benchmark is nearly saturated for this model.")
        yield Note(NoteLevel.NOTE, reaches.filled(level="95%", all="100%"), _("nearly saturated"))


COUNTED = {
    Unfinished.TRUNCATED: _("{rate} of the replies were cut off by the token limit"),
    Unfinished.FILTERED: _("{rate} of the replies were filtered, or refused by the API"),
    Unfinished.ONLY_REASONING: _("{rate} of the replies hold nothing but reasoning"),
}
SHORT = {
    Unfinished.TRUNCATED: _("{rate} cut off"),
    Unfinished.FILTERED: _("{rate} filtered"),
    Unfinished.ONLY_REASONING: _("{rate} only reasoning"),
}
ADVICE = {
    Unfinished.TRUNCATED: _("raise {option} or the context length of the server", option="--max-tokens"),
    Unfinished.FILTERED: _("look at these replies, and at the content filter of the endpoint"),
    Unfinished.ONLY_REASONING: _(
        "lower {effort}, raise {limit}, or check how the server separates reasoning from the answer",
        effort="--reasoning-effort",
        limit="--max-tokens",
    ),
}
"""What to change where there are many of them."""


def _endings(metrics: Metrics) -> Iterator[Note]:
    """How the replies ended: the share of each kind that is unfinished, or that there is none."""
    found = metrics.endings
    if found is UNSET or not found.replies:
        return
    for kind, count in found.by_kind().items():
        if count.replies:
            yield _unfinished(kind, count, found.replies)
    if not found.known:
        yield Note(NoteLevel.NOTE, _("How the replies ended is not recorded."), _("endings not recorded"))
    elif not any(count.replies for count in found.by_kind().values()):
        whole = _("No reply was cut off, filtered, or only reasoning ({all:,} replies).", all=found.replies)
        yield Note(NoteLevel.NOTE, whole, _("no reply cut off"))


def _unfinished(kind: Unfinished, count: EndingCount, replies: int) -> Note:
    rate = f"{count.rate:.1%}"
    said = _(
        "{what} ({replies:,} of {all:,}; tasks concerned: {tasks:,})",
        what=COUNTED[kind].filled(rate=rate),
        replies=count.replies,
        all=replies,
        tasks=count.tasks,
    )
    short = SHORT[kind].filled(rate=rate)
    if count.rate < WARN_FROM:
        return Note(NoteLevel.NOTE, _("{said}.", said=said), short)
    return Note(NoteLevel.WARNING, _("{said}: {advice}.", said=said, advice=ADVICE[kind]), short)


def _recordings(metrics: Metrics) -> Iterator[Note]:
    """Tasks that a reading cannot judge, because their recordings end too early for it."""
    for reading, count in (metrics.not_judgeable or {}).items():
        said = _(
            "{count:,} of {all:,} tasks are not judgeable in “{reading}”, because their recordings end too early; "
            "they are left out there, neither right nor wrong.",
            count=count,
            all=metrics.scored,
            reading=reading,
        )
        short = _("{count:,} not judgeable in “{reading}”", count=count, reading=reading)
        yield Note(NoteLevel.NOTE, said, short)


_KINDS: tuple[Callable[[Metrics], Iterator[Note]], ...] = (_endings, _recordings, _saturated)
