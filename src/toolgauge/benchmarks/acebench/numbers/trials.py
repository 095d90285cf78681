"""What counts once: an entry, or a whole session of a multi-turn category, in one epoch; and what it can score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from toolgauge.benchmarks.acebench.data import AceCategory, AceDataset, AceEntry
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.errors import ToolgaugeError
from toolgauge.judge.causes import OTHERWISE
from toolgauge.judge.verdict import Score, Verdict

Key = tuple[str, int]
"""An entry's id and the epoch."""


class Trial(NamedTuple):
    """One pass through a session: a score (None: missing) for each of its entries, and whether each was asked for."""

    category: AceCategory
    session_id: str
    scores: tuple[Score | None, ...]
    asked: tuple[bool, ...]

    def verdicts(self, scoring: str) -> list[Verdict] | None:
        """One per entry; None where one is missing, for a session with a gap is neither right nor wrong."""
        found = [score.scorings.get(scoring) if score else None for score in self.scores]
        verdicts = [verdict for verdict in found if verdict is not None]
        return verdicts if len(verdicts) == len(found) else None

    @property
    def requested(self) -> bool:
        """Was all of it asked for?"""
        return all(self.asked)


Measure = Callable[[Sequence[Verdict]], float]
"""What a trial scores, from 0 to 1."""


def right(verdicts: Sequence[Verdict]) -> float:
    """End to end: everything is right."""
    return float(all(verdict.correct for verdict in verdicts))


def right_turns(verdicts: Sequence[Verdict]) -> float:
    """The process score of a session: the share of right turns."""
    return sum(verdict.correct for verdict in verdicts) / len(verdicts)


def process(verdicts: Sequence[Verdict]) -> float:
    """The process score of an agent entry."""
    (verdict,) = verdicts
    return verdict.process if isinstance(verdict.process, float | int) else right(verdicts)


def detected(verdicts: Sequence[Verdict]) -> float:
    """Of a special entry: it was noticed that something is wrong, whether or not it was named rightly."""
    return float(all(_as_it_stands(verdict) != AceError.DETECTION for verdict in verdicts))


def _as_it_stands(verdict: Verdict) -> object:
    """The error type of a reply, whether or not it is unfinished."""
    return (verdict.parameters or {}).get(OTHERWISE, verdict.mistake)


def collect_trials(dataset: AceDataset, scores: Iterable[Score], requested: Iterable[str]) -> list[Trial]:
    """All that was asked for or scored, epoch by epoch in the order of the data.

    Of two scores of one entry the later counts. Raises ToolgaugeError for an entry that the data set does not have.
    """
    asked = {parse_key(dataset, task_id) for task_id in requested}
    scored = {parse_key(dataset, score.task_id): score for score in scores}
    sessions = sessions_of(dataset)
    trials = []
    for epoch in sorted({epoch for _unused, epoch in (*asked, *scored)}):
        for session_id, entries in sessions.items():
            keys = [(entry.id, epoch) for entry in entries]
            if any(key in asked or key in scored for key in keys):
                found = tuple(scored.get(key) for key in keys)
                trials.append(Trial(entries[0].kind, session_id, found, tuple(key in asked for key in keys)))
    return trials


def sessions_of(dataset: AceDataset) -> dict[str, list[AceEntry]]:
    """The entries of each session; those that stand alone are sessions of their own."""
    sessions: dict[str, list[AceEntry]] = {}
    for entry in dataset.entries:
        sessions.setdefault(entry.session_id, []).append(entry)
    return sessions


def parse_key(dataset: AceDataset, task_id: str) -> Key:
    """A task id, "<entry id>[#<epoch>]", taken apart; raises ToolgaugeError where the data set has no such entry."""
    entry_id, mark, epoch = task_id.partition("#")
    if entry_id not in dataset.by_id or (mark and not (epoch.isascii() and epoch.isdigit() and len(epoch) < 10)):
        raise ToolgaugeError(
            f"task {task_id[:80]!r} is not in the data set {dataset.name}; use the data the run was made with"
        )
    return entry_id, int(epoch or 0)
