"""One conversation between an episode and an agent: requests of the one become turns of the other.

The episode asks with `ask` and gets one reply at a time. The agent is told what the user says, calls tools with `call`,
and ends its turn with a text. Calls that it makes before any of them was answered are one reply; its text is the next.
Where calls are the whole answer, because nothing follows them, those that it makes one after another are one reply too.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Message, Reply, Request, Tool, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.locale import _
from toolgauge.locale.foreign import cause

LOOK_SECONDS, LOOKS, MOST_LOOKS = 0.05, 6, 100
"""Where several calls are due, those that arrived wait for the others until so many looks in a row found nothing new. A
look that took twice its time does not count: this process was busy, and calls may wait to be read."""
MOST_TOGETHER = 64
"""So many calls of one step are told to the episode; no annotation has nearly as many."""
MOST_REFUSED = 50
"""A turn whose task is over is broken off after so many further calls."""
GRACE_SECONDS = 2.0
"""A turn that is broken off may take so long to end."""
RECORDED = "The call was recorded. Its result is not known yet."
OVER, NOT_ADMITTED, NOT_TAKEN = "The conversation is over.", "This call is not admitted.", "This call is not taken."
MAX_TEXT = 4_000_000
"""Characters of the text that ends a turn."""


class ToolResult(Struct, frozen=True):
    """What a call gives. failed: the call is not one that the task admits, or nobody waits for it any more."""

    text: str
    failed: bool = False


class Turns(Protocol):
    """The agent's side of a conversation, opened for it alone."""

    async def respond(self, said: str) -> Reply:
        """Tell the agent what the user says, and wait until its turn is over: its text, and what else is known."""
        ...

    async def close(self) -> None: ...


