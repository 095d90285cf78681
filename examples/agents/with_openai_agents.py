"""An agent made with OpenAI's Agents SDK; run by the frameworks' own Python (make agents)."""

from __future__ import annotations

import asyncio

from agents.mcp import MCPServerStreamableHttp
from lines import MODEL, Turns, client, serve_lines

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, set_tracing_disabled


async def converse(turns: Turns) -> None:
    set_tracing_disabled(True)
    params = {"url": turns.mcp_url, "timeout": 60}
    async with MCPServerStreamableHttp(params=params, client_session_timeout_seconds=60) as server:
        model = OpenAIChatCompletionsModel(model=MODEL, openai_client=client())
        settings = ModelSettings(parallel_tool_calls=True)
        agent = Agent(name="Assistant", model=model, mcp_servers=[server], model_settings=settings)
        said: list = []
        async for text in turns:
            result = await Runner.run(agent, [*said, {"role": "user", "content": text}], max_turns=20)
            said = result.to_input_list()
            turns.answer(result.final_output)


asyncio.run(serve_lines(converse))
