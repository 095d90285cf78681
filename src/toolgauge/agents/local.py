"""Agents on this machine: a Python function, called once for each turn of the user, and a process for each
conversation, spoken to in JSON lines.

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
import importlib
import inspect
import os
import shlex
import shutil
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

import msgspec

from toolgauge.agents.bridge import mcp_command
from toolgauge.agents.conversation import AgentConversation, Respond, ToolResult
from toolgauge.agents.failures import AgentError, last_words, says_lost_connection
from toolgauge.chat import Json, Reply, Tool
from toolgauge.errors import ProviderError, UsageError
from toolgauge.tools.texts import StderrTail

MCP_VARIABLE = "TOOLGAUGE_MCP_URL"
MAX_LINE = 8_000_000
"""Bytes of one line that a process writes."""
GRACE_SECONDS = 2.0
"""How long a process may take to end after its input was closed, and to be gone after it was killed."""


class ToolError(Exception):
    """A call that the task does not admit."""


class AgentTool:
    """A tool on offer, to be awaited: `await tool(city="Lisbon")` gives the text of its result.

    parameters: its JSON Schema. Raises ToolError where the call is not admitted.
    """

    def __init__(self, tool: Tool, conversation: AgentConversation) -> None:
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters
        self._conversation = conversation

    async def __call__(self, **arguments: Any) -> str:
        result = await self._conversation.call(self.name, arguments)
        if result.failed:
            raise ToolError(result.text)
        return result.text


class Conversation:
    """What a function is given. The same object in every turn of one conversation.

    text: what the user says now; history: messages before the first turn, in the layout of the chat completions API;
    tools: on offer; mcp_url: the address of the same tools as an MCP server (streamable HTTP); mcp_command: starts one
    with them over stdio; state: the agent's own, kept from turn to turn.
    """

    def __init__(self, conversation: AgentConversation, address: str) -> None:
        self.mcp_url, self.mcp_command = address, mcp_command(address)
        self.text = ""
        self.state: dict[str, Any] = {}
        self._conversation = conversation

    @property
    def history(self) -> list[Json]:
        return [message.wire() for message in self._conversation.history]

    @property
    def tools(self) -> list[AgentTool]:
        return [AgentTool(tool, self._conversation) for tool in self._conversation.list_tools()]

    async def call(self, name: str, arguments: object) -> str:
        """Call a tool by its name, one that is not on offer too; the text of its result, or of what is wrong.

        Raises TypeError or ValueError for a name that is no text and for arguments that JSON cannot express.
        """
        return (await self._conversation.call(name, arguments)).text


AgentFunction = Callable[[Conversation], Awaitable[str]]


class PythonAdapter:
    """An `Adapter` around a function."""

    def __init__(self, name: str) -> None:
        """name: "module:function", found as by `python -m`, from the folder of the command too. Raises UsageError."""
        module, _sign, attribute = name.partition(":")
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            function = getattr(importlib.import_module(module), attribute)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a module may call sys.exit
            raise UsageError(f"cannot load agent 'python:{name}': {last_words(error)}") from error
        if not inspect.iscoroutinefunction(function):
            raise UsageError(f"agent 'python:{name}': must be `async def agent(conversation) -> str`")
        self._function: AgentFunction = function

    @asynccontextmanager
    async def opened(self, conversation: AgentConversation, address: str) -> AsyncIterator[Respond]:
        shared = Conversation(conversation, address)

        async def respond(said: str) -> Reply:
            shared.text = said
            text = await self._function(shared)
            if not isinstance(text, str):
                raise AgentError(f"the agent must return str, not {type(text).__name__}")
            return Reply(text)

        yield respond

    def describe(self) -> dict[str, object]:
        return {}


class Line(msgspec.Struct, frozen=True):
    """A line that a process writes."""

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    arguments: object = {}


class CommandAdapter:
    """An `Adapter` around a program."""

    def __init__(self, command: str) -> None:
        """command: as one types it; no shell reads it. Raises UsageError."""
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"agent 'command:{command}': {error}") from None
        if not self._words:
            raise UsageError("agent 'command:': program missing; write command:\"PROGRAM ARGUMENTS\"")
        if shutil.which(self._words[0]) is None:
            raise UsageError(f"agent 'command:{self._words[0]}': program not found or not executable")

    @asynccontextmanager
    async def opened(self, conversation: AgentConversation, address: str) -> AsyncIterator[Respond]:
        """Start a process, and end it with whatever it started. Raises ProviderError."""
        with StderrTail() as errors:
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
                why = os.strerror(error.errno or 0)
                raise ProviderError(f"cannot start {conversation.name}: {why}") from None
            conversation.starting = True
            lines = _Lines(process, errors, conversation, address)
            try:
                yield lines.respond
            finally:
                await lines.close()

    def describe(self) -> dict[str, object]:
        return {"model": self._words[0]}


class _Lines:
    """One conversation with its process."""

    def __init__(self, process: Process, errors: StderrTail, conversation: AgentConversation, address: str) -> None:
        assert process.stdin is not None, "opened with a pipe"
        assert process.stdout is not None, "opened with a pipe"
        self._process, self._stdin, self._stdout = process, process.stdin, process.stdout
        self._errors, self._conversation, self._address = errors, conversation, address
        self._calls: set[asyncio.Task[None]] = set()
        self._begun, self._due = False, 0

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
        self._due += 1
        await self._send({"type": "user", "text": said})
        while True:
            line = await self._read()
            if line.type == "final":
                self._due -= 1
                if self._due == 0:  # else it is the late end of a turn that was broken off
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
        self._stdin.close()
        await self._wait()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, SIGKILL)
        _kill_marked(self._address)
        await self._wait()

    async def _wait(self) -> None:
        """Wait for the end of the process, at most the grace period.

        asyncio waits for the end of the output too, and a pipe that nobody reads has none.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                while await self._stdout.read(1 << 16):
                    pass
                await self._process.wait()

    async def _call(self, line: Line) -> None:
        try:
            result = await self._conversation.call(line.name, line.arguments)
        except (ValueError, RecursionError) as error:
            result = ToolResult(last_words(error), failed=True)
        await self._send({"type": "result", "id": line.id, "text": result.text, "failed": result.failed})

    async def _send(self, line: Json) -> None:
        self._stdin.write(msgspec.json.encode(line) + b"\n")
        with suppress(ConnectionError):  # it has ended, or does not read: what it writes says which
            await self._stdin.drain()

    async def _read(self) -> Line:
        """The next line. Raises AgentError, or ProviderError where the process says that it lost its model."""
        try:
            raw = await self._stdout.readline()
        except ValueError:
            raise AgentError(f"the agent wrote a line longer than {MAX_LINE:,} bytes") from None
        self._conversation.show_life()
        if not raw:
            words = self._errors.after(f"the agent exited with code {await self._process.wait()}")
            if says_lost_connection(self._errors.text):
                raise ProviderError(f"{self._conversation.name}: {words}")
            raise AgentError(words)
        try:
            return msgspec.json.decode(raw, type=Line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise AgentError(f"the agent wrote an invalid line: {raw[:80].decode(errors='replace')}") from None


def _kill_marked(address: str) -> None:
    """End processes that left the agent's process group, a browser for example: those that inherited the variable with
    this conversation's address. Where the system shows the environment of processes: Linux."""
    mark = f"{MCP_VARIABLE}={address}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # gone, or another user's
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), SIGKILL)
