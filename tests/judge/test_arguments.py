"""WildToolBench's argument rule: both stages, every error text, the keys of docs/rules.md, and hostile input."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.building import annotated
from tests.judge.hostile_values import keys, objects, scalars, values
from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.judge.released import released_faults
from toolgauge.chat import Json
from toolgauge.judge.arguments import (
    MAX_DEPTH,
    ArgumentFault,
    BadJson,
    read_arguments,
)
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.values import count_right


def check_arguments(schema: Any, predicted: Any, gold: Json) -> ArgumentFault | None:
    """The first thing that is wrong by the released rule."""
    return next(released_faults(schema, predicted, annotated(gold)), None)


TEN = "one two three four five six seven eight nine ten"


def tool(required: tuple[str, ...] = (), **properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


def text_fault(predicted: str, gold: str) -> str | None:
    """The error text for one text argument called `q`."""
    found = check_arguments(tool(q={"type": "string"}), {"q": predicted}, {"q": gold})
    return None if found is None else found.message


def value_fault(schema: Json, predicted: Any, gold: Any) -> tuple[str, str, Mistake] | None:
    """Path, text and class for one argument called `v`."""
    return triple(check_arguments(tool(v=schema), {"v": predicted}, {"v": gold}))


def triple(found: ArgumentFault | None) -> tuple[str, str, Mistake] | None:
    return None if found is None else (found.path, found.message, found.mistake)


# reading


def test_K3_an_object_is_taken_as_it_is() -> None:
    arguments = {"q": "Chicago"}
    assert read_arguments(arguments) is arguments
    assert check_arguments(tool(q={"type": "string"}), read_arguments(arguments), {"q": "Chicago"}) is None
    assert check_arguments(tool(), read_arguments("{}"), {}) is None


@rows(
    "raw",
    [
        "",  # Q1: also without parameters
        None,
        7,
        True,
        ["a"],
        b"{}",
        "{",
        "{'a': 1}",
        "\ufeff{}",
        '{"a": ' + "9" * 5000 + "}",
        "[" * 100_000,
        '{"a": ' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        {1: "a number as key"},
        {"a": {"b": (1, 2)}},
    ],
)
def test_what_cannot_be_read(raw: Any) -> None:
    assert isinstance(read_arguments(raw), BadJson)
    found = triple(check_arguments(tool(), read_arguments(raw), {}))
    assert found == ("", "error: args invalid json format", Mistake.BAD_JSON)


def test_an_object_nested_too_deep_cannot_be_read() -> None:
    deep: Json = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert isinstance(read_arguments(deep), BadJson)


def test_nan_is_read_but_equals_nothing() -> None:
    found = check_arguments(tool(v={"type": "number"}), read_arguments('{"v": NaN}'), {"v": float("nan")})
    assert triple(found) == ("v", "error_match: value mismatch at 'v'", Mistake.WRONG_VALUE)


# stage 1: the schema


@rows(
    ("kind", "good", "bad"),
    [
        ("string", ["", "a"], [1, None, True, [], {}]),
        (None, ["a"], [3]),  # without type, text is meant
        ("integer", [0, -3, True], [1.0, "1", None]),
        ("float", [1.0], [1, True, "1.0"]),
        ("number", [1, 1.5, False], ["1", None, []]),
        ("boolean", [True, False], [0, 1, "true"]),
        ("array", [[], [1]], [{}, "[]"]),
        ("object", [{}], [[], None]),
        ("null", [None], ["null", 0, False]),
        ("complex_string", ["a", 1, None, True], []),
    ],
)
def test_types(kind: str | None, good: list[Any], bad: list[Any]) -> None:
    schema = {"type": kind} if kind else {"description": "x"}
    for value in good:
        assert value_fault(schema, value, value) is None, value
    for value in bad:
        expected = ("v", "error_schema: nested args type inconsistent", Mistake.WRONG_TYPE)
        assert value_fault(schema, value, value) == expected, value


TWO = tool(("a", "b"), a={"type": "string"}, b={"type": "string"})
THREE = tool((), **{key: {"type": "string"} for key in "abc"})


@rows(
    ("schema", "made", "gold", "path", "message", "mistake"),
    [
        (tool(), [], {}, "", "schema: args type inconsistent", Mistake.WRONG_TYPE),
        (tool(), None, {}, "", "schema: args type inconsistent", Mistake.WRONG_TYPE),
        (tool(), 3, {}, "", "schema: args type inconsistent", Mistake.WRONG_TYPE),
        (TWO, {"a": "x", "z": 1}, {"a": "x", "b": "y"}, "b", "schema: required args missing",
         Mistake.MISSING_REQUIRED),
        (TWO, {"a": "x", "b": "y", "z": 1}, {"a": "x", "b": "y"}, "z", "schema: args not defined",
         Mistake.UNDEFINED_PARAM),
        (tool() | {"additionalProperties": True}, {"z": 1}, {"z": 1}, "z", "schema: args not defined",
         Mistake.UNDEFINED_PARAM),
        (THREE, {"a": "x", "c": "z", "b": "y"}, {"a": "x"}, "b", "match: args keys mismatch (extra: ['b', 'c'])",
         Mistake.EXTRA_VALUE),
        (THREE, {"a": "x"}, {"a": "x", "b": "y"}, "b", "match: args keys mismatch (missing: ['b'])",
         Mistake.MISSING_VALUE),
        (THREE, {"a": "x"}, {"b": "y"}, "a", "match: args keys mismatch (missing: ['b'], extra: ['a'])",
         Mistake.EXTRA_VALUE),
    ],
)  # fmt: skip
def test_arguments_as_a_whole(schema: Json, made: Any, gold: Json, path: str, message: str, mistake: Mistake) -> None:
    assert triple(check_arguments(schema, read_arguments(json.dumps(made)), gold)) == (
        path,
        f"error_{message}",
        mistake,
    )


ALL_OR_WHOLE = {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["all"]}]}
INNER: Json = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
OPEN = {**INNER, "additionalProperties": True}
NUMBERED = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
PAIRS = {"type": "array", "items": {"type": "object", "properties": {"x": {}, "y": {}}}}
WHOLES = {"type": "array", "items": {"type": "integer"}}
NUMBER = {"type": "number"}
DIFFER = ("v", "match: value type inconsistent at 'v'", Mistake.WRONG_TYPE)
UNDEFINED = ("v.y", "schema: nested args not defined", Mistake.UNDEFINED_PARAM)


@rows(
    ("schema", "made", "gold", "expected"),
    [
        (ALL_OR_WHOLE, 3, 3, None),
        (ALL_OR_WHOLE, "all", "all", None),
        (ALL_OR_WHOLE, "none", "none", ("v", "schema: nested args type inconsistent", Mistake.WRONG_TYPE)),
        ({"enum": ["C", "F"]}, "C", "C", None),
        ({"enum": ["C", "F"]}, "c", "C", ("v", "schema: nested args value not in enum", Mistake.WRONG_VALUE)),
        (INNER, {}, {"x": 1}, ("v.x", "schema: required nested args missing", Mistake.MISSING_REQUIRED)),
        (INNER, {"x": 1, "y": 2}, {"x": 1}, UNDEFINED),
        (OPEN, {"x": 1, "y": 2}, {"x": 1, "y": 2}, None),
        ({**INNER, "additionalProperties": {}}, {"x": 1, "y": 2}, {"x": 1, "y": 2}, UNDEFINED),
        ({"type": "object"}, {"y": 2}, {"y": 2}, UNDEFINED),
        (NUMBERED, [{"n": 1}, {"n": "2"}], [{"n": 1}, {"n": 2}],
         ("v[1].n", "schema: nested args type inconsistent", Mistake.WRONG_TYPE)),
        # stage 2: the annotation; Q2: integers and floats differ
        (NUMBER, 200.0, 200, DIFFER),
        (NUMBER, 200, 200.0, DIFFER),
        ({"type": "integer"}, True, 1, DIFFER),
        (NUMBER, 200, 200, None),
        (PAIRS, [{"x": "1"}], [{"x": "1", "y": "2"}],
         ("v[0].y", "match: args keys mismatch at 'v[0]' (missing: ['y'])", Mistake.MISSING_VALUE)),
        (WHOLES, [1, 2], [1, 2], None),
        (WHOLES, [2, 1], [1, 2], ("v[0]", "match: value mismatch at 'v[0]'", Mistake.WRONG_VALUE)),
        (WHOLES, [1], [1, 2], ("v", "match: array length mismatch at 'v'", Mistake.WRONG_VALUE)),
    ],
)  # fmt: skip
def test_a_value(schema: Json, made: Any, gold: Any, expected: tuple[str, str, Mistake] | None) -> None:
    found = value_fault(schema, made, gold)
    assert found == (expected and (expected[0], f"error_{expected[1]}", expected[2]))


# texts

LONG = " ".join(f"word{number}" for number in range(2000))
EDIT, ROUGE = "edit score", "rouge score"


@rows(
    ("made", "gold", "expected"),
    [
        ("Bostan", "Boston", (ROUGE, "0.00")),  # short texts need letters and words
        ("Paris", "London", (EDIT, "0.00")),
        ("big red", "big rad", (ROUGE, "0.50")),
        ("a b c e", "a b c d", None),
        ("one two three four five six seven x y z", TEN, (ROUGE, "0.70")),  # by a hair
        ("one two three four five six seven eight y z", TEN, None),
        ("100.20.30.41", "100.20.30.42", None),  # Q3
        ("www.mail.example.org", "www.mail.example.com", None),
        ("https://example.com/a", "https://example.com/b", (ROUGE, "0.50")),
        ("2024-07-13", "2024-07-14", (ROUGE, "0.00")),
        ("", "", None),
        ("", "London", (EDIT, "0.00")),
        (f"{LONG} more", LONG, None),  # K4
        (" ".join(reversed(LONG.split())), LONG, (ROUGE, "0.00")),
        ("帮我查一下北京明天的天气", "查北京明天的天气情况", (ROUGE, "0.50")),
        ("我想查询一下北京明天的天气情况", "我想查询一下北京后天的天气情况", None),
        ("上海市", "北京市", (EDIT, "0.33")),
        ("北京 市", "北京市", None),
        ("b" * 5_000_000, "a", (EDIT, "0.00")),
        ("a b " * 1_000_000, "a b " * 5, (ROUGE, "0.00")),
        ("北" * 2_000_000, "北京市朝阳区建国门外大街", (ROUGE, "0.00")),
    ],
)
def test_a_text(made: str, gold: str, expected: tuple[str, str] | None) -> None:
    fault = expected and f"error_match: string similarity too low at 'q' ({expected[0]}: {expected[1]})"
    assert text_fault(made, gold) == fault


def test_texts_that_the_package_cannot_measure() -> None:
    for made, gold in (("", "a longer text"), ("..........", "...........")):
        assert text_fault(made, gold) == "error_match: rouge calculation failed at 'q'"


# hostile input

schemas = st.recursive(
    scalars,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null", "x"])
            | values,
            "properties": st.dictionaries(keys, inner, max_size=4) | inner,
            "required": st.lists(keys | scalars, max_size=3) | values,
            "items": inner,
            "enum": st.lists(values, max_size=2) | values,
            "anyOf": st.lists(inner, max_size=3) | values,
            "additionalProperties": scalars,
            "description": scalars,
        },
    ),
)


@settings(max_examples=sized(60, 400), deadline=None)
@given(schemas, objects | values, objects)
def test_nothing_raises(schema: Any, predicted: Any, gold: Json) -> None:
    found = check_arguments(schema, read_arguments(predicted), gold)
    assert found is None or found.message.encode()
    assert found is None or len(found.path.encode()) < 5000
    assert 0 <= count_right(predicted, annotated(gold)) <= len(gold)


@settings(max_examples=sized(60, 150), deadline=None)
@given(schemas, objects)
def test_equal_arguments_fail_by_the_schema_alone(schema: Any, gold: Json) -> None:
    text = json.dumps(gold)
    found = check_arguments(schema, json.loads(text), json.loads(text))
    assert found is None or found.message.startswith("error_schema") or "NaN" in text


def nested(key: str, times: int, core: Any, listed: bool = False) -> Any:
    for _ in range(times):
        core = {key: [core] if listed else core}
    return core


@rows(
    "schema",
    [
        {"properties": {"v": nested("anyOf", 100_000, {"type": "integer"}, listed=True)}},
        {"properties": {"v": nested("items", 100_000, {"type": "string"})}},
        {"properties": {"v": True}},
        {"properties": {"v": []}},
        {"properties": {"v": {"type": ["string", "null"]}}},
        {"properties": {"v": {"type": {"a": 1}}}},
        {"properties": {"v": {"anyOf": []}}},
        {"properties": {"v": {"anyOf": "string"}}},
        {"properties": {"v": {"enum": 3}}},
        {"properties": {"v": {"type": "unknown"}}, "required": {"z": 1}},
        {"properties": {"v": {"type": "unknown"}}, "required": [["z"], None, 3]},
    ],
)
def test_schemas_that_say_nothing_usable_check_nothing(schema: Json) -> None:
    assert check_arguments(schema, {"v": "text"}, {"v": "text"}) is None
