"""What a dialect is: how a family of models is told of tools and writes its calls, in text alone.

A dialect is data and pure functions. `render` turns a conversation with tools into messages of plain text, `parse`
turns the text of a reply back into calls. Both take anything, raise nothing, and stay within the bounds of `calls.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Literal

from msgspec import Struct

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Json, Message, Tool, ToolCall
from toolgauge.models.dialects.calls import MAX_TEXT, Parsed, PlainCall, Result, write_json
from toolgauge.models.dialects.tagged import typed
from toolgauge.models.dialects.turns import THINK, after_thinking, this_turn
from toolgauge.models.provider_adapter import as_object
from toolgauge.models.schemas import argument_schemas

PROMPTS = Path(__file__).with_name("prompts")
"""The words with which tools are announced, a file per prompt and language, for people to edit. The marks in them are
the families' own, the sentences are ours."""
LANGUAGES = ("en", "zh")


def tool_lines(tools: Sequence[Tool]) -> str:
    """Tools as the chat completions API has them, one a line."""
    return "\n".join(write_json(tool.wire()) for tool in tools)


def contents(results: Sequence[Result]) -> str:
    """Results as they are."""
    return "\n".join(result.content for result in results)


class Dialect(Struct, frozen=True, kw_only=True):
    """A family's way of writing."""

    name: str
    """As `--dialect` takes it: lower case, digits, dots and hyphens."""
    title: str
    """Whose way of writing this is, for tables, the same in every language."""
    prompt: str
    """The file that announces the tools, with places for $tools and for what the message says otherwise, $said."""
    parse_calls: Callable[[str], Parsed]
    """Finds calls in a text behind its thinking."""
    calls: Callable[[Sequence[PlainCall]], str]
    """Writes earlier calls."""
    tools: Callable[[Sequence[Tool]], str] = tool_lines
    results: Callable[[Sequence[Result]], str] = contents
    place: Literal["system", "first_user", "last_user", "own_user"] = "system"
    """Where tools are announced: in the system prompt, in the first or last message of the user, or in a message of the
    user's own before the conversation."""
    results_in: Literal["user", "tool", "tool_each"] = "user"
    """Results of a step: in one message of the user, or of the role that the family's chat template has for them; or
    each in one of that role."""
    alternating: bool = False
    """Neighbours of one role become one message, for templates that take nothing else."""
    system_role: str = "system"
    """Or "user", where a family's template has no system prompt."""
    gap: str = "\n"
    """Between what is said and the calls."""
    thought: tuple[str, str] | None = THINK
    """Patterns of the family's own marks of thinking, None where `parse_calls` reads them."""
    call_mark: str = ""
    """Pattern of what ends thinking that is not closed (`after_thinking`)."""
    texts: Literal["", "quoted", "plain"] = ""
    """Values are written as texts, to be typed by the tool's schema; "quoted" where strings may stand in quotes all the
    same, "plain" where not."""
    resolve: Callable[[Parsed, tuple[Tool, ...]], Parsed] | None = None
    """What a name that was read means, given those on offer."""
    stop: tuple[str, ...] = ()
    """Texts at which generation must be stopped, for servers that do not do so by themselves."""

    def render(self, messages: tuple[Message, ...], tools: tuple[Tool, ...], language: str) -> tuple[Message, ...]:
        """The conversation as messages of role and text only: tools in the system prompt (or where the family has
        them), earlier calls and results as the family writes them. language: "en" or "zh", of our own words."""
        plain = list(self._plain(messages, tools, language))
        if not self.alternating:
            return tuple(plain)
        groups = groupby(plain, lambda message: message.role)
        return tuple(Message(role, "\n\n".join(message.content or "" for message in group)) for role, group in groups)

    def parse(self, text: str, tools: tuple[Tool, ...] = ()) -> Parsed:
        """What the text of a reply says; never raises. tools: those on offer, for families whose way of writing leaves
        the types of values open."""
        if len(text) > MAX_TEXT:
            return Parsed(text, problem=CallProblem.TOO_LONG)
        parsed = this_turn(text, self._parse)
        if self.texts:
            parsed = typed(parsed, tools, quoted=self.texts == "quoted")
        return self.resolve(parsed, tools) if self.resolve else parsed

    def render_calls(self, calls: Sequence[ToolCall], tools: tuple[Tool, ...]) -> str:
        """Calls alone, as the family writes them."""
        return self._written(calls, argument_schemas(tools))

    def _written(self, calls: Sequence[ToolCall], schemas: dict[str, Json]) -> str:
        return self.calls(
            [
                PlainCall(call.name or "", as_object(call.arguments), call.id or "", schemas.get(call.name or "", {}))
                for call in calls
            ]
        )

    def _parse(self, text: str) -> Parsed:
        if self.thought is None:
            return self.parse_calls(text)
        return after_thinking(text, self.parse_calls, self.thought, self.call_mark)

    def _plain(self, messages: tuple[Message, ...], tools: tuple[Tool, ...], language: str) -> Iterator[Message]:
        leading = 0
        while leading < len(messages) and messages[leading].role == "system":
            leading += 1
        system = "\n\n".join(message.content for message in messages[:leading] if message.content)
        conversation = list(messages[leading:])
        if tools:
            system, conversation = self._announced(system, conversation, tools, language)
        if system:
            yield Message(self.system_role, system)
        names: dict[str | None, str] = {}
        schemas = argument_schemas(tools)
        for role, group in groupby(conversation, lambda message: message.role):
            if role == "tool":
                results = [
                    Result(message.tool_call_id or "", names.get(message.tool_call_id, ""), message.content or "")
                    for message in group
                ]
                if self.results_in == "tool_each":
                    yield from (Message("tool", self.results([result])) for result in results)
                else:
                    yield Message(self.results_in, self.results(results))
                continue
            for message in group:
                names |= {call.id: call.name or "" for call in message.tool_calls}
                yield self._answer(message, schemas)

    def _announced(
        self, system: str, conversation: list[Message], tools: tuple[Tool, ...], language: str
    ) -> tuple[str, list[Message]]:
        """The system prompt and the conversation with the tools in their place; in the prompt where no user speaks."""
        template = _template(self.prompt, language if language in LANGUAGES else "en")
        listed = self.tools(tools)

        def told(said: str) -> str:
            return template.substitute(tools=listed, said=said).strip()

        user_places = [number for number, message in enumerate(conversation) if message.role == "user"]
        if self.place == "system" or not user_places:
            return told(system), conversation
        if self.place == "own_user":
            return system, [Message("user", told("")), *conversation]
        at = user_places[0 if self.place == "first_user" else -1]
        message = Message("user", told(conversation[at].content or ""))
        return system, [*conversation[:at], message, *conversation[at + 1 :]]

    def _answer(self, message: Message, schemas: dict[str, Json]) -> Message:
        content = message.content or ""
        if message.tool_calls:
            calls = self._written(message.tool_calls, schemas)
            content = f"{content}{self.gap}{calls}" if content else calls
        return Message(message.role, content)


