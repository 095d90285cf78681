"""Calls in texts: the model around one that speaks text only, and what servers leave where nobody looks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.mockserver import serve
from tests.models.asking import options
from tests.models.dialect_texts import EXAMPLES
from tests.rows import rows
from toolgauge.call_problems import CallProblem
from toolgauge.chat import Message, Reply, Request, Tool, ToolCall
from toolgauge.models import open_model
from toolgauge.models.dialects.calls import Parsed
from toolgauge.models.dialects.table import DIALECTS, find_dialect
from toolgauge.models.failures import AttemptFailure
from toolgauge.models.replies import read_reply
from toolgauge.models.text_calls import TextToolModel, clean_name, dialects_of, find_unparsed, recovered

RAIN_TOOL = Tool("rain", "Rain?", {"type": "object", "properties": {"city": {"type": "string"}}})
WRITTEN = '<tool_call>\n{"name": "rain", "arguments": {"city": "Oslo"}}\n</tool_call>'


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


def ask(reply: Reply, *messages: Message, tools: tuple[Tool, ...] = (RAIN_TOOL,)) -> tuple[Reply, Request]:
    inner = Echo(reply)
    spoken = TextToolModel(inner, DIALECTS["hermes"])
    answer = asyncio.run(spoken.ask(Request("assistant", messages or (Message("user", "Rain?"),), tools, "s/0")))
    return answer, inner.asked[0]


def test_calls_are_heard_and_tools_become_text() -> None:
    reply, asked = ask(Reply(content=f"Let me see.\n{WRITTEN}", finish_reason="stop", latency=2.0))
    assert reply.tool_calls == (ToolCall("call_0", "rain", '{"city": "Oslo"}'),)
    assert (reply.content, reply.finish_reason, reply.latency, reply.problem) == ("Let me see.", "stop", 2.0, None)
    assert (asked.tools, asked.episode) == ((), "s/0")
    assert '"name": "rain"' in (asked.messages[0].content or "")


def test_a_request_without_tools_is_passed_on_untouched() -> None:
    request = (Message("user", "Say <tool_call>"),)
    reply, asked = ask(Reply(content=WRITTEN), *request, tools=())
    assert (reply.content, reply.tool_calls, asked.messages) == (WRITTEN, (), request)


def test_native_calls_are_taken_as_they_are() -> None:
    native = Reply(content=WRITTEN, tool_calls=(ToolCall("x", "rain", "{}"),))
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
            await model.ask(Request("assistant", (Message("user", "?"),), (RAIN_TOOL,)))
            await model.close()

        asyncio.run(once())
    assert server.requests[0]["stop"] == (chosen or ["<end>"])
    assert "tools" not in server.requests[0]


RAIN = Tool("rain", "Rain?", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
NOW = Tool("now", "Time?", {"type": "object", "properties": {}})
TOOLS = (RAIN, NOW)
CALL = ToolCall("call_0", "rain", '{"city": "Oslo"}')


@rows("dialect", DIALECTS)
def test_a_call_in_any_notation_is_the_servers(dialect: str) -> None:
    for text in (EXAMPLES[dialect].one, EXAMPLES[dialect].both, f"I look.\n{EXAMPLES[dialect].one}"):
        assert find_unparsed(Reply(text), TOOLS) is CallProblem.LEFT_IN_TEXT
        assert find_unparsed(Reply(reasoning=text), TOOLS) is CallProblem.LEFT_IN_REASONING
        assert dialect in dialects_of(text, TOOLS)
    left = Reply(reasoning=EXAMPLES[dialect].one, problem=CallProblem.LEFT_IN_REASONING)
    read = recovered(left, DIALECTS[dialect], TOOLS, 0)
    assert read is not None
    assert (read.tool_calls, read.problem) == ((CALL,), None)


@rows(
    "reply",
    [
        Reply("It rains."),
        Reply("I call rain for you."),
        Reply("Use <tool_call> to call rain."),
        Reply("Dry.", reasoning=EXAMPLES["hermes"].one),  # a draft, and an answer
        Reply(tool_calls=(CALL,)),
        Reply('{"name": "other", "arguments": {}}'),
    ],
)
def test_what_a_model_says_is_its_own(reply: Reply) -> None:
    assert find_unparsed(reply, TOOLS) is None
    assert find_unparsed(Reply(EXAMPLES["hermes"].one), ()) is None


def test_a_notation_without_a_dialect_and_a_call_that_is_only_announced() -> None:
    step3 = '<steptml:invoke name="rain"><steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke>'
    assert find_unparsed(Reply(step3), TOOLS) is CallProblem.LEFT_IN_TEXT
    assert find_unparsed(Reply("I look.", finish_reason="tool_calls"), TOOLS) is CallProblem.ANNOUNCED


@rows(
    "name",
    ["rain<|channel|>commentary", "functions.rain", "rain<|constrain|>json", "functions.rain:0", "rain</function>"],
)
def test_a_name_with_the_servers_marks(name: str) -> None:
    reply = Reply(tool_calls=(replace(CALL, name=name),))
    assert find_unparsed(reply, TOOLS) is CallProblem.MARKED_NAME
    read = recovered(replace(reply, problem=CallProblem.MARKED_NAME), DIALECTS["generic"], TOOLS, 0)
    assert read is not None
    assert read.tool_calls == (CALL,)
    assert clean_name("snow", TOOLS) is None


def completion(message: dict[str, Any], *more: dict[str, Any]) -> Any:
    choices = [{"message": one, "finish_reason": "stop"} for one in (message, *more)]
    return read_reply(json.dumps({"choices": choices}).encode())


def test_a_call_in_another_choice_and_in_the_old_field() -> None:
    function = {"name": "rain", "arguments": '{"city": "Oslo"}'}
    other = completion({"content": "I look."}, {"content": "", "tool_calls": [{"id": "x", "function": function}]})
    old = completion({"content": None, "function_call": function})
    assert (other.problem, old.problem) == (CallProblem.LEFT_IN_CHOICE, CallProblem.LEFT_IN_FIELD)
    for reply in (other, old):
        assert not reply.tool_calls
        read = recovered(reply, find_dialect("hermes"), TOOLS, 0)
        assert read is not None
        assert [(call.name, call.arguments) for call in read.tool_calls] == [("rain", '{"city": "Oslo"}')]


@rows("part", [{"type": "tool_use", "name": "rain"}, {"type": "image", "data": ""}, 7, None])
def test_content_of_an_unknown_kind_is_the_providers(part: object) -> None:
    assert isinstance(completion({"content": [part]}), AttemptFailure)
