"""Schemas that the published check cannot judge: `exact` goes by the annotated call, `released` by the check."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tests.judge.building import TEXT, call, calls, judge, session, tool
from tests.rows import rows
from toolgauge.chat import Json
from toolgauge.data.session import Acceptance

POINT = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
WHERE: Json = {"oneOf": [POINT, {"type": "integer"}]}


@rows(
    ("schema", "gold", "other"),
    [
        (WHERE, 7, 8),
        (WHERE, {"x": 1}, {"x": 2}),
        ({"enum": [1, 2]}, 1, 2),
        ({"const": 4}, 4, 5),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, 4, 5),
        ({}, [1, {"a": None}], [1, {"a": 0}]),
        ({"type": "object"}, {"free": 1}, {"free": 2}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"any": 1}, {"other": 1}),
        ({"type": "object", "properties": {"x": {}}}, {"free": 1}, {"free": 2}),
        ({"type": "array", "items": WHERE}, [7], [7, 7]),
        ({"$ref": "#/$defs/none"}, 3, 4),
    ],
)
@rows("annotated", [False, True])
def test_the_annotated_call_is_right_in_exact_and_only_it(schema: Json, gold: Any, other: Any, annotated: bool) -> None:
    one = session([("go", {"to": gold}, [])], tool("go", to=schema))
    if annotated:
        task = one.tasks[0]
        first = replace(task.calls[0], acceptance=Acceptance())
        one = replace(one, tasks=(replace(task, calls=(first, *task.calls[1:])),))
    right, wrong = (judge(one, calls(call("go", to=value)), TEXT) for value in (gold, other))
    assert (right["exact"].label, wrong["exact"].label) == ("correct", "error")
    assert right["released"].label == "error", "the published rule refuses it, and stays as it is"


def test_a_call_that_contradicts_its_schema_stays_wrong() -> None:
    """Then the annotation is at fault, and corrections are the way out."""
    one = session([("go", {"to": "7"}, [])], tool("go", to={"type": "integer"}))
    assert judge(one, calls(call("go", to="7")), TEXT)["exact"].label == "error"


def test_where_the_check_admits_the_annotated_call_it_asks_as_before() -> None:
    one = session([("go", {"to": "abcdefghijk"}, [])], tool("go", to={"type": "string", "enum": ["abcdefghijk"]}))
    verdict = judge(one, calls(call("go", to="abcdefghijkl")), TEXT)["exact"]
    assert verdict.mistake == "wrong_value"
