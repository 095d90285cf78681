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


def test_Q1_empty_text_is_not_json_even_without_parameters() -> None:
    found = check_arguments(tool(), read_arguments(""), {})
    assert triple(found) == ("", "error: args invalid json format", Mistake.BAD_JSON)
    assert check_arguments(tool(), read_arguments("{}"), {}) is None


def test_K3_an_object_is_taken_as_it_is() -> None:
    arguments = {"q": "Chicago"}
    assert read_arguments(arguments) is arguments
    assert check_arguments(tool(q={"type": "string"}), read_arguments(arguments), {"q": "Chicago"}) is None


@rows(
    "raw",
    [
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


def test_an_object_nested_too_deep_cannot_be_read() -> None:
    deep: Json = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert isinstance(read_arguments(deep), BadJson)


def test_nan_is_read_but_equals_nothing() -> None:
    found = check_arguments(tool(v={"type": "number"}), read_arguments('{"v": NaN}'), {"v": float("nan")})
    assert triple(found) == ("v", "error_match: value mismatch at 'v'", Mistake.WRONG_VALUE)


# stage 1: the schema


def test_arguments_that_are_no_object() -> None:
    for raw in ("[]", "null", '"text"', "3"):
        found = check_arguments(tool(), read_arguments(raw), {})
        assert triple(found) == ("", "error_schema: args type inconsistent", Mistake.WRONG_TYPE)


@rows(
    ("kind", "good", "bad"),
    [
        ("string", ["", "a"], [1, None, True, [], {}]),
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
def test_types(kind: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert value_fault({"type": kind}, value, value) is None, value
    for value in bad:
        expected = ("v", "error_schema: nested args type inconsistent", Mistake.WRONG_TYPE)
        assert value_fault({"type": kind}, value, value) == expected, value


def test_a_schema_without_type_means_text() -> None:
    assert value_fault({}, "a", "a") is None
    assert value_fault({"description": "x"}, 3, 3) == (
        "v",
        "error_schema: nested args type inconsistent",
        Mistake.WRONG_TYPE,
    )


def test_any_of_takes_any_branch_and_reports_the_first() -> None:
    schema = {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["all"]}]}
    assert value_fault(schema, 3, 3) is None
    assert value_fault(schema, "all", "all") is None
    assert value_fault(schema, "none", "none") == (
        "v",
        "error_schema: nested args type inconsistent",
        Mistake.WRONG_TYPE,
    )


def test_enum() -> None:
    schema = {"type": "string", "enum": ["C", "F"]}
    assert value_fault(schema, "C", "C") is None
    assert value_fault(schema, "c", "C") == (
        "v",
        "error_schema: nested args value not in enum",
        Mistake.WRONG_VALUE,
    )


def test_required_and_undefined_at_the_top() -> None:
    schema = tool(("a", "b"), a={"type": "string"}, b={"type": "string"})
    found = check_arguments(schema, {"a": "x", "z": 1}, {"a": "x", "b": "y"})
    assert triple(found) == ("b", "error_schema: required args missing", Mistake.MISSING_REQUIRED)
    found = check_arguments(schema, {"a": "x", "b": "y", "z": 1}, {"a": "x", "b": "y"})
    assert triple(found) == ("z", "error_schema: args not defined", Mistake.UNDEFINED_PARAM)


def test_the_top_level_is_never_open() -> None:
    schema = {**tool(), "additionalProperties": True}
    found = check_arguments(schema, {"z": 1}, {"z": 1})
    assert found is not None
    assert found.message == "error_schema: args not defined"


def test_required_and_undefined_below() -> None:
    inner = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    missing = ("v.x", "error_schema: required nested args missing", Mistake.MISSING_REQUIRED)
    assert value_fault(inner, {}, {"x": 1}) == missing
    undefined = ("v.y", "error_schema: nested args not defined", Mistake.UNDEFINED_PARAM)
    assert value_fault(inner, {"x": 1, "y": 2}, {"x": 1}) == undefined
    assert value_fault({**inner, "additionalProperties": True}, {"x": 1, "y": 2}, {"x": 1, "y": 2}) is None
    assert value_fault({**inner, "additionalProperties": {}}, {"x": 1, "y": 2}, {"x": 1, "y": 2}) == undefined
    assert value_fault({"type": "object"}, {"y": 2}, {"y": 2}) == undefined


def test_elements_of_arrays() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    found = value_fault(schema, [{"n": 1}, {"n": "2"}], [{"n": 1}, {"n": 2}])
    assert found == ("v[1].n", "error_schema: nested args type inconsistent", Mistake.WRONG_TYPE)


# stage 2: the annotation


def test_Q2_integers_and_floats_differ() -> None:
    differ = ("v", "error_match: value type inconsistent at 'v'", Mistake.WRONG_TYPE)
    assert value_fault({"type": "number"}, 200.0, 200) == differ
    assert value_fault({"type": "number"}, 200, 200.0) == differ
    assert value_fault({"type": "integer"}, True, 1) == differ
    assert value_fault({"type": "number"}, 200, 200) is None


def test_optional_arguments_count() -> None:
    schema = tool(a={"type": "string"}, b={"type": "string"}, c={"type": "string"})
    found = check_arguments(schema, {"a": "x", "c": "z", "b": "y"}, {"a": "x"})
    assert triple(found) == ("b", "error_match: args keys mismatch (extra: ['b', 'c'])", Mistake.EXTRA_VALUE)
    found = check_arguments(schema, {"a": "x"}, {"a": "x", "b": "y"})
    assert triple(found) == ("b", "error_match: args keys mismatch (missing: ['b'])", Mistake.MISSING_VALUE)
    found = check_arguments(schema, {"a": "x"}, {"b": "y"})
    assert triple(found) == (
        "a",
        "error_match: args keys mismatch (missing: ['b'], extra: ['a'])",
        Mistake.EXTRA_VALUE,
    )


def test_keys_below_the_top() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"x": {}, "y": {}}}}
    found = value_fault(schema, [{"x": "1"}], [{"x": "1", "y": "2"}])
    assert found == ("v[0].y", "error_match: args keys mismatch at 'v[0]' (missing: ['y'])", Mistake.MISSING_VALUE)


