"""A tool list: a few tools that belong together, such as one conversation is about; and its files.

Read: JSON lines or one JSON document. A list is an array of definitions or an object `{"id", "name", "category",
"subcategory", "language", "tools"}`, which is what we write; a definition may be OpenAI's (with or without its
envelope), Anthropic's (`input_schema`) or MCP's (`inputSchema`), with MCP's `outputSchema`, `annotations` and OpenAPI's
`deprecated` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import Tool, ToolFacts
from toolgauge.data.lines import LANGUAGES, numbered_lines, parse_line
from toolgauge.data.nodes import read_tools
from toolgauge.data.record import DataLine, named, shown
from toolgauge.data.schemas import ANY
from toolgauge.errors import DataError, UsageError
from toolgauge.files import replacing
from toolgauge.limits import MAX_FILE_BYTES
from toolgauge.tools.documents import parse_json, read_bytes

FEWEST, MOST = 2, 17
"""Tools of a list, as in the public ones; imports make lists of 3 to 9 (`grouping.py`)."""

_METADATA = ("name", "category", "subcategory", "language")
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")


class ToolList(Struct, frozen=True, omit_defaults=True):
    """Tools that belong together, in an order; `id` is unique in its file. language: "en", "zh" or not said.

    line: where it stands in its file (from 1, 0 where it comes from none).
    """

    id: str
    tools: tuple[Tool, ...]
    name: str = ""
    category: str = ""
    subcategory: str = ""
    language: str = ""
    line: int = 0

    def wire(self) -> dict[str, object]:
        """The list as one line of our files."""
        metadata = {key: getattr(self, key) for key in _METADATA if getattr(self, key)}
        return {"id": self.id, **metadata, "tools": [tool.filed() for tool in self.tools]}


class Imported(Struct, frozen=True):
    """What an import brought: the lists, and what was renamed, cut or could not be kept."""

    lists: tuple[ToolList, ...]
    notes: tuple[str, ...] = ()

    @property
    def tools(self) -> int:
        return sum(len(tool_list.tools) for tool_list in self.lists)


def read_tool_lists(path: Path | str) -> list[ToolList]:
    """All tool lists of a file, types by JSON Schema's names; of tools with one name in a list the first counts.

    A list without an id is called after the file and its position: `tools_en_0`. Raises DataError, with file, line and
    JSON path, at the first thing that cannot be used.
    """
    lists: list[ToolList] = []
    seen: dict[str, int] = {}
    for line, value in raw_lists(path):
        tool_list = read_list(path, line, value, f"{_stem(path)}_{len(lists)}")
        if tool_list.id in seen:
            raise DataError(f"duplicate id {shown(tool_list.id)}, also in line {seen[tool_list.id]}", path, line, "id")
        seen[tool_list.id] = line
        lists.append(tool_list)
    if not lists:
        raise DataError("no tool list in this file", path)
    return lists


def write_tool_lists(path: Path | str, lists: Iterable[ToolList]) -> None:
    """Write lists as JSON lines; the file is replaced whole or not at all. StoreError where it cannot be written."""
    with replacing(path) as file:
        for tool_list in lists:
            file.write(msgspec.json.encode(tool_list.wire()) + b"\n")


def raw_lists(path: Path | str) -> Iterator[tuple[int, object]]:
    """The line (from 1) and the value of everything in a file that ought to be a tool list.

    Raises DataError where the file cannot be read, is or is no JSON.
    """
    lines, size = [], 0
    for number, text in numbered_lines(path):
        lines.append((number, text))
        size += len(text)
        if size > MAX_FILE_BYTES:
            raise DataError(f"larger than {MAX_FILE_BYTES >> 20} MB", path)
    if not lines:
        return
    try:
        first = parse_line(lines[0][1], path, lines[0][0])
    except DataError:
        if len(lines) == 1 or lines[0][1].lstrip()[:1] not in (b"[", b"{"):
            raise
        yield from _split(lines[0][0], parse_json(read_bytes(path), path))
        return
    yield from _split(lines[0][0], first)
    for number, text in lines[1:]:
        yield from _split(number, parse_line(text, path, number))


def read_list(path: Path | str, line: int, value: Any, name: str) -> ToolList:
    """One value of a file as a list; `name` is its id where it has none."""
    holder = value if type(value) is dict else {"tools": value}
    if type(holder.get("tools")) is not list:
        raise DataError(f"a tool list must be an array or an object with `tools`, not {named(value)}", path, line)
    record = DataLine(path, line, {**holder, "tools": [enveloped(tool) for tool in holder["tools"]]})
    tools = read_tools(record, "tools", ANY)[0]
    if not tools:
        raise record.error("must not be empty", "tools")
    metadata = {key: record.take(record.value, key, str) for key in _METADATA if record.value.get(key) is not None}
    return ToolList(_id(record, name), tools, **metadata, line=line)


def enveloped(definition: object) -> Any:
    """A tool definition of a known layout in OpenAI's envelope; anything else unchanged, for the reader to reject."""
    if type(definition) is not dict or "function" in definition or "name" not in definition:
        return definition
    schema = next((definition[key] for key in _SCHEMA_KEYS if key in definition), None)
    function = {"name": definition["name"], "description": definition.get("description"), "parameters": schema}
    beside = {key: definition[key] for key in ToolFacts.__struct_encode_fields__ if key in definition}
    return {"type": "function", "function": function, **beside}


def library_file(language: str) -> Path:
    """The file of tool lists in a language, "en" or "zh", which authoring/build_tools.py compiles from authoring/tools.

    Raises UsageError for another language.
    """
    if language not in LANGUAGES:
        raise UsageError(f"the tool library has no language '{language}'; choose en or zh")
    return Path(__file__).parent / "library" / f"{language}.jsonl"


@cache
def tool_library(language: str) -> tuple[ToolList, ...]:
    """All lists in a language; ids, tool names, parameters and order are the same in both. UsageError as above."""
    return tuple(read_tool_lists(library_file(language)))


def slug(text: str) -> str:
    """A text as part of an id: lower case letters and digits, joined by dashes, a few words."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words if len(words) <= 24 else (words[:24].rpartition("-")[0] or words[:24])


def _id(record: DataLine, name: str) -> str:
    list_id = record.value.get("id")
    if type(list_id) is int:
        return str(list_id)
    return record.take(record.value, "id", str) if list_id is not None else name


def _split(line: int, value: object) -> Iterator[tuple[int, object]]:
    """An array of lists is those lists; anything else is one."""
    if type(value) is list and value and all(_is_list(element) for element in value):
        for element in value:
            yield line, element
    else:
        yield line, value


def _is_list(value: object) -> bool:
    return type(value) is list or (type(value) is dict and type(value.get("tools")) is list)


def _stem(path: Path | str) -> str:
    return re.sub(r"[^\w.-]+", "_", Path(path).stem)[:60] or "tools"
