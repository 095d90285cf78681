"""What scripted agents play with: links resolve, examples fit, slots exist, texts are in their language."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from build import Mistake
from tool_checks import alike, problems
from tool_sources import lists_of, read, render
from toolgauge.chat import Tool
from toolgauge.demo.templates import (
    ToolListTemplates,
    ToolTemplates,
    as_text,
    compose,
    fill,
    follow,
    scripted_templates,
    slots,
    speak,
)
from toolgauge.tools.library import tool_library

NOW = datetime.datetime(2024, 12, 31, 23, 50)
CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Entry(NamedTuple):
    tool: Tool
    play: ToolTemplates
    of: ToolListTemplates
    language: str

    @property
    def name(self) -> str:
        return f"{self.of.id}.{self.tool.name}"


@pytest.fixture(scope="module", params=["en", "zh"])
def entries(request: pytest.FixtureRequest) -> list[Entry]:
    material = scripted_templates(request.param)
    return [
        Entry(tool, material[one.id].tools[tool.name], material[one.id], request.param)
        for one in tool_library(request.param)
        for tool in one.tools
    ]


def call(play: ToolTemplates, seed: int) -> tuple[dict[str, Any], dict[str, str], Any]:
    """Arguments drawn from the pools, how they are said, and the result."""
    draw = random.Random(seed)
    arguments, said = {}, {}
    for name, parameter in play.parameters.items():
        at = draw.randrange(len(parameter.values))
        arguments[name], said[name] = fill(parameter.values[at], {}, NOW, draw), parameter.said[at]
    return arguments, said, fill(play.result, arguments, NOW, draw)


def fits(tool: Tool, name: str, value: Any) -> bool:
    return Draft202012Validator(tool.parameters["properties"][name]).is_valid(value)


def test_example_values_are_many_and_fit(entries: list[Entry]) -> None:
    for one in entries:
        assert list(one.play.parameters) == list(one.tool.parameters["properties"])
        for name, parameter in one.play.parameters.items():
            schema = one.tool.parameters["properties"][name]
            least = 2 if schema.get("type") == "boolean" else min(4, len(schema.get("enum", range(4))))
            assert len(parameter.values) >= least, f"{one.name}.{name}"
            assert len(parameter.said) == len(parameter.values)
            values = [fill(value, {}, NOW, random.Random(0)) for value in parameter.values]
            assert all(fits(one.tool, name, value) for value in values), f"{one.name}.{name}"


def test_links_resolve_and_fit(entries: list[Entry]) -> None:
    linked = 0
    for one in entries:
        for name, parameter in one.play.parameters.items():
            for link in parameter.links:
                assert link.tool != one.tool.name
                for seed in range(5):
                    _, _, result = call(one.of.tools[link.tool], seed)
                    assert fits(one.tool, name, follow(result, link.path)), f"{one.name}.{name} <- {link}"
                linked += 1
    assert linked >= 100
    chained = {one.of.id for one in entries if any(p.links for p in one.play.parameters.values())}
    assert chained == {one.of.id for one in entries}, "every list can be used in sequence"


def test_every_list_can_be_used_in_parallel(entries: list[Entry]) -> None:
    """At least one tool can be called at once, twice with other values."""
    for list_id in {one.of.id for one in entries}:
        first = [one for one in entries if one.of.id == list_id and one.play.follow is None]
        assert any(one.tool.parameters["required"] for one in first), list_id


def test_wordings_have_the_slots_of_what_they_must_say(entries: list[Entry]) -> None:
    for one in entries:
        required = one.tool.parameters["required"]
        linked = {name for name, parameter in one.play.parameters.items() if parameter.links}
        assert len(set(one.play.say)) >= 3, one.name
        assert all(sorted(slots(phrase)) == sorted(required) for phrase in one.play.say), one.name
        assert (one.play.vague is not None) == bool(required)
        assert slots(one.play.vague or "") == []
        assert (one.play.follow is not None) == bool(linked)
        if one.play.follow is not None:
            assert sorted(slots(one.play.follow)) == sorted(set(required) - linked), one.name
        for name, parameter in one.play.parameters.items():
            if name in required:
                assert parameter.ask and parameter.mention is None, f"{one.name}.{name}"  # noqa: PT018
            else:
                assert slots(parameter.mention) == [name], f"{one.name}.{name}"


def test_vague_requests_give_nothing_away(entries: list[Entry]) -> None:
    """No example value is said in a request that must leave everything open (very short words apart)."""
    for one in entries:
        said = {
            words.casefold()
            for name in one.tool.parameters["required"]
            for words in one.play.parameters[name].said
            if len(words) > (3 if one.language == "en" else 1) and not words.isdigit()
        }
        words = (one.play.vague or "").casefold()
        assert not [word for word in said if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", words)], one.name


def test_results_and_summaries_are_filled_completely(entries: list[Entry]) -> None:
    for one in entries:
        for seed in range(3):
            _, said, result = call(one.play, seed)
            required = {name: said[name] for name in one.tool.parameters["required"]}
            assert isinstance(result, dict)
            for text in (speak(one.play.reply, required, result), *texts(result)):
                assert not re.search(r"[{}|]", text), f"{one.name}: {text}"


def test_values_do_not_run_together(entries: list[Entry]) -> None:
    """Chinese has no spaces: an id just before a number would be read as one."""
    for one in entries:
        for phrase in (*one.play.say, one.play.reply, one.play.follow or ""):
            for pair in re.finditer(r"(\{[^{}]+\})(?=(\{[^{}]+\}))", phrase):
                for seed in range(5):
                    _, said, result = call(one.play, seed)
                    first, second = (speak(pair[side], said, result) for side in (1, 2))
                    together = re.search(r"[A-Za-z0-9]$", first) and re.match(r"[A-Za-z0-9]", second)
                    assert not together, f"{one.name}: {phrase}"


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)
    elif isinstance(value, str):
        yield value


def test_texts_are_in_their_language(entries: list[Entry]) -> None:
    for one in entries:
        play, wrong = one.play, one.language == "en"
        spoken = [*play.say, play.reply, play.vague, play.follow]
        spoken += [text for p in play.parameters.values() for text in (p.ask, p.mention) if text and set(text) - {"{"}]
        for text in spoken:
            if text and re.sub(r"\{[^{}]*\}", "", text).strip():
                assert bool(CHINESE.search(text)) != wrong, f"{one.name}: {text}"
        if wrong:
            said = [words for parameter in play.parameters.values() for words in parameter.said]
            assert not any(CHINESE.search(text) for text in [*said, *texts(play.result)]), one.name


def test_chat_needs_no_tool_and_is_answered(entries: list[Entry]) -> None:
    for play in {one.of.id: one.of for one in entries}.values():
        assert len(play.chat) >= 2
        for piece in play.chat:
            assert len(piece.reply) > len(piece.user) / 2
            assert (
                bool(CHINESE.search(piece.user)) == bool(CHINESE.search(piece.reply)) == (entries[0].language == "zh")
            )


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


def test_sentences() -> None:
    assert (
        compose("a flight to Oslo", ["Nonstop only.", "Two bags."], "en") == "a flight to Oslo. Nonstop only. Two bags."
    )
    assert compose("飞奥斯陆", ["只要直飞。"], "zh") == "飞奥斯陆，只要直飞。"
    assert speak("{x} at {places[0].name}", {"x": "lunch"}, {"places": [{"name": "Rex"}]}) == "lunch at Rex"
    assert (as_text(["鸡蛋", "菠菜"]), as_text(["eggs", "rice"]), as_text(True)) == ("鸡蛋、菠菜", "eggs, rice", "true")
    assert speak("可约{t}", {}, {"t": ["9:00", "9:30"]}) == "可约9:00、9:30"
    assert speak("free: {t}", {}, {"t": ["9:00", "9:30"]}) == "free: 9:00, 9:30"
    assert [as_text(number) for number in (12, 12.0, 9.5)] == ["12", "12", "9.5"]
    assert follow({"a": [{"b": 1}, {"b": 2}]}, "a[*].b") == [1, 2]
    for wrong in ("a[2].b", "a.b", "c"):
        with pytest.raises(KeyError):
            follow({"a": [{"b": 1}]}, wrong)


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


def test_an_argument_comes_before_the_clock() -> None:
    now = datetime.datetime(2024, 11, 2, 9, 0)
    assert fill("{month}", {"month": "2024-08"}, now, random.Random(0)) == "2024-08"
    assert fill("{month}", {}, now, random.Random(0)) == "2024-11"
