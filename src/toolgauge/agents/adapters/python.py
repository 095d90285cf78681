"""An agent as a Python function: `async def agent(conversation) -> str`, called once for each turn of the user."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from toolgauge.agents.bridge import mcp_command
from toolgauge.agents.conversation import AgentConversation
from toolgauge.chat import Json, Reply, Tool
from toolgauge.errors import UsageError
from toolgauge.locale import _


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


class ToolError(Exception):
    """A call that the task does not admit."""


class Conversation:
    """What a function is given. The same object in every turn of one conversation.

    text: what the user says now; history: messages before the first turn, in the layout of the chat completions API;
    tools: on offer; mcp_url: where the same tools stand as an MCP server (streamable HTTP); mcp_command: starts one
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
        return [AgentTool(tool, self._conversation) for tool in self._conversation.tools]

    async def call(self, name: str, arguments: object) -> str:
        """Call a tool by its name, one that is not on offer too; the text of its result, or of what is wrong."""
        return (await self._conversation.call(name, arguments)).text


AgentFunction = Callable[[Conversation], Awaitable[str]]


class PythonAdapter:
    """An `Adapter` around a function."""

    def __init__(self, function: AgentFunction) -> None:
        self._function = function

    @classmethod
    def named(cls, name: str) -> PythonAdapter:
        """name: "module:function", found as by `python -m`, from the folder of the command too. Raises UsageError."""
        module, _sign, function = name.partition(":")
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            found = getattr(importlib.import_module(module), function)
        except Exception as error:
            raise UsageError(
                _(
                    "agent 'python:{name}': cannot be loaded: {kind}: {why}",
                    name=name,
                    kind=type(error).__name__,
                    why=str(error),
                )
            ) from error
        if not inspect.iscoroutinefunction(found):
            raise UsageError(_("agent 'python:{name}': must be `async def agent(conversation) -> str`", name=name))
        return cls(found)

    async def open(self, conversation: AgentConversation, address: str) -> _Function:
        return _Function(self._function, Conversation(conversation, address))

    async def close(self) -> None:
        """There is nothing to let go."""

    def describe(self) -> dict[str, object]:
        return {}


class _Function:
    def __init__(self, function: AgentFunction, conversation: Conversation) -> None:
        self._function, self._conversation = function, conversation

    async def respond(self, said: str) -> Reply:
        self._conversation.text = said
        try:
            text = await self._function(self._conversation)
        except SystemExit as error:  # ends the agent's turn, not the run
            raise RuntimeError(f"it called exit({error.code})") from error
        if not isinstance(text, str):
            raise TypeError(f"its turn ended with {type(text).__name__}, not with a text")
        return Reply(text)

    async def close(self) -> None:
        """It keeps nothing outside the conversation."""
