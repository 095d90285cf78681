"""Tools as TypeScript: what OpenAI's renderer writes of plain schemas, and what stands where it writes less."""

from __future__ import annotations

from typing import Any

from toolgauge.chat import Tool
from toolgauge.models.dialects.typescript import DEEPEST, namespace

PLAIN = """namespace functions {

// Rain in a city?
// Or snow.
type rain = (_: {
// Where.
city: string,
unit?: "c" | "f", // default: c
n?: number, // default: 3
sure?: boolean, // default: true
l?: number[],
any?: Array<any>,
either?: string | null,
o?: {
    a: string,
    b?: number,
    }, // default: {"a": "x"}
}) => any;

type now = () => any;

} // namespace functions"""


def test_plain_schemas_are_written_as_openais_renderer_writes_them() -> None:
    properties: dict[str, Any] = {
        "city": {"type": "string", "description": "Where."},
        "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
        "n": {"type": "integer", "default": 3},
        "sure": {"type": "boolean", "default": True},
        "l": {"type": "array", "items": {"type": "number"}},
        "any": {"type": "array"},
        "either": {"type": ["string", "null"]},
        "o": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
            "required": ["a"],
            "default": {"a": "x"},
        },
    }
    rain = Tool("rain", "Rain in a city?\nOr snow.", {"type": "object", "properties": properties, "required": ["city"]})
    assert namespace((rain, Tool("now", "", {"type": "object", "properties": {}}))) == PLAIN


def test_a_schema_of_any_depth_is_written() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        schema = {"type": "object", "properties": {"a": schema}, "anyOf": [schema], "items": schema}
    text = namespace((Tool("f", "", {"type": "object", "properties": {"a": schema}}),))
    assert len(text) < 100 * DEEPEST
