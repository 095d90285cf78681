"""An agent made with smolagents; run by the frameworks' own Python (make agents).

Its loop ends with a call of its own tool, `final_answer`, which the scripted model makes for it.
"""

from __future__ import annotations

import asyncio
import os

from lines import MODEL, Turns, serve_lines
from smolagents import MCPClient, OpenAIModel, ToolCallingAgent


async def converse(turns: Turns) -> None:
    def offered() -> MCPClient:
        return MCPClient({"url": turns.mcp_url, "transport": "streamable-http"}, structured_output=False)

    tools = await asyncio.to_thread(offered)
    try:
        model = OpenAIModel(model_id=MODEL, api_base=os.environ["OPENAI_BASE_URL"], api_key="none")
        agent = ToolCallingAgent(tools=tools.get_tools(), model=model, verbosity_level=-1)
        fresh = True
        async for text in turns:
            turns.answer(str(await asyncio.to_thread(agent.run, text, reset=fresh)))
            fresh = False
    finally:
        tools.disconnect()


asyncio.run(serve_lines(converse))
