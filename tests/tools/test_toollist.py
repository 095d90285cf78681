"""Tool lists and their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from toolgauge.chat import Tool, ToolFacts, ToolHints
from toolgauge.data.valid_schemas import native_schema
from toolgauge.errors import DataError
from toolgauge.logs.definitions import read_definitions
from toolgauge.models.schemas import openapi_schema
from toolgauge.tools.toollist import ToolList, read_tool_lists, write_tool_lists

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def definition(name: str, parameters: Any = SCHEMA) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}}


def put(folder: Path, text: str) -> Path:
    file = folder / "my tools.jsonl"
    file.write_text(text, encoding="utf-8")
    return file


LISTS = [[definition("a"), definition("b")], [definition("c")]]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, LISTS)),
        "\n\n".join(json.dumps({"tools": one}) for one in LISTS),
        json.dumps(LISTS),
        json.dumps(LISTS, indent=2),
        json.dumps([{"tools": one} for one in LISTS], indent=2),
    ],
)
def test_layouts_of_files(text: str, tmp_path: Path) -> None:
    first, second = read_tool_lists(put(tmp_path, text))
    assert (first.id, second.id) == ("my_tools_0", "my_tools_1")
    assert [tool.name for tool in first.tools] == ["a", "b"]
    assert second.tools == (Tool("c", "d", SCHEMA),)


@pytest.mark.parametrize(
    "given",
    [
        {"name": "a", "description": "d", "parameters": SCHEMA},
        {"type": "function", "name": "a", "description": "d", "parameters": SCHEMA, "strict": True},
        {"name": "a", "description": "d", "input_schema": SCHEMA},
        {"name": "a", "title": "A", "description": "d", "inputSchema": SCHEMA},
    ],
)
def test_layouts_of_definitions(given: dict[str, Any], tmp_path: Path) -> None:
    (one,) = read_tool_lists(put(tmp_path, json.dumps([given])))
    assert one.tools == (Tool("a", "d", SCHEMA),)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lists = [
        ToolList("trips", (Tool("订票", "买一张票", SCHEMA),), "Trips", "travel", "rail", "zh"),
        ToolList("known", (Tool("z", "d", SCHEMA, ToolFacts({"type": "object"}, ToolHints(False, True), True)),)),
        ToolList("bare", (Tool("x", "", {"type": "object", "properties": {}}), Tool("y", "d", SCHEMA))),
    ]
    file = tmp_path / "out.jsonl"
    write_tool_lists(file, lists)
    assert set(json.loads(file.read_text(encoding="utf-8").splitlines()[2])) == {"id", "tools"}
    assert [(one.id, one.name, one.category, one.subcategory, one.language) for one in read_tool_lists(file)] == [
        ("trips", "Trips", "travel", "rail", "zh"),
        ("known", "", "", "", ""),
        ("bare", "", "", "", ""),
    ]
    assert [one.tools for one in read_tool_lists(file)] == [one.tools for one in lists]
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no tool list in this file"),
        ("[]", ":1: tools: must not be empty"),
        ("7", ":1: a tool list must be an array or an object with `tools`, not an integer"),
        ('[{"function": {}}]', r":1: tools\[0\].function.name: missing"),
        ('[{"name": "a", "parameters": []}]', r":1: tools\[0\].function.parameters: must be an object"),
        ('[{"name": "a", "description": {"x": 1}}]', r":1: tools\[0\].function.description: must be a string"),
        ('[{"name": "a"}]\n{oops', ":2: invalid JSON"),
        ('[\n{"name": "a"},\n{"name": oops}\n]', ":3: invalid JSON"),
        ('{"id": "x", "tools": [{"name": "a"}]}\n' * 2, ":2: id: duplicate id 'x', also in line 1"),
        ('{"id": [], "tools": [{"name": "a"}]}', ":1: id: must be a string"),
        ("[" * 100_000, ":1: nested deeper"),
    ],
)
def test_errors_say_where(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=complaint) as caught:
        read_tool_lists(put(tmp_path, text))
    assert "\n" not in str(caught.value)


FIND = {
    "name": "find",
    "description": "Find shops.",
    "parameters": {
        "type": "object",
        "$defs": {
            "Query": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            "Level": {"enum": ["1", "2", "3"]},
        },
        "properties": {"query": {"$ref": "#/$defs/Query", "description": "What."}, "level": {"$ref": "#/$defs/Level"}},
        "required": ["query"],
    },
}
"""As pydantic writes it."""


def test_references_are_followed_wherever_tools_come_in(tmp_path: Path) -> None:
    file = tmp_path / "tools.jsonl"
    file.write_bytes(msgspec.json.encode([FIND]) + b"\n")
    (read,) = read_tool_lists(file)[0].tools
    (logged,) = read_definitions([FIND])
    query = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "description": "What."}
    expected = {"query": query, "level": {"enum": ["1", "2", "3"]}}
    for parameters in (read.parameters, logged.parameters, native_schema(FIND["parameters"])):
        assert parameters["properties"] == expected
        assert "$defs" not in parameters
    sent = openapi_schema(read.parameters)["properties"]
    assert isinstance(sent, dict)
    assert sent["query"]["type"] == "object"
    assert sent["level"] == {"type": "string", "enum": ["1", "2", "3"]}
