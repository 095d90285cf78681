"""The model around a model: what it asks, what it hears, and what it leaves alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.mockserver import serve
from tests.models.asking import options
from toolgauge.chat import Message, Reply, Request, Tool, ToolCall
from toolgauge.models import open_model
from toolgauge.models.dialects.calls import Parsed
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.text_calls import TextToolModel

TOOL = Tool("rain", "Rain?", {"type": "object", "properties": {"city": {"type": "string"}}})
CALL = '<tool_call>\n{"name": "rain", "arguments": {"city": "Oslo"}}\n</tool_call>'


class Echo:
    """Answers with a fixed reply and remembers what it was asked."""

    name = "test/echo"

    def __init__(self, reply: Reply) -> None:
        self.reply, self.asked, self.closed = reply, [], False  # type: ignore[var-annotated]

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        return self.reply

    async def close(self) -> None:
        self.closed = True

    def describe(self) -> dict[str, Any]:
        return {"provider": "test", "model": "echo", "base_url": None}


def ask(reply: Reply, *messages: Message, tools: tuple[Tool, ...] = (TOOL,)) -> tuple[Reply, Request]:
    inner = Echo(reply)
    spoken = TextToolModel(inner, DIALECTS["hermes"])
    answer = asyncio.run(spoken.ask(Request("assistant", messages or (Message("user", "Rain?"),), tools, "s/0")))
    return answer, inner.asked[0]


def test_calls_are_heard_and_tools_become_text() -> None:
    reply, asked = ask(Reply(content=f"Let me see.\n{CALL}", finish_reason="stop", latency=2.0))
    assert reply.tool_calls == (ToolCall("call_0", "rain", '{"city": "Oslo"}'),)
    assert (reply.content, reply.finish_reason, reply.latency, reply.problem) == ("Let me see.", "stop", 2.0, None)
    assert (asked.tools, asked.episode) == ((), "s/0")
    assert '"name": "rain"' in (asked.messages[0].content or "")


def test_a_request_without_tools_is_passed_on_untouched() -> None:
    request = (Message("user", "Say <tool_call>"),)
    reply, asked = ask(Reply(content=CALL), *request, tools=())
    assert (reply.content, reply.tool_calls, asked.messages) == (CALL, (), request)


def test_native_calls_are_taken_as_they_are() -> None:
    native = Reply(content=CALL, tool_calls=(ToolCall("x", "rain", "{}"),))
    assert ask(native)[0] is native


class Stopping:
    """A dialect that has to be stopped."""

    name, title, models, stop = "stopping", "Test", (), ("<end>",)

    def render(self, messages: tuple[Message, ...], tools: tuple[Tool, ...], language: str) -> tuple[Message, ...]:
        return messages

    def parse(self, text: str, tools: tuple[Tool, ...] = ()) -> Parsed:
        return Parsed(text)


@pytest.mark.parametrize("chosen", [None, ["mine"]])
def test_stop_texts_are_sent_unless_others_are_set(chosen: list[str] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    from msgspec.structs import replace

    monkeypatch.setitem(DIALECTS, "stopping", Stopping())
    with serve() as server:
        reached = replace(options(server), dialect="stopping")
        reached = replace(reached, sampling=replace(reached.sampling, stop=chosen))

        async def once() -> None:
            model = open_model("openai/mock", reached)
            await model.ask(Request("assistant", (Message("user", "?"),), (TOOL,)))
            await model.close()

        asyncio.run(once())
    assert server.requests[0]["stop"] == (chosen or ["<end>"])
    assert "tools" not in server.requests[0]
