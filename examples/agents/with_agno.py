"""An agent made with Agno; run by the frameworks' own Python (make agents)."""

from __future__ import annotations

import asyncio
import os

from agno.agent import Agent
from agno.models.message import Message
from agno.models.openai import OpenAILike
from agno.tools.mcp import MCPTools
from lines import MODEL, Turns, serve_lines


async def converse(turns: Turns) -> None:
    async with MCPTools(transport="streamable-http", url=turns.mcp_url, timeout_seconds=60) as offered:
        model = OpenAILike(id=MODEL, base_url=os.environ["OPENAI_BASE_URL"], api_key="none", max_retries=0)
        agent = Agent(model=model, tools=[offered], telemetry=False)
        said: list[Message] = []
        async for text in turns:
            said.append(Message(role="user", content=text))
            result = await agent.arun(said)
            said = [message for message in result.messages if message.role != "system"]
            turns.answer(result.content)


asyncio.run(serve_lines(converse))
