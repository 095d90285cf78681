"""An agent as a process: one for each conversation, spoken to in JSON lines.

    to its standard input                                                   from its standard output
    {"type": "start", "mcp_url": ..., "mcp_command": [...],        {"type": "call", "id": ..., "name": ...,
     "history": [...], "tools": [...]}                              "arguments": {...}}
    {"type": "user", "text": ...}                                  {"type": "final", "text": ...}
    {"type": "result", "id": ..., "text": ..., "failed": false}

"start" comes once, "user" for each turn, "result" for each call that it made here; it may as well call over MCP.
"final" ends the turn. Its environment has TOOLGAUGE_MCP_URL.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shlex
import sys
from asyncio.subprocess import PIPE, Process

import msgspec

from toolgauge.agents.bridge import mcp_command
from toolgauge.agents.conversation import AgentConversation
from toolgauge.chat import Json, Reply
from toolgauge.errors import ProviderError, UsageError
from toolgauge.locale import _
from toolgauge.tools.stderr_tail import StderrTail

MCP_VARIABLE = "TOOLGAUGE_MCP_URL"
MAX_LINE = 8_000_000
"""Bytes of one line that a process writes."""
MAX_MEMORY = 4 << 30
"""Bytes of memory that one process may take (where the system can limit another process: Linux)."""
GRACE_SECONDS = 2.0
"""After its input was closed, a process may take so long to end."""


class Line(msgspec.Struct, frozen=True):
    """A line that a process writes."""

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    arguments: object = {}


class CommandAdapter:
    """An `Adapter`. words: the command and its arguments; no shell reads them."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    @classmethod
    def named(cls, text: str) -> CommandAdapter:
        """text: the command as one types it. Raises UsageError."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(_("agent 'command:{text}': {why}", text=text, why=str(error))) from None
        if not words:
            raise UsageError(_("agent 'command:': name the program that is to be started"))
        return cls(words)

    async def open(self, conversation: AgentConversation, address: str) -> _Process:
        held = contextlib.ExitStack()
        errors = held.enter_context(StderrTail())
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=PIPE,
                stdout=PIPE,
                stderr=errors.file,
                limit=MAX_LINE,
                env={**os.environ, MCP_VARIABLE: address},
                start_new_session=True,
            )
        except OSError as error:
            held.close()
            raise UsageError(
                _(
                    "agent 'command:{words}': cannot be started ({why})",
                    words=self._words[0],
                    why=os.strerror(error.errno or 0),
                )
            ) from None
        if sys.platform == "linux":
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        return _Process(process, errors, held, conversation, address)

    async def close(self) -> None:
        """Processes belong to the conversations."""

    def describe(self) -> dict[str, object]:
        return {"model": self._words[0]}


class _Process:
    """One conversation with its process."""

    def __init__(
        self,
        process: Process,
        errors: StderrTail,
        held: contextlib.ExitStack,
        conversation: AgentConversation,
        address: str,
    ) -> None:
        self._process, self._errors, self._held = process, errors, held
        self._conversation, self._address = conversation, address
        self._calls: set[asyncio.Task[None]] = set()
        self._begun = False

    async def respond(self, said: str) -> Reply:
        if not self._begun:
            self._begun = True
            await self._send(
                {
                    "type": "start",
                    "mcp_url": self._address,
                    "mcp_command": mcp_command(self._address),
                    "history": [message.wire() for message in self._conversation.history],
                    "tools": [tool.wire()["function"] for tool in self._conversation.tools],
                }
            )
        await self._send({"type": "user", "text": said})
        while True:
            line = await self._read()
            if line.type == "final":
                await asyncio.sleep(0)  # calls that it wrote before are made before
                return Reply(line.text)
            if line.type == "call":
                task = asyncio.ensure_future(self._call(line))
                self._calls.add(task)
                task.add_done_callback(self._calls.discard)

    async def close(self) -> None:
        """End the process and whatever it started."""
        for call in self._calls:
            call.cancel()
        if self._process.stdin:
            self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        await self._process.wait()
        self._held.close()

    async def _call(self, line: Line) -> None:
        result = await self._conversation.call(line.name, line.arguments)
        await self._send({"type": "result", "id": line.id, "text": result.text, "failed": result.failed})

    async def _send(self, line: Json) -> None:
        assert self._process.stdin is not None, "opened with a pipe"
        self._process.stdin.write(msgspec.json.encode(line) + b"\n")
        with contextlib.suppress(ConnectionError):  # it has ended, or does not read: what it writes says which
            await self._process.stdin.drain()

    async def _read(self) -> Line:
        assert self._process.stdout is not None, "opened with a pipe"
        try:
            raw = await self._process.stdout.readline()
        except ValueError:
            raise ValueError(f"a line of more than {MAX_LINE:,} bytes") from None
        if not raw:
            ended = _(
                "{name}: the process ended (exit code {code})",
                name=self._conversation.name,
                code=await self._process.wait(),
            )
            raise ProviderError(self._errors.after(ended))
        return msgspec.json.decode(raw, type=Line)
