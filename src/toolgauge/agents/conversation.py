"""One conversation between an episode and an agent: requests of the one become turns of the other.

The episode asks with `ask` and gets one reply at a time. The agent is told what the user says, calls tools with `call`,
and ends its turn with a text. Calls that it makes before any of them was answered are one reply; its text is the next.
Where calls are the whole answer, because nothing follows them, those that it makes one after another are one reply too.

An agent that raises, hangs or ends its turn with nothing has answered too: with a reply whose `error` says so. Only a
lost connection, to the agent or to the agent's own model, is a ProviderError.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.agents.failures import AgentError, last_words, lost_connection, writable
from toolgauge.chat import Message, Reply, Request, Tool, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.models.endings import unfinished
from toolgauge.models.model import AGENT

LOOK_SECONDS, LOOKS, MOST_LOOKS = 0.05, 6, 100
"""Where several calls are due, those that arrived wait for the others until so many looks in a row found nothing new. A
look that took twice its time does not count: this process was busy, and calls may wait to be read."""
MOST_TOGETHER = 64
"""Calls of one step that are passed to the episode; no annotation has nearly as many."""
MOST_REFUSED = 50
"""A turn whose task is over is broken off after so many further calls."""
START_SECONDS = 120.0
"""How long an agent's process may take to start, beside the time-out of its first step."""
GRACE_SECONDS = 2.0
"""How long a turn that is broken off may take to end."""
RECORDED = "The call was recorded. Its result is not known yet."
OVER, NOT_ADMITTED, NOT_TAKEN = "The conversation is over.", "This call is not allowed.", "This call is rejected."
MAX_TEXT = 4_000_000
"""Characters of the text that ends a turn."""


class ToolResult(Struct, frozen=True):
    """What a call gives. failed: the call is not one that the task admits, or nobody waits for it any more."""

    text: str
    failed: bool = False


Respond = Callable[[str], Awaitable[Reply]]
"""The agent's side of a conversation: takes what the user says, returns its text when its turn is over.

Raises ProviderError where the agent cannot be reached; every other exception is the agent's.
"""


