"""Scripted agents: what they say is deterministic, self-consistent and natural."""

from __future__ import annotations

import random
from functools import cache

import msgspec
import pytest

from toolgauge.annotation.dialogue import Action, PlannedTask
from toolgauge.chat import Tool
from toolgauge.demo import ScriptedAgents
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.history import facts_of
from toolgauge.demo.plans import PastCall
from toolgauge.demo.request_builder import RequestBuilder
from toolgauge.demo.results import observe
from toolgauge.demo.tasks import first_plan
from toolgauge.demo.templates import (
    ChatTemplates,
    Link,
    ParameterTemplates,
    ToolListTemplates,
    ToolTemplates,
    scripted_templates,
)
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import UsageError
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.models.builtin.models import oracle
from toolgauge.tools.toollist import ToolList, tool_library

LANGUAGES = ("en", "zh")
MOMENT = "2024-05-03 09:12:44 Friday"


# --- one small list of tools, by hand -------------------------------------------------------------------------------


def _tool(name: str, **properties: str) -> Tool:
    schema = {key: {"type": kind} for key, kind in properties.items()}
    return Tool(name, f"Does {name}.", {"type": "object", "properties": schema, "required": list(properties)})


TOOLS = (
    _tool("find_inns", city="string"),
    _tool("book_inn", inn_id="string", nights="integer"),
    _tool("sky", city="string"),
)
_CITIES = ParameterTemplates(("Oslo", "Bergen", "Turku"), ("Oslo", "Bergen", "Turku"), "Which city?")
PLAY = ToolListTemplates(
    "inns",
    {
        "find_inns": ToolTemplates(
            ("Inns in {city}?",),
            {"inns": [{"inn_id": "IN-{###}", "price": "{100..900}"}, {"inn_id": "IN-{###}", "price": "{100..900}"}]},
            "{inns[0].inn_id} costs {inns[0].price}.",
            {"city": _CITIES},
            "I need a bed.",
        ),
        "book_inn": ToolTemplates(
            ("Book {inn_id} for {nights} nights.",),
            {"inn_id": "{inn_id}", "nights": "{nights}", "price": "{100..900}", "booking_no": "B{####}"},
            "Booked: {booking_no}.",
            {
                "inn_id": ParameterTemplates(
                    ("IN-77", "IN-78"), ("IN-77", "IN-78"), "Which inn?", None, (Link("find_inns", "inns[0].inn_id"),)
                ),
                "nights": ParameterTemplates((2, 3, 4), ("2", "3", "4"), "How many nights?"),
            },
            "Book it.",
            "Book the first one for {nights} nights.",
        ),
        "sky": ToolTemplates(
            ("Sky over {city}?",), {"city": "{city}", "sky": "{grey|blue}"}, "It is {sky}.", {"city": _CITIES}, "Rain?"
        ),
    },
    (ChatTemplates("Why are inns called inns?", "Because people stay in."),),
)


@cache
def fixture() -> Fixture:
    return Fixture(PLAY, TOOLS, "en", MOMENT)


def builder(seed: int, *past: PastCall) -> RequestBuilder:
    return RequestBuilder(fixture(), random.Random(seed), past, facts_of(fixture(), past, ()))


def test_a_chain_takes_its_values_from_results() -> None:
    plan = first_plan(builder(1), PlannedTask("multi", shape="sequential_tools"), "{task}")
    assert [call.tool for call in plan.calls] == ["find_inns", "book_inn"]
    assert plan.steps == ((0,), (1,))
    assert plan.calls[1].links["inn_id"].call == 0
    assert "inn_id" not in plan.calls[1].given
    assert "Book the first one for" in plan.utterance


# --- results ------------------------------------------------------------------------------------------------------


def test_the_same_call_has_the_same_result_and_other_dialogues_have_others() -> None:
    call = Action("find_inns", {"city": "Oslo"})
    results = [observe(fixture(), call, key, ()).response for key in ("a", "a", "b")]
    assert results[0] == results[1] != results[2]


def test_calls_that_no_tool_takes_have_errors_as_results() -> None:
    assert observe(fixture(), Action("mind_reading", {}), "k", ()).status_code == 404
    assert observe(fixture(), Action("book_inn", {"nights": 2}), "k", ()).status_code == 400


# --- whole dialogues ----------------------------------------------------------------------------------------------


def made(path: str, language: str, key: str = "k", pool: tuple[ToolList, ...] | None = None) -> Trajectory:
    hints = ScriptedAgents(scripted_templates(language))
    episode = dialogue_episode(
        Slot(key, tuple(path.split())), pool or tool_library(language), GenerationSetup(language), hints
    )
    return drive(episode, oracle)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_dialogue_comes_out_again_and_another_key_gives_another(language: str) -> None:
    one, same, other = (made("single clarify multi chat", language, key) for key in ("a", "a", "b"))
    assert msgspec.json.encode(one) == msgspec.json.encode(same) != msgspec.json.encode(other)


def test_tools_without_material_are_refused_in_one_line() -> None:
    pool = (ToolList("mine", (_tool("read_minds", mind="string"),)),)
    with pytest.raises(UsageError, match="embedded library"):
        made("single", "en", pool=pool)
