"""The MCP server that offers a session's tools to an agent: one process, many conversations, told apart by a key.

A call is answered by the conversation's episode with what the annotation says; nothing is executed. The official SDK,
without sessions of its own: the address names the conversation (`/mcp/<key>`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool
from starlette.applications import Starlette
from starlette.routing import Route

from toolgauge.agents.conversation import AgentConversation, ToolResult
from toolgauge.network import listening

LOOPBACK = "127.0.0.1"
KEEP_ALIVE = 86_400
"""Seconds: it is the agent that closes a connection. One closed here while it sends is an error of the agent's."""


class ToolServer:
    """Starts with the first conversation, on a free port of the loopback, in the running event loop."""

    def __init__(self) -> None:
        self._conversations: dict[str, AgentConversation] = {}
        self._serving: asyncio.Task[None] | None = None
        self._server: uvicorn.Server | None = None
        self._port = 0
        self._starting = asyncio.Lock()

    @asynccontextmanager
    async def offering(self, conversation: AgentConversation) -> AsyncIterator[str]:
        """The address of the conversation's tools while the context is open."""
        async with self._starting:
            if self._serving is None:
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
        """Serve plain requests and answers: no state that the SDK would keep, no stream to hold open."""
        listener = listening(LOOPBACK, 0)
        self._port = listener.getsockname()[1]
        hosts = [f"{LOOPBACK}:{self._port}", f"localhost:{self._port}"]
        manager = StreamableHTTPSessionManager(
            app=Server("toolgauge", on_list_tools=self._list_tools, on_call_tool=self._call_tool),
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts),
        )
        routes = [Route("/mcp/{key}", manager.asgi_app, methods=["POST"])]
        app = Starlette(routes=routes, lifespan=lambda _app: manager.run())
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, timeout_keep_alive=KEEP_ALIVE, timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]  # signals are the run's
        self._serving = asyncio.ensure_future(self._server.serve([listener]))
        while not self._server.started and not self._serving.done():  # noqa: ASYNC110 - uvicorn has no event
            await asyncio.sleep(0.005)

    def _conversation(self, context: ServerRequestContext[Any, Any]) -> AgentConversation | None:
        return self._conversations.get(context.request.path_params["key"]) if context.request else None

    async def _list_tools(
        self, context: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        conversation = self._conversation(context)
        tools = conversation.list_tools() if conversation else ()
        schemas = ({"type": "object", **tool.parameters} for tool in tools)
        return ListToolsResult(
            tools=[
                Tool(name=tool.name, description=tool.description, input_schema=schema)
                for tool, schema in zip(tools, schemas, strict=True)
            ]
        )

    async def _call_tool(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        conversation = self._conversation(context)
        result = ToolResult("Unknown conversation.", failed=True)
        if conversation is not None:
            result = await conversation.call(params.name, params.arguments or {})
        return CallToolResult(content=[TextContent(type="text", text=result.text)], is_error=result.failed)
