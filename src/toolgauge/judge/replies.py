"""A run as the judge sees it: each reply read once into a turn, and the annotated task prepared for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, partial

from msgspec import to_builtins
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply, Tool, ToolCall
from toolgauge.data.session import ASK, FINAL, Call, Session, Task
from toolgauge.judge.alignment import Tiers, align
from toolgauge.judge.arguments import ArgumentFault, ArgumentRule, Faults, read_arguments
from toolgauge.judge.graph import CallGraph, bits
from toolgauge.judge.values import count_right
from toolgauge.models.endings import Ending, Unfinished, ending_of, unfinished


class ReplyKind(StrEnum):
    """What a reply is to the judge."""

    CALLS = "calls"
    TEXT = "text"
    EMPTY = "empty"
    MALFORMED = "malformed"


CALLS, TEXT, EMPTY, MALFORMED = ReplyKind
_AS_RELEASED = json.JSONEncoder(ensure_ascii=False)
_ORDERED = json.JSONEncoder(sort_keys=True)


class MadeCall:
    """A readable call. raw: the arguments as they came, mostly JSON text."""

    def __init__(self, name: str, raw: object) -> None:
        self.name, self.raw = name, raw

    @cached_property
    def value(self) -> object:
        """What `read_arguments` makes of them: an object, any other JSON value, or BadJson."""
        return read_arguments(self.raw)

    @property
    def text(self) -> str:
        """The arguments as text, for the released pairing by text order."""
        if isinstance(self.raw, str):
            return self.raw
        try:
            return json.dumps(self.raw, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            return repr(type(self.raw))


class ReadReply:
    """One reply: calls (all of them readable), text, nothing at all, or a call that cannot be read. text: of a text;
    unread: why a call in it was recognised and not read, if one was.

    A reply with calls is a step of calls whatever its text; any non-empty text counts
    (docs/rules.md#a-reply-against-the-annotation). exact: a call that was not read makes the reply MALFORMED, which the
    published evaluators know nothing of.
    """

    def __init__(self, reply: Reply, exact: bool = False) -> None:
        self.reply = reply
        self.calls: tuple[MadeCall, ...] = ()
        self.text = "" if reply.tool_calls else reply.content or ""
        self.unread = _unread(reply)
        if reply.tool_calls and all(map(is_readable, reply.tool_calls)):
            self.kind = CALLS
            self.calls = tuple(MadeCall(str(call.name), call.arguments) for call in reply.tool_calls)
        else:
            self.kind = MALFORMED if reply.tool_calls else TEXT if self.text else EMPTY
        if exact and self.unread:
            self.kind, self.calls, self.text = MALFORMED, (), ""

    @property
    def unfinished(self) -> Unfinished | None:
        return unfinished(self.reply)


def is_readable(call: ToolCall) -> bool:
    """Whether id, function name and arguments are there at all."""
    return call.id is not None and isinstance(call.name, str) and call.arguments is not None


def _unread(reply: Reply) -> CallProblem | None:
    """Why a call was not read: as a dialect says, or a provider that handed on none instead."""
    if reply.problem:
        return reply.problem if reply.problem.of_a_call else None
    return CallProblem.PROVIDER if not reply.tool_calls and ending_of(reply.finish_reason) is Ending.MISTAKE else None


def with_empty_arguments(reply: Reply, tools: Mapping[str, Tool]) -> Reply:
    """The reply with `{}` for what servers give in place of no arguments: nothing, null, "" or "null", as text or not.

    Only for tools without required parameters: to call another without arguments is a mistake.
    """
    calls = tuple(_with_empty_arguments(call, tools) for call in reply.tool_calls)
    return reply if calls == reply.tool_calls else replace(reply, tool_calls=calls)


def _with_empty_arguments(call: ToolCall, tools: Mapping[str, Tool]) -> ToolCall:
    raw: object = call.arguments
    is_nothing = raw is None or (isinstance(raw, str) and raw.strip() in ("", "null"))
    tool = tools.get(call.name) if is_nothing and isinstance(call.name, str) else None
    return call if tool is None or tool.parameters.get("required") else replace(call, arguments="{}")


def published_turns(replies: Iterable[Reply]) -> tuple[ReadReply, ...]:
    """The replies as the published evaluators read them."""
    return tuple(map(ReadReply, replies))


def exact_turns(replies: Iterable[Reply], tools: Mapping[str, Tool]) -> tuple[ReadReply, ...]:
    """The replies as `exact` reads them."""
    return tuple(ReadReply(with_empty_arguments(reply, tools), exact=True) for reply in replies)


def annotated_task(session: Session, index: int) -> AnnotatedTask:
    """A task of a session prepared for judging, once for as long as the session is in memory."""
    prepared = session.prepared.get(index)
    if not isinstance(prepared, AnnotatedTask):
        prepared = session.prepared[index] = AnnotatedTask(session, session.tasks[index])
    return prepared


class AnnotatedTask:
    """A task prepared for judging: its graph and the tools' schemas.

    `graph` tells calls apart by name, arguments and neighbours: equal ones are interchangeable. `legal_graph` is
    the same, but its closing reply does not wait for optional calls; the same object where there are none. ask_mask,
    final_mask: the questions and the closing reply among its calls.
    """

    def __init__(self, session: Session, task: Task) -> None:
        self.task = task
        self.tools: dict[str, Tool] = session.tools_by_name
        names, after = [call.name for call in task.calls], [call.after for call in task.calls]
        self.graph = self.legal_graph = CallGraph(names, after, partial(_identities, task.calls))
        self.optional_mask = sum(1 << call.index for call in task.calls if call.optional)
        if self.optional_mask:
            # the closing reply waits for all that is needed, also where only an optional call stands between them
            needed = [
                call.after
                if call.name != FINAL
                else tuple(bits(self.graph.ancestors[call.index] & ~self.optional_mask))
                for call in task.calls
            ]
            self.legal_graph = CallGraph(names, needed, partial(_identities, task.calls), self.optional_mask)
        self.size = len(task.calls)
        self.ask_mask = self.graph.by_name.get(ASK, 0)
        self.final_mask = self.graph.by_name.get(FINAL, 0)

    @cached_property
    def gold_texts(self) -> tuple[str, ...]:
        """The annotated arguments as JSON text, as the released result files hold them."""
        return tuple(_AS_RELEASED.encode(call.arguments) for call in self.task.calls)

    def schema(self, name: str) -> dict[str, object]:
        """The parameters of a tool; empty for one that is not offered."""
        tool = self.tools.get(name)
        return {} if tool is None else tool.parameters

    def text_call(self, ready: int) -> int:
        """What a text stands for where `ready` may come next: the closing reply or a question (0: nothing)."""
        return (self.final_mask | self.ask_mask) & ready

    def named(self, call: MadeCall) -> int:
        """Mask of the annotated calls of that name; a pseudo-action is no tool and cannot be called (B3)."""
        return self.graph.by_name.get(call.name, 0) if call.name in self.tools else 0


def _identities(calls: Iterable[Call]) -> list[tuple[object, ...]]:
    """A key per call, equal for calls that could be exchanged for each other."""
    return [
        (
            call.name,
            _ORDERED.encode(call.arguments),
            None if call.acceptance is None else _ORDERED.encode(to_builtins(call.acceptance)),
            call.optional,
        )
        for call in calls
    ]


class Checks:
    """What an argument rule says of the calls of one run, each pair with an annotated call judged once."""

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule) -> None:
        self.task, self.rule = task, rule
        self._faults: dict[tuple[MadeCall, int], ArgumentFault | None] = {}

    def fault(self, call: MadeCall, node: int) -> ArgumentFault | None:
        """None where `made` is the annotated call `node`, else the first thing that is wrong with its arguments."""
        pair = (call, node)
        if pair not in self._faults:
            self._faults[pair] = next(self.faults(call, node), None)
        return self._faults[pair]

    def faults(self, call: MadeCall, node: int) -> Faults:
        """Everything that is wrong with the arguments of `made` as the annotated call `node`."""
        return self.rule(self.task.schema(call.name), call.value, self.task.task.calls[node])

    def nearness(self, call: MadeCall, node: int) -> int:
        """How many annotated arguments of a call are right, for choosing which one a wrong call comes nearest to."""
        return count_right(call.value, self.task.task.calls[node])

    def align(
        self, calls: Sequence[MadeCall], rows: Sequence[Tiers], *, shared: bool = False, taken: int = 0
    ) -> list[int | None]:
        """`align` for calls made in a task: right by the argument rule, else near by the arguments right."""
        return align(
            rows,
            lambda row, node: self.nearness(calls[row], node),
            lambda row, node: self.fault(calls[row], node) is None,
            shared=shared,
            taken=taken,
        )
