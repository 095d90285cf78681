"""Signs that something is wrong with how a run was set up rather than with the model: counted over all its replies.

What is found here says nothing of right and wrong; `notes.py` puts it into words, with what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from toolgauge.chat import Reply, Tool
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.arguments import BadJson, read_arguments
from toolgauge.judge.replies import ReadReply, is_readable, with_empty_arguments
from toolgauge.judge.texts import TextKind
from toolgauge.judge.verdict import EXACT, Score, Verdict
from toolgauge.models.endings import holds_marks, unfinished

FEW = 5
"""Fewer cases than these may be coincidence."""
MANY_TASKS = 10
"""The same reply in so many tasks is no coincidence."""


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


class SignCounter:
    """Counts while trajectories stream by. agent: they are those of an agent under test."""

    def __init__(self, agent: bool = False) -> None:
        self._agent = agent
        self._replies = self._unfinished = self._calls = 0
        self._found = dict.fromkeys(SignKind, 0)
        self._with_call = self._conversations = 0
        self._first: dict[tuple[str, int], set[int]] = {}

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories, counted."""
        for trajectory in trajectories:
            self._add(trajectory)
            yield trajectory

    def _add(self, trajectory: Trajectory) -> None:
        offered = {tool.name: tool for tool in trajectory.tools}
        seen: set[int] = set()
        last = next((step.reply for step in reversed(trajectory.steps) if step.role == ASSISTANT), Reply())
        self._conversations += 1
        self._found[SignKind.NO_TOOLS] += last.no_tools
        for step in trajectory.steps:
            if step.role != ASSISTANT:
                continue
            self._count(step.reply, offered)
            if step.task_index not in seen:
                seen.add(step.task_index)
                said = self._first.setdefault(
                    (without_epoch(trajectory.task_id, trajectory.epoch), step.task_index), set()
                )
                if not _is_empty(step.reply):
                    said.add(_content(step.reply))

    def _count(self, reply: Reply, offered: Mapping[str, Tool]) -> None:
        found, calls = self._found, reply.tool_calls
        self._replies += 1
        broken = unfinished(reply) is not None or reply.error is not None
        self._unfinished += broken
        found[SignKind.TEMPLATE_MARKS] += holds_marks(reply)
        unread = _is_unread(with_empty_arguments(reply, offered))
        found[SignKind.UNREAD_CALLS] += unread and not broken  # else it is no wonder
        left_by_server = reply.problem is not None and reply.problem.of_the_server  # interface.py counts these
        self._with_call += bool(calls) or unread or left_by_server
        if offered:
            self._calls += len(calls)
            found[SignKind.UNKNOWN_TOOLS] += sum(call.name not in offered for call in calls)
        found[SignKind.EMPTY] += _is_empty(reply) and not broken and not unread

    def signs(self, scores: Iterable[Score]) -> tuple[Sign, ...]:
        """What is conspicuous. scores: of the tasks that were counted."""
        whole_replies = 2 * self._unfinished < self._replies  # else that is why there are no calls
        due = [verdict for score in scores if (verdict := _verdict(score)) is not None and verdict.progress[1] > 1]
        alike = Counter(key for said in self._first.values() for key in said)
        found = {
            **self._found,
            SignKind.NO_CALL: len(due) if whole_replies and not self._with_call else 0,
            SignKind.CALLS_AS_TEXT: sum(map(_is_call_as_text, due)),
            SignKind.ALIKE: max(alike.values(), default=0) if len(self._first) >= MANY_TASKS else 0,
        }
        whole = {
            SignKind.UNKNOWN_TOOLS: self._calls,
            SignKind.UNREAD_CALLS: self._with_call,
            SignKind.NO_CALL: len(due),
            SignKind.CALLS_AS_TEXT: len(due),
            SignKind.ALIKE: len(self._first),
            SignKind.NO_TOOLS: self._conversations,
        }
        all_signs = (Sign(kind, count, whole.get(kind, self._replies), self._agent) for kind, count in found.items())
        shown = [one for one in all_signs if one.is_conspicuous]
        explained = any(one.kind in (SignKind.EMPTY, SignKind.CALLS_AS_TEXT, SignKind.NO_TOOLS) for one in shown)
        return tuple(one for one in shown if not (explained and one.kind is SignKind.NO_CALL))


def _is_unread(reply: Reply) -> bool:
    """Whether a reply has a call that cannot be read, here or by its provider."""
    if not reply.tool_calls:
        return ReadReply(reply).unread is not None
    return not all(
        is_readable(call) and not isinstance(read_arguments(call.arguments), BadJson) for call in reply.tool_calls
    )


def _is_empty(reply: Reply) -> bool:
    return not reply.tool_calls and not (reply.content or "").strip() and not (reply.reasoning or "").strip()


def _content(reply: Reply) -> int:
    """Equal for replies that say the same."""
    calls = tuple((call.name, str(call.arguments)) for call in reply.tool_calls)
    return hash((reply.content, calls))


def _verdict(score: Score) -> Verdict | None:
    """The exact one, else whichever the benchmark has."""
    return score.scorings.get(EXACT) or next(iter(score.scorings.values()), None)


def _is_call_as_text(verdict: Verdict) -> bool:
    return isinstance(verdict.parameters, dict) and verdict.parameters.get("kind") == TextKind.CALL_AS_TEXT.value
