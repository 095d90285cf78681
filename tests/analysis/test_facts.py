"""Signatures of parameter types (spec 5.9, sixth analysis) and facts from a trajectory."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic import dataset, trajectory

from toolgauge.analysis.facts import facts_of, type_signature
from toolgauge.episode import Trajectory

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "array", "items": {"type": "string"}},
        "spot": {"type": "object", "properties": {"lat": {"type": "float"}, "lon": {"type": "float"}}},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "maybe": {"type": ["null", "integer"]},
        "either": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "untyped": {"description": "?"},
        "bare": {"type": "array"},
    },
}


@pytest.mark.parametrize(
    ("path", "signature"),
    [
        ("city", '["string"]'),
        ("days", '["array", ["string"]]'),
        ("days[3]", '["string"]'),
        ("spot", '["object", [["float"], ["float"]]]'),
        ("spot.lat", '["float"]'),
        ("stops[0].name", '["string"]'),
        ("maybe", '["integer"]'),
        ("either", '["number"]'),
        ("untyped", '["string"]'),
        ("bare", '["array", []]'),
        ("nobody", "[]"),
        ("city.x", "[]"),
        ("spot[0]", "[]"),
        ("spot.lat.deeper[0]", "[]"),
    ],
)
def test_signature(path: str, signature: str) -> None:
    assert type_signature(SCHEMA, path) == signature


@pytest.mark.parametrize(
    "schema", [{}, {"properties": []}, {"properties": {"a": 1}}, {"anyOf": []}, {"type": {"x": 1}}]
)
def test_signature_of_a_damaged_schema(schema: dict[str, Any]) -> None:
    assert type_signature(schema, "a") == "[]"


def test_signature_is_bounded() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        deep = {"type": "array", "items": deep}
    assert type_signature({"properties": {"a": deep}}, "a").count("array") < 20


def test_facts_of_a_trajectory() -> None:
    data = dataset(1)
    assert facts_of(trajectory(data.sessions[0], 0)).messages == 2
    assert facts_of(Trajectory("a/0", "a", (), 0)).messages == 0
