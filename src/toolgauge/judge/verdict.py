"""What a scorer says of one task: a verdict per scoring.

Lines of scores.jsonl are these structs, encoded as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from toolgauge.chat import Reply
from toolgauge.data.meaning import Fact, Said
from toolgauge.judge.arguments import ArgumentFault
from toolgauge.judge.mistakes import COUNTED_WRONG, UNCLASSIFIED
from toolgauge.judge.reasons import DialogueCode
from toolgauge.reasons import Explanation, Parameter, Reason, explain

CORRECT = "correct"
ERROR = "error"
NOT_JUDGEABLE = "not_judgeable"
"""In place of a label, in tables and on pages, where a scoring has no verdict because a recording ends too early."""
RULES_VERSION = 1
"""Of the rules of all scorings: grows with every change that can change a label."""
EXACT, RELEASED = "exact", "released"
"""The scorings that benchmarks share: what a benchmark means, and what its public evaluator says."""


class Verdict(Struct, frozen=True, omit_defaults=False):
    """One scoring's answer to "was it right?".

    label: the task as a whole; action_label: names and order of the calls alone; optimal: right and in the fewest
    steps; progress: annotated calls done rightly before the first failing step, and all (closing reply included);
    mistake: a name in judge/mistakes.py; detail: why, with the path of the argument. wrong_arguments: (tool, path) of
    the arguments that were found wrong; process: of ACEBench's agents, the share of milestones from 0 to 1; code,
    parameters: `detail` as data (toolgauge/reasons.py). All four are left out where they say nothing, the last two also
    in files of earlier versions, and by benchmarks that have no codes. parts: named parts of the verdict from 0 to 1;
    turn: the user's turn, from 0, at which it went wrong; both only where a benchmark says them.
    """

    label: str
    action_label: str
    optimal: bool
    progress: tuple[int, int]
    mistake: str | None = None
    detail: str | None = None
    wrong_arguments: tuple[tuple[str, str], ...] | UnsetType = UNSET
    process: float | UnsetType = UNSET
    code: str | UnsetType = UNSET
    parameters: dict[str, Parameter] | UnsetType = UNSET
    parts: dict[str, float] | UnsetType = UNSET
    turn: int | UnsetType = UNSET

    @property
    def correct(self) -> bool:
        return self.label == CORRECT

    @property
    def why(self) -> Explanation | None:
        """Why it is wrong, to be put into words; None for a verdict that does not say."""
        return explain(self.detail, self.code, self.parameters)


class Cause(NamedTuple):
    """Why a task is wrong. mistake: its class; why: None where nobody says."""

    mistake: str
    why: Explanation | None


class FactsMentioned(Struct, frozen=True):
    """How many of the facts the reply mentions, of how many; missing: the others, by their first wording."""

    mentioned: int
    total: int
    missing: tuple[str, ...] = ()


def facts_mentioned(facts: Sequence[Fact], replies: Sequence[Reply]) -> FactsMentioned:
    """Does what the user is told at the end mention the facts that it must? A rate beside accuracy, never inside it.

    A last reply that makes calls, or none at all, tells the user nothing.
    """
    last = replies[-1] if replies else Reply()
    reply = Said("" if last.tool_calls else last.content or "")
    missing = tuple(str(fact[0]) for fact in facts if not reply.mentions(fact))
    return FactsMentioned(len(facts) - len(missing), len(facts), missing)


class Score(Struct, frozen=True):
    """All scorings of one task that have a verdict. facts: of those that its reply must mention, where any are given.

    not_judgeable: scorings that have none, because what was recorded ends too early for them
    (docs/rules.md#recordings-that-end-too-early); left out where there are none.
    """

    task_id: str
    session_id: str
    task_index: int
    scorings: dict[str, Verdict]
    facts: FactsMentioned | UnsetType = UNSET
    not_judgeable: tuple[str, ...] | UnsetType = UNSET

    def is_judgeable(self, scoring: str) -> bool:
        """Is there a verdict, or could there be one?"""
        return self.not_judgeable is UNSET or scoring not in self.not_judgeable

    def cause(self, scoring: str) -> Cause | None:
        """Why the task is wrong in a scoring; None where it is right, or not judged.

        `exact` says it. Where that finds the task right, there is no mistake: the class is COUNTED_WRONG, and `why` is
        what the scoring finds; where it cannot judge, the class is NOT_JUDGEABLE. Benchmarks without `exact` have the
        scoring's own.
        """
        mistake = self.mistake(scoring)
        return None if mistake is None else Cause(mistake, self._why(scoring))

    def mistake(self, scoring: str) -> str | None:
        """The class of `cause`, without its explanation."""
        verdict = self.scorings.get(scoring)
        if verdict is None or verdict.correct:
            return None
        if not self.is_judgeable(EXACT):
            return NOT_JUDGEABLE
        exact = self.scorings.get(EXACT, verdict)
        return COUNTED_WRONG if exact.correct else exact.mistake or UNCLASSIFIED

    def _why(self, scoring: str) -> Explanation | None:
        """Of a wrong one."""
        if not self.is_judgeable(EXACT):
            return Reason(DialogueCode.RUN_ENDS).explained()
        verdict = self.scorings[scoring]
        exact = self.scorings.get(EXACT, verdict)
        if not exact.correct:
            return exact.why
        return verdict.why.as_counted() if verdict.why else None


def scoring_names(scores: Iterable[Score]) -> tuple[str, ...]:
    """The scorings of the scores, in the order in which they first occur; also those in which none is judgeable."""
    whole_first = sorted(scores, key=lambda score: score.not_judgeable is not UNSET)
    return tuple(
        dict.fromkeys(name for score in whole_first for name in (*(score.not_judgeable or ()), *score.scorings))
    )


def not_judgeable(scores: Iterable[Score]) -> dict[str, int]:
    """By scoring, how many of the tasks are not judgeable in it, where any are."""
    return dict(Counter(name for score in scores for name in score.not_judgeable or ()))


def success(optimal: bool, size: int) -> Verdict:
    """The verdict on a run that is right, of so many calls."""
    return Verdict(CORRECT, CORRECT, optimal, (size, size))


def failure(action_label: str, progress: tuple[int, int], mistake: str | None, why: Reason) -> Verdict:
    """The verdict on a run that is wrong."""
    parameters = why.written() or UNSET
    return Verdict(ERROR, action_label, False, progress, mistake, why.text, code=why.code.value, parameters=parameters)


def argument_failure(tool: str, progress: tuple[int, int], fault: ArgumentFault) -> Verdict:
    """The verdict on a run whose calls are right by name, the first wrong one for its arguments."""
    path, why = fault.path, fault.reason
    place, about = (f"{tool}({path})", {"tool": tool, "path": path}) if path else (tool, {"tool": tool})
    return Verdict(
        ERROR,
        CORRECT,
        False,
        progress,
        fault.mistake.value,
        f"{place}: {fault.message}",
        ((tool, path),) if path else UNSET,
        code=why.code.value,
        parameters={**about, **why.written()},
    )
