"""An agent behind an address: chat completions, or Responses, with the tools run by the agent itself.

Each turn sends what was said so far, without tools, and gets the agent's text. Where its tools stand is told by a
header or by a field of the body. What the client does for models holds here too: keys, limits, sizes, what a failure
is; but a turn is never sent twice, for the calls of the first time were answered.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from msgspec.structs import replace

from toolgauge.agents.conversation import AgentConversation
from toolgauge.chat import Message, Reply, Request
from toolgauge.errors import UsageError
from toolgauge.locale import _
from toolgauge.models.client import EndpointModel
from toolgauge.models.model import ModelOptions
from toolgauge.models.providers import Endpoint, find_endpoint, find_provider
from toolgauge.models.settings import settings

MCP_HEADER = "X-MCP-Server"
"""Tells where the tools stand, unless the address names another header or a field."""
OWN = ("model", "mcp_header", "mcp_field")
"""What of the query of an agent's address is for us."""
_APIS = {"/chat/completions": "openai", "/responses": "openai-responses"}


class HttpAdapter:
    """An `Adapter`. header, field: how the MCP address is told, one of them."""

    def __init__(self, endpoint: Endpoint, model: str, options: ModelOptions, header: str, field: str) -> None:
        self._endpoint, self._model, self._options = endpoint, model, options
        self._header, self._field = header, field

    @classmethod
    def named(cls, address: str, options: ModelOptions) -> HttpAdapter:
        """address: "http://host/v1?model=...&mcp_header=NAME" or "...&mcp_field=NAME". Raises UsageError."""
        parts = urlsplit(address)
        query = parse_qsl(parts.query, keep_blank_values=True)
        own = {name: value for name, value in query if name in OWN}
        if "mcp_header" in own and "mcp_field" in own:
            raise UsageError(
                _("agent '{agent}': mcp_header or mcp_field, not both", agent=parts._replace(query="").geturl())
            )
        path, api = parts.path, "openai"
        for ending, name in _APIS.items():
            if path.endswith(ending):
                path, api = path.removesuffix(ending), name
        rest = urlencode([(name, value) for name, value in query if name not in OWN])
        base = urlunsplit((parts.scheme, parts.netloc, path, rest, ""))
        provider = find_provider(api)
        assert provider is not None, "a provider of the table"
        options = replace(options, base_url=base, max_attempts=1, patience=0.0)
        endpoint = find_endpoint(provider, options, settings())
        header = "" if "mcp_field" in own else own.get("mcp_header", MCP_HEADER)
        return cls(endpoint, own.get("model", "agent"), options, header, own.get("mcp_field", ""))

    async def open(self, conversation: AgentConversation, address: str) -> _Endpoint:
        endpoint, options = self._endpoint, self._options
        if self._header:
            endpoint = replace(endpoint, headers={**endpoint.headers, self._header: address})
        else:
            more = {**options.sampling.extra_body, self._field: address}
            options = replace(options, sampling=replace(options.sampling, extra_body=more))
        return _Endpoint(EndpointModel(conversation.name, self._model, endpoint, options), conversation)

    async def close(self) -> None:
        """Connections belong to the conversations."""

    def describe(self) -> dict[str, object]:
        told = {"mcp_header": self._header} if self._header else {"mcp_field": self._field}
        return {"base_url": self._endpoint.base_url, "model": self._model, **told}


class _Endpoint:
    """One conversation: its messages, and the client that sends them."""

    def __init__(self, client: EndpointModel, conversation: AgentConversation) -> None:
        self._client, self._conversation = client, conversation
        self._messages: tuple[Message, ...] = ()

    async def respond(self, said: str) -> Reply:
        before = self._messages or self._conversation.history
        self._messages = (*before, Message("user", said))  # also where this turn is broken off
        reply = await self._client.ask(Request("assistant", self._messages, episode=self._conversation.name))
        self._messages = (*self._messages, Message("assistant", reply.content))
        return replace(reply, tool_calls=())

    async def close(self) -> None:
        await self._client.close()
