"""Agents of our own: loops around built-in models, in a function's and in MCP's way, and some that go wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from toolgauge.agents.local import Conversation
from toolgauge.chat import Json, Reply, Request
from toolgauge.models.builtin.models import noisy, oracle

Make = Callable[[str, Json], Awaitable[object]]


def asked(conversation: Conversation) -> Request:
    """What the benchmark asks now, with the annotated answer, which built-in models play: no agent is given that."""
    request = conversation._conversation.request
    assert request is not None
    return request


async def loop(conversation: Conversation, play: Callable[[Request], Reply], make: Make) -> str:
    """What an agent's loop does: ask the model, make its calls at once, until it answers in words."""
    while True:
        reply = play(asked(conversation))
        if not reply.tool_calls:
            return reply.content or ""
        calls = ((call.name or "", json.loads(call.arguments)) for call in reply.tool_calls)
        await asyncio.gather(*(make(name, arguments) for name, arguments in calls))


async def perfect(conversation: Conversation) -> str:
    return await loop(conversation, oracle, conversation.call)


async def wrong_values(conversation: Conversation) -> str:
    return await loop(conversation, noisy(1, 0.5, "wrong_value"), conversation.call)


async def over_mcp(conversation: Conversation) -> str:
    """The same, as a client of the MCP server."""
    from mcp import Client

    async with Client(conversation.mcp_url) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert offered == {tool.name for tool in conversation.tools}
        return await loop(conversation, oracle, client.call_tool)


async def deaf(_conversation: Conversation) -> str:
    """It answers, and never looks for its tools."""
    return "I cannot know that."


async def hangs(_conversation: Conversation) -> str:
    await asyncio.sleep(3600)
    return ""


async def dies(_conversation: Conversation) -> str:
    raise RuntimeError("out of ideas")


async def speechless(_conversation: Conversation) -> str:
    return None  # type: ignore[return-value]


def not_async(_conversation: Conversation) -> str:
    return ""


async def one_by_one(conversation: Conversation) -> str:
    """What most agents do: a call, its result, the next call."""
    while True:
        reply = oracle(asked(conversation))
        if not reply.tool_calls:
            return reply.content or ""
        for call in reply.tool_calls:
            said = await conversation.call(call.name or "", json.loads(call.arguments))
        if said.startswith("The call was recorded"):
            return "I have done what I can."


def right_call(conversation: Conversation) -> tuple[str, Json] | None:
    """The first of the calls that are due, if any are."""
    calls = oracle(asked(conversation)).tool_calls
    return (calls[0].name or "", json.loads(calls[0].arguments)) if calls else None


async def cancels(conversation: Conversation) -> str:
    """Makes the right call, and stops waiting for it before there is a result."""
    if right := right_call(conversation):
        call = asyncio.ensure_future(conversation.call(*right))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    return "done"


async def never_ends(conversation: Conversation) -> str:
    """The same right call for ever, whatever comes back."""
    if right := right_call(conversation):
        while True:
            await conversation.call(*right)
    return "done"


async def unknown(conversation: Conversation) -> str:
    return await conversation.call("no_such_tool", {})


async def no_object(conversation: Conversation) -> str:
    right = right_call(conversation)
    return await conversation.call(right[0], ["no", "object"]) if right else "done"


async def exits(_conversation: Conversation) -> str:
    raise SystemExit(3)


class Unusual(BaseException):
    """No Exception, as some libraries raise it to be caught by nobody."""


async def unusual(_conversation: Conversation) -> str:
    raise Unusual("stop\x1b[2J it\nall \ud800")


async def cancelled(_conversation: Conversation) -> str:
    raise asyncio.CancelledError


async def grouped(_conversation: Conversation) -> str:
    """As a client of an MCP server in a task group raises it."""
    raise ExceptionGroup("unhandled errors in a TaskGroup", [ValueError("no such tool 'x'")])


async def numbered(conversation: Conversation) -> str:
    return await conversation.call(5, "x")  # type: ignore[arg-type]


async def unsayable(conversation: Conversation) -> str:
    return await conversation.call("look_it_up", {1, 2})


async def silent(_conversation: Conversation) -> str:
    return ""


class APITimeoutError(Exception):
    """Named as OpenAI's."""


async def without_model(_conversation: Conversation) -> str:
    try:
        raise APITimeoutError("Request timed out.")
    except APITimeoutError as error:
        raise RuntimeError("the framework's own") from error


async def mistaken(conversation: Conversation) -> str:
    """Around a model that makes mistakes of every kind; in one step, as a model's reply is one."""
    reply = noisy(1, 0.5)(asked(conversation))
    calls = ((call.name or "", json.loads(call.arguments)) for call in reply.tool_calls)
    await asyncio.gather(*(conversation.call(name, arguments) for name, arguments in calls))
    return reply.content or ""
