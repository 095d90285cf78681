"""ACEBench's functions for an endpoint's own tool calling: legal names and valid schemas."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.acebench.data.entries import native_tools
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.data.toolnames import legal_names
from toolgauge.data.valid_schemas import normalised

LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
META = Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"})


@rows(
    ("names", "expected"),
    [
        (["plain_name", "with-dash"], ["plain_name", "with-dash"]),
        (["tour.find"], ["tour_find"]),
        (["tour.find", "tour_find"], ["tour_find_2", "tour_find"]),
        (["tour..find", "tour.find", "tour/find"], ["tour_find", "tour_find_2", "tour_find_3"]),
        (["twice", "twice"], ["twice", "twice_2"]),
        (["twice", "twice", "twice_2"], ["twice", "twice_3", "twice_2"]),
        (["智能工具", "古迹规划器"], ["function", "function_2"]),
        (["查询Weather工具"], ["_Weather_"]),
        (["3d.print", "-x"], ["f_3d_print", "f_-x"]),
        (["a" * 70, "a" * 80], ["a" * 64, "a" * 62 + "_2"]),
        (["", "_"], ["function", "_"]),
    ],
)
def test_illegal_names_get_an_alias(names: list[str], expected: list[str]) -> None:
    assert list(legal_names(names)) == expected


@rows(
    ("schema", "expected"),
    [
        ({"type": "dict"}, {"type": "object"}),
        ({"type": "float", "minimum": 1}, {"type": "number", "minimum": 1}),
        ({"type": "int"}, {"type": "integer"}),
        ({"type": "bool"}, {"type": "boolean"}),
        ({"type": "any", "description": "d"}, {"description": "d"}),
        ({"type": "enum", "enum": ["a"]}, {"enum": ["a"]}),
        ({"type": "list"}, {"type": "array", "items": {}}),
        ({"type": "tuple", "items": {"type": "float"}}, {"type": "array", "items": {"type": "number"}}),
        ({"type": "list(string)"}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "list(enum)", "enum": ["a"]}, {"type": "array", "items": {"enum": ["a"]}}),
        ({"type": "objectArray"}, {"type": "array", "items": {"type": "object"}}),
        ({"type": ["str", "null"]}, {"type": ["string", "null"]}),
        ({"type": "quark"}, {}),
        ({"type": 3}, {}),
        (
            {"type": "array", "items": [{"type": "int"}]},
            {"type": "array", "prefixItems": [{"type": "integer"}], "items": {}},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": "1", "required": True, "enum": "a", "properties": []}, {}),
        ({"unit": "km", "nullable": True, "default": None}, {"unit": "km", "nullable": True, "default": None}),
        ({"$ref": "http://a/b", "definitions": {}}, {}),
        (
            {"properties": {"a": {"type": "dict"}, "b": None}, "required": ["a", "c"]},
            {"properties": {"a": {"type": "object"}, "b": {}}, "required": ["a"]},
        ),
        ("no schema", {}),
    ],
)
def test_schemas_are_made_valid(schema: Any, expected: dict[str, Any]) -> None:
    assert normalised(schema) == expected
    META.validate(normalised(schema))


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_all_published_functions_become_tools(shared: Path, language: str) -> None:
    seen: set[bytes] = set()
    for entry in load_acebench(shared / "data/acebench/data_all", language).entries:
        tools = native_tools(entry.functions)
        assert all(LEGAL.fullmatch(tool.name) for tool in tools.tools)
        assert [tools.original(tool.name) for tool in tools.tools] == [one.name for one in entry.functions]
        for tool in tools.tools:
            key = msgspec.json.encode(tool.parameters, order="sorted")
            if key not in seen:
                seen.add(key)
                if len(seen) % sized(25, 1) == 0:  # the meta-schema takes milliseconds for each
                    META.validate(tool.parameters)
