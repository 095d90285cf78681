"""What a run's replies were like, counted in one pass: how they ended, how calls came through, and what is conspicuous.

The same weights have scored 0.00 and 0.96 by the serving adapter alone: a score says little without these counts. None
of them says anything of right and wrong; `notes.py` puts them into words, with what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

from toolgauge.artefacts import DIGITS
from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply, Tool
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.arguments import BadJson, read_arguments
from toolgauge.judge.replies import ReadReply, is_readable, with_empty_arguments
from toolgauge.judge.texts import TextKind
from toolgauge.judge.verdict import EXACT, Score
from toolgauge.models.endings import Ending, Unfinished, ending_of, holds_marks, loops, unfinished
from toolgauge.models.text_calls import Interface, dialects_of

MOST_LOOKED_AT = 20
"""Replies with a call in their text for which the dialect is looked for."""
FEW = 5
"""Fewer cases than these may be coincidence."""
MANY_TASKS = 10
"""The same reply in so many tasks is no coincidence."""


class EndingCount(Struct, frozen=True):
    """Replies that ended in one way, the tasks in which one did, and the share of all replies, from 0 to 1."""

    replies: int = 0
    tasks: int = 0
    rate: float = 0.0


class Endings(Struct, frozen=True):
    """Of all replies of the measured model. unknown: replies of which nobody said how they ended."""

    replies: int = 0
    unknown: int = 0
    truncated: EndingCount = EndingCount()
    filtered: EndingCount = EndingCount()
    only_reasoning: EndingCount = EndingCount()

    @property
    def known(self) -> bool:
        """Whether it is recorded how any reply ended."""
        return self.unknown < self.replies or not self.replies

    def by_kind(self) -> dict[Unfinished, EndingCount]:
        return {kind: getattr(self, kind.value) for kind in Unfinished}


class SignKind(StrEnum):
    """What is conspicuous. Names of counts in metrics.json."""

    TEMPLATE_MARKS = "template_marks"  # replies that hold marks of a chat template
    NO_CALL = "no_call"  # tasks in which a call was due and none was made
    ALIKE = "alike"  # tasks whose first reply is the same
    EMPTY = "empty"  # replies without anything in them
    UNKNOWN_TOOLS = "unknown_tools"  # calls of tools that are not on offer
    UNREAD_CALLS = "unread_calls"  # replies with a call that cannot be read, of those with a call
    NO_TOOLS = "no_tools"  # conversations in which an agent neither listed nor called its tools
    CALLS_AS_TEXT = "calls_as_text"  # tasks in which the model wrote a call as text, of those in which one was due


WARN_FROM = {
    SignKind.TEMPLATE_MARKS: 0.05,
    SignKind.NO_CALL: 1.0,
    SignKind.ALIKE: 0.8,
    SignKind.EMPTY: 0.2,
    SignKind.UNKNOWN_TOOLS: 0.5,
    SignKind.UNREAD_CALLS: 0.5,
    SignKind.CALLS_AS_TEXT: 0.2,
    SignKind.NO_TOOLS: 0.5,
}
"""The share from which on it is conspicuous."""


class Sign(Struct, frozen=True, omit_defaults=True):
    """So many of so many: replies, calls, tasks or conversations, as `SignKind` says. agent: of an agent under test."""

    kind: SignKind
    count: int
    all: int
    agent: bool = False

    @property
    def is_conspicuous(self) -> bool:
        fewest = 1 if self.kind is SignKind.NO_TOOLS else FEW
        return self.count >= fewest and self.count >= WARN_FROM[self.kind] * self.all


class ReplyCounter:
    """Counts the measured model's replies while trajectories stream by.

    told: a reply that names no finish reason is known to be whole, as those of built-in models are; agent: they are
    those of an agent under test.
    """

    def __init__(self, told: bool = False, agent: bool = False) -> None:
        self._told, self._agent = told, agent
        self._unknown = self._broken = self._conversations = self._calls = self._with_call = 0
        self._unfinished: dict[Unfinished, list[tuple[str, int]]] = {kind: [] for kind in Unfinished}
        self._through, self._left, self._dialects = Counter[str](), Counter[str](), Counter[str]()
        self._signs = Counter[SignKind]()
        self._first: dict[tuple[str, int], set[int]] = {}

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories, counted."""
        for trajectory in trajectories:
            self._add(trajectory)
            yield trajectory

    def _add(self, trajectory: Trajectory) -> None:
        offered, task = (
            {tool.name: tool for tool in trajectory.tools},
            without_epoch(trajectory.task_id, trajectory.epoch),
        )
        waiting: set[str | None] = set()
        seen: set[int] = set()
        reply = Reply()
        for step in trajectory.steps:
            if step.role != ASSISTANT:
                continue
            reply, kind = step.reply, unfinished(step.reply)
            left = reply.problem if reply.problem and reply.problem.of_the_server else None
            if kind and not left:  # else the server is at fault
                self._unfinished[kind].append((trajectory.task_id, step.task_index))
            self._unknown += not self._told and ending_of(reply.finish_reason) is Ending.UNSAID
            answered = {message.tool_call_id for message in step.messages if message.role == "tool"}
            self._through["executed"] += len(waiting & answered)
            waiting = {call.id for call in reply.tool_calls}
            self._add_calls(reply, kind, left, trajectory.tools)
            self._add_signs(reply, kind, left, offered)
            if step.task_index not in seen:
                seen.add(step.task_index)
                alike = self._first.setdefault((task, step.task_index), set())
                if not _is_empty(reply):
                    calls = tuple((call.name, str(call.arguments)) for call in reply.tool_calls)
                    alike.add(hash((reply.content, calls)))
        self._conversations += 1
        self._signs[SignKind.NO_TOOLS] += reply.no_tools

    def _add_calls(
        self, reply: Reply, kind: Unfinished | None, left: CallProblem | None, tools: tuple[Tool, ...]
    ) -> None:
        """As the model wrote them, as the server parsed them."""
        unread = reply.problem is not None and reply.problem.of_a_call
        parsed = bool(reply.tool_calls)
        self._through.update(replies=1, written=parsed or unread or left is not None, parsed=parsed)
        if kind is Unfinished.TRUNCATED and not parsed:
            self._through["loops"] += loops(reply)
        if left is not None:
            self._left[left.value] += 1
            if self._left.total() <= MOST_LOOKED_AT:
                text = reply.reasoning if left is CallProblem.LEFT_IN_REASONING else reply.content
                self._dialects.update(dialects_of(text or "", tools)[:1])

    def _add_signs(
        self, reply: Reply, kind: Unfinished | None, left: CallProblem | None, offered: Mapping[str, Tool]
    ) -> None:
        signs, calls = self._signs, reply.tool_calls
        broken, unread = kind is not None or reply.error is not None, _is_unread(with_empty_arguments(reply, offered))
        self._broken += broken
        self._with_call += bool(calls) or unread or left is not None
        signs[SignKind.TEMPLATE_MARKS] += holds_marks(reply)
        signs[SignKind.UNREAD_CALLS] += unread and not broken  # else it is no wonder
        signs[SignKind.EMPTY] += _is_empty(reply) and not broken and not unread
        if offered:
            self._calls += len(calls)
            signs[SignKind.UNKNOWN_TOOLS] += sum(call.name not in offered for call in calls)

    def endings(self) -> Endings:
        """How the replies ended: how many were cut off, filtered, or held nothing but reasoning."""
        replies = self._through["replies"]
        counts = {
            kind.value: EndingCount(len(keys), len(set(keys)), round(len(keys) / replies, DIGITS))
            for kind, keys in self._unfinished.items()
            if keys
        }
        return Endings(replies, self._unknown, **counts)

    def interface(self) -> Interface:
        """How calls came through: as written, as parsed, as executed."""
        best = self._dialects.most_common(1)
        return Interface(**self._through, left=dict(self._left), dialect=best[0][0] if best else "")

    def faults(self) -> Interface | UnsetType:
        """`interface`, where there is something to tell beside the scores."""
        interface = self.interface()
        return interface if interface.left or interface.loops else UNSET

    def signs(self, scores: Iterable[Score]) -> tuple[Sign, ...]:
        """What looks like a fault of the set-up rather than of the model. scores: of the tasks that were counted."""
        replies = self._through["replies"]
        verdicts = (score.scorings.get(EXACT) or next(iter(score.scorings.values()), None) for score in scores)
        due = [verdict for verdict in verdicts if verdict is not None and verdict.progress[1] > 1]
        alike = Counter(key for keys in self._first.values() for key in keys)
        as_text = ((verdict.parameters or {}).get("kind") == TextKind.CALL_AS_TEXT.value for verdict in due)
        no_call = 2 * self._broken < replies and not self._with_call  # else broken replies are why there are no calls
        tasks, many = len(self._first), len(self._first) >= MANY_TASKS
        counts: dict[SignKind, tuple[int, int]] = {
            SignKind.TEMPLATE_MARKS: (self._signs[SignKind.TEMPLATE_MARKS], replies),
            SignKind.NO_CALL: (len(due) if no_call else 0, len(due)),
            SignKind.ALIKE: (max(alike.values(), default=0) if many else 0, tasks),
            SignKind.EMPTY: (self._signs[SignKind.EMPTY], replies),
            SignKind.UNKNOWN_TOOLS: (self._signs[SignKind.UNKNOWN_TOOLS], self._calls),
            SignKind.UNREAD_CALLS: (self._signs[SignKind.UNREAD_CALLS], self._with_call),
            SignKind.NO_TOOLS: (self._signs[SignKind.NO_TOOLS], self._conversations),
            SignKind.CALLS_AS_TEXT: (sum(as_text), len(due)),
        }
        signs = (Sign(kind, count, whole, self._agent) for kind, (count, whole) in counts.items())
        conspicuous = [sign for sign in signs if sign.is_conspicuous]
        explained = {SignKind.EMPTY, SignKind.CALLS_AS_TEXT, SignKind.NO_TOOLS} & {sign.kind for sign in conspicuous}
        return tuple(sign for sign in conspicuous if not (explained and sign.kind is SignKind.NO_CALL))


def _is_unread(reply: Reply) -> bool:
    """Whether a reply has a call that cannot be read, here or by its provider."""
    if not reply.tool_calls:
        return ReadReply(reply).unread is not None
    return not all(
        is_readable(call) and not isinstance(read_arguments(call.arguments), BadJson) for call in reply.tool_calls
    )


def _is_empty(reply: Reply) -> bool:
    return not reply.tool_calls and not (reply.content or "").strip() and not (reply.reasoning or "").strip()
