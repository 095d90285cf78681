"""An agent made with LangGraph and its MCP adapters; run by the frameworks' own Python (make agents)."""

from __future__ import annotations

import asyncio
import os

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent
from lines import MODEL, Turns, serve_lines


async def converse(turns: Turns) -> None:
    offered = MultiServerMCPClient({"session": {"url": turns.mcp_url, "transport": "streamable_http"}})
    model = ChatOpenAI(model=MODEL, base_url=os.environ["OPENAI_BASE_URL"], api_key="none")
    agent = create_react_agent(model, await offered.get_tools())
    said: list = []
    async for text in turns:
        result = await agent.ainvoke({"messages": [*said, ("user", text)]})
        said = result["messages"]
        turns.answer(said[-1].content)


asyncio.run(serve_lines(converse))