def test_arrays_keep_their_order() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    assert value_fault(schema, [1, 2], [1, 2]) is None
    assert value_fault(schema, [2, 1], [1, 2]) == (
        "v[0]",
        "error_match: value mismatch at 'v[0]'",
        Mistake.WRONG_VALUE,
    )
    assert value_fault(schema, [1], [1, 2]) == (
        "v",
        "error_match: array length mismatch at 'v'",
        Mistake.WRONG_VALUE,
    )


# texts


def test_short_texts_need_letters_and_words() -> None:
    assert text_fault("Bostan", "Boston") == "error_match: string similarity too low at 'q' (rouge score: 0.00)"
    assert text_fault("Paris", "London") == "error_match: string similarity too low at 'q' (edit score: 0.00)"
    assert text_fault("big red", "big rad") == "error_match: string similarity too low at 'q' (rouge score: 0.50)"
    assert text_fault("a b c e", "a b c d") is None


def test_seven_of_ten_words_fail_by_a_hair() -> None:
    fault = "error_match: string similarity too low at 'q' (rouge score: 0.70)"
    assert text_fault("one two three four five six seven x y z", TEN) == fault
    assert text_fault("one two three four five six seven eight y z", TEN) is None


def test_Q3_dotted_values_pass_with_one_part_wrong() -> None:
    assert text_fault("100.20.30.41", "100.20.30.42") is None
    assert text_fault("www.mail.example.org", "www.mail.example.com") is None


def test_addresses_and_dates_fail() -> None:
    assert text_fault("https://example.com/a", "https://example.com/b") is not None
    fault = "error_match: string similarity too low at 'q' (rouge score: 0.00)"
    assert text_fault("2024-07-13", "2024-07-14") == fault


def test_empty_texts() -> None:
    assert text_fault("", "") is None
    assert text_fault("", "London") == "error_match: string similarity too low at 'q' (edit score: 0.00)"
    assert text_fault("", "a longer text") == "error_match: rouge calculation failed at 'q'"
    assert text_fault("..........", "...........") == "error_match: rouge calculation failed at 'q'"


def test_K4_long_texts_are_measured() -> None:
    long = " ".join(f"word{number}" for number in range(2000))
    assert text_fault(f"{long} more", long) is None
    assert text_fault(" ".join(reversed(long.split())), long) is not None


def test_chinese_is_segmented() -> None:
    fault = "error_match: string similarity too low at 'q' (rouge score: 0.50)"
    assert text_fault("帮我查一下北京明天的天气", "查北京明天的天气情况") == fault
    assert text_fault("我想查询一下北京明天的天气情况", "我想查询一下北京后天的天气情况") is None
    assert text_fault("上海市", "北京市") == "error_match: string similarity too low at 'q' (edit score: 0.33)"
    assert text_fault("北京 市", "北京市") is None


def test_endless_predictions_are_different() -> None:
    assert text_fault("b" * 5_000_000, "a") == "error_match: string similarity too low at 'q' (edit score: 0.00)"
    assert text_fault("a b " * 1_000_000, "a b " * 5) is not None
    assert text_fault("北" * 2_000_000, "北京市朝阳区建国门外大街") is not None


# counting


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
