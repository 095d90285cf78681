"""Tool definitions become valid JSON Schema, and nothing else about them changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.data.mmtb import FLAVOUR as MMTB
from toolgauge.data.schemas import PLAIN, Flavour, closed, normalise_schema


def one(schema: Any, flavour: Flavour = MMTB) -> Any:
    """The normalised schema of a parameter."""
    whole = normalise_schema({"type": "object", "properties": {"x": schema}}, flavour)
    return whole["properties"]["x"]


@pytest.mark.parametrize("flavour", [PLAIN, MMTB], ids=["sessions", "mmtb"])
def test_float_becomes_number_at_every_depth(flavour: Flavour) -> None:
    schema = {
        "type": "object",
        "properties": {
            "type": {"type": "float", "default": "float", "enum": ["float"], "description": '"type": "float"'},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "float"}}}},
            "either": {"anyOf": [{"type": "float"}, {"type": ["float", "null"]}]},
            "rest": {"type": "object", "additionalProperties": {"type": "float"}},
        },
        "required": ["type"],
        "example_value": {"type": "float"},
    }
    before = json.dumps(schema)
    normal = normalise_schema(schema, flavour)
    assert json.dumps(schema) == before, "the file's own definition is left as it is"
    properties = normal["properties"]
    assert properties["type"] == {**schema["properties"]["type"], "type": "number"}  # type: ignore[index]
    assert properties["list"]["items"]["properties"]["a"] == {"type": "number"}
    assert properties["either"]["anyOf"] == [{"type": "number"}, {"type": ["number", "null"]}]
    assert properties["rest"]["additionalProperties"] == {"type": "number"}
    assert normal["required"] == ["type"]
    assert normal["example_value"] == {"type": "float"}


@rows(
    ("written", "expected"),
    [
        ("int", {"type": "integer"}),
        ("String", {"type": "string"}),
        ("UUID", {"type": "string"}),
        ("complex_string", {"type": "string"}),
        ("list of dictionaries", {"type": "object"}),
        ("float|null", {"type": "number"}),
        ("string | integer", {"type": "string"}),
        ('enum["a", "b|c"]', {"type": "string", "enum": ["a", "b|c"]}),
        ("enum['a','b']", {"type": "string", "enum": ["a", "b"]}),
        ("string enum (a, b)", {"type": "string", "enum": ["a", "b"]}),
        ("enum: a|b", {"type": "string", "enum": ["a", "b"]}),
        ("enum", {"type": "string"}),
        ("boolean", {"type": "boolean"}),
    ],
)
def test_type_names_of_mmtb(written: str, expected: dict[str, Any]) -> None:
    assert one({"type": written}) == expected


def test_closed_schemas_refuse_what_they_do_not_list() -> None:
    schema = {
        "type": "object",
        "properties": {
            "inner": {"type": "object", "properties": {"a": {}}},
            "free": {"type": "object"},
            "open": {"type": "object", "properties": {}, "additionalProperties": True},
        },
    }
    validator = Draft202012Validator(closed(schema))
    assert validator.is_valid({"inner": {"a": 1}, "free": {"b": 1}, "open": {"c": 1}})
    assert not validator.is_valid({"other": 1})
    assert not validator.is_valid({"inner": {"b": 1}})


@pytest.mark.shared
@pytest.mark.parametrize(("language", "flavour"), [("en", PLAIN), ("zh", MMTB)])
def test_all_public_tool_lists(shared: Path, language: str, flavour: Flavour) -> None:
    lists = (shared / f"data/toolsets/tools_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lists) == 256
    schemas = {
        json.dumps(normalise_schema(tool["function"]["parameters"], flavour))
        for line in lists
        for tool in json.loads(line)
    }
    assert len(schemas) > 500
    meta = Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"})
    some = sorted(schemas)[:: sized(8, 1)]  # the meta-schema takes milliseconds for each
    assert [schema for schema in some if not meta.is_valid(json.loads(schema))] == []
