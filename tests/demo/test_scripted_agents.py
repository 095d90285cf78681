"""Scripted agents: what they say is deterministic, self-consistent and natural."""

from __future__ import annotations

import datetime
import pickle
import random
from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from toolgauge.annotation.dialogue import Action, Dialogue, Entry, PlannedTask, Speaker
from toolgauge.chat import Reply, Request, Tool
from toolgauge.data.session import Reference
from toolgauge.demo import ScriptedAgents
from toolgauge.demo.chats import later_chat
from toolgauge.demo.fixture import Fixture, now_of
from toolgauge.demo.history import facts_of
from toolgauge.demo.plans import PastCall, TaskPlan
from toolgauge.demo.request_builder import RequestBuilder
from toolgauge.demo.results import ids_in, observe
from toolgauge.demo.tasks import first_plan, later_plan
from toolgauge.demo.templates import (
    ChatTemplates,
    Link,
    ParameterTemplates,
    ToolListTemplates,
    ToolTemplates,
    scripted_templates,
)
from toolgauge.demo.wording import Wording
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import UsageError
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.models.builtin.models import oracle
from toolgauge.tools.library import tool_library
from toolgauge.tools.toollist import ToolList

LANGUAGES = ("en", "zh")
MOMENT = "2024-05-03 09:12:44 Friday"


@pytest.mark.parametrize("moment", ["2024-05-03 09:12:44 Friday", "2024-05-03T09:12", "on 2024-05-03 09:12"])
def test_the_clock_is_read(moment: str) -> None:
    assert now_of(moment).replace(second=0) == datetime.datetime(2024, 5, 3, 9, 12)


def test_a_clock_that_makes_no_sense_is_some_noon() -> None:
    assert now_of("2024-13-77 99:99") == now_of("whenever")
    assert now_of("").hour == 12


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


FOUND = PastCall("find_inns", {"city": "Oslo"}, {"inns": [{"inn_id": "IN-123", "price": 250}]}, 0)


def test_a_chain_takes_its_values_from_results() -> None:
    plan = first_plan(builder(1), PlannedTask("multi", shape="sequential_tools"), "{task}")
    assert [call.tool for call in plan.calls] == ["find_inns", "book_inn"]
    assert plan.steps == ((0,), (1,))
    assert plan.calls[1].links["inn_id"].call == 0
    assert "inn_id" not in plan.calls[1].given
    assert "Book the first one for" in plan.utterance


@pytest.mark.parametrize("seed", range(20))
def test_what_an_utterance_leaves_out_is_called_known_and_stands_before(seed: int) -> None:
    plan = later_plan(builder(seed, FOUND), PlannedTask("single", Reference.COREFERENCE), 1, ["IN-123 costs 250."])
    (call,) = plan.calls
    assert call.known, plan.utterance
    for name, spoken in call.given.items():
        if name in call.known:
            assert spoken.value in ("Oslo", "IN-123")
            assert str(spoken.value) not in plan.utterance
        else:
            assert spoken.words in plan.utterance
        assert spoken.words in plan.complete


def test_parts_of_the_dialogue_are_found_by_name_and_by_link() -> None:
    facts = {(fact.tool, fact.parameter): fact.value for fact in facts_of(fixture(), [FOUND], ())}
    assert facts == {("find_inns", "city"): "Oslo", ("sky", "city"): "Oslo", ("book_inn", "inn_id"): "IN-123"}


def test_a_distant_task_is_led_back_to() -> None:
    near = PastCall("sky", {"city": "Turku"}, {"sky": "grey"}, 1)
    plan = later_plan(builder(3, FOUND, near), PlannedTask("single", Reference.LONG_RANGE), 2, ["a", "b"])
    assert any(plan.utterance.startswith(one) for one in Wording("en").every("back_first"))
    assert {plan.calls[0].given[name].value for name in plan.calls[0].known} <= {"Oslo", "IN-123"}


def test_a_question_asks_for_what_is_missing_only() -> None:
    plan = later_plan(builder(2, FOUND), PlannedTask("clarify", Reference.COREFERENCE), 1, ["x"])
    assert plan.calls[0].tool == "book_inn"
    assert plan.missing == ("nights",)
    assert plan.calls[0].given["inn_id"].value == "IN-123"


@pytest.mark.parametrize("reference", [Reference.COREFERENCE, Reference.LONG_RANGE])
def test_talk_about_what_was_said_quotes_it(reference: Reference) -> None:
    plan = later_chat(builder(1), reference, ["The first.", "The second.\nAnd more."])
    assert plan.kind == "chat"
    assert not plan.calls
    assert ("> The first." if reference is Reference.LONG_RANGE else "> The second.\n> And more.") in plan.reply


# --- results ------------------------------------------------------------------------------------------------------


def test_the_same_call_has_the_same_result_and_other_dialogues_have_others() -> None:
    call = Action("find_inns", {"city": "Oslo"})
    results = [observe(fixture(), call, key, ()).response for key in ("a", "a", "b")]
    assert results[0] == results[1] != results[2]


