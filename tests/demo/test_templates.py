"""What scripted agents play with: how templates are filled, and what the build of the lists objects to."""

from __future__ import annotations

import datetime
import random
import re
from typing import Any

import pytest

from build import Mistake
from tool_checks import alike, problems
from tool_sources import lists_of, read, render
from toolgauge.demo.templates import (
    fill,
)

NOW = datetime.datetime(2024, 12, 31, 23, 50)


FILLED: list[tuple[Any, Any]] = [
    ("{n}", 7),
    ("no. {n}", "no. 7"),
    ("{who.name}", "Ann"),
    ("{when[1]}", "b"),
    ("{city?Rome=FCO|Oslo=OSL|ZRH}", "OSL"),
    ("{n?Rome=FCO|ZRH}", "ZRH"),
    ("{city/n?Rome/7=a|Oslo/7=b|c}", "b"),
    ("{day}", "2024-12-31"),
    ("{day+1}", "2025-01-01"),
    ("{day-31}", "2024-11-30"),
    ("{month}", "2024-12"),
    ("{month-12}", "2023-12"),
    ("{now}", "2024-12-31 23:50"),
    ([{"a": "{n}", "b": None}], [{"a": 7, "b": None}]),
]


@pytest.mark.parametrize(("template", "expected"), FILLED)
def test_templates(template: Any, expected: Any) -> None:
    arguments = {"n": 7, "who": {"name": "Ann"}, "when": ["a", "b"], "city": "Oslo"}
    assert fill(template, arguments, NOW, random.Random(1)) == expected


def test_generated_values_keep_their_form_and_are_repeatable() -> None:
    template = ["X-{####}", "{3..5}", "{1.50..2.25}", "{-3.5..-3.4}", "{red|green}"]
    drawn = [fill(template, {}, NOW, random.Random(seed)) for seed in range(200)]
    assert drawn == [fill(template, {}, NOW, random.Random(seed)) for seed in range(200)]
    assert all(re.fullmatch(r"X-[1-9]\d{3}", one[0]) for one in drawn)
    assert {one[1] for one in drawn} == {3, 4, 5}
    assert all(1.5 <= one[2] <= 2.25 and round(one[2], 2) == one[2] for one in drawn)
    assert {one[3] for one in drawn} == {-3.5, -3.4}
    assert {one[4] for one in drawn} == {"red", "green"}


FAULTS = [
    (("tools", "locate_city", "say", "en", 0), "which city?", "must have a slot for each of query"),
    (("tools", "locate_city", "say", "zh", 0), "{query}?", "is not Chinese"),
    (("tools", "locate_city", "description", "en"), "城市", "is not English"),
    (("tools", "locate_city", "reply", "zh"), "{query}是{town}", "the reply has a slot"),
    (("tools", "locate_city", "result"), {"town": "{query}"}, "the result of locate_city has no city"),
    (("tools", "locate_city", "result", "city"), 5, "value from locate_city 5 of city does not fit"),
    (("tools", "get_rain_timeline", "result", "hours"), "{units}", "which need not be given"),
    (("tools", "get_city_forecast", "vague", "en"), "in {city}", "must not give anything"),
    (("tools", "get_city_forecast", "follow", "en"), "there", "`follow` must have a slot for each of date"),
    (("parameters", "hours", "values"), [6, 12, 24, 480], "480 of hours does not fit"),
    (("parameters", "hours", "values"), [6, 12], "has 2 example values"),
    (("parameters", "hours", "ask"), {"en": "", "zh": ""}, "needs a question"),
    (("parameters", "city", "from"), ["nowhere.city"], "which the list does not have"),
    (("parameters", "units", "default"), "kelvin", "default 'kelvin' of units does not fit"),
    (("chat",), [], "needs two pieces of chat"),
    (("tools", "locate_city", "result", "latitude"), {"en": 1, "zh": "x"}, "keys differ|and x"),
]


@pytest.mark.parametrize(("place", "value", "problem"), FAULTS)
def test_the_build_s_checks_find_faults(place: tuple[Any, ...], value: Any, problem: str) -> None:
    subcategory, list_id, written = next(lists_of(read("everyday")))
    holder: Any = written
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    try:
        (english, english_play), (chinese, chinese_play) = (
            render("everyday", subcategory, list_id, written, language) for language in ("en", "zh")
        )
    except Mistake as error:
        found = [str(error)]
    else:
        found = [*problems(english, english_play), *problems(chinese, chinese_play)]
        found += [*alike(english["tools"], chinese["tools"]), *alike(english_play, chinese_play)]
    assert any(re.search(problem, one) for one in found), found
