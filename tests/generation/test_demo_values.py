"""Values of parameters for the scripted agents: what a schema asks for, whatever stands in it."""

from __future__ import annotations

import random
from typing import Any

from tests.rows import rows
from toolgauge.chat import Json, Tool
from toolgauge.demo.values import Values
from toolgauge.generation.checks import misfits

WORDS = {"phrases": "a note", "people": "Ada", "names": "Riga|Krakow"}


def value(schema: Json) -> Any:
    tool = Tool("t", "", {"type": "object", "properties": {"x": schema}, "required": ["x"]})
    return Values(random.Random(1), WORDS, "2025-03-12 09:00:00 Wednesday").of(tool, "x")


@rows(
    "schema",
    [
        {"type": "integer", "minimum": 3, "maximum": 4},
        {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
        {"type": "integer", "multipleOf": 5},
        {"type": "number", "minimum": 0.1, "maximum": 0.9},
        {"type": "string", "maxLength": 2},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "minItems": 2},
        {"type": ["null", "boolean"]},
        {"enum": [3]},
    ],
)
def test_a_value_fits_its_schema(schema: Json) -> None:
    found = value(schema)
    assert found is not None
    assert not list(misfits({"type": "object", "properties": {"x": schema}}, {"x": found}))


@rows(
    "schema",
    [
        {"type": "text"},
        {"type": "whole"},
        {"type": "integer", "minimum": None},
        {"type": "integer", "multipleOf": "x"},
        {"type": "array", "minItems": "x"},
        {"type": "array", "items": {"type": "string"}, "minItems": 100_000_000},
        {"type": "integer", "minimum": 1e300},
    ],
)
def test_a_schema_that_makes_no_sense_breaks_nothing(schema: Json) -> None:
    value(schema)
