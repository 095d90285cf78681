"""The MCP server that offers a session's tools to an agent: one process, many conversations, told apart by a key.

A call is answered by the conversation's episode with what the annotation says; nothing is executed. The official SDK,
without sessions of its own: which conversation it is stands in the address (`/mcp/<key>`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from toolgauge.agents.conversation import AgentConversation
from toolgauge.chat import Tool
from toolgauge.errors import MissingExtra
from toolgauge.locale import named_field
from toolgauge.sockets import listening

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
    from mcp.types import Tool as Offered
    from uvicorn import Server as WebServer

LOOPBACK = "127.0.0.1"


class ToolServer:
    """Starts with the first conversation, on a free port of the loopback, in the running event loop."""

    def __init__(self) -> None:
        self._conversations: dict[str, AgentConversation] = {}
        self._serving: asyncio.Task[None] | None = None
        self._server: WebServer | None = None
        self._port = 0
        self._starting = asyncio.Lock()

    @asynccontextmanager
    async def offering(self, conversation: AgentConversation) -> AsyncIterator[str]:
        """The address at which the conversation's tools stand while the context is open."""
        await self._start()
        self._conversations[conversation.key] = conversation
        try:
            yield f"http://{LOOPBACK}:{self._port}/mcp/{conversation.key}"
        finally:
            del self._conversations[conversation.key]

    async def close(self) -> None:
        """End the server; connections that are open are cut."""
        if self._serving is not None and self._server is not None:
            self._server.should_exit = True
            await asyncio.gather(self._serving, return_exceptions=True)
            self._serving = None

    async def _start(self) -> None:
        async with self._starting:
            if self._serving is not None:
                return
            try:
                import uvicorn
                from mcp.server.lowlevel import Server
                from starlette.applications import Starlette
                from starlette.routing import Route
            except ImportError as error:
                raise MissingExtra(named_field("agent"), error.name or "mcp", "agents") from error
            listener = listening(LOOPBACK, 0)
            self._port = listener.getsockname()[1]
            tools = Server("toolgauge", on_list_tools=self._list_tools, on_call_tool=self._call_tool)
            manager = _manager(tools, self._port)
            app = Starlette(
                routes=[Route("/mcp/{key}", manager.asgi_app, methods=["POST"])],
                lifespan=lambda _app: manager.run(),
            )
            config = uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1)
            self._server = _quiet(uvicorn.Server)(config)
            self._serving = asyncio.ensure_future(self._server.serve([listener]))
            while not self._server.started and not self._serving.done():  # noqa: ASYNC110 - uvicorn has no event
                await asyncio.sleep(0.005)

    def _conversation(self, context: ServerRequestContext) -> AgentConversation | None:
        request = context.request
        return self._conversations.get(request.path_params["key"]) if request else None

    async def _list_tools(
        self, context: ServerRequestContext, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        from mcp.types import ListToolsResult

        conversation = self._conversation(context)
        return ListToolsResult(tools=[_offered(tool) for tool in conversation.tools] if conversation else [])

    async def _call_tool(self, context: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        from mcp.types import CallToolResult, TextContent

        conversation = self._conversation(context)
        if conversation is None:
            return CallToolResult(
                content=[TextContent(type="text", text="No conversation of this name.")], is_error=True
            )
        result = await conversation.call(params.name, params.arguments or {})
        return CallToolResult(content=[TextContent(type="text", text=result.text)], is_error=result.failed)


def _manager(tools: Server[Any], port: int) -> StreamableHTTPSessionManager:
    """Plain requests and answers: no state that the SDK would keep, no stream to hold open."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

    return StreamableHTTPSessionManager(
        app=tools,
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=[f"{LOOPBACK}:{port}", f"localhost:{port}"]
        ),
    )


def _quiet(server: type[WebServer]) -> type[WebServer]:
    """Uvicorn's server without its signal handlers: signals are the run's."""

    class Quiet(server):  # type: ignore[misc,valid-type]
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Quiet


def _offered(tool: Tool) -> Offered:
    from mcp.types import Tool as Offered

    return Offered(name=tool.name, description=tool.description, input_schema={"type": "object", **tool.parameters})
