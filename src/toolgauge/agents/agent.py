"""An agent as a `Model`: opened by its name, one conversation at a time for each sample."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol
from urllib.parse import urlsplit

from msgspec import to_builtins

from toolgauge.agents.conversation import AgentConversation, Respond
from toolgauge.chat import Reply, Request
from toolgauge.errors import MissingExtra, UsageError
from toolgauge.models.model import AGENT, Model, ModelOptions

KEY_BYTES = 24
_LOGIN = re.compile("^((?:a2a:)?https?://)[^/?#]*@")


class Adapter(Protocol):
    """How one kind of agent is reached."""

    def opened(self, conversation: AgentConversation, address: str) -> AbstractAsyncContextManager[Respond]:
        """The agent's side of a conversation whose tools are at `address` (MCP, streamable HTTP).

        Raises ProviderError where it cannot be reached.
        """
        ...

    def describe(self) -> dict[str, object]:
        """For the manifest of a run; never a key."""
        ...


class AgentModel:
    """A `ConversationModel`: an agent with the MCP server through which it reaches its tools."""

    def __init__(self, name: str, adapter: Adapter, options: ModelOptions) -> None:
        try:
            from toolgauge.agents.server import ToolServer
        except ImportError as error:
            raise MissingExtra("--agent", error.name or "mcp", "agents") from error
        self.name, self._adapter, self._options = name, adapter, options
        self._server = ToolServer()

    @asynccontextmanager
    async def conversation(self, sample: str) -> AsyncIterator[Model]:  # noqa: ARG002 - the agent is not told
        """A conversation of its own with the agent."""
        conversation = AgentConversation(self.name, secrets.token_urlsafe(KEY_BYTES), self._options.timeout)
        async with (
            self._server.offering(conversation) as address,
            self._adapter.opened(conversation, address) as agent,
        ):
            try:
                conversation.join(agent)
                yield conversation
            finally:
                await conversation.close()

    async def ask(self, request: Request) -> Reply:  # noqa: ARG002 - none is answered
        raise UsageError(f"{self.name}: an agent can only be used in a run, not for single requests")

    async def close(self) -> None:
        await self._server.close()

    def describe(self) -> dict[str, object]:
        own = self._adapter.describe()
        unsent = [] if "base_url" in own else list(to_builtins(self._options.sampling))
        notes = {"left_out": unsent} if unsent else {}
        return {"provider": AGENT, "model": self.name.partition("/")[2], "base_url": None, **own, **notes}


def open_agent(rest: str, options: ModelOptions) -> AgentModel:
    """The agent that "agent/<rest>" names: an address, also after "a2a:", "python:module:function" or "command:...".

    Raises UsageError.
    """
    if options.base_url is not None:
        raise UsageError("--base-url does not apply to agents; write the address in the agent's name: agent/http://...")
    shown = _LOGIN.sub(r"\1", rest)  # the name stands in files, the login of an address does not
    adapter = _adapter(rest, options)
    if adapter is None:
        raise UsageError(
            f"invalid agent '{shown}'; write an address (http://... or a2a:http://...), python:module:function or "
            'command:"..."'
        )
    return AgentModel(f"{AGENT}/{shown}", adapter, options)


def _adapter(rest: str, options: ModelOptions) -> Adapter | None:
    kind, _sign, named = rest.partition(":")
    match kind:
        case "http" | "https" if _is_address(rest):
            from toolgauge.agents.remote import HttpAdapter

            return HttpAdapter(rest, options)
        case "a2a" if _is_address(named):
            from toolgauge.agents.remote import A2AAdapter

            return A2AAdapter(named, options)
        case "python":
            from toolgauge.agents.local import PythonAdapter

            return PythonAdapter(named)
        case "command":
            from toolgauge.agents.local import CommandAdapter

            return CommandAdapter(named)
    return None


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # a bracket that is not closed
        return False
