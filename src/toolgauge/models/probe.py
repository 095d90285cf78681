"""One question with one tool: does the endpoint answer, call and take results back, before a whole run relies on it."""

from __future__ import annotations

import time

from msgspec import Struct

from toolgauge.chat import GoldHint, Message, Reply, Request, Tool, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.locale import Text, _, named_field
from toolgauge.models.local_server import ServerProperties
from toolgauge.models.model import Model
from toolgauge.models.replies import read_json

TOOL = Tool(
    "current_weather",
    "Reports the present weather of a place.",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "Name of the city, for example Oslo"}},
        "required": ["city"],
    },
)
QUESTION = (
    Message("system", "Use the tools you are given when they help."),
    Message("user", "Do I need an umbrella in Lisbon right now?"),
)
RESULT = '{"city": "Lisbon", "sky": "light rain", "temperature_celsius": 16}'
CALL = Reply(tool_calls=(ToolCall("probe_0", TOOL.name, '{"city": "Lisbon"}'),))


class ProbeResult(Struct, frozen=True):
    """answers: the endpoint replied at all. calls: its first reply was a valid call. takes_results: it replied in words
    when it was sent the result. seconds: for all of it. trouble: what went wrong, in words, or None."""

    model: str
    answers: bool
    calls: bool
    takes_results: bool
    seconds: float
    trouble: Text | None = None

    @property
    def ok(self) -> bool:
        return self.calls and self.takes_results

    def line(self) -> Text:
        """The result for people, one line."""
        if self.ok:
            said = _("{model}: answers, makes a valid tool call and takes the result back ({seconds:.1f} s)")
        elif self.calls:
            said = _("{model}: makes a valid tool call, but {trouble} ({seconds:.1f} s)")
        elif self.answers:
            said = _("{model}: answers, but {trouble} ({seconds:.1f} s)")
        else:
            said = _("{model}: does not answer: {trouble} ({seconds:.1f} s)")
        return said.filled(model=self.model, trouble=self.trouble, seconds=self.seconds)


async def probe(model: Model) -> ProbeResult:
    """Ask the question, send the tool's result back. Never raises: what goes wrong is in the result."""
    began = time.perf_counter()
    answers = calls = takes_results = False
    trouble: Text | None = None
    try:
        first = await model.ask(_request(QUESTION, 0, GoldHint("calls", CALL, steps=2)))
        answers = True
        trouble = call_trouble(first)
        if trouble is not None and not first.tool_calls and await _drops_tools(model):
            trouble = _(
                "its chat template has no place for tools, so the server dropped them: use {dialect} generic, or a "
                "template with tools",
                dialect=named_field("dialect"),
            )
        if trouble is None:
            calls = True
            results = tuple(Message("tool", RESULT, tool_call_id=call.id) for call in first.tool_calls)
            words = Reply(content="Yes, it is raining.")
            gold_hint = GoldHint("final", words, done=CALL.tool_calls, steps=2)
            second = await model.ask(_request((*QUESTION, first.message(), *results), 1, gold_hint))
            takes_results = bool(second.content) and not second.tool_calls
            trouble = None if takes_results else _("does not answer in words when it is sent the tool's result")
    except ProviderError as error:
        trouble = error.text
    return ProbeResult(model.name, answers, calls, takes_results, time.perf_counter() - began, trouble)


async def _drops_tools(model: Model) -> bool:
    """Does a server of this machine say that its chat template has no place for tools? With a dialect none are sent."""
    ask = getattr(model, "properties", None)
    properties = await ask() if ask else None
    return isinstance(properties, ServerProperties) and properties.drops_tools


def _request(messages: tuple[Message, ...], step: int, gold_hint: GoldHint) -> Request:
    return Request("assistant", messages, (TOOL,), "probe", step, gold_hint)


def call_trouble(reply: Reply) -> Text | None:
    """Why a reply to the question is no valid call of the tool, or None."""
    if not reply.tool_calls:
        return _("answers in words where a tool call is needed (does its server have tool calling switched on?)")
    for call in reply.tool_calls:
        if call.id is None or call.name != TOOL.name:
            return (
                _("its tool call lacks an id")
                if call.id is None
                else _("it calls '{call}', which is not offered", call=call.name)
            )
        try:
            arguments = (
                read_json(call.arguments.encode("utf-8", "replace")) if isinstance(call.arguments, str) else None
            )
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict) or not isinstance(arguments.get("city"), str):
            return _("the arguments of its tool call are not what the tool's definition asks for")
    return None
