"""The environment of a task whose answer is a graph of calls: what comes back for a reply, and when the task is over.

It goes on as long as the names of the calls may still be right in any scoring; arguments are judged afterwards
(docs/rules.md#a-reply-against-the-annotation). A result belongs to the annotated call that a call was matched with; the
public code attaches results in another order (docs/rules.md#defect-by-defect, B4).
"""

from __future__ import annotations

import json

from toolgauge.benchmarks.dialogues.history import observation_text
from toolgauge.benchmarks.dialogues.judge.released_orders import ReleasedOrders
from toolgauge.chat import GoldHint, Message, Reply, ToolCall
from toolgauge.data.session import FINAL, Call
from toolgauge.episode import Stop
from toolgauge.judge.alignment import RightPairs
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.graph import Calls, LegalOrders, Matcher, bits
from toolgauge.judge.replies import CALLS, TEXT, AnnotatedTask, Checks, ReadReply, align_calls


class TaskEnvironment:
    """Follows one run of one task. `answer` gives the messages that follow a reply, or None when the task is over."""

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule) -> None:
        self.task, self.checks = task, Checks(task, rule)
        self.legal = Matcher(task.legal_graph, LegalOrders())
        self.released = Matcher(task.graph, ReleasedOrders())
        self.given = 0
        """Annotated calls whose results were handed out."""
        self.stopped: Stop | None = None

    def answer(self, reply: Reply) -> tuple[Message, ...] | None:
        turn = ReadReply(reply)
        if turn.kind not in (CALLS, TEXT):
            self.stopped = Stop.NO_OUTPUT
            return None
        ready = self.legal.ready() | self.released.ready()
        legal = self.legal.advance(self._calls(turn, self.legal, offered_only=True))
        released = self.released.advance(self._calls(turn, self.released, offered_only=False))
        if not legal:
            self.legal.trails = []
        if not released:
            self.released.trails = []
        if not legal and not released:
            self.stopped = Stop.ILLEGAL_STEP
            return None
        if turn.kind == CALLS:
            return (reply.message(), *self._results(turn, reply.tool_calls, ready))
        if self.task.final_mask & ready:
            self.stopped = Stop.ANSWERED
            return None
        question = next(bits(self.task.ask_mask & ready))
        self.given |= 1 << question
        return reply.message(), Message("user", self.task.task.calls[question].user_input or "")

    def _calls(self, turn: ReadReply, matcher: Matcher, offered_only: bool) -> Calls:
        if turn.kind == TEXT:
            return [self.task.text_call(matcher.ready())]
        named = self.task.graph.by_name
        return [0 if offered_only and c.name not in self.task.tools else named.get(c.name, 0) for c in turn.calls]

    def _results(self, turn: ReadReply, calls: tuple[ToolCall, ...], ready: int) -> list[Message]:
        """A tool message per call: those made rightly take their results first, the others what comes nearest."""
        named = [self.task.graph.by_name[made.name] for made in turn.calls]
        rows = [(mask & ready, mask) for mask in named]
        nodes = align_calls(self.checks, turn.calls, rows, RightPairs.IN_ORDER, shared=True, taken=self.given)
        results = []
        for call, node in zip(calls, nodes, strict=True):
            assert node is not None, "a step is only answered where all its names are annotated"
            self.given |= 1 << node
            results.append(Message("tool", observation_text(self.task.task.calls[node]), tool_call_id=call.id))
        return results

    def gold_hint(self) -> GoldHint:
        """The gold hint at this point of the task, for built-in models."""
        matcher = self.legal if self.legal.trails else self.released
        done = matcher.trails[0].state.done
        ready = self.task.graph.ready(done)
        calls = self.task.task.calls
        later = [call for call in calls if not (done | ready) >> call.index & 1 and call.is_tool]
        due = [calls[index] for index in bits(ready)]
        if not due or not due[0].is_tool:
            name = "final" if not due or due[0].name == FINAL else "ask"
            text = str(due[0].observation or "") if due else ""
            return self._cue(name, Reply(text or "…"), done, later)
        made = tuple(_annotated(call) for call in due if call.is_tool)
        return self._cue("calls", Reply(None, made), done, later)

    def _cue(self, due: str, reply: Reply, done: int, later: list[Call]) -> GoldHint:
        made = tuple(_annotated(call) for call in self.task.task.calls if done >> call.index & 1 and call.is_tool)
        return GoldHint(due, reply, made, tuple(map(_annotated, later)), self.task.graph.depth)


def _annotated(call: Call) -> ToolCall:
    return ToolCall(f"call_{call.index}", call.name, json.dumps(call.arguments, ensure_ascii=False))
