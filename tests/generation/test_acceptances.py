"""What a tool's schema makes right besides, in generated calls."""

from __future__ import annotations

from typing import Any

from tests.rows import rows
from toolgauge.chat import Json
from toolgauge.data.meaning import Comparison
from toolgauge.data.session import Acceptance
from toolgauge.generation.acceptances import acceptance_of

TEXT: Json = {"type": "string"}


def of(value: Any, schema: Json, *required: str) -> Acceptance | None:
    return acceptance_of({"x": value}, {"type": "object", "properties": {"x": schema}, "required": list(required)})


@rows(
    ("value", "schema", "word"),
    [
        ("08:00", {**TEXT, "format": "time"}, Comparison.TIME),
        ("2025-03-14", {**TEXT, "format": "date"}, Comparison.DATE),
        ("2025-03-14T08:00:00Z", {**TEXT, "format": "date-time"}, Comparison.DATETIME),
        (3.5, {"type": "number"}, Comparison.NUMBER),
        (["a", "b"], {"type": "array", "items": TEXT, "uniqueItems": True}, Comparison.SET),
    ],
)
def test_what_the_schema_says(value: Any, schema: Json, word: Comparison) -> None:
    assert of(value, schema) == Acceptance(compare={"/x": word})


@rows(
    ("value", "schema"),
    [
        ("soon", {**TEXT, "format": "time"}),
        ("a@example.com", {**TEXT, "format": "email"}),
        (3, {"type": "integer"}),
        (["a", "b"], {"type": "array", "items": TEXT}),
        (["a"], {"type": "array", "items": TEXT, "uniqueItems": True}),
        ("x", {**TEXT, "default": 3}),
        ("x", True),
    ],
)
def test_what_it_does_not_say(value: Any, schema: Any) -> None:
    assert of(value, schema) is None
