"""Candidate functions as an endpoint's own tool calling takes them: legal names and back, valid JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolgauge.benchmarks.acebench.data.entries import AceFunction
from toolgauge.chat import Tool
from toolgauge.data.toolnames import legal_names
from toolgauge.data.valid_schemas import native_schema


class NativeTools(Struct, frozen=True):
    """The tools of one entry. names: alias -> the function's own name; an alias that is not there is nobody's."""

    tools: tuple[Tool, ...]
    names: dict[str, str]

    def original(self, alias: str) -> str:
        """The function that a model meant by a tool's name; the name itself where it is no tool's."""
        return self.names.get(alias, alias)


def native_tools(functions: Sequence[AceFunction]) -> NativeTools:
    """The functions as tools, in their order, each under a legal name of its own."""
    aliases = legal_names([function.name for function in functions])
    tools = tuple(
        Tool(alias, function.description, native_schema(function.parameters))
        for alias, function in zip(aliases, functions, strict=True)
    )
    return NativeTools(tools, {alias: one.name for alias, one in zip(aliases, functions, strict=True)})
