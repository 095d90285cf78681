"""MCP over stdio: the SDK's own client starts the command, in every way it has of beginning."""

from __future__ import annotations

import asyncio
import json
import os

from mcp import Client, StdioServerParameters, stdio_client

from tests.rows import rows
from toolgauge.agents.bridge import Bridge, mcp_command
from toolgauge.agents.conversation import AgentConversation, Respond
from toolgauge.agents.server import ToolServer
from toolgauge.chat import GoldHint, Message, Reply, Request, Tool, ToolCall

UNUSUAL = "erzähl\nmir"


def knows_a_command(command: list[str], mode: str) -> Respond:
    """An agent that only knows a command: it lists the tools, and makes two calls at once."""

    async def respond(said: str) -> Reply:
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        async with Client(stdio_client(server), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["tell"]
            calls = client.call_tool("tell", {"said": said}), client.call_tool(UNUSUAL, {})
            return Reply(
                " and ".join(getattr(result.content[0], "text", "") for result in await asyncio.gather(*calls))
            )

    return respond


@rows("mode", ["auto", "legacy", "2026-07-28"])
def test_an_agent_that_starts_its_server_reaches_its_conversation(mode: str) -> None:
    async def converse() -> None:
        server, conversation = ToolServer(), AgentConversation("test", "key", 60)
        async with server.offering(conversation) as address:
            conversation.join(knows_a_command(mcp_command(address), mode))
            said = Message("user", "Grüße")
            due = GoldHint("calls", Reply(None, (ToolCall("0", "tell", "{}"), ToolCall("1", "tell", "{}"))))
            reply = await conversation.ask(Request("assistant", (said,), (Tool("tell"),), gold_hint=due))
            made = {call.name: json.loads(call.arguments) for call in reply.tool_calls}
            assert made == {"tell": {"said": "Grüße"}, UNUSUAL: {}}
            told = (Message("tool", f"für {call.name}", tool_call_id=call.id) for call in reply.tool_calls)
            end = await conversation.ask(Request("assistant", (said, reply.message(), *told), (Tool("tell"),)))
            assert end.content == f"für tell and für {UNUSUAL}"
            await conversation.close()
        await server.close()

    asyncio.run(converse())


def test_what_cannot_be_passed_on_is_answered_with_an_error() -> None:
    """Lines that are no JSON, and a server that is not there; what wants no answer gets none."""
    read, write = os.pipe()
    bridge = Bridge("http://127.0.0.1:1/mcp/key", write)
    with os.fdopen(read, "rb") as answers:
        for line, id_ in ((b"{", None), (b'{"id": 7, "method": "tools/list"}', 7), (b"[" * 100_000, None)):
            bridge.carry([b'{"method": "notifications/initialized"}\n', b"\n", line + b"\n"])
            answer = json.loads(answers.readline())
            assert (answer["id"], answer["error"]["code"] < 0) == (id_, True)
        os.close(write)
        assert answers.read() == b""
