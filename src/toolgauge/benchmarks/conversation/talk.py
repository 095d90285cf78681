"""The conversation as `play` has it: ordinary code that asks and waits, and the episode that it is to everybody else.

An episode never waits. So whoever drives one of these has two ways: `run` plays it in the caller's own thread and calls
a function for every reply (`drive`, `data check`, the executors, each in a thread of its own); as a generator it plays
in a thread behind the scenes, which ends with the generator (Inspect AI, gymnasium).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any

import msgspec
from msgspec import convert

from toolgauge.benchmarks.benchmark import Role
from toolgauge.chat import GoldHint, Message, Reply, ReplySchema, Request, Tool
from toolgauge.episode import ASSISTANT, Step, Trajectory
from toolgauge.errors import Endless, ToolgaugeError

MAX_REQUESTS = 2_000
"""Of one conversation: one that asks on and on would cost for ever."""
Answer = Callable[[Request], Reply]
Perfect = Callable[[int, int], Reply | None]
"""What a perfect model says at a step of a turn (both from 0); None where nobody knows."""


class Unanswered(BaseException):
    """There is no reply, and the conversation is over: no `except Exception` of somebody's harness may go on from here.

    `__cause__` says why.
    """


class Talk:
    """What `play` talks with. key: of the conversation (task and epoch), to seed what is drawn with.

    record: what is to be kept for `judge` and pages beside what was said, anything that JSON can hold.
    """

    def __init__(
        self, key: str, epoch: int, roles: Mapping[str, Role], perfect: Perfect, due: int, answer: Answer
    ) -> None:
        """due: how many replies a perfect model takes."""
        self.key, self.epoch = key, epoch
        self.record: dict[str, Any] = {}
        self.steps: list[Step] = []
        self.tools: dict[str, Tool] = {}
        """All that were on offer to the model, by name."""
        self._roles, self._perfect, self._due, self._answer = roles, perfect, due, answer
        self._last: dict[str, tuple[Message, ...]] = {}

    def ask(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        tools: Iterable[Tool | Mapping[str, Any]] = (),
        *,
        role: str = ASSISTANT,
        turn: int = 0,
        hint: Reply | str | None = None,
        max_tokens: int | None = None,
        schema: ReplySchema | None = None,
    ) -> Reply:
        """Have a role speak, and wait for its reply.

        messages, tools: ours, or as OpenAI's API has them; all of the conversation so far. turn: the user's turn (from
        0) that the reply belongs to. hint: what a perfect speaker says here, for built-in models alone; of the model
        that is measured the task's `gold` says it. max_tokens: of the reply; schema: of one that is a JSON object.
        """
        if role != ASSISTANT and role not in self._roles:
            raise ToolgaugeError(f"the role {role!r} is not declared (declared: {', '.join(self._roles) or 'none'})")
        try:
            asked, offered = tuple(map(read_message, messages)), tuple(map(read_tool, tools))
        except (AttributeError, KeyError, TypeError, msgspec.ValidationError) as error:
            due = "messages and tools must be as OpenAI's API has them"
            raise ToolgaugeError(f"talk.ask: {due} ({error!r})") from error
        if role == ASSISTANT:
            self.tools |= {tool.name: tool for tool in offered}
        before = [step for step in self.steps if step.role == role]
        if len(self.steps) >= MAX_REQUESTS:
            raise Endless(f"no end after {MAX_REQUESTS:,} requests; `play` has to bound a conversation")
        request = Request(role, asked, offered, self.key, len(before), self._hint(role, turn, hint), max_tokens, schema)
        reply = self._answer(request)
        known = self._last.get(role, ())
        pairs = enumerate(zip(known, asked, strict=False))
        kept = next((place for place, (a, b) in pairs if a != b), min(len(known), len(asked)))
        self._last[role] = asked
        shown = None if kept == len(known) else kept
        self.steps.append(Step(asked[kept:], reply, role=role, kept=shown, turn=turn))
        return reply

    def replies(self, role: str = ASSISTANT, turn: int | None = None) -> list[Reply]:
        """What a role said so far, in one turn or in all."""
        return [step.reply for step in self.steps if step.role == role and turn in (None, step.turn)]

    def _hint(self, role: str, turn: int, hint: Reply | str | None) -> GoldHint | None:
        if hint is None and role == ASSISTANT:
            hint = self._perfect(turn, len(self.replies(turn=turn)))
        if hint is None:
            return None
        reply = hint if isinstance(hint, Reply) else Reply(hint)
        return GoldHint("calls" if reply.tool_calls else "final", reply, steps=max(self._due, 1))

    def recorded(self) -> dict[str, Any]:
        """The record as it is read from a file again; ToolgaugeError where it holds what JSON does not."""
        try:
            plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.record))
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise ToolgaugeError(f"talk.record must be JSON: {error}") from error
        return plain


class PlayedEpisode(Generator[Request, Reply, Trajectory]):
    """An episode whose conversation is had by ordinary code. play: has it, given who answers."""

    def __init__(self, play: Callable[[Answer], Trajectory]) -> None:
        self._play = play
        self._replies: SimpleQueue[Reply | BaseException] | None = None
        self._events: SimpleQueue[Request | Trajectory | BaseException] = SimpleQueue()
        self._patience: float | None = None

    def run(self, answer: Answer) -> Trajectory:
        """Have the whole conversation in this thread. What `answer` raises, the conversation ends with."""

        def answered(request: Request) -> Reply:
            try:
                return answer(request)
            except BaseException as error:
                raise Unanswered from error

        try:
            return self._play(answered)
        except Unanswered as error:
            raise error.__cause__ or error from None

    def run_within(self, seconds: float, answer: Answer) -> Trajectory:
        """The same with the code in a thread of its own. Raises ToolgaugeError where it takes longer than that between
        two requests; the thread ends when it asks again, or with the process."""
        self._patience = seconds
        try:
            request = self.send(None)
            while True:
                request = self.send(answer(request))
        except StopIteration as end:
            trajectory: Trajectory = end.value
            return trajectory

    def send(self, value: Reply | None) -> Request:
        """The next request after this reply (None: the first). Waits for the code that is playing."""
        if self._replies is None:
            self._replies = SimpleQueue()
            arguments = (self._play, self._replies, self._events)
            Thread(target=_play_aside, args=arguments, name="toolgauge-play", daemon=True).start()
        elif value is not None:
            self._replies.put(value)
        return self._next_event()

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None) -> Request:  # noqa: ARG002
        error = typ if isinstance(typ, BaseException) else val if isinstance(val, BaseException) else typ()
        if self._replies is None:
            raise error
        self._replies.put(error)
        return self._next_event()

    def _next_event(self) -> Request:
        try:
            event = self._events.get(timeout=self._patience)
        except Empty:
            raise Endless(f"no request and no end within {self._patience:.0f} s; `play` has to end") from None
        if isinstance(event, Request):
            return event
        self._events.put(event)  # whoever goes on asking hears the same
        if isinstance(event, Trajectory):
            raise StopIteration(event)
        raise event

    def __del__(self) -> None:
        if self._replies is not None:
            self._replies.put(GeneratorExit())


def _play_aside(
    play: Callable[[Answer], Trajectory],
    replies: SimpleQueue[Reply | BaseException],
    events: SimpleQueue[Request | Trajectory | BaseException],
) -> None:
    """Play in a thread that hands out requests and waits for replies. It knows the queues alone, not the generator."""

    ended: list[BaseException] = []

    def answered(request: Request) -> Reply:
        if not ended:
            events.put(request)
            reply = replies.get()
            if not isinstance(reply, BaseException):
                return reply
            ended.append(reply)
        raise Unanswered from ended[0]

    try:
        events.put(play(answered))
    except Unanswered as error:
        events.put(error.__cause__ or error)
    except BaseException as error:
        events.put(error)


def read_message(value: Message | Mapping[str, Any]) -> Message:
    """A message, or one as OpenAI's API has it."""
    if isinstance(value, Message):
        return value
    content = value.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    calls = tuple(
        {"id": call.get("id"), **{name: call.get("function", {}).get(name) for name in ("name", "arguments")}}
        for call in value.get("tool_calls") or ()
    )
    known = {"role": value["role"], "content": content, "tool_calls": calls, "tool_call_id": value.get("tool_call_id")}
    return convert(known, Message)


def read_tool(value: Tool | Mapping[str, Any]) -> Tool:
    """A tool, or one as OpenAI's API has it ({"type": "function", "function": {...}}, or what stands in there)."""
    if isinstance(value, Tool):
        return value
    function = value.get("function", value)
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return Tool(str(function["name"]), str(function.get("description") or ""), dict(schema))
