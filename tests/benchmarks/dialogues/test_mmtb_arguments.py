"""MMTB's argument rule: scores, what is noted, the class of a failing call, and hostile input."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.hostile_values import keys, objects, scalars, values
from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.judge.mmtb import PASS_MARK, score_arguments, told_faults
from toolgauge.chat import Json
from toolgauge.judge.arguments import ArgumentFault, read_arguments
from toolgauge.judge.mistakes import Mistake

TEXT = {"type": "string"}
FORMAT = {"type": "string", "description": "Format of the data: XML, CSV or JSON, 10 rows; null for any."}


def check_lenient(schema: Any, predicted: Any, gold: Json) -> ArgumentFault | None:
    """The first thing that is wrong by the released rule."""
    return next(iter(told_faults(score_arguments(schema, predicted, gold))), None)


def tool(required: tuple[str, ...] = (), **properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


def score(schema: Json, predicted: Any, gold: Any) -> float:
    """The score of one argument called `v`."""
    return score_arguments(tool(v=schema), {"v": predicted}, {"v": gold}).score


def noted(schema: Json, predicted: Any, gold: Any) -> list[tuple[str, str, Mistake]]:
    """What is noted for one argument called `v`."""
    judged = score_arguments(tool(v=schema), {"v": predicted}, {"v": gold})
    return [(found.path, found.message, found.mistake) for found in judged.faults]


# the call


def test_M1_bad_json_is_an_argument_fault() -> None:
    judged = score_arguments(tool(), read_arguments("{"), {})
    assert judged.score == 0
    found = check_lenient(tool(), read_arguments("{"), {})
    assert found is not None
    assert found.mistake is Mistake.BAD_JSON


def test_M1_no_arguments_where_some_are_annotated_is_an_argument_fault() -> None:
    judged = score_arguments(tool(v=TEXT), {}, {"v": "x"})
    assert judged.score == 0
    assert [found.mistake for found in judged.faults] == [Mistake.MISSING_VALUE]
    assert check_lenient(tool(v=TEXT), {}, {"v": "x"}) == judged.faults[0]


def test_K3_an_object_is_taken_as_it_is() -> None:
    assert check_lenient(tool(v=TEXT), read_arguments({"v": "x"}), {"v": "x"}) is None


def test_a_missing_required_argument_fails_the_call() -> None:
    judged = score_arguments(tool(("a", "b"), a=TEXT, b=TEXT), {"b": "x"}, {"b": "x"})
    assert judged.score == 0
    assert [(found.path, found.message) for found in judged.faults] == [("a", "miss required params")]


def test_one_of_four_arguments_may_be_entirely_wrong() -> None:
    schema = tool(a=TEXT, b=TEXT, c=TEXT, d=TEXT)
    gold = {"a": "w", "b": "x", "c": "y", "d": "z"}
    assert score_arguments(schema, {**gold, "d": "quite different"}, gold).score == 0.75
    assert check_lenient(schema, {**gold, "d": "quite different"}, gold) is None
    three = {key: gold[key] for key in "abc"}
    found = check_lenient(schema, {**three, "c": "quite different"}, three)
    assert found is not None
    assert (found.path, found.message, found.mistake) == ("c", "param value error", Mistake.WRONG_VALUE)


def test_arguments_that_only_gold_has_are_not_noticed() -> None:
    assert score_arguments(tool(a=TEXT, b=TEXT), {"a": "x"}, {"a": "x", "b": "y"}).score == 1


def test_an_undefined_argument_counts_zero() -> None:
    judged = score_arguments(tool(a=TEXT), {"a": "x", "z": 1}, {"a": "x", "z": 1})
    assert judged.score == 0.5
    assert [(found.path, found.message) for found in judged.faults] == [("z", "param hallucination")]


@rows(
    ("value", "right"),
    [("json", True), ("JSON", True), ("", True), ("1", True), (1, True), (None, True), ("YAML", False), (7, False)],
)
def test_an_unasked_value_is_right_if_the_description_mentions_it(value: Any, right: bool) -> None:
    judged = score_arguments(tool(format=FORMAT), {"format": value}, {})
    assert judged.score == right
    expected = [] if right else [("format", "param value hallucination", Mistake.EXTRA_VALUE)]
    assert [(found.path, found.message, found.mistake) for found in judged.faults] == expected


def test_null_needs_null_in_the_description() -> None:
    assert score_arguments(tool(v={"description": "a city"}), {"v": None}, {}).score == 0


def test_the_gravest_fault_names_the_class() -> None:
    schema = tool(a=TEXT, b={"type": "integer"}, c=FORMAT)
    gold = {"a": "x", "b": 1}
    predicted: Json = {"a": "wrong", "b": "1", "c": "YAML", "z": 1}
    order = [Mistake.UNDEFINED_PARAM, Mistake.WRONG_TYPE, Mistake.EXTRA_VALUE, Mistake.WRONG_VALUE]
    for gone, mistake in zip(["z", "b", "c", "a"], order, strict=True):
        found = check_lenient(schema, predicted, gold)
        assert found is not None
        assert found.mistake is mistake
        del predicted[gone]


def test_Q8_faults_are_those_of_the_candidate_asked_about() -> None:
    """The pairing keeps the faults of the candidate it pairs; each score carries its own, and none is shared."""
    schema = tool(a=TEXT, b={"type": "integer"})
    near = score_arguments(schema, {"a": "x", "b": 2}, {"a": "x", "b": 1})
    far = score_arguments(schema, {"a": "x", "b": 2}, {"a": "something else", "b": "2"})
    assert [found.message for found in near.faults] == ["param value error"]
    assert [found.message for found in far.faults] == ["param value error", "type error"]


# values


def test_integers_and_floats_are_interchangeable() -> None:
    assert score({"type": "number"}, 200, 200.0) == 1
    assert score({"type": "integer"}, 200.0, 200) == 1


def test_types_must_agree_otherwise() -> None:
    for predicted, gold in [(True, 1), ("1", 1), (None, "x"), ([], {})]:
        assert noted({"type": "integer"}, predicted, gold) == [("v", "type error", Mistake.WRONG_TYPE)]


def test_a_wrong_day_in_a_date_passes() -> None:
    assert score(TEXT, "2024-07-14", "2024-07-13") == 0.8000000000000002
    assert check_lenient(tool(v=TEXT), {"v": "2024-07-14"}, {"v": "2024-07-13"}) is None
    assert noted(TEXT, "2024-07-14", "2024-07-13") == []


def test_texts_score_by_their_words() -> None:
    assert score(TEXT, "New York City", "New York") == 0.7499999999999999
    assert score(TEXT, "best sushi in Tokyo", "sushi in Kyoto") == 0.6666666666666666
    assert noted(TEXT, "Las Vegas", "Chicago") == [("v", "param value error", Mistake.WRONG_VALUE)]
    assert score(TEXT, "", "Chicago") == 0


def test_coordinates_are_alike_whatever_they_are() -> None:
    assert score(TEXT, "39.90,116.40", "31.23,121.47") == 1
    assert score(TEXT, "39.90, 116.40", "31.23,121.47") < 0.7


def test_arrays_may_be_permuted() -> None:
    schema = {"type": "array", "items": TEXT}
    assert score(schema, ["b", "a"], ["a", "b"]) == 1
    assert score(schema, ["a", "c"], ["a", "b"]) == 0.5
    assert noted(schema, ["z", "a"], ["a", "b"]) == [("v[0]", "param value error", Mistake.WRONG_VALUE)]
    assert noted(schema, ["a"], ["a", "b"]) == [("v", "param value error", Mistake.WRONG_VALUE)]


def test_objects_score_by_their_predicted_members() -> None:
    schema = {"type": "object", "properties": {"a": TEXT, "b": {"type": "integer"}, "c": FORMAT}}
    assert score(schema, {"a": "x", "b": 2}, {"a": "x", "b": 1}) == 0.5
    assert noted(schema, {"a": "x", "b": 2}, {"a": "x", "b": 1}) == [("v.b", "param value error", Mistake.WRONG_VALUE)]
    assert score(schema, {"a": "x"}, {"a": "x", "b": 1}) == 1
    assert score(schema, {"a": "x", "c": "xml"}, {"a": "x"}) == 1
    assert score(schema, {"a": "x", "c": "YAML"}, {"a": "x"}) == 0.5
    assert score(schema, {}, {"a": "x"}) == 0
    assert noted(schema, {}, {"a": "x"}) == [("v", "param value error", Mistake.WRONG_VALUE)]


def test_an_unknown_member_makes_the_object_worthless() -> None:
    schema = {"type": "object", "properties": {"a": TEXT}}
    found = noted(schema, {"a": "wrong", "z": 1}, {"a": "x"})
    assert found == [("v.z", "param hallucination", Mistake.UNDEFINED_PARAM)]
    assert score(schema, {"a": "x", "z": 1}, {"a": "x"}) == 0


def test_arrays_of_objects() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"a": TEXT, "b": {"type": "integer"}}}}
    gold = [{"a": "x", "b": 1}, {"a": "y", "b": 2}]
    assert score(schema, gold[::-1], gold) == 1
    assert score(schema, [{"a": "y", "b": 2}, {"a": "x", "b": 9}], gold) == 0.75


@rows(
    ("schema", "predicted", "gold"),
    [
        ({"type": "array"}, "same words here", "same words there"),
        ({"type": "string"}, [1, 2], [1, 3]),
        ({"type": "string"}, True, False),
        ({"type": "object"}, "one", "other"),
        ({"type": ["string", "null"]}, "2024-07-14", "2024-07-13"),
        ({"anyOf": [{"type": "string"}]}, "2024-07-14", "2024-07-13"),
        ({}, "2024-07-14", "2024-07-13"),
    ],
)
def test_M1_unequal_values_without_a_rule_fail_the_call(schema: Json, predicted: Any, gold: Any) -> None:
    """The released evaluator raises there; equal values are right before the type is looked at."""
    tools = tool(a=TEXT, b=TEXT, c=TEXT, v=schema)
    rest = {"a": "x", "b": "x", "c": "x"}
    judged = score_arguments(tools, {**rest, "v": predicted}, {**rest, "v": gold})
    assert judged.score == 0
    assert [(found.path, found.mistake) for found in judged.faults] == [("v", Mistake.WRONG_VALUE)]
    assert score_arguments(tools, {**rest, "v": gold}, {**rest, "v": gold}).score == 1


# hostile input

schemas = st.recursive(
    scalars,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "x"]) | values,
            "properties": st.dictionaries(keys, inner, max_size=4) | inner,
            "required": st.lists(keys | scalars, max_size=2) | values,
            "items": inner,
            "description": scalars | values,
        },
    ),
)


@settings(max_examples=sized(60, 400), deadline=None)
@given(schemas, objects | values, objects)
def test_nothing_raises_and_every_failure_has_a_fault(schema: Any, predicted: Any, gold: Json) -> None:
    read = read_arguments(predicted)
    judged = score_arguments(schema, read, gold)
    assert 0 <= judged.score <= 1
    assert (check_lenient(schema, read, gold) is None) == (judged.score >= PASS_MARK)
    for found in judged.faults:
        assert (found.path + found.message).encode() is not None
