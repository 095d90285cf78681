"""ACEBench's normal categories: the released checkers rule by rule, and each quirk beside its repair.
Special categories: what must be noticed and named.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.acebench.ace_building import MULTI, entry, function, judged, said
from tests.rows import rows
from toolgauge.benchmarks.acebench.judge.judge import check_special, judge_normal
from toolgauge.benchmarks.acebench.judge.released import normalized
from toolgauge.chat import Json

WEATHER = function("getWeather", ("city",), city="string", days="integer")
OSLO = {"getWeather": {"city": "Oslo", "days": 3}}


@rows(
    ("text", "released", "exact"),
    [
        ("[getWeather(city='Oslo', days=3)]", "right", "right"),
        ("[getWeather(days=3, city='oslo')]", "right", "right"),
        ("I call [getWeather(city='Oslo', days=3)].", "right", "right"),
        ("Oslo it is", "wrong_output_format", "wrong_output_format"),
        (None, "wrong_output_format", "wrong_output_format"),
        ("[]", "wrong functions number", "wrong functions number"),
        (
            "[getWeather(city='Oslo', days=3), getWeather(city='Oslo')]",
            "wrong functions number",
            "wrong functions number",
        ),
        ("[getRain(city='Oslo', days=3)]", "function_mismatch", "function_mismatch"),
        ("[getWeather()]", "wrong_param", "lack_args"),
        ("[getWeather(days=3)]", "lack_args", "lack_args"),
        ("[getWeather(city='Oslo', days=3, unit='C')]", "addition_args", "addition_args"),
        ("[getWeather(city=5, days=3)]", "type_error", "type_error"),
        ("[getWeather(city='Rome', days=3)]", "value_error:string", "value_error:string"),
        ("[getWeather(city='Oslo', days='three')]", "type_error", "type_error"),
    ],
)
def test_one_call(text: Any, released: str, exact: str) -> None:
    assert judged(text, [WEATHER], OSLO) == (released, exact)


def test_verdicts_name_the_function_and_the_argument() -> None:
    trip = function("book", stay={"type": "object"})
    verdicts = judge_normal(
        entry([trip], {"book": {"stay": {"room": {"beds": 2}}}}), "[book(stay={'room': {'beds': 3}})]"
    )
    for verdict in verdicts.values():
        assert (verdict.function, verdict.path) == ("book", "stay.room.beds")
        assert verdict.detail == "3 given, 2 expected"
    reason = judge_normal(entry([trip], {"book": {}}), "[book(stay=a.b)]")["released"].detail
    assert reason == "value: Attribute is no value"


def test_names_are_compared_as_often_as_they_come() -> None:
    functions = [function("f", a="string"), function("g", a="string")]
    answer = {"f_1": {"a": "x"}, "f_2": {"a": "x"}, "g": {"a": "x"}}
    assert judged("[f(a='x'), g(a='x'), g(a='x')]", functions, answer) == ("function_mismatch",) * 2
    assert judged("[f(a='x'), f(a='x'), f(a='x')]", functions, answer) == ("function_mismatch",) * 2


def test_normalisation_deletes_the_ascii_blank_alone() -> None:
    assert normalized("A b,c.d/e-f_g*h^i'j") == 'abcdefghi"j'
    assert normalized("a\u3000b\tc\nd") == "a\u3000b\tc\nd"


def test_Q02_multi_turn_outputs_lose_their_whitespace() -> None:
    visit = function("visit", plan={"type": "object"})
    answer = {"visit": {"plan": {"gates": ["Gate A"]}}}
    assert judged("[visit(plan={'gates': ['Gate A']})]", [visit], answer, category=MULTI) == ("value_error", "right")
    assert judged("visit(plan={'gates': ['Gate A']}), ", [visit], answer, category=MULTI)[0] == "value_error"


def test_Q03_brackets_in_texts_ruin_the_released_search_alone() -> None:
    assert judged("[getWeather(city='Oslo', days=3)]]", [WEATHER], OSLO) == ("right", "right")
    note = function("note", text="string")
    assert judged("[note(text=':]')]", [note], {"note": {"text": ":]"}}) == ("wrong_output_format", "right")
    assert judged("[1] first\n[note(text='x')]", [note], {"note": {"text": "x"}}) == ("wrong_output_format", "right")


def test_Q04_numbers_are_not_compared() -> None:
    assert judged("[getWeather(city='Oslo', days=9)]", [WEATHER], OSLO) == ("right", "value_error")
    alarm = function("alarm", on="boolean")
    assert judged("[alarm(on=False)]", [alarm], {"alarm": {"on": True}}) == ("right", "value_error")
    assert judged("[getWeather(city='Oslo', days=3.0)]", [WEATHER], OSLO) == ("right", "right")


def test_Q05_a_value_of_another_type_than_declared_is_not_compared() -> None:
    price = function("pay", amount="number")
    answer = {"pay": {"amount": 2.5}}
    assert judged("[pay(amount=99.5)]", [price], answer) == ("right", "value_error")
    assert judged("[pay(amount='a')]", [price], answer) == ("type_error", "type_error")


def test_Q06_expected_optional_arguments_may_be_left_out() -> None:
    assert judged("[getWeather(city='Oslo')]", [WEATHER], OSLO) == ("right", "lack_args")
    assert judged("[getWeather(city='Oslo')]", [WEATHER], {"getWeather": {"city": "Oslo", "days": None}})[1] == "right"


def test_Q07_texts_match_by_containment() -> None:
    answer = {"getWeather": {"city": "Old Town"}}
    assert judged("[getWeather(city='not Old Town')]", [WEATHER], answer) == ("right", "value_error:string")
    detail = judge_normal(entry([WEATHER], answer), "[getWeather(city='not Old Town')]")["exact"].detail
    assert detail is not None
    assert detail.endswith("(contained in it)")
    assert judged("[getWeather(city='OLD-TOWN')]", [WEATHER], answer) == ("right", "right")
    assert judged("[getWeather(city='x')]", [WEATHER], {"getWeather": {"city": ""}}) == ("right", "value_error:string")


@rows(
    ("given", "expected", "released", "exact"),
    [
        ({"n": 15}, {"n": 5}, "right", "value_error"),
        ({"n": 12.55}, {"n": 2.5}, "right", "value_error"),
        ({"n": 2}, {"n": 2.0}, "value_error", "right"),
        ({"n": 2.0}, {"n": 2}, "right", "right"),
        ({"l": ["gate a"]}, {"l": ["Gate A"]}, "value_error", "right"),
        ({"l": ("x",)}, {"l": ["x"]}, "value_error", "right"),
        ({"l": [["a"], "b"]}, {"l": ["a"]}, "right", "value_error"),
        ({"l": [{"a": 1, "b": 2}]}, {"l": [{"b": 2, "a": 1}]}, "value_error", "right"),
        ({"t": "true"}, {"t": True}, "right", "right"),
        ({"t": "a long text"}, {"t": ""}, "right", "value_error"),
        ({"o": {"x": 1}}, {"o": {"x": 1, "y": 2}}, "value_error", "value_error"),
        ({"o": 1}, {"o": {"x": 1}}, "value_error", "value_error"),
        ({"p": 1}, {"o": 1}, "value_error", "value_error"),
    ],
)
def test_Q08_inside_objects_printed_texts_are_contained(given: Any, expected: Any, released: str, exact: str) -> None:
    assert judged(f"[f(o={given!r})]", [function("f", o="object")], {"f": {"o": expected}}) == (released, exact)


def test_Q09_numbers_that_belong_to_a_name_are_cut_off() -> None:
    functions = [function("plan_2", a="string")]
    answer = {"plan_2": {"a": "x"}}
    assert judged("[plan_2(a='x')]", functions, answer) == ("function_mismatch", "right")
    assert judged("[plan(a='x')]", functions, answer) == ("wrong_function_name", "function_mismatch")


def test_Q10_a_description_is_found_by_part_of_the_name() -> None:
    functions = [function("tour", b="string"), function("find_tour", a="string")]
    assert judged("[find_tour(a='x')]", functions, {"find_tour": {"a": "x"}}) == ("wrong_function_name", "right")


def test_Q11_one_call_may_serve_two_expectations() -> None:
    answer = {"getWeather_1": {"city": "Oslo"}, "getWeather_2": {"city": "os"}}
    text = "[getWeather(city='Oslo'), getWeather(city='Rome')]"
    assert judged(text, [WEATHER], answer) == ("right", "value_error:string")


def test_Q11_the_exact_scoring_finds_the_pairing_that_works() -> None:
    calls = ", ".join(f"f(a={number})" for number in (3, 1, 2))
    answer = {f"f_{number}": {"a": number} for number in (1, 2, 3)}
    assert judged(f"[{calls}]", [function("f", a="integer")], answer)[1] == "right"


def test_Q12_the_error_is_that_of_the_last_call_looked_at() -> None:
    functions = [WEATHER, function("getRain", city="string")]
    answer = {"getWeather": {"city": "Oslo"}, "getRain": {"city": "Oslo"}}
    text = "[getWeather(city='Rome'), getRain(city='Oslo')]"
    assert judged(text, functions, answer) == ("simple_function_checker:unclear", "value_error:string")


def test_Q12_the_exact_scoring_tells_the_fault_of_the_nearest_call() -> None:
    answer = {"f_1": {"a": 1, "b": 1}, "f_2": {"a": 2, "b": 2}}
    functions = [function("f", a="integer", b="integer")]
    verdict = judge_normal(entry(functions, answer), "[f(a=2, b=3), f(a=1, b=1)]")["exact"]
    assert (verdict.path, verdict.detail) == ("b", "3 given, 2 expected")


@pytest.mark.parametrize(("declared", "empty"), [("array", []), ("object", {})])
def test_Q13_nothing_expected_is_never_met_by_giving_it(declared: str, empty: Any) -> None:
    functions = [function("f", a="string", o=declared)]
    answer = {"f": {"a": "x", "o": empty}}
    assert judged(f"[f(a='x', o={empty!r})]", functions, answer) == ("type_error", "right")
    assert judged("[f(a='x')]", functions, answer) == ("right", "lack_args")


def test_Q13_a_function_without_parameters_cannot_be_called_as_it_should() -> None:
    assert judged("[f()]", [function("f")], {"f": {}}) == ("wrong_param", "right")
    assert judged("[f(x=1)]", [function("f")], {"f": {}}) == ("right", "addition_args")


def test_Q14_an_array_without_item_type_is_one_of_objects() -> None:
    answer = {"f": {"a": ["x"]}}
    assert judged("[f(a=['x'])]", [function("f", a="array")], answer) == ("value_error", "right")
    typed = function("f", a={"type": "array", "items": {"type": "string"}})
    assert judged("[f(a=['x'])]", [typed], answer) == ("right", "right")
    assert judged("[f(a=['x', 'y'])]", [typed], answer) == ("value_error:list/tuple",) * 2
    objects = {"f": {"a": [{"k": 1}, {"k": 2}]}}
    assert judged("[f(a=[{'k': 1}])]", [function("f", a="array")], objects) == ("value_error:list_dict_count",) * 2
    assert judged("[f(a=[{'k': 1}, {'k': 3}])]", [function("f", a="array")], objects) == ("value_error",) * 2


def test_Q15_a_tuple_is_no_list() -> None:
    typed = function("f", a={"type": "array", "items": {"type": "string"}})
    assert judged("[f(a=('x', 'y'))]", [typed], {"f": {"a": ["x", "y"]}}) == ("type_error", "right")


def test_Q16_true_and_false_as_texts() -> None:
    assert judged("[f(a='true')]", [function("f", a="string")], {"f": {"a": "true"}}) == ("type_error", "right")
    assert judged("[f(a='true')]", [function("f", a="boolean")], {"f": {"a": True}}) == ("right", "right")
    assert judged("[f(a='false')]", [function("f", a="boolean")], {"f": {"a": True}}) == ("right", "value_error")
    assert judged("[f(a=1)]", [function("f", a="boolean")], {"f": {"a": True}})[1] == "type_error"


def test_Q17_a_later_alternative_makes_it_right_and_the_first_names_the_error() -> None:
    answers: list[Json] = [{"getWeather": {"city": "Oslo"}}, {"getWeather": {"days": 3, "city": "Rome"}}]
    assert judged("[getWeather(city='Rome', days=3)]", [WEATHER], *answers) == ("right", "right")
    assert judged("[getWeather(city=7)]", [WEATHER], *answers) == ("type_error", "type_error")


def test_Q22_positional_and_repeated_arguments() -> None:
    assert judged("[getWeather('Oslo', city='Oslo', days=3)]", [WEATHER], OSLO) == ("right", "addition_args")
    assert judged("[getWeather(city='Rome', city='Oslo')]", [WEATHER], OSLO) == ("right", "wrong_output_format")
    assert judged("[getWeather(city='Oslo', days=+3)]", [WEATHER], OSLO) == ("right", "right")


@rows(
    ("functions", "answer", "text", "error"),
    [
        ([function("other", a="string")], {"f": {"a": "x"}}, "[f(a='x')]", "wrong_function_name"),
        ([function("f", a="text")], {"f": {"a": "x"}}, "[f(a='x')]", "type_error"),
        ([function("f", a="array")], {"f": {"a": 5}}, "[f(a=['x'])]", "type_error"),
        ([function("f", a="array")], {"f": {"a": ["x"]}}, "[f(a=[{'k': 1}])]", "value_error"),
        ([function("f", a="objectArray")], {"f": {"a": [{"k": 1}]}}, "[f(a=[{'k': 1}])]", "value_error:dict_items"),
    ],
)
def test_Q34_where_the_reference_stops_the_entry_is_wrong(functions: Any, answer: Any, text: str, error: str) -> None:
    verdicts = judge_normal(entry(functions, answer), text)
    assert (said(verdicts["released"]), verdicts["released"].reference_crash) == (error, True)
    assert not verdicts["exact"].reference_crash


@rows(
    ("declared", "given", "expected", "said_"),
    [
        ("float", "3", 3.5, "right"),
        ("tuple", "(1, 2)", [1, 2], "right"),
        ("list", "[]", [], "right"),
        ("any", "'x'", "x", "right"),
        ("enum", "'x'", "x", "right"),
        ("enum", "'y'", "x", "right"),
        ("string", "None", None, "right"),
        ("array", "{'k': 1}", {"k": 2}, "right"),
        ("array", "['z']", {"k": 2}, "right"),
        ("integer", "True", 1, "right"),
        ("integer", "True", 2, "type_error"),
        ("list(string)", "['A b']", ["ab"], "right"),
        ("array", "[['x']]", [["x"]], "value_error"),
        ("array", "[5]", [["x"]], "type_error"),
    ],
)
def test_released_types(declared: str, given: str, expected: Any, said_: str) -> None:
    if declared == "tuple":
        schema: Any = {"type": "tuple", "items": {"type": "integer"}}
    else:
        schema = declared
    assert judged(f"[f(a={given})]", [function("f", a=schema)], {"f": {"a": expected}})[0] == said_


def test_what_the_annotation_forgot_is_not_held_against_a_model() -> None:
    functions = [function("f", ("a", "b"), a="string", b="string")]
    assert judged("[f(a='x')]", functions, {"f": {"a": "x"}}) == ("lack_args", "right")
    assert judged("[f(a='x', b='y')]", functions, {"f": {"a": "x"}}) == ("addition_args", "right")


INCOMPLETE, ERROR, IRRELEVANT = "special_incomplete", "special_error_param", "special_irrelevant"
MISSING = '["Missing necessary parameters (city, days) for the api (getWeather)"]'
WRONG = '["There is incorrect value (31-31-31) for the parameters (date) in the conversation history."]'
BEYOND = '["Due to the limitations of the function, I cannot solve this problem."]'
ANSWERS: dict[str, list[Any]] = {
    INCOMPLETE: [{"getWeather": ["city", "days"]}],
    ERROR: [{"date": ["31-31-31"]}],
    IRRELEVANT: ["Due to the limitations of the function, I cannot solve this problem."],
}


def judged_special(category: str, text: Any) -> tuple[str, str]:
    released, exact = (check_special(category, ANSWERS[category], text, scoring) for scoring in ("released", "exact"))
    return said(released), said(exact)


@rows(("category", "text"), [(INCOMPLETE, MISSING), (ERROR, WRONG), (IRRELEVANT, BEYOND)])
def test_the_message_of_each_category_is_right_and_others_are_not(category: str, text: str) -> None:
    assert judged_special(category, text) == ("right", "right")
    assert judged_special(category, text.strip('[]"')) == ("right", "right")
    for other in {INCOMPLETE, ERROR, IRRELEVANT} - {category}:
        assert judged_special(other, text) == ("error_detection", "error_detection")
    assert judged_special(category, "I am glad to be of help.") == ("error_detection", "error_detection")
    assert judged_special(category, text.lower())[0] == "error_detection" or category == IRRELEVANT


@rows(
    ("category", "text"),
    [
        (INCOMPLETE, "Missing necessary parameters (city) for the api (getWeather)"),
        (INCOMPLETE, "Missing necessary parameters (city, days) for the api (weather)"),
        (ERROR, "There is incorrect value (31) for the parameters (date)"),
    ],
)
def test_what_must_be_named(category: str, text: str) -> None:
    assert judged_special(category, text) == ("error_correction", "error_correction")


def test_Q21_a_text_with_all_markers_passes_everything() -> None:
    for category in ANSWERS:
        assert judged_special(category, MISSING + WRONG + BEYOND) == ("right", "error_detection")


def test_Q21_a_message_may_quote_another_marker_in_a_value() -> None:
    text = '["There is incorrect value (Missing necessary parameters, 31-31-31) for the parameters (date) '
    text += 'in the conversation history."]'
    assert judged_special(ERROR, text) == ("right", "right")


def test_Q21_names_are_found_inside_other_words() -> None:
    text = "Missing necessary parameters (velocity, holidays) for the api (getWeatherReport)"
    assert judged_special(INCOMPLETE, text) == ("right", "error_correction")


@rows("text", [None, 5, ["x"], {}])
def test_Q34_no_text_is_a_wrong_answer_that_stops_the_reference(text: Any) -> None:
    assert judged_special(INCOMPLETE, text) == ("error_detection", "error_detection")
    assert check_special(INCOMPLETE, ANSWERS[INCOMPLETE], text, "released").reference_crash
