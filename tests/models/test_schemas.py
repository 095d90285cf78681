"""Schemas that say a type without the word `type`: followed in dialects, prompts and for providers."""

from __future__ import annotations

import json

from tests.rows import rows
from toolgauge.chat import Tool, ToolCall
from toolgauge.data.schemas import normalise_schema
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.dialects.typescript import namespace
from toolgauge.models.schemas import openapi_schema, types_of, written_out

PARAMETERS = normalise_schema(
    {
        "type": "object",
        "$defs": {
            "Zip": {"type": "string"},
            "Level": {"enum": ["1", "2", "3"]},
            "Place": {"type": "object", "properties": {"zip": {"$ref": "#/$defs/Zip"}}, "required": ["zip"]},
        },
        "properties": {
            "grade": {"enum": ["1", "2"]},
            "kind": {"allOf": [{"type": "string"}, {"minLength": 1}]},
            "opt": {"anyOf": [{"$ref": "#/$defs/Zip"}, {"type": "null"}]},
            "level": {"$ref": "#/$defs/Level"},
            "zip": {"$ref": "#/$defs/Zip", "description": "Of the city."},
            "fixed": {"const": "7"},
            "place": {"$ref": "#/$defs/Place"},
            "days": {"enum": [1, 2]},
        },
    }
)
FIND = Tool("find", "Find.", PARAMETERS)


@rows("dialect", ["qwen3-coder", "glm4.5", "hunyuan3", "minimax-m2", "seed-oss"])
def test_values_written_as_texts_have_the_types_of_the_schema(dialect: str) -> None:
    values = {"grade": "1", "kind": "7", "opt": "90210", "level": "2", "zip": "12345", "fixed": "7", "days": 1}
    text = DIALECTS[dialect].render_calls((ToolCall("a", "find", json.dumps(values)),), (FIND,))
    assert '"12345"' not in text  # a text needs no quotes
    (call,) = DIALECTS[dialect].parse(text, (FIND,)).calls
    assert json.loads(call.arguments) == values


def test_gemini_and_gpt_oss_are_told_what_a_reference_means() -> None:
    told = openapi_schema(PARAMETERS)
    place = {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}
    assert told["properties"]["place"] == place  # type: ignore[index]
    assert told["properties"]["level"] == {"type": "string", "enum": ["1", "2", "3"]}  # type: ignore[index]
    text = namespace((FIND,))
    assert "any" not in text.replace("=> any", "")
    assert "zip: string" in text


def test_parts_of_all_of_are_joined_and_nothing_else_changes() -> None:
    one = {"allOf": [{"type": "string"}, {"allOf": [{"minLength": 1}]}], "description": "x"}
    assert written_out(one) == {"type": "string", "minLength": 1, "description": "x"}
    plain = {"type": "object", "properties": {"a": {"type": "string", "enum": ["$ref"]}}}
    assert written_out(plain) == plain
    assert types_of({"anyOf": [{"const": 1}, {"type": "null"}]}) == {"integer", "null"}
