"""ACEBench's special categories: the three fixed messages, and what else passes for them."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.acebench.ace_building import said
from tests.rows import rows
from toolgauge.benchmarks.acebench.judge.judge import check_special

INCOMPLETE, ERROR, IRRELEVANT = "special_incomplete", "special_error_param", "special_irrelevant"
MISSING = '["Missing necessary parameters (city, days) for the api (getWeather)"]'
WRONG = '["There is incorrect value (31-31-31) for the parameters (date) in the conversation history."]'
BEYOND = '["Due to the limitations of the function, I cannot solve this problem."]'
ANSWERS: dict[str, list[Any]] = {
    INCOMPLETE: [{"getWeather": ["city", "days"]}],
    ERROR: [{"date": ["31-31-31"]}],
    IRRELEVANT: ["Due to the limitations of the function, I cannot solve this problem."],
}


def judged(category: str, text: Any) -> tuple[str, str]:
    released, exact = (check_special(category, ANSWERS[category], text, scoring) for scoring in ("released", "exact"))
    return said(released), said(exact)


@rows(("category", "text"), [(INCOMPLETE, MISSING), (ERROR, WRONG), (IRRELEVANT, BEYOND)])
def test_the_message_of_each_category_is_right_and_others_are_not(category: str, text: str) -> None:
    assert judged(category, text) == ("right", "right")
    assert judged(category, text.strip('[]"')) == ("right", "right")
    for other in {INCOMPLETE, ERROR, IRRELEVANT} - {category}:
        assert judged(other, text) == ("error_detection", "error_detection")
    assert judged(category, "I am glad to be of help.") == ("error_detection", "error_detection")
    assert judged(category, text.lower())[0] == "error_detection" or category == IRRELEVANT


@rows(
    ("category", "text"),
    [
        (INCOMPLETE, "Missing necessary parameters (city) for the api (getWeather)"),
        (INCOMPLETE, "Missing necessary parameters (city, days) for the api (weather)"),
        (ERROR, "There is incorrect value (31) for the parameters (date)"),
    ],
)
def test_what_must_be_named(category: str, text: str) -> None:
    assert judged(category, text) == ("error_correction", "error_correction")


def test_Q21_a_text_with_all_markers_passes_everything() -> None:
    for category in ANSWERS:
        assert judged(category, MISSING + WRONG + BEYOND) == ("right", "error_detection")


def test_Q21_a_message_may_quote_another_marker_in_a_value() -> None:
    text = '["There is incorrect value (Missing necessary parameters, 31-31-31) for the parameters (date) '
    text += 'in the conversation history."]'
    assert judged(ERROR, text) == ("right", "right")


def test_Q21_names_are_found_inside_other_words() -> None:
    text = "Missing necessary parameters (velocity, holidays) for the api (getWeatherReport)"
    assert judged(INCOMPLETE, text) == ("right", "error_correction")


@rows("text", [None, 5, ["x"], {}])
def test_Q34_no_text_is_a_wrong_answer_that_stops_the_reference(text: Any) -> None:
    assert judged(INCOMPLETE, text) == ("error_detection", "error_detection")
    assert check_special(INCOMPLETE, ANSWERS[INCOMPLETE], text, "released").reference_crash