class AgentConversation:
    """A `Model` for one conversation. key: a secret name, under which the agent reaches its tools.

    history: what was said before the first turn; tools: those on offer; request: what the episode asks now, with the
    annotated answer. timeout: seconds for one step of the agent; starting: it is a process that gave no sign of life
    yet, and its time has not begun.
    """

    def __init__(self, name: str, key: str, timeout: float) -> None:
        self.name, self.key, self.timeout = name, key, timeout
        self.starting = False
        self.tools: tuple[Tool, ...] = ()
        self._has_tools = False
        self.history: tuple[Message, ...] = ()
        self.request: Request | None = None
        self._agent: Respond | None = None
        self._turn: asyncio.Task[Reply] | None = None
        self._seen: tuple[Message, ...] = ()
        self._arrived: dict[str, ToolCall] = {}
        self._waiting: dict[str, asyncio.Future[ToolResult]] = {}
        self._changed = asyncio.Event()
        self._made = self._refused = 0
        self._refusing: str | None = NOT_TAKEN

    def join(self, agent: Respond) -> None:
        """The agent is ready; its first turn begins with the first request."""
        self._agent = agent

    def describe(self) -> dict[str, object]:
        return {"provider": AGENT, "model": self.name.partition("/")[2]}

    def list_tools(self) -> tuple[Tool, ...]:
        """The tools on offer, as the agent asks for them."""
        self._has_tools = True
        self.show_life()
        return self.tools

    def show_life(self) -> None:
        """The agent has started: it wrote something, or asked for its tools."""
        if self.starting:
            self.starting = False
            self._changed.set()

    async def ask(self, request: Request) -> Reply:
        """The agent's next step: calls, the text that ends its turn, or how it failed. Raises ProviderError."""
        started = time.perf_counter()
        await self._pass_on(request)
        try:
            reply = await self._step()
        except TimeoutError:
            await self._break_off()
            reply = Reply(error=f"no call and no reply within {self.timeout:g} s")
        return replace(reply, latency=time.perf_counter() - started)

    async def call(self, name: str, arguments: object) -> ToolResult:
        """A call by the agent; waits until the episode answers it.

        arguments: as the agent gave them, an object or not. Raises TypeError or ValueError for a name that is no text
        and for arguments that JSON cannot express.
        """
        self._has_tools = True
        self.show_life()
        if not isinstance(name, str):
            raise TypeError(f"the name of a tool must be a string, not {type(name).__name__}")
        made = ToolCall(f"call_{self._made}", writable(name), writable(json.dumps(arguments, ensure_ascii=False)))
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
        self._give_up(OVER)
        await self._break_off()

    async def _pass_on(self, request: Request) -> None:
        """Give the agent what is new in a request: results of its calls, and what the user says."""
        if request.messages[: len(self._seen)] != self._seen:
            raise ProviderError(f"{self.name}: earlier messages changed, which agents do not support", True)
        new = request.messages[len(self._seen) :]
        first, self._seen, self.request, self.tools = not self._seen, request.messages, request, request.tools
        if first:
            self.history, new = request.messages[:-1], request.messages[-1:]
        for message in new:
            if message.role == "tool" and message.tool_call_id in self._waiting:
                _answer(self._waiting.pop(message.tool_call_id), ToolResult(message.content or ""))
        said = [message.content or "" for message in new if message.role == "user"]
        if said:
            await self._end_turn()
            self._refusing = None
            self._turn = asyncio.ensure_future(self._respond("\n\n".join(said)))
            self._turn.add_done_callback(lambda _done: self._changed.set())

    async def _end_turn(self) -> None:
        """Wait for the end of a turn whose task is over; one that hangs or goes on calling is broken off."""
        self._give_up(NOT_ADMITTED)
        self._refused = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(self.timeout):
                while self._turn is not None and not self._turn.done() and self._refused < MOST_REFUSED:
                    self._changed.clear()
                    await self._changed.wait()
        await self._break_off()

    async def _break_off(self) -> None:
        """End the turn, if it does not refuse to end; how it ended does not matter any more."""
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.cancel()
            ended, _going_on = await asyncio.wait({turn}, timeout=GRACE_SECONDS)
            if ended and not turn.cancelled():
                turn.exception()

    async def _respond(self, said: str) -> Reply:
        """The agent's turn; what it raises, SystemExit too, is the `error` of its reply. Raises ProviderError."""
        assert self._agent is not None, "an agent joins before it is asked"
        try:
            reply = await self._agent(said)
            if len(reply.content or "") > MAX_TEXT:
                raise AgentError(f"reply longer than {MAX_TEXT:,} characters")
            return replace(reply, content=writable(reply.content)) if reply.content else reply
        except (asyncio.CancelledError, GeneratorExit, ProviderError):
            raise
        except BaseException as error:
            if lost_connection(error):
                raise ProviderError(f"{self.name}: connection lost: {last_words(error)}") from None
            return Reply(error=last_words(error))

    async def _step(self) -> Reply:
        """Wait for calls, or for the end of the turn. Raises TimeoutError, ProviderError."""
        turn = self._turn
        if turn is None:
            return Reply(error="the agent had already ended its turn")
        enough = self._due if self._is_whole else 1
        await self._start(turn)
        try:
            async with asyncio.timeout(self.timeout):
                while len(self._arrived) < enough and not turn.done():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            if not self._arrived:
                raise
        calls = await self._together(turn) if self._arrived else ()
        if not turn.done() or (calls and not self._is_whole):
            return Reply(None, calls)
        reply = Reply(error="the turn of the agent was cancelled") if turn.cancelled() else turn.result()
        if not (calls or reply.content or reply.error or unfinished(reply)):
            reply = replace(reply, error="the agent ended its turn without a reply or a call")
        return replace(reply, tool_calls=calls, no_tools=bool(self.tools) and not self._has_tools)

    async def _start(self, turn: asyncio.Task[Reply]) -> None:
        """Wait until the agent's process gives a sign of life: its time-out does not run before."""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_SECONDS):
                while self.starting and not turn.done():
                    self._changed.clear()
                    await self._changed.wait()
        self.starting = False

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
        """No call that waits will be answered by the episode, and none is taken."""
        self._refusing = why
        self._arrived.clear()
        for waiting in self._waiting.values():
            _answer(waiting, ToolResult(why, failed=True))
        self._waiting.clear()


def _answer(waiting: asyncio.Future[ToolResult], result: ToolResult) -> None:
    """Give a call its result, unless the agent stopped waiting for it."""
    if not waiting.done():
        waiting.set_result(result)
