"""The data card of what leaves a review: what is in it, who looked at it, how often, and how far they agreed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.analysis.titles import sessions_with_tasks, title
from toolgauge.errors import ToolgaugeError
from toolgauge.locale import Text, _, translated
from toolgauge.review.desk import Desk
from toolgauge.review.figures import DECISION, EDGE, TYPE, Figures, Opinions
from toolgauge.review.rounds import RoundResult
from toolgauge.review.state import SessionState, SessionStatus
from toolgauge.runs.manifest import read_content
from toolgauge.version import __version__

CARD_VERSION = 1
MOST_PATHS = 20
"""That the words name; `card.json` has all."""


class Card(Struct, frozen=True):
    """paths: types of the sessions' tasks, in order, and how many sessions have them. reviewers: people who edited or
    decided, by number; began, ended: days of the first and the last event (UTC); models: who played whom when they were
    made, as their generation says; edits: how often sessions were edited, for each number of edits how many sessions.
    unapproved: how many of the sessions nobody has approved."""

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
    began: str
    ended: str
    models: dict[str, str]
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
        *_days(desk),
        _models(desk.originals.file.parent),
        dict(sorted(Counter(len(one.common.edits) for one in sessions).items())),
        figures,
    )


def _days(desk: Desk) -> tuple[str, str]:
    times = [one.at for one in desk.state.events] or [0.0]
    first, last = (datetime.fromtimestamp(at, UTC).date().isoformat() for at in (times[0], times[-1]))
    return first, last


class _Generation(Struct, frozen=True):
    """What of a generation's run.json is told."""

    class Model(Struct, frozen=True):
        name: str = ""

    models: dict[str, Model] = {}


def _models(folder: Path) -> dict[str, str]:
    """By role, the models of the generation in whose folder the file is; none where it is no generation's."""
    with suppress(ToolgaugeError, ValueError):
        return {role: one.name for role, one in msgspec.convert(read_content(folder), _Generation).models.items()}
    return {}


def in_words(card: Card, language: str) -> str:
    """The card as Markdown, in a language of the interface."""
    lines = _lines(card, language)
    return "\n".join(translated(line, language) if isinstance(line, Text) else line for line in lines) + "\n"


def _lines(card: Card, language: str) -> Iterator[Text | str]:
    yield _("# Reviewed sessions of {original}", original=card.original)
    yield ""
    yield sessions_with_tasks(card.sessions, card.tasks)
    if card.unapproved:
        yield _("**Of these, {count:,} not yet approved.**", count=card.unapproved)
    yield from _files()
    yield from _table(_("| task type | tasks |"), _titled(card.types, language))
    yield from _table(_("| reference | tasks |"), _titled(card.references, language))
    yield from _table(_("| path | sessions |"), _titled(dict(list(card.paths.items())[:MOST_PATHS]), language))
    if len(card.paths) > MOST_PATHS:
        yield ""
        yield _("More paths in {card}: {count:,}.", count=len(card.paths) - MOST_PATHS, card="card.json")
    yield ""
    yield _("## How they were made and reviewed")
    yield ""
    players = {name: [role for role, one in card.models.items() if one == name] for name in card.models.values()}
    for name, roles in players.items():
        yield _("- {model}: {roles}", model=name, roles=roles)
    yield _("- Reviewed from {began} to {ended}.", began=card.began, ended=card.ended)
    yield _("- Reviewers: {count}.", count=card.reviewers)
    yield _("- Licence: to be stated by the publisher.")
    yield from _table(_("| edits | sessions |"), {str(edits): count for edits, count in card.edits.items()})
    yield from _rounds(card.figures.rounds.rounds)
    yield from _agreement(card.figures.opinions)
    if (judge := card.figures.judge).items:
        yield ""
        agreed = f"{judge.observed or 0:.1%}"
        yield _("People and the judge agree on {agreed} of {count:,} sessions.", agreed=agreed, count=judge.items)


def _files() -> Iterator[Text | str]:
    yield ""
    yield _("- `sessions.jsonl`: the benchmark; to run it: `toolgauge run sessions.jsonl -m MODEL`")
    yield _("- `corrections.jsonl`: the changes to the original file (sha256 in `card.json`)")
    yield _("- `openai.jsonl`, `sharegpt.jsonl`: the same sessions as training data")


def _titled(counts: dict[str, int], language: str) -> dict[str, int]:
    """By the names that people read instead of codes."""
    return {" → ".join(title(one, language) for one in name.split(", ")): count for name, count in counts.items()}


def _table(head: Text, counts: dict[str, int]) -> Iterator[Text | str]:
    yield ""
    yield head
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
