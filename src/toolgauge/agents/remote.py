"""Agents behind an address: chat completions or Responses, with the tools run by the agent itself, and A2A.

Over HTTP each turn sends what was said so far, without tools, and gets the agent's text. A header or a field of the
body names the address of its tools. What the client does for models holds here too: keys, limits, sizes, what a failure
is; but a turn is never sent twice, for the calls of the first time were answered.

Over A2A (Agent2Agent, version 1.0 and 0.3, with its official SDK, extra `a2a`) each turn is a message with what the
user says, in one A2A context for the conversation. The address of the tools, and what was said before the first turn,
stand in the message's metadata under "toolgauge".

An agent that answers with an error (HTTP 500, a body that cannot be read, an A2A task that failed) raises AgentError;
one that cannot be reached or has no time (429, 502 to 504) raises ProviderError.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from msgspec.structs import replace

from toolgauge.agents.conversation import AgentConversation, Respond
from toolgauge.agents.failures import AgentError, last_words, lost_connection
from toolgauge.chat import Message, Reply, Request
from toolgauge.errors import MissingExtra, ProviderError, UsageError
from toolgauge.models.client import EndpointModel
from toolgauge.models.http import CONNECT_TIMEOUT
from toolgauge.models.model import ModelOptions
from toolgauge.models.providers import find_endpoint, find_provider, masked
from toolgauge.models.settings import settings

if TYPE_CHECKING:
    from a2a.client import Client
    from a2a.types import StreamResponse, Task
    from httpx import AsyncHTTPTransport

WHOLE_TURN = 86_400.0
"""Seconds that a client waits for a turn; the conversation ends one whose next step takes longer than
`endpoint.timeout`."""
MCP_HEADER = "X-MCP-Server"
"""Has the address of the tools, unless the agent's address names another header or a field."""
OWN = ("model", "mcp_header", "mcp_field")
"""What of the query of an agent's address is for us."""
_APIS = {"/chat/completions": "openai", "/responses": "openai-responses"}
METADATA = "toolgauge"
"""The key of an A2A message's metadata: {"mcp_url": ..., "history": [...]}."""
COMPLETED, WAITING = "TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED"
"""States in which the agent's turn is over; in the second one the user's answer belongs to the same A2A task."""
BUSY = frozenset({429, 502, 503, 504})
"""HTTP statuses of an agent that cannot be reached; any other error is one that the agent raised."""


class HttpAdapter:
    """An `Adapter` over chat completions or Responses."""

    def __init__(self, address: str, options: ModelOptions) -> None:
        """address: "http://host/v1?model=...&mcp_header=NAME" or "...&mcp_field=NAME". Raises UsageError."""
        parts = urlsplit(address)
        query = parse_qsl(parts.query, keep_blank_values=True)
        own = {name: value for name, value in query if name in OWN}
        if "mcp_header" in own and "mcp_field" in own:
            raise UsageError(f"agent '{parts._replace(query='').geturl()}': give mcp_header or mcp_field, not both")
        path, api = parts.path, "openai"
        for ending, name in _APIS.items():
            if path.endswith(ending):
                path, api = path.removesuffix(ending), name
        rest = urlencode([(name, value) for name, value in query if name not in OWN])
        base = urlunsplit((parts.scheme, parts.netloc, path, rest, ""))
        provider = find_provider(api)
        assert provider is not None, "a provider of the table"
        self._options = replace(options, base_url=base, max_attempts=1, patience=0.0, timeout=WHOLE_TURN)
        self._endpoint = find_endpoint(provider, self._options, settings())
        self._model, self._field = own.get("model", "agent"), own.get("mcp_field", "")
        self._header = "" if "mcp_field" in own else own.get("mcp_header", MCP_HEADER)

    @asynccontextmanager
    async def opened(self, conversation: AgentConversation, address: str) -> AsyncIterator[Respond]:
        endpoint, options = self._endpoint, self._options
        if self._header:
            endpoint = replace(endpoint, headers={**endpoint.headers, self._header: address})
        else:
            more = {**options.sampling.extra_body, self._field: address}
            options = replace(options, sampling=replace(options.sampling, extra_body=more))
        client = EndpointModel(conversation.name, self._model, endpoint, options)
        messages: list[Message] = []

        async def respond(said: str) -> Reply:
            messages.extend(() if messages else conversation.history)
            messages.append(Message("user", said))  # also where this turn is broken off
            try:
                reply = await client.ask(Request("assistant", tuple(messages), episode=conversation.name))
            except ProviderError as error:
                if error.answered and not error.permanent:
                    raise AgentError(str(error)) from error
                raise
            messages.append(Message("assistant", reply.content))
            return replace(reply, tool_calls=())

        try:
            yield respond
        finally:
            await client.close()

    def describe(self) -> dict[str, object]:
        place = {"mcp_header": self._header} if self._header else {"mcp_field": self._field}
        return {"base_url": self._endpoint.base_url, "model": self._model, **place}


