"""An agent as a `Model`: opened by its name, one conversation at a time for each sample."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol
from urllib.parse import urlsplit

from msgspec import to_builtins

from toolgauge.agents.conversation import AgentConversation, Turns
from toolgauge.agents.server import ToolServer
from toolgauge.chat import Reply, Request
from toolgauge.errors import UsageError
from toolgauge.locale import _
from toolgauge.models.model import AGENT, Model, ModelOptions

KEY_BYTES = 24
_LOGIN = re.compile("^((?:a2a:)?https?://)[^/?#]*@")


class Adapter(Protocol):
    """How one kind of agent is reached."""

    async def open(self, conversation: AgentConversation, address: str) -> Turns:
        """The agent's side of a conversation whose tools stand at `address` (MCP, streamable HTTP)."""
        ...

    async def close(self) -> None: ...

    def describe(self) -> dict[str, object]:
        """For the manifest of a run; never a key."""
        ...


class AgentModel:
    """A `ConversationModel`: an agent with the MCP server through which it reaches its tools."""

    def __init__(self, name: str, adapter: Adapter, options: ModelOptions) -> None:
        self.name, self._adapter, self._options = name, adapter, options
        self._server = ToolServer()

    @asynccontextmanager
    async def conversation(self, sample: str) -> AsyncIterator[Model]:  # noqa: ARG002 - the agent is not told
        """A conversation of its own with the agent."""
        conversation = AgentConversation(self.name, secrets.token_urlsafe(KEY_BYTES), self._options.timeout)
        async with self._server.offering(conversation) as address:
            try:
                conversation.join(await self._adapter.open(conversation, address))
                yield conversation
            finally:
                await conversation.close()

    async def ask(self, request: Request) -> Reply:  # noqa: ARG002 - none is answered
        raise UsageError(f"{self.name}: an agent can only be asked in the conversations of a run")

    async def close(self) -> None:
        await self._adapter.close()
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
        raise UsageError(_("{base_url_field}: an agent's address stands in its name"))
    return AgentModel(f"{AGENT}/{_without_login(rest)}", _adapter(rest, options), options)


def _without_login(rest: str) -> str:
    """The name of an agent, which stands in files, without the login that an address may have."""
    return _LOGIN.sub(r"\1", rest)


def _adapter(rest: str, options: ModelOptions) -> Adapter:
    kind, _sign, named = rest.partition(":")
    match kind:
        case "http" | "https" if _is_address(rest):
            from toolgauge.agents.remote import HttpAdapter

            return HttpAdapter.named(rest, options)
        case "a2a" if _is_address(named):
            from toolgauge.agents.remote import A2AAdapter

            return A2AAdapter.named(named, options)
        case "python":
            from toolgauge.agents.local import PythonAdapter

            return PythonAdapter.named(named)
        case "command":
            from toolgauge.agents.local import CommandAdapter

            return CommandAdapter.named(named)
    raise UsageError(
        f"agent '{_without_login(rest)}': write it as an address (http://... or a2a:http://...), "
        'python:module:function or command:"..."'
    )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # a bracket that is not closed
        return False