class AgentConversation:
    """A `Model` for one conversation. key: a secret name, under which the agent reaches its tools.

    history: what was said before the first turn; tools: those on offer; request: what the episode asks now, with the
    annotated answer. timeout: seconds for one step of the agent.
    """

    def __init__(self, name: str, key: str, timeout: float) -> None:
        self.name, self.key, self.timeout = name, key, timeout
        self.tools: tuple[Tool, ...] = ()
        self.history: tuple[Message, ...] = ()
        self.request: Request | None = None
        self._turns: Turns | None = None
        self._turn: asyncio.Task[Reply] | None = None
        self._seen: tuple[Message, ...] = ()
        self._arrived: dict[str, ToolCall] = {}
        self._waiting: dict[str, asyncio.Future[ToolResult]] = {}
        self._changed = asyncio.Event()
        self._made = self._refused = 0
        self._refusing: str | None = NOT_TAKEN

    def join(self, turns: Turns) -> None:
        """The agent is there; its first turn begins with the first request."""
        self._turns = turns

    async def ask(self, request: Request) -> Reply:
        """The agent's next step: calls, or the text that ends its turn. Raises ProviderError where there is none."""
        started = time.perf_counter()
        try:
            await self._pass_on(request)
            reply = await self._step()
        except TimeoutError:
            raise ProviderError(
                _("{name}: no call and no answer within {seconds:g} s", name=self.name, seconds=self.timeout), True
            ) from None
        return replace(reply, latency=time.perf_counter() - started)

    async def call(self, name: str, arguments: object) -> ToolResult:
        """A call by the agent; waits until the episode answers it.

        arguments: what was given for them, an object or not; raises TypeError where JSON cannot say it.
        """
        made = ToolCall(f"call_{self._made}", name, json.dumps(arguments, ensure_ascii=False))
        if self._refusing is not None or len(self._arrived) >= MOST_TOGETHER:
            self._refused += 1
            self._changed.set()
            await asyncio.sleep(0)  # an agent that tries again for ever must not keep the others from running
            return ToolResult(self._refusing or NOT_TAKEN, failed=True)
        self._made += 1
        assert made.id is not None, "numbered above"
        self._arrived[made.id] = made
        self._changed.set()
        if self._is_whole and len(self._arrived) < self._due:
            return ToolResult(RECORDED)
        self._waiting[made.id] = asyncio.get_running_loop().create_future()
        return await self._waiting[made.id]

    async def close(self) -> None:
        """The episode is over: calls that wait are told so, a turn that goes on is broken off."""
        self._refusing = OVER
        self._give_up(OVER)
        if self._turn is not None:
            await _break_off(self._turn)
        if self._turns is not None:
            await self._turns.close()

    async def _pass_on(self, request: Request) -> None:
        """Give the agent what is new in a request: results of its calls, and what the user says."""
        if request.messages[: len(self._seen)] != self._seen:
            raise ProviderError(
                _("{name}: what was said before changed, and an agent cannot be told that", name=self.name), True
            )
        new = request.messages[len(self._seen) :]
        first, self._seen, self.request, self.tools = not self._seen, request.messages, request, request.tools
        if first:
            self.history, new = request.messages[:-1], request.messages[-1:]
        for message in new:
            if message.role == "tool" and message.tool_call_id in self._waiting:
                _answer(self._waiting.pop(message.tool_call_id), ToolResult(message.content or ""))
        said = [message.content or "" for message in new if message.role == "user"]
        if said:
            await self._begin("\n\n".join(said))

    async def _begin(self, said: str) -> None:
        """The user's turn is over, the agent's begins. Raises TimeoutError where it hangs in a task before."""
        self._refusing = NOT_ADMITTED
        self._give_up(NOT_ADMITTED)
        if self._turn is not None:
            await self._end(self._turn)
        assert self._turns is not None, "an agent joins before it is asked"
        self._refusing = None
        turn = asyncio.ensure_future(_bounded(self._turns.respond(said)))
        turn.add_done_callback(lambda _done: self._changed.set())
        self._turn = turn

    async def _end(self, turn: asyncio.Task[Reply]) -> None:
        """Wait for the end of a turn whose task is over; one that goes on calling all the same is broken off."""
        self._refused = 0
        try:
            async with asyncio.timeout(self.timeout):
                while not turn.done() and self._refused < MOST_REFUSED:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            if not self._refused:
                raise
        await _break_off(turn)

    async def _step(self) -> Reply:
        """Wait for calls, or for the end of the turn. Raises TimeoutError."""
        turn = self._turn
        assert turn is not None, "a conversation begins with what the user says"
        enough = self._due if self._is_whole else 1
        try:
            async with asyncio.timeout(self.timeout):
                while len(self._arrived) < enough and not turn.done():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            if not self._arrived:
                raise
        calls = await self._together(turn) if self._arrived else ()
        if not turn.done():
            return Reply(None, calls)
        return replace(self._result(turn), tool_calls=calls) if self._is_whole or not calls else Reply(None, calls)

    def _result(self, turn: asyncio.Task[Reply]) -> Reply:
        """What ended a turn. Raises ProviderError."""
        try:
            return turn.result()
        except ProviderError:
            raise
        except Exception as error:
            raise ProviderError(
                _(
                    "{name}: the agent failed: {kind}: {why}",
                    name=self.name,
                    kind=type(error).__name__,
                    why=cause(error),
                )
            ) from error

    @property
    def _due(self) -> int:
        """How many calls may be made now."""
        hint = self.request.gold_hint if self.request else None
        return len(hint.reply.tool_calls) if hint else 1

    @property
    def _is_whole(self) -> bool:
        """Whether the calls that are due are the whole answer: the episode gives no results, and asks nothing more."""
        hint = self.request.gold_hint if self.request else None
        return hint is not None and hint.due == "final" and bool(hint.reply.tool_calls)

    async def _together(self, turn: asyncio.Task[Reply]) -> tuple[ToolCall, ...]:
        """The calls that are made together with the first one that arrived.

        Nobody tells whether another one follows, and every wait is time. So calls wait for others only where the
        annotation has several that may be made now, and fewer came, or where this is the only look at all.
        """
        due = MOST_TOGETHER if self._is_whole else self._due
        quiet, looks, known = 0, 0, len(self._arrived)
        while len(self._arrived) < due and quiet < LOOKS and looks < MOST_LOOKS and not turn.done():
            started = time.perf_counter()
            await asyncio.sleep(LOOK_SECONDS)
            busy = time.perf_counter() - started > 2 * LOOK_SECONDS
            quiet = 0 if busy or len(self._arrived) > known else quiet + 1
            looks, known = looks + 1, len(self._arrived)
        calls = tuple(self._arrived.values())
        self._arrived.clear()
        return calls

    def _give_up(self, why: str) -> None:
        """No call that waits will be answered by the episode."""
        self._arrived.clear()
        for waiting in self._waiting.values():
            _answer(waiting, ToolResult(why, failed=True))
        self._waiting.clear()


def _answer(waiting: asyncio.Future[ToolResult], result: ToolResult) -> None:
    """Give a call its result, unless the agent stopped waiting for it."""
    if not waiting.done():
        waiting.set_result(result)


async def _break_off(turn: asyncio.Task[Reply]) -> None:
    """End a turn, if it does not refuse to end; how it ended is nobody's business any more."""
    turn.cancel()
    ended, _going_on = await asyncio.wait({turn}, timeout=GRACE_SECONDS)
    if ended and not turn.cancelled():
        turn.exception()


async def _bounded(turn: Awaitable[Reply]) -> Reply:
    reply = await turn
    if len(reply.content or "") > MAX_TEXT:
        raise ValueError(f"its text has more than {MAX_TEXT:,} characters")
    return reply
