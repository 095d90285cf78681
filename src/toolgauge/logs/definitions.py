"""Definitions of tools as logs have them. Nothing is raised: a conversation is not lost for a tool that is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.references import resolve_references
from toolgauge.errors import DataError
from toolgauge.logs.conversation import Conversation, merged_tools
from toolgauge.logs.text_calls import decoded, literal
from toolgauge.tools.documents import read_document
from toolgauge.tools.openapi import import_openapi
from toolgauge.tools.toollist import MOST, ToolList, enveloped, read_tool_lists

_TYPES = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object",
    "tuple": "array", "set": "array", "dictionary": "object",
}  # fmt: skip
"""Names of Python's types, as xlam's and ToolACE's definitions have them, and what JSON Schema calls these."""


def read_definitions(listed: object) -> tuple[Tool, ...]:
    """The tools of a list, or of JSON text of one; of tools with one name the first. What is none is left out.

    Read are OpenAI's (in an envelope or not), Anthropic's, MCP's, Gemini's, Bedrock's, LangChain's, and xlam's.
    """
    if type(listed) is str:
        listed = literal(listed)
    if type(listed) is dict:
        if "name" in listed or "function" in listed:
            listed = [listed]
        elif type(listed.get("tools")) is list:  # Bedrock's toolConfig
            listed = listed["tools"]
        else:  # tools by their names
            listed = [{"name": name, **definition} for name, definition in listed.items() if type(definition) is dict]
    return merged_tools([list(_tools(listed))])


def _tools(listed: object) -> Iterator[Tool]:
    for definition in listed if type(listed) is list else ():
        value = decoded(definition) if type(definition) is str else definition
        if type(value) is not dict:
            continue
        declared = value.get("functionDeclarations", value.get("function_declarations"))
        if type(declared) is list:
            yield from _tools(declared)
            continue
        if type(spec := value.get("toolSpec")) is dict:
            schema = spec.get("inputSchema")
            value = {**spec, "inputSchema": schema.get("json", schema) if type(schema) is dict else None}
        if (tool := _tool(value)) is not None:
            yield tool


def _tool(value: Mapping[str, object]) -> Tool | None:
    schema = value.get("parametersJsonSchema", value.get("inputSchema"))
    if type(schema) is dict and type(schema.get("jsonSchema")) is dict:  # the AI SDK's
        value = {**value, "inputSchema": schema["jsonSchema"]}
    elif schema is not None and "inputSchema" not in value:
        value = {**value, "parameters": schema}
    if type(value.get("args_schema")) is dict:
        value = {**value, "parameters": value["args_schema"]}
    envelope = enveloped(value)
    function = envelope.get("function") if type(envelope) is dict else None
    if type(function) is not dict or type(function.get("name")) is not str or not function["name"]:
        return None
    description, parameters = function.get("description"), function.get("parameters")
    if type(parameters) is str:
        parameters = decoded(parameters)
    return Tool(
        function["name"],
        description if type(description) is str else "",
        _schema(resolve_references(parameters)[0]) if type(parameters) is dict else {},
    )


def _schema(schema: object) -> dict[str, object]:
    """A schema with JSON Schema's names of types. xlam's parameters by their names become properties."""
    if type(schema) is not dict:
        return {}
    is_flat = (
        "properties" not in schema
        and schema
        and all(type(parameter) is dict and type(parameter.get("type")) is str for parameter in schema.values())
    )
    if not is_flat:
        return _renamed(schema)
    properties, required = {}, []
    for name, parameter in schema.items():
        kind, _comma, rest = str(parameter["type"]).partition(",")
        properties[name] = {**{key: part for key, part in parameter.items() if key != "type"}, **_python_type(kind)}
        if "optional" not in rest and "default" not in parameter:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _python_type(kind: str) -> dict[str, object]:
    """A type as Python writes it ("List[int]"); nothing is said of one that is not known."""
    base, _bracket, inner = kind.strip().partition("[")
    plain = _TYPES.get(base.strip().lower(), base.strip().lower())
    if plain not in {*_TYPES.values(), "null"}:
        return {}
    item = _python_type(inner.rstrip("] ")) if plain == "array" and inner else {}
    return {"type": plain, "items": item} if item else {"type": plain}


def _renamed(schema: dict[str, object]) -> dict[str, object]:
    """Types in capitals (Gemini) or in Python's words, at every place where a schema has one."""
    renamed: dict[str, object] = {}
    for key, part in schema.items():
        if key == "type" and type(part) is str:
            lower = part.lower()
            if lower != "any":
                renamed[key] = _TYPES.get(lower, lower)
        elif key in ("properties", "$defs", "definitions") and type(part) is dict:
            renamed[key] = {name: _renamed(inner) if type(inner) is dict else inner for name, inner in part.items()}
        elif key in ("items", "additionalProperties") and type(part) is dict:
            renamed[key] = _renamed(part)
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems") and type(part) is list:
            renamed[key] = [_renamed(inner) if type(inner) is dict else inner for inner in part]
        else:
            renamed[key] = part
    return renamed


class Offered(Struct, frozen=True):
    """Tool lists (`--tools`), from which each conversation gets those that it is about."""

    lists: tuple[ToolList, ...] = ()

    def with_tools(self, conversation: Conversation) -> Conversation:
        """The conversation with definitions for what its log does not define; those of the log come first.

        Where the log defines none, the lists with a tool that is called; where none is called, all of a few tools.
        """
        called = {call.name for message in conversation.messages for call in message.tool_calls}
        missing = called - {tool.name for tool in conversation.tools}
        if conversation.tools:
            more = [tool for listed in self.lists for tool in listed.tools if tool.name in missing]
        else:
            about = [listed for listed in self.lists if any(tool.name in called for tool in listed.tools)]
            if not about:
                few = sum(len(listed.tools) for listed in self.lists) <= MOST
                about = list(self.lists) if few else list(self.lists[:1])
            more = [tool for listed in about for tool in listed.tools]
        return replace(conversation, tools=merged_tools([conversation.tools, more])) if more else conversation


def read_offered(path: Path | None) -> Offered:
    """The tool lists of a file: tool lists, an OpenAPI document, or what an MCP server lists. Raises DataError."""
    if path is None:
        return Offered()
    try:
        document = read_document(path)
    except DataError:
        is_openapi = path.suffix.lower() in (".yaml", ".yml")
    else:
        is_openapi = type(document) is dict and bool({"openapi", "swagger"} & document.keys())
    return Offered(import_openapi(path).lists if is_openapi else tuple(read_tool_lists(path)))