@cache
def _template(name: str, language: str) -> Template:
    return Template((PROMPTS / f"{name}.{language}.txt").read_text("utf-8").rstrip("\n"))


def between(opening: str, closing: str, gap: str = "\n") -> Callable[[Sequence[Result]], str]:
    """Writes each result between two marks. gap: between two results."""
    return lambda results: gap.join(f"{opening}{result.content}{closing}" for result in results)


def as_objects(calls: Sequence[PlainCall], arguments: str = "arguments") -> list[dict[str, object]]:
    """Calls as objects of name and arguments."""
    return [{"name": call.name, arguments: call.arguments} for call in calls]


def as_list(calls: Sequence[PlainCall]) -> str:
    """Calls as one list."""
    return write_json(as_objects(calls))


def tool_list(tools: Sequence[Tool]) -> str:
    """Tools as the chat completions API has them, one list."""
    return write_json([tool.wire() for tool in tools])


def function_lines(tools: Sequence[Tool]) -> str:
    """Tools without the API's wrapping, one a line."""
    return "\n".join(write_json(tool.wire()["function"]) for tool in tools)


def functions(tools: Sequence[Tool]) -> str:
    """Tools without the API's wrapping, one list."""
    return write_json([tool.wire()["function"] for tool in tools])


def tool_blocks(tools: Sequence[Tool]) -> str:
    """Tools as the chat completions API has them, indented, with blank lines between."""
    return "\n\n".join(json.dumps(tool.wire(), ensure_ascii=False, indent=4) for tool in tools)


def named_results(results: Sequence[Result]) -> str:
    """Results with the names of their tools, one list."""
    return write_json([{"name": result.name, "results": result.content} for result in results])
