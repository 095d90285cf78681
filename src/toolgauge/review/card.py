"""The data card of what leaves a review: what is in it, who looked at it, how often, and how far they agreed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from toolgauge.locale import Text, _, translated
from toolgauge.review.desk import Desk
from toolgauge.review.figures import DECISION, EDGE, TYPE, Figures, Opinions
from toolgauge.review.rounds import RoundResult
from toolgauge.review.state import SessionState, SessionStatus
from toolgauge.version import __version__

CARD_VERSION = 1


class Card(Struct, frozen=True):
    """paths: types of the sessions' tasks, in order, and how many sessions have them. reviewers: people who edited or
    decided, by number; edits: how often sessions were edited, for each number of edits how many sessions. unapproved:
    how many of the sessions nobody has approved."""

    original: str
    sha256: str
    language: str
    sessions: int
    tasks: int
    unapproved: int
    types: dict[str, int]
    references: dict[str, int]
    paths: dict[str, int]
    reviewers: int
    edits: dict[int, int]
    figures: Figures
    toolgauge: str = __version__
    version: int = CARD_VERSION


def card_of(desk: Desk, sessions: list[SessionState], figures: Figures) -> Card:
    """The card of these sessions."""
    read = [desk.read(one.id, one.common) for one in sessions]
    tasks = [task for session in read for task in session.tasks]
    return Card(
        desk.originals.file.name,
        desk.originals.sha256,
        desk.originals.language,
        len(sessions),
        len(tasks),
        sum(one.status is not SessionStatus.APPROVED for one in sessions),
        dict(Counter(task.type.value for task in tasks).most_common()),
        dict(Counter(task.reference.value for task in tasks).most_common()),
        dict(Counter(", ".join(task.type.value for task in session.tasks) for session in read).most_common()),
        len({name for one in sessions for name in one.hands}),
        dict(sorted(Counter(len(one.common.edits) for one in sessions).items())),
        figures,
    )


def in_words(card: Card, language: str) -> str:
    """The card as Markdown, in a language of the interface."""
    return "\n".join(translated(line, language) if isinstance(line, Text) else line for line in _lines(card)) + "\n"


def _lines(card: Card) -> Iterator[Text | str]:
    yield _("# Reviewed sessions of {original}", original=card.original)
    yield ""
    yield _("{sessions:,} sessions with {tasks:,} tasks.", sessions=card.sessions, tasks=card.tasks)
    if card.unapproved:
        yield _("**{count:,} of them nobody has approved.**", count=card.unapproved)
    yield from _table(_("task type"), card.types)
    yield from _table(_("reference"), card.references)
    yield from _table(_("path"), card.paths)
    yield ""
    yield _("## How they were reviewed")
    yield ""
    yield _("{count} reviewers. Edits per session:", count=card.reviewers)
    yield from _table(_("edits"), {str(edits): count for edits, count in card.edits.items()})
    yield from _rounds(card.figures.rounds.rounds)
    yield from _agreement(card.figures.opinions)


def _table(head: Text, counts: dict[str, int]) -> Iterator[Text | str]:
    yield ""
    yield _("| {head} | sessions or tasks |", head=head)
    yield "|---|---:|"
    yield from (f"| {name} | {count} |" for name, count in counts.items())


def _rounds(rounds: list[RoundResult]) -> Iterator[Text | str]:
    if not rounds:
        return
    yield ""
    yield _("| inspection round | sessions | with an error | share |")
    yield "|---:|---:|---:|---:|"
    for one in rounds:
        share = "" if one.rate is None else f"{one.rate:.1%} [{one.low or 0:.1%}, {one.high or 0:.1%}]"
        yield f"| {one.round} | {one.inspected} | {one.faulty} | {share} |"


_ON = {DECISION: _("approve or reject"), TYPE: _("task types"), EDGE: _("dependencies")}


def _agreement(opinions: list[Opinions]) -> Iterator[Text | str]:
    measured = [one for one in opinions if one.all.items]
    if not measured:
        return
    yield ""
    yield _("| second opinions on | items | agree | Fleiss' kappa |")
    yield "|---|---:|---:|---:|"
    for one in measured:
        found = one.all
        interval = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
        kappa = "–" if found.kappa is None else f"{found.kappa:.2f}{interval}"
        cells = f"{found.items} | {found.observed or 0:.1%} | {kappa}"
        yield _("| {what} | {cells} |", what=_ON[one.on], cells=cells)
