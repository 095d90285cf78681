"""Fault injection: every mistake that the noisy model can make at a request, with the class it belongs to.

The names are those of judge/mistakes.py, and a reply is offered under a name only where the published procedure (the
first condition that holds decides, actions before arguments) leads to that class and no other.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import GoldHint, Reply, Request, Tool, ToolCall
from toolgauge.languages import has_han
from toolgauge.models.builtin.argument_mutations import as_text, sample, spoil

Plan = tuple[str, Reply]


class _Scene(Struct, frozen=True):
    """A request with what the rules below ask of it."""

    gold_hint: GoldHint
    step: int
    due: tuple[ToolCall, ...]
    offered: tuple[Tool, ...]
    chinese: bool

    @property
    def first(self) -> bool:
        return self.step == 0

    def names(self, calls: tuple[ToolCall, ...]) -> frozenset[str | None]:
        return frozenset(call.name for call in calls)

    def unrelated(self) -> Iterator[ToolCall]:
        """Calls of offered tools that the task needs at no point."""
        needed = self.names(self.due) | self.names(self.gold_hint.done) | self.names(self.gold_hint.later)
        return (call_of(tool) for tool in self.offered if tool.name not in needed)


def plan_mistakes(request: Request) -> list[Plan]:
    """All plans for this request as (name of the mistake, reply with `planted` set); several per name are variants.

    A request without a cue has none.
    """
    gold_hint = request.gold_hint
    if gold_hint is None:
        return []
    if gold_hint.mistakes is not None:
        return [(name, replace(reply, planted=name)) for name, reply in gold_hint.mistakes()]
    due = gold_hint.reply.tool_calls if gold_hint.due == "calls" else ()
    scene = _Scene(gold_hint, request.step, due, request.tools, is_chinese(request))
    plans = [*_anywhere(scene), *_instead_of_text(scene)]
    if due:
        plans += [*_instead_of_calls(scene), *_wrong_arguments(scene)]
    return [(name, replace(reply, planted=name)) for name, reply in plans]


def is_chinese(request: Request) -> bool:
    """Whether the last user message has Chinese characters."""
    said = next((message.content or "" for message in reversed(request.messages) if message.role == "user"), "")
    return has_han(said)


def _anywhere(scene: _Scene) -> Iterator[Plan]:
    yield "empty_output", Reply()
    yield "empty_output", Reply(content="")
    calls = scene.due or (ToolCall("planted_0", "search", "{}"),)
    yield "malformed_call", _say(replace(calls[0], id=None), *calls[1:])
    yield "malformed_call", _say(replace(calls[0], name=None), *calls[1:])
    yield "malformed_call", _say(replace(calls[0], name=None, arguments=None), *calls[1:])
    known = scene.names(scene.due) | {tool.name for tool in scene.offered}
    stem = calls[0].name or "search"
    unknown = next(name for name in _names_like(stem) if name not in known)
    yield "unknown_tool", _say(replace(calls[0], name=unknown), *calls[1:])


def _names_like(stem: str) -> Iterator[str]:
    yield f"{stem}_pro"
    number = 2
    while True:
        yield f"{stem}_v{number}"
        number += 1


def _instead_of_text(scene: _Scene) -> Iterator[Plan]:
    """A call where a question or the closing reply is due."""
    offered = {tool.name for tool in scene.offered}
    if scene.gold_hint.due == "ask":
        guesses = [call for call in scene.gold_hint.later[:1] if call.name in offered]
        for call in guesses or [call_of(tool) for tool in scene.offered[:1]]:
            yield "missed_clarification", _say(call)
    elif scene.gold_hint.due == "final" and scene.first:
        for tool in scene.offered:
            yield "needless_tool", _say(call_of(tool))
    elif scene.gold_hint.due == "final":
        yield from (("wrong_tool", _say(call)) for call in scene.unrelated())
        yield from (("redundant_call", _say(_again(call))) for call in scene.gold_hint.done if call.name in offered)


def _instead_of_calls(scene: _Scene) -> Iterator[Plan]:
    """Text, or other calls, where calls are due."""
    no = "抱歉，这件事我帮不上忙。" if scene.chinese else "I am sorry, but I cannot do that."
    yield ("refusal" if scene.first else "early_termination"), Reply(content=no)
    due, done, later = scene.names(scene.due), scene.names(scene.gold_hint.done), scene.names(scene.gold_hint.later)
    offered = {tool.name for tool in scene.offered}
    for call in scene.gold_hint.later:
        if call.name in offered and call.name not in due | done:
            yield "order_violation", _say(call)
            yield "order_violation", _say(*scene.due, call)
    yield from (("wrong_tool", _say(call)) for call in scene.unrelated())
    for call in scene.due:
        if call.name in offered and call.name not in later:
            yield "redundant_call", _say(*scene.due, _again(call))
    for call in scene.gold_hint.done:
        if call.name in offered and call.name not in due | later:
            yield "redundant_call", _say(_again(call))


def _wrong_arguments(scene: _Scene) -> Iterator[Plan]:
    """The due calls, one of them with one wrong argument."""
    tools = {tool.name: tool for tool in scene.offered}
    for position, call in enumerate(scene.due):
        tool = tools.get(call.name or "")
        if tool is None:
            continue
        before, after = scene.due[:position], scene.due[position + 1 :]
        for name, text in spoil(call.arguments, tool.parameters):
            yield name, _say(*before, replace(call, arguments=text), *after)


def _say(*calls: ToolCall) -> Reply:
    return Reply(tool_calls=calls)


def _again(call: ToolCall) -> ToolCall:
    """The same call under an id of its own."""
    return replace(call, id=f"{call.id}_again")


def call_of(tool: Tool) -> ToolCall:
    """A call of a tool with plausible arguments."""
    arguments = sample({**tool.parameters, "type": "object"})
    return ToolCall(f"planted_{tool.name}", tool.name, as_text(arguments if isinstance(arguments, dict) else {}))
