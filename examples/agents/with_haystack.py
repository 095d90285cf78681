"""An agent made with Haystack and its MCP integration; run by the frameworks' own Python (make agents)."""

from __future__ import annotations

import asyncio
import os

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.tools.mcp import MCPToolset, StreamableHttpServerInfo
from lines import MODEL, Turns, serve_lines


async def converse(turns: Turns) -> None:
    endpoint = {"api_base_url": os.environ["OPENAI_BASE_URL"], "api_key": Secret.from_token("none")}
    model = OpenAIChatGenerator(model=MODEL, max_retries=0, **endpoint)
    tools = await asyncio.to_thread(lambda: MCPToolset(StreamableHttpServerInfo(url=turns.mcp_url), eager_connect=True))
    agent = Agent(chat_generator=model, tools=tools, max_agent_steps=20)
    said: list[ChatMessage] = []
    try:
        async for text in turns:
            said = (await asyncio.to_thread(agent.run, [*said, ChatMessage.from_user(text)]))["messages"]
            turns.answer(said[-1].text)
    finally:
        tools.close()


asyncio.run(serve_lines(converse))
