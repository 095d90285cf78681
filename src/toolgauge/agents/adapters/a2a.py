"""An agent that speaks A2A (Agent2Agent, version 1.0 and 0.3), with its official SDK (extra `a2a`).

Each turn is a message with what the user says, in one A2A context for the conversation. Where the tools stand, and what
was said before the first turn, stands in the message's metadata under "toolgauge".
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from toolgauge.agents.conversation import AgentConversation
from toolgauge.chat import Reply
from toolgauge.errors import MissingExtra, ProviderError
from toolgauge.locale import _, joined, named_field
from toolgauge.locale.foreign import cause
from toolgauge.models.model import ModelOptions
from toolgauge.models.providers import masked

if TYPE_CHECKING:
    from a2a.client import Client
    from a2a.types import StreamResponse, Task
    from httpx import AsyncClient, AsyncHTTPTransport

METADATA = "toolgauge"
"""The key of the metadata: {"mcp_url": ..., "history": [...]}."""
COMPLETED, WAITING = "TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED"
"""States in which the agent's turn is over; in the second one the user's answer belongs to the same A2A task."""


class A2AAdapter:
    """An `Adapter`. address: where the agent's card is found."""

    def __init__(self, address: str, options: ModelOptions) -> None:
        self._address, self._options = address, options

    @classmethod
    def named(cls, address: str, options: ModelOptions) -> A2AAdapter:
        """address: "http://host/...". Raises MissingExtra."""
        try:
            import a2a.client  # noqa: F401 - is it there?
        except ImportError as error:
            raise MissingExtra(named_field("agent"), "a2a-sdk", "a2a") from error
        return cls(address, options)

    async def open(self, conversation: AgentConversation, address: str) -> _Context:
        """The agent's card is read here. Raises ProviderError."""
        import httpx
        from a2a.client import A2AClientError, ClientConfig, create_client

        client = httpx.AsyncClient(timeout=self._options.timeout, transport=_transport(self._options.max_reply_bytes))
        config = ClientConfig(
            streaming=False, httpx_client=client, supported_protocol_bindings=["JSONRPC", "HTTP+JSON"]
        )
        try:
            return _Context(await create_client(self._address, config), client, conversation, address)
        except (A2AClientError, httpx.HTTPError, ValueError) as error:
            await client.aclose()
            why = joined([conversation.name, cause(error)], ": ").mapped(self._without_login)
            raise ProviderError(why) from error

    def _without_login(self, text: str) -> str:
        """The SDK names the whole address where it tells of an error."""
        login = urlsplit(self._address).netloc.rpartition("@")[0]
        return masked(text, [login]) if login else text

    async def close(self) -> None:
        """Connections belong to the conversations."""

    def describe(self) -> dict[str, object]:
        parts = urlsplit(self._address)
        return {"base_url": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}", "protocol": "a2a"}


class _Context:
    """One conversation: an A2A context, and the task that waits for an answer, if one does."""

    def __init__(self, client: Client, connections: AsyncClient, conversation: AgentConversation, mcp_url: str) -> None:
        self._client, self._connections = client, connections
        self._conversation, self._mcp_url = conversation, mcp_url
        self._context = self._task = ""

    async def respond(self, said: str) -> Reply:
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
            raise ValueError("it closed the connection without an answer")
        return Reply(self._read(answers[-1]))

    def _read(self, answer: StreamResponse) -> str:
        """The agent's text; raises ProviderError for a task that failed or is not finished."""
        from a2a.helpers import get_artifact_text, get_message_text
        from a2a.types import TaskState

        if answer.HasField("message"):
            self._context, self._task = answer.message.context_id or self._context, ""
            return str(get_message_text(answer.message))
        task: Task = answer.task
        state = TaskState.Name(task.status.state)
        self._context, self._task = task.context_id, task.id if state == WAITING else ""
        if state not in (WAITING, COMPLETED):
            said = get_message_text(task.status.message)
            raise ProviderError(
                _("{name}: its task is {state}: {said}", name=self._conversation.name, state=state, said=said)
            )
        texts = [get_message_text(task.status.message), *map(get_artifact_text, task.artifacts)]
        return "\n\n".join(dict.fromkeys(filter(None, texts)))

    async def close(self) -> None:
        await self._connections.aclose()


def _transport(limit: int) -> AsyncHTTPTransport:
    """Connections through which no answer of more than so many bytes arrives."""
    import httpx

    class Bounded(httpx.AsyncHTTPTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            request.headers["Accept-Encoding"] = "identity"
            response = await super().handle_async_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                raise httpx.ReadError("compresses its answers, which is not unpacked here", request=request)
            body = bytearray()
            async for chunk in response.stream:
                body += chunk
                if len(body) > limit:
                    raise httpx.ReadError(f"sends more than {limit:,} bytes", request=request)
            await response.aclose()
            return httpx.Response(response.status_code, headers=response.headers, content=bytes(body), request=request)

    return Bounded()
