"""Tools for conversations whose log does not define them: from a file of tool lists, an OpenAPI document, or what an
MCP server lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.conversations.conversation import Conversation
from toolgauge.errors import DataError
from toolgauge.tools.documents import read_document
from toolgauge.tools.openapi import import_openapi
from toolgauge.tools.toollist import MOST, ToolList, read_tool_lists


class Offered(Struct, frozen=True):
    """Tool lists, from which each conversation gets those that it is about."""

    lists: tuple[ToolList, ...] = ()

    def with_tools(self, conversation: Conversation) -> Conversation:
        """The conversation with definitions for what its log does not define; those of the log come first."""
        known = {tool.name: tool for tool in conversation.tools}
        for tool in self._for(conversation):
            known.setdefault(tool.name, tool)
        return (
            replace(conversation, tools=tuple(known.values())) if len(known) > len(conversation.tools) else conversation
        )

    def _for(self, conversation: Conversation) -> Sequence[Tool]:
        """Of the lists those with a tool that is called; all of a few tools, or the first list, where none is called.

        A log that defines tools lacks only those that it calls and does not define.
        """
        called = {call.name for message in conversation.messages for call in message.tool_calls}
        defined = {tool.name for tool in conversation.tools}
        if defined:
            return [tool for one in self.lists for tool in one.tools if tool.name in called - defined]
        about = [one for one in self.lists if any(tool.name in called for tool in one.tools)]
        if not about:
            about = list(self.lists) if sum(len(one.tools) for one in self.lists) <= MOST else list(self.lists[:1])
        return [tool for one in about for tool in one.tools]


def read_offered(path: Path | None) -> Offered:
    """The tool lists of a file of any of these kinds. Raises DataError."""
    if path is None:
        return Offered()
    return Offered(import_openapi(path).lists if _is_openapi(path) else tuple(read_tool_lists(path)))


def _is_openapi(path: Path) -> bool:
    try:
        document = read_document(path)
    except DataError:
        return path.suffix.lower() in (".yaml", ".yml")
    return type(document) is dict and bool({"openapi", "swagger"} & document.keys())
