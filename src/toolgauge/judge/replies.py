"""A run as the judge sees it: each reply read once into a turn, and the annotated task prepared for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property, partial

from msgspec import to_builtins
from msgspec.json import encode as to_json

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply, Tool, ToolCall
from toolgauge.data.session import ASK, FINAL, Call, Session, Task
from toolgauge.judge.accepted import accepted_faults, count_accepted
from toolgauge.judge.alignment import RightPairs, Tiers, align
from toolgauge.judge.arguments import (
    ArgumentFault,
    ArgumentRule,
    check_arguments,
    compared_faults,
    count_right,
    misfits,
    read_arguments,
)
from toolgauge.judge.graph import CallGraph, bits
from toolgauge.judge.verdict import CORRECT, Verdict
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
    """A readable call: name, the arguments' text as it came, and their value, read when first needed."""

    __slots__ = ("_value", "name", "raw")

    def __init__(self, name: str, raw: object) -> None:
        self.name, self.raw = name, raw
        self._value: object = self

    @property
    def value(self) -> object:
        """What `read_arguments` makes of them: an object, any other JSON value, or BAD_JSON."""
        if self._value is self:
            self._value = read_arguments(self.raw)
        return self._value

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
    unfinished: how it is, if it is; unread: why a call in it was recognised and not read, if one was.

    A reply with calls is a step of calls whatever its text; any non-empty text counts
    (docs/rules.md#a-reply-against-the-annotation). exact: with such a call the reply is MALFORMED, which the published
    evaluators know nothing of.
    """

    __slots__ = ("_reply", "calls", "kind", "text", "unread")

    def __init__(self, reply: Reply, exact: bool = False) -> None:
        self.calls: tuple[MadeCall, ...] = ()
        self.text = ""
        self._reply = reply
        self.unread = _unread(reply)
        if exact and self.unread:
            self.kind = MALFORMED
        elif reply.tool_calls:
            readable = all(map(is_readable, reply.tool_calls))
            self.kind = CALLS if readable else MALFORMED
            if readable:
                self.calls = tuple(MadeCall(str(call.name), call.arguments) for call in reply.tool_calls)
        else:
            self.text = reply.content or ""
            self.kind = TEXT if self.text else EMPTY

    def as_exact(self) -> ReadReply:
        return ReadReply(self._reply, exact=True) if self.unread else self

    @property
    def unfinished(self) -> Unfinished | None:
        return unfinished(self._reply)


def is_readable(call: ToolCall) -> bool:
    """Whether id, function name and arguments are there at all."""
    return call.id is not None and isinstance(call.name, str) and call.arguments is not None


def _unread(reply: Reply) -> CallProblem | None:
    """Why a call was not read: as a dialect says, or a provider that handed on none instead."""
    if reply.problem:
        return reply.problem if reply.problem.of_a_call else None
    return CallProblem.PROVIDER if not reply.tool_calls and ending_of(reply.finish_reason) is Ending.MISTAKE else None


def read_turns(replies: Iterable[Reply], exact: bool = False) -> tuple[ReadReply, ...]:
    return tuple(ReadReply(reply, exact) for reply in replies)


def as_exact(turns: Iterable[ReadReply]) -> tuple[ReadReply, ...]:
    """`read_turns` of the same replies with `exact`: the same turns, and what was found out of them, where no call was
    unread."""
    return tuple(turn.as_exact() for turn in turns)


def annotated_task(session: Session, index: int) -> AnnotatedTask:
    """A task of a session prepared for judging, once for as long as the session is in memory."""
    known = session.prepared.get(index)
    if not isinstance(known, AnnotatedTask):
        known = session.prepared[index] = AnnotatedTask(session, session.tasks[index])
    return known


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
        self.graph = CallGraph(names, after, partial(_identities, task.calls))
        self.optional_mask = sum(1 << call.index for call in task.calls if call.optional)
        self.legal_graph = self._legal_graph(names, after) if self.optional_mask else self.graph
        self.size = len(task.calls)
        self.ask_mask = self.graph.by_name.get(ASK, 0)
        self.final_mask = self.graph.by_name.get(FINAL, 0)
        self._right: dict[tuple[bool, int], Verdict] = {}

    def _legal_graph(self, names: list[str], after: list[tuple[int, ...]]) -> CallGraph:
        """The closing reply waits for all that is needed, also where only an optional call stands between them."""
        needed = [
            others if name != FINAL else tuple(bits(self.graph.ancestors[index] & ~self.optional_mask))
            for index, (name, others) in enumerate(zip(names, after, strict=True))
        ]
        return CallGraph(names, needed, partial(_identities, self.task.calls), self.optional_mask)

    @cached_property
    def is_judged_apart(self) -> bool:
        """Whether any call is judged in another way than as released."""
        return any(call.acceptance is not None for call in self.task.calls) or bool(self.compared_alone)

    @cached_property
    def gold_texts(self) -> tuple[str, ...]:
        """The annotated arguments as JSON text, as the released result files hold them."""
        return tuple(_AS_RELEASED.encode(call.arguments) for call in self.task.calls)

    @cached_property
    def compared_alone(self) -> frozenset[int]:
        """Calls whose annotated arguments fit their tool by JSON Schema and not by the published check, which knows no
        `oneOf`, `const` or free objects: a prediction is only compared with them (docs/rules.md, Q9)."""
        return frozenset(call.index for call in self.task.calls if call.is_tool and self._is_refused(call))

    def _is_refused(self, call: Call) -> bool:
        schema = self.schema(call.name)
        if schema is None or next(misfits(call.arguments, schema), None) is None:
            return False
        from toolgauge.data.validation import argument_validator

        validator = argument_validator(to_json(schema), strict=False)
        return validator is None or not validator.check(call.arguments, most=1).errors

    def right(self, optimal: bool, size: int) -> Verdict:
        """The verdict on a run that made so many calls rightly: one for all runs and scorings."""
        return self._right.setdefault((optimal, size), Verdict(CORRECT, CORRECT, optimal, (size, size)))

    def schema(self, name: str) -> dict[str, object] | None:
        tool = self.tools.get(name)
        return None if tool is None else tool.parameters

    def text_call(self, ready: int) -> int:
        """What a text stands for where `ready` may come next: the closing reply or a question (0: nothing)."""
        return (self.final_mask | self.ask_mask) & ready

    def named(self, made: MadeCall) -> int:
        """Mask of the annotated calls of that name; a pseudo-action is no tool and cannot be called (B3)."""
        return self.graph.by_name.get(made.name, 0) if made.name in self.tools else 0

    def nearness(self, made: MadeCall, node: int) -> int:
        """How many annotated arguments of a call are right, for choosing which one a wrong call comes nearest to."""
        call = self.task.calls[node]
        if call.acceptance is not None:
            return count_accepted(made.value, call.arguments, call.acceptance)
        return count_right(made.value, call.arguments)


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
    """What an argument rule says of the calls of one run, each pair with an annotated call judged once.

    as_released: annotations of what else is right do not count, and the published check decides whatever it knows.
    """

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule, as_released: bool = False) -> None:
        self.task, self.rule, self.as_released = task, rule, as_released
        self._known: dict[tuple[MadeCall, int], ArgumentFault | None] = {}

    def fault(self, made: MadeCall, node: int) -> ArgumentFault | None:
        """None where `made` is the annotated call `node`, else the first thing that is wrong with its arguments."""
        pair = (made, node)
        if pair not in self._known:
            self._known[pair] = next(self.faults(made, node), None)
        return self._known[pair]

    def faults(self, made: MadeCall, node: int) -> Iterator[ArgumentFault]:
        """Everything that is wrong with the arguments of `made` as the annotated call `node`."""
        call, schema = self.task.task.calls[node], self.task.schema(made.name) or {}
        if self.as_released:
            return self.rule.faults(schema, made.value, call.arguments)
        alone = self.rule is check_arguments and node in self.task.compared_alone
        if call.acceptance is not None:
            return accepted_faults(None if alone else schema, made.value, call.arguments, call.acceptance)
        if alone:
            return compared_faults(made.value, call.arguments)
        return self.rule.faults(schema, made.value, call.arguments)


def align_calls(
    checks: Checks,
    calls: Sequence[MadeCall],
    rows: Sequence[Tiers],
    right_pairs: RightPairs,
    *,
    shared: bool = False,
    taken: int = 0,
) -> list[int | None]:
    """`align` for calls made in a task: right by the benchmark's argument rule, else near by the arguments right."""

    def nearness(row: int, node: int) -> int:
        return checks.task.nearness(calls[row], node)

    def is_right(row: int, node: int) -> bool:
        return checks.fault(calls[row], node) is None

    return align(rows, nearness, is_right, right_pairs, shared=shared, taken=taken)
