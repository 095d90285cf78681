"""The environment of a task whose answer is a graph of calls: what comes back for a reply, and when the task is over.

It goes on as long as the names of the calls may still be right in any scoring; arguments are judged afterwards
(docs/rules.md#a-reply-against-the-annotation). A result belongs to the annotated call that a call was matched with; the
public code attaches results in another order (docs/rules.md#defect-by-defect, B4).
"""

from __future__ import annotations

import json

from toolgauge.benchmarks.dialogues.history import observation_text
from toolgauge.benchmarks.dialogues.judge.released_orders import ReleasedMatcher
from toolgauge.chat import GoldHint, Message, Reply, ToolCall
from toolgauge.data.session import FINAL, Call
from toolgauge.episode import Stop
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.graph import Calls, Matcher, bits
from toolgauge.judge.replies import CALLS, TEXT, AnnotatedTask, Checks, ReadReply, with_empty_arguments


class TaskEnvironment:
    """Follows one run of one task. `answer` gives the messages that follow a reply, or None when the task is over."""

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule) -> None:
        self.task, self.checks = task, Checks(task, rule)
        self.legal: Matcher | None = Matcher(task.legal_graph)
        self.released: ReleasedMatcher | None = ReleasedMatcher(task.graph)
        """How the replies so far are matched by both rules; None from the first step on that one does not admit."""
        self.given = 0
        """Annotated calls whose results were handed out."""
        self.stopped: Stop | None = None

    def answer(self, reply: Reply) -> tuple[Message, ...] | None:
        reply = with_empty_arguments(reply, self.task.tools)
        turn = ReadReply(reply)
        if turn.kind not in (CALLS, TEXT):
            self.stopped = Stop.NO_OUTPUT
            return None
        ready = 0
        if self.legal is not None:
            ready |= self.legal.ready()
            if not self.legal.advance(self._calls(turn, self.legal.ready(), offered_only=True)):
                self.legal = None
        if self.released is not None:
            ready |= self.released.ready()
            if not self.released.advance(self._calls(turn, self.released.ready(), offered_only=False)):
                self.released = None
        if self.legal is None and self.released is None:
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

    def _calls(self, turn: ReadReply, ready: int, offered_only: bool) -> Calls:
        if turn.kind == TEXT:
            return [self.task.text_call(ready)]
        named = self.task.graph.by_name
        return [0 if offered_only and c.name not in self.task.tools else named.get(c.name, 0) for c in turn.calls]

    def _results(self, turn: ReadReply, calls: tuple[ToolCall, ...], ready: int) -> list[Message]:
        """A tool message per call: those made rightly take their results first, the others what comes nearest."""
        named = [self.task.graph.by_name[made.name] for made in turn.calls]
        rows = [(mask & ready, mask) for mask in named]
        nodes = self.checks.align(turn.calls, rows, shared=True, taken=self.given)
        results = []
        for call, node in zip(calls, nodes, strict=True):
            assert node is not None, "a step is only answered where all its names are annotated"
            self.given |= 1 << node
            results.append(Message("tool", observation_text(self.task.task.calls[node]), tool_call_id=call.id))
        return results

    def gold_hint(self) -> GoldHint:
        """The gold hint at this point of the task, for built-in models."""
        if self.legal is not None:
            done = self.legal.trails[0].done
        else:
            assert self.released is not None, "the task goes on"
            done = self.released.state.done
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
