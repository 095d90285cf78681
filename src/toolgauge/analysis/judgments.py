"""What a model says of recorded conversations as their judge: judgments.jsonl, a line for each task that it judged.

A judgement is an opinion: it stands beside scores with the judge's name and with how often the two agree, and is never
part of a rate of the benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.analysis.agreement import Agreement, cohen
from toolgauge.analysis.numbers import Rate
from toolgauge.analysis.rates import rate_of
from toolgauge.data.lines import read_lines
from toolgauge.data.record import shown
from toolgauge.errors import DataError
from toolgauge.judge.verdict import Score
from toolgauge.locale import Text, _

JUDGMENTS = "judgments.jsonl"
VERSION = 1


class WrongValue(Struct, frozen=True):
    """A value of a call that nobody gave, or that is wrong. call: which call of the task, from 0; path: of the
    argument."""

    call: int
    tool: str
    path: str
    value: Any
    reason: str = ""


class RepeatedCall(Struct, frozen=True):
    """A call that asks for what an earlier result says. call: which call of the task, from 0."""

    call: int
    tool: str


class Judgment(Struct, frozen=True, omit_defaults=True):
    """Of one task. judge: the model's name; task, session: ids, as in scores.jsonl.

    answer: why the closing reply does not agree with the results; unmet: what the user asked for and did not get; both
    "" where there is nothing to say. scoring: the benchmark's, where its own judge was asked; verdict: why the task is
    wrong then.
    """

    judge: str
    task: str
    session: str
    values: tuple[WrongValue, ...] = ()
    answer: str = ""
    repeated: tuple[RepeatedCall, ...] = ()
    unmet: str = ""
    scoring: str = ""
    verdict: str = ""
    version: int = VERSION

    @property
    def is_right(self) -> bool:
        """Does the judge object to nothing that makes the task wrong? Repeated work is waste, and no error."""
        return not self.objections

    @property
    def objections(self) -> list[str]:
        """What makes the task wrong, in the judge's words."""
        values = [f"{value.tool}.{value.path} = {shown(value.value)}: {value.reason}" for value in self.values]
        return [*values, *(text for text in (self.answer, self.unmet, self.verdict) if text)]


OBJECTIONS: dict[str, tuple[Text, Callable[[Judgment], bool]]] = {
    "values": (_("a value that nobody gave"), lambda one: bool(one.values)),
    "answer": (_("a reply that contradicts the results"), lambda one: bool(one.answer)),
    "unmet": (_("a wish that was not met"), lambda one: bool(one.unmet)),
    "repeated": (_("work done twice"), lambda one: bool(one.repeated)),
}
"""What a judge may object to, in the order in which it is shown."""
VERDICTS: dict[str, tuple[Text, Callable[[Judgment], bool]]] = {
    "verdict": (_("wrong, as the benchmark's own judge has it"), lambda one: bool(one.verdict)),
}
"""The same of a benchmark's own judge."""


class Judged(Struct, frozen=True):
    """The tables of one judge. rates: shares of the judged tasks, by the names of OBJECTIONS (or VERDICTS), their
    intervals clustered by session; agreement: with a scoring of the same tasks, None without scores."""

    judge: str
    tasks: int
    rates: dict[str, Rate]
    agreement: Agreement | None = None

    @property
    def rows(self) -> list[tuple[Text, Rate]]:
        """Heading and rate of each objection, in the order in which they are shown."""
        return [
            (heading, self.rates[key])
            for key, (heading, _objects) in (OBJECTIONS | VERDICTS).items()
            if key in self.rates
        ]

    @property
    def agreed(self) -> Text | None:
        """How far the judge and the scoring agree, in a sentence; None where there is nothing to say."""
        agreement = self.agreement
        if agreement is None or agreement.observed is None:
            return None
        share = f"{100 * agreement.observed:.1f}%"
        sentence = _(
            "The judge and the scoring agree on {agreed} of {count:,} tasks.", agreed=share, count=agreement.items
        )
        return (
            sentence
            if agreement.kappa is None
            else _("{said} Cohen's kappa: {kappa}.", said=sentence, kappa=f"{agreement.kappa:.2f}")
        )


def read_judgments(folder: Path) -> list[Judgment]:
    """The judgements in a folder, [] without any. Raises DataError, with the line, for one that cannot be read."""
    path = folder / JUDGMENTS
    if not path.exists():
        return []
    judgments = []
    for number, value in read_lines(path):
        try:
            judgments.append(msgspec.convert(value, Judgment))
        except msgspec.ValidationError as error:
            raise DataError(str(error), path, number) from error
        if judgments[-1].version > VERSION:
            raise DataError(f"unsupported version {judgments[-1].version}; must be <= {VERSION}", path, number)
    return judgments


def judged(judgments: Iterable[Judgment], scores: Sequence[Score] = (), scoring: str = "") -> list[Judged]:
    """The tables, judge by judge. scores, scoring: what the judges are held against."""
    by_judge: dict[tuple[str, bool], list[Judgment]] = {}
    for judgment in judgments:
        by_judge.setdefault((judgment.judge, bool(judgment.scoring)), []).append(judgment)
    verdicts = {score.task_id: score.scorings.get(scoring) for score in scores}
    right = {task: verdict.correct for task, verdict in verdicts.items() if verdict is not None}
    tables = []
    for (name, of_benchmark), of_judge in by_judge.items():
        sessions = _by_session(of_judge)
        rates = {
            key: rate_of([sum(map(objects, tasks)) for tasks in sessions], [len(tasks) for tasks in sessions])
            for key, (_title, objects) in (VERDICTS if of_benchmark else OBJECTIONS).items()
        }
        tables.append(Judged(name, len(of_judge), rates, _agreement(of_judge, right) if right else None))
    return tables


def _by_session(judgments: Iterable[Judgment]) -> list[list[Judgment]]:
    sessions: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        sessions.setdefault(judgment.session, []).append(judgment)
    return list(sessions.values())


def _agreement(judgments: Sequence[Judgment], right: dict[str, bool]) -> Agreement:
    """Of "the task is right", as the judge and as the scoring see it."""
    sessions = _by_session(judgment for judgment in judgments if judgment.task in right)
    return cohen([[(judgment.is_right, right[judgment.task]) for judgment in tasks] for tasks in sessions])