def test_the_same_thing_has_the_same_facts_but_a_new_booking_a_new_number() -> None:
    before = [{"inns": [{"inn_id": "IN-123", "price": 250}]}]
    first = observe(fixture(), Action("book_inn", {"inn_id": "IN-123", "nights": 2}), "k", before).response
    assert first["price"] == 250
    assert first["nights"] == 2
    second = observe(fixture(), Action("book_inn", {"inn_id": "IN-123", "nights": 3}), "k", [*before, first]).response
    assert second["booking_no"] != first["booking_no"]
    assert second["nights"] == 3


def test_calls_that_no_tool_takes_have_errors_as_results() -> None:
    assert observe(fixture(), Action("mind_reading", {}), "k", ()).status_code == 404
    assert observe(fixture(), Action("book_inn", {"nights": 2}), "k", ()).status_code == 400


def test_ids_are_found_at_any_depth_and_no_deeper() -> None:
    assert list(ids_in({"a": [{"x_id": "1"}, {"order_no": "2", "price": "3"}], "sight_ids": ["4", "5"]})) == [
        "1",
        "2",
        "4",
        "5",
    ]
    deep: object = {"x_id": "1"}
    for _ in range(5000):
        deep = [deep]
    assert list(ids_in(deep)) == []


# --- whole dialogues ----------------------------------------------------------------------------------------------


def made(path: str, language: str, key: str = "k", pool: tuple[ToolList, ...] | None = None) -> Trajectory:
    hints = ScriptedAgents(scripted_templates(language))
    episode = dialogue_episode(
        Slot(key, tuple(path.split())), pool or tool_library(language), GenerationSetup(language), hints
    )
    return drive(episode, oracle)


def entries(trajectory: Trajectory) -> Iterator[Entry]:
    yield from msgspec.convert(trajectory.extra["dialogue"], Dialogue).entries


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_dialogue_comes_out_again_and_another_key_gives_another(language: str) -> None:
    one, same, other = (made("single clarify multi chat", language, key) for key in ("a", "a", "b"))
    assert msgspec.json.encode(one) == msgspec.json.encode(same) != msgspec.json.encode(other)


def test_prompters_travel() -> None:
    hints = pickle.loads(pickle.dumps(ScriptedAgents(scripted_templates("en"))))
    episode = dialogue_episode(Slot("k", ("single", "chat")), tool_library("en"), GenerationSetup("en"), hints)
    assert drive(episode, oracle).extra == made("single chat", "en").extra


def test_the_dialogues_own_draws_are_not_touched() -> None:
    """With and without a hints the same tools, moments and tasks are drawn."""
    asked: list[tuple[str, str | None]] = []

    def silent(request: Request) -> Reply:
        asked.append((request.messages[0].content or "", None))
        return Reply(content="x")

    for hints in (None, ScriptedAgents(scripted_templates("en"))):
        drive(dialogue_episode(Slot("k", ("single",)), tool_library("en"), GenerationSetup("en"), hints), silent)
    assert len(asked) % 2 == 0
    assert asked[: len(asked) // 2] == asked[len(asked) // 2 :]


@pytest.mark.parametrize("language", LANGUAGES)
def test_users_who_never_say_what_was_asked_get_to_the_point_in_the_end(language: str) -> None:
    setup = GenerationSetup(language, vague=1.0)
    hints = ScriptedAgents(scripted_templates(language))
    trajectory = drive(dialogue_episode(Slot("k", ("clarify",)), tool_library(language), setup, hints), oracle)
    assert trajectory.extra["accepted"]
    said = [one.text for one in entries(trajectory) if one.speaker is Speaker.USER]
    vague = Wording(language).every("vague_answers")
    assert [text in vague for text in said] == [False, True, True, False]
    asked = [one.text for one in entries(trajectory) if one.agent == "agent_ask"]
    assert len({*said}) == len(said), "nobody says the same words twice"
    assert asked[0] != asked[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_summaries_keep_every_id_that_is_news(language: str) -> None:
    for number in range(12):
        found = list(entries(made("multi", language, f"k{number}")))
        arguments = [one.arguments for entry in found if entry.decision for one in entry.decision.actions]
        told = found[-1].text + str(arguments)
        responses = [one.response for entry in found for one in entry.observations]
        assert responses
        assert all(one in told for response in responses for one in ids_in(response))


def test_tools_without_material_are_refused_in_one_line() -> None:
    pool = (ToolList("mine", (_tool("read_minds", mind="string"),)),)
    with pytest.raises(UsageError, match="embedded library"):
        made("single", "en", pool=pool)


def test_lists_are_known_by_their_tools_too() -> None:
    """A reviewed session has another id than its tools' list."""
    known = next(one for one in tool_library("en") if one.id == "city_weather")
    trajectory = made("single", "en", pool=(ToolList("session-17", known.tools),))
    assert trajectory.extra["accepted"]


def test_plans_tell_where_a_tool_comes_first() -> None:
    plan = first_plan(builder(1), PlannedTask("multi", shape="sequential_tools"), "{task}")
    assert (plan.step_of("book_inn"), plan.step_of("sky")) == (1, None)
    assert TaskPlan("chat", "hi").step_of("sky") is None
