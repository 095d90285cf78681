"""A speaker made of data: how tools, calls and results are written, and what reads calls back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import Parsed, PlainCall, Result
from toolgauge.models.dialects.family import write_json
from toolgauge.models.dialects.prompts import prompt
from toolgauge.models.dialects.thinking import THINK, after_thinking, marks_of


class CallReader(Protocol):
    """Finds calls in the text that follows the reasoning."""

    def read(self, text: str) -> Parsed: ...


class FormatSpec(Struct, frozen=True):
    """A `Speaker`. prompt: the file that announces the tools (prompts/), with places for $tools and for what the
    message says otherwise, $said; tools, calls, results: how these are written; tidy: takes off marks around text;
    call_mark: ends thinking that is not closed (see `after_thinking`); thought: the family's own marks of thinking;
    gap: between what is said and the calls.
    """

    prompt: str
    grammar: CallReader
    tools: Callable[[Sequence[Tool]], str]
    calls: Callable[[Sequence[PlainCall]], str]
    results: Callable[[Sequence[Result]], str]
    tidy: Callable[[str], str] = str
    call_mark: str = ""
    thought: tuple[str, str] = THINK
    gap: str = "\n"

    def brief(self, said: str, tools: tuple[Tool, ...], language: str) -> str:
        return prompt(self.prompt, language, tools=self.tools(tools), said=said).strip()

    def say(self, content: str, calls: Sequence[PlainCall]) -> str:
        return f"{content}{self.gap}{self.calls(calls)}" if content else self.calls(calls)

    def report(self, results: Sequence[Result]) -> str:
        return self.results(results)

    def parse(self, text: str) -> Parsed:
        return after_thinking(text, self._read, marks_of(text, self.thought), self.call_mark)

    def _read(self, text: str) -> Parsed:
        return self.grammar.read(self.tidy(text))


def as_objects(calls: Sequence[PlainCall], arguments: str = "arguments") -> list[dict[str, object]]:
    """Calls as objects of name and arguments."""
    return [{"name": call.name, arguments: call.arguments} for call in calls]


def as_list(calls: Sequence[PlainCall]) -> str:
    """Calls as one list."""
    return write_json(as_objects(calls))


def tool_lines(tools: Sequence[Tool]) -> str:
    """Tools as the chat completions API has them, one a line."""
    return "\n".join(write_json(tool.wire()) for tool in tools)


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


def bare_tool(tool: Tool) -> dict[str, object]:
    """A tool without the API's wrapping: name, description, and the properties of its parameters alone."""
    properties = tool.parameters.get("properties")
    return {"name": tool.name, "description": tool.description, "parameters": properties or {}}


def contents(results: Sequence[Result]) -> str:
    """Results as they are."""
    return "\n".join(result.content for result in results)
