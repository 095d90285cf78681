"""An agent that speaks A2A, served by the protocol's SDK: it makes the calls that its script names, over MCP.

python a2a_agent.py SCRIPT    prints its address; SCRIPT: {what the user says: [a reply's message, ...]}
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from a2a.helpers import get_message_text, new_task_from_user_message, new_text_message, new_text_status_update_event
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, TaskState
from mcp import Client
from starlette.applications import Starlette


class Scripted(AgentExecutor):  # type: ignore[misc]
    def __init__(self, script: dict[str, list[dict[str, Any]]]) -> None:
        self._script = script

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        said = get_message_text(context.message)
        told = context.message.metadata["toolgauge"]
        assert all(message["role"] for message in told["history"])
        *calling, last = self._script[said]
        async with Client(told["mcp_url"]) as client:
            for reply in calling:
                calls = (call["function"] for call in reply["tool_calls"])
                await asyncio.gather(*(client.call_tool(one["name"], json.loads(one["arguments"])) for one in calls))
        if said.endswith("?"):  # one way of answering, and the other
            await event_queue.enqueue_event(new_text_message(last["content"], context_id=context.context_id))
            return
        if not context.current_task:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        state = TaskState.TASK_STATE_INPUT_REQUIRED if last["content"].endswith("?") else TaskState.TASK_STATE_COMPLETED
        await event_queue.enqueue_event(
            new_text_status_update_event(context.task_id, context.context_id, state, last["content"])
        )

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nothing goes on in the background."""


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    card = AgentCard(
        name="Scripted",
        description="Says what its script says.",
        version="1",
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        supported_interfaces=[AgentInterface(protocol_binding="JSONRPC", protocol_version="1.0", url=f"{address}/rpc")],
    )
    executor = Scripted(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    handler = DefaultRequestHandler(executor, InMemoryTaskStore(), card)
    app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/rpc")])
    print(address, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listening])


if __name__ == "__main__":
    main()
