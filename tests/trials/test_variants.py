"""Variants of tool lists: pure functions of sessions under which the annotation stays right."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, MINI_FILE
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.chat import Tool
from toolgauge.data.session import ASK, Dataset, Session
from toolgauge.episode import drive
from toolgauge.models.builtin.models import oracle
from toolgauge.tools.toollist import tool_library
from toolgauge.tools.variants import TOO_ALIKE, ToolVariant, ToolWords, candidates, needed, varied

POOL = tuple(tool for one in tool_library("en") for tool in one.tools)


@cache
def mini() -> Dataset:
    return load_dataset(MINI_FILE, "wildtoolbench", "en", "mini")


def session_with(name: str) -> Session:
    return next(one for one in mini().sessions if name in one.tools_by_name)


def right_tasks(session: Session, benchmark: str = "mini") -> bool:
    """Does the oracle get every task right, in every scoring?"""
    asked = replace(mini(), sessions=(session,))
    own = GRAPH_BENCHMARKS[benchmark]
    verdicts = [
        verdict.correct
        for sample in own.samples(asked)
        for score in own.scores(asked, drive(own.episode(asked, sample), oracle))
        for verdict in score.scorings.values()
    ]
    return bool(verdicts) and all(verdicts)


@st.composite
def variants(draw: st.DrawFn) -> ToolVariant:
    number = draw(st.integers(0, 25))
    names = sorted({tool.name for session in mini().sessions for tool in session.tools})
    renamed = draw(st.lists(st.sampled_from(names), max_size=20, unique=True))
    return ToolVariant(
        "drawn",
        draw(st.integers(0, 1000)),
        {name: f"Does {name} otherwise." for name in draw(st.lists(st.sampled_from(names), max_size=5))},
        (),
        {name: f"tool_{place}" for place, name in enumerate(renamed)},
        number if draw(st.booleans()) else 0,
        None,
        draw(st.sampled_from([None, True, False])),
        POOL,
        draw(st.booleans()),
    )


@settings(max_examples=25)
@given(variants(), st.integers(0, 31))
def test_what_is_annotated_stays_right_in_every_variant(variant: ToolVariant, place: int) -> None:
    session = mini().sessions[place]
    changed = varied(session, variant)
    assert right_tasks(changed)
    assert changed == varied(session, variant)
    assert len({tool.name for tool in changed.tools}) == len(changed.tools)
    assert len(changed.original_tools) == len(changed.tools)
    assert needed(changed) <= set(changed.tools_by_name)


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(0, 31), st.integers(0, 100))
def test_tools_on_offer_are_those_needed_and_as_many_as_wanted(number: int, place: int, seed: int) -> None:
    session = mini().sessions[place]
    fewer, more = (varied(session, ToolVariant("x", seed, offered=count, pool=POOL)) for count in (number, number + 1))
    assert len(fewer.tools) == max(number, len(needed(session)))
    assert {tool.name for tool in fewer.tools} <= {tool.name for tool in more.tools}
    assert right_tasks(fewer)


def test_no_distractor_is_more_alike_than_the_bound_and_the_likest_come_first() -> None:
    session = mini().sessions[1]
    own = [ToolWords.of(tool) for tool in session.tools]
    twin = replace(session.tools[0], name=session.tools[0].name.upper())
    same_words = replace(session.tools[0], name="quite_another_name")
    pool = (twin, same_words, session.tools[1], *POOL)
    for similar in (True, False):
        found = candidates(session, ToolVariant("x", distractors=5, similar=similar, pool=pool))
        nearness = [max(ToolWords.of(tool).alike(other) for other in own) for tool in found]
        assert nearness == sorted(nearness, reverse=similar)
        assert max(nearness) <= TOO_ALIKE
        assert not {twin.name, same_words.name, session.tools[1].name} & {tool.name for tool in found}


def test_a_request_that_no_tool_can_serve_gets_no_tool_with_a_word_of_it() -> None:
    session = next(one for one in mini().sessions if any(task.unservable for task in one.tasks))
    task = next(task for task in session.tasks if task.unservable)
    word = next(word for word in task.utterance.lower().split() if word.isalpha() and len(word) > 5)
    pool = (Tool(f"do_{word}", "Qwertz."), Tool("do_nothing_xyz", "Uiop."))
    found = candidates(session, ToolVariant("x", distractors=1, pool=pool))
    assert [tool.name for tool in found] == ["do_nothing_xyz"]


def test_descriptions_of_tools_and_parameters_change_and_nothing_else() -> None:
    session = session_with("search_hotels")
    before = session.tools_by_name["search_hotels"]
    texts = {"search_hotels": "Beds.", "search_hotels.city": "Where.", "search_hotels.amenities": "What."}
    after = varied(session, ToolVariant("x", descriptions=texts)).tools_by_name["search_hotels"]
    assert after.description == "Beds."
    assert after.properties["city"] == before.properties["city"] | {"description": "Where."}
    assert after.properties["amenities"]["items"] == before.properties["amenities"]["items"]
    assert after.properties["check_in"] == before.properties["check_in"]


def test_a_new_name_stands_everywhere_the_old_one_stood() -> None:
    names = {"search_rental_cars": "cars", "book_rental_car": "search_rental_cars"}
    session = session_with("search_rental_cars")
    changed = varied(session, ToolVariant("x", rename=names))
    calls = [(before, after) for one, other in zip(session.tasks, changed.tasks, strict=True)
             for before, after in zip(one.calls, other.calls, strict=True)]  # fmt: skip
    assert all(after.name == names.get(before.name, before.name) for before, after in calls)
    asked = next(after for before, after in calls if before.name == ASK)
    assert asked.arguments["tool_list"][0]["tool_name"] == "cars"  # type: ignore[index]
    assert right_tasks(changed)