class A2AAdapter:
    """An `Adapter` over A2A."""

    def __init__(self, address: str, options: ModelOptions) -> None:
        """address: of the agent's card, "http://host/...". Raises MissingExtra."""
        try:
            import a2a.client  # noqa: F401 - is it there?
        except ImportError as error:
            raise MissingExtra("--agent", "a2a-sdk", "a2a") from error
        self._address, self._options = address, options

    @asynccontextmanager
    async def opened(self, conversation: AgentConversation, address: str) -> AsyncIterator[Respond]:
        """The agent's card is read here. Raises ProviderError."""
        import httpx
        from a2a.client import ClientConfig, create_client

        timeout = httpx.Timeout(WHOLE_TURN, connect=min(CONNECT_TIMEOUT, self._options.timeout))
        transport = _bounded_transport(self._options.max_reply_bytes)
        async with httpx.AsyncClient(timeout=timeout, transport=transport) as client:
            bindings = ["JSONRPC", "HTTP+JSON"]
            config = ClientConfig(streaming=False, httpx_client=client, supported_protocol_bindings=bindings)
            try:
                async with asyncio.timeout(self._options.timeout):
                    agent = await create_client(self._address, config)
            except Exception as error:  # of the SDK, of httpx, of the card: without a card there is no agent
                raise ProviderError(f"{conversation.name}: {self._without_login(error)}") from None
            context = _Context(agent, conversation, address)

            async def respond(said: str) -> Reply:
                try:
                    return Reply(await context.send(said))
                except Exception as error:
                    if lost_connection(error, BUSY):
                        raise ProviderError(f"{conversation.name}: {self._without_login(error)}") from None
                    raise AgentError(self._without_login(error)) from None

            yield respond

    def _without_login(self, error: Exception) -> str:
        """What an error says; the SDK names the whole address in it."""
        login = urlsplit(self._address).netloc.rpartition("@")[0]
        return masked(last_words(error), [login] if login else [])

    def describe(self) -> dict[str, object]:
        parts = urlsplit(self._address)
        return {"base_url": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}", "protocol": "a2a"}


class _Context:
    """One conversation: an A2A context, and the task that waits for an answer, if one does."""

    def __init__(self, client: Client, conversation: AgentConversation, mcp_url: str) -> None:
        self._client, self._conversation, self._mcp_url = client, conversation, mcp_url
        self._context = self._task = ""

    async def send(self, said: str) -> str:
        """The agent's text; raises AgentError, and what the SDK raises."""
        from a2a.types import Message, Part, Role, SendMessageRequest

        history = [message.wire() for message in self._conversation.history]
        message = Message(
            role=Role.ROLE_USER,
            message_id=str(uuid.uuid4()),
            context_id=self._context,
            task_id=self._task,
            parts=[Part(text=said)],
            metadata={METADATA: {"mcp_url": self._mcp_url, "history": history}},
        )
        answers = [answer async for answer in self._client.send_message(SendMessageRequest(message=message))]
        if not answers:
            raise AgentError("the agent closed the connection without a reply")
        return self._parse(answers[-1])

    def _parse(self, answer: StreamResponse) -> str:
        """The agent's text; raises AgentError for a task that failed or is not finished."""
        from a2a.helpers import get_artifact_text, get_message_text
        from a2a.types import TaskState

        if answer.HasField("message"):
            self._context, self._task = answer.message.context_id or self._context, ""
            return str(get_message_text(answer.message))
        task: Task = answer.task
        state = TaskState.Name(task.status.state)
        self._context, self._task = task.context_id, task.id if state == WAITING else ""
        if state not in (WAITING, COMPLETED):
            raise AgentError(f"the A2A task ended as {state}: {get_message_text(task.status.message)}")
        texts = [get_message_text(task.status.message), *map(get_artifact_text, task.artifacts)]
        return "\n\n".join(dict.fromkeys(filter(None, texts)))


def _bounded_transport(limit: int) -> AsyncHTTPTransport:
    """Connections through which no answer of more than so many bytes arrives."""
    import httpx

    class Bounded(httpx.AsyncHTTPTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            request.headers["Accept-Encoding"] = "identity"
            response = await super().handle_async_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                raise AgentError("the agent sent a compressed response, which is not supported")
            body = bytearray()
            async for chunk in response.stream:
                body += chunk
                if len(body) > limit:
                    raise AgentError(f"the response of the agent is larger than {limit:,} bytes")
            await response.aclose()
            return httpx.Response(response.status_code, headers=response.headers, content=bytes(body), request=request)

    return Bounded()
