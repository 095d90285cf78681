"""How calls came through: as the model wrote them, as the server parsed them, as they were executed.

The same weights have scored 0.00 and 0.96 by the serving adapter alone: a score says little without these counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import UNSET, UnsetType

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply, Tool
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.models.endings import Unfinished, loops, unfinished
from toolgauge.models.text_calls import Interface, dialects_of

MOST_LOOKED_AT = 20
"""Replies with a call in their text for which the dialect is looked for."""


class InterfaceCounter:
    """Counts while trajectories stream by."""

    def __init__(self) -> None:
        self._counts, self._left, self._dialects = Counter[str](), Counter[str](), Counter[str]()

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories, counted."""
        for trajectory in trajectories:
            waiting: set[str | None] = set()
            for step in trajectory.steps:
                if step.role != ASSISTANT:
                    continue
                answered = {message.tool_call_id for message in step.messages if message.role == "tool"}
                self._counts["executed"] += len(waiting & answered)
                waiting = {call.id for call in step.reply.tool_calls}
                self._add(step.reply, trajectory.tools)
            yield trajectory

    def _add(self, reply: Reply, tools: tuple[Tool, ...]) -> None:
        left = reply.problem if reply.problem and reply.problem.of_the_server else None
        unread = reply.problem is not None and reply.problem.of_a_call
        parsed = bool(reply.tool_calls)
        self._counts.update(replies=1, written=parsed or unread or left is not None, parsed=parsed)
        if unfinished(reply) is Unfinished.TRUNCATED and not parsed:
            self._counts["loops"] += loops(reply)
        if left is None:
            return
        self._left[left.value] += 1
        if self._left.total() <= MOST_LOOKED_AT:
            text = reply.reasoning if left is CallProblem.LEFT_IN_REASONING else reply.content
            self._dialects.update(dialects_of(text or "", tools)[:1])

    def faults(self) -> Interface | UnsetType:
        """What was counted, where there is something to tell beside the scores."""
        found = self.interface()
        return found if found.left or found.loops else UNSET

    def interface(self) -> Interface:
        """What was counted."""
        best = self._dialects.most_common(1)
        return Interface(**self._counts, left=dict(self._left), dialect=best[0][0] if best else "")
