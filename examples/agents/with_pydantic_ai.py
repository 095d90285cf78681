"""An agent made with Pydantic AI; run by the frameworks' own Python (make agents)."""

from __future__ import annotations

import asyncio

from lines import MODEL, Turns, client, serve_lines
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def converse(turns: Turns) -> None:
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client()))
    agent = Agent(model, toolsets=[MCPToolset(turns.mcp_url)])
    said = None
    async with agent:
        async for text in turns:
            result = await agent.run(text, message_history=said)
            said = result.all_messages()
            turns.answer(result.output)


asyncio.run(serve_lines(converse))
