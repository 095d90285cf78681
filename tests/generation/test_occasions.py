"""What a dialogue gives a later task to lean on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.annotation.dialogue import Action, Decision, PlannedTask, Speaker
from toolgauge.chat import Tool
from toolgauge.data.session import KINDS, Reference
from toolgauge.generation.agents.patterns import SUBTYPES, ExampleTurn, WorkedExample, bundled_patterns
from toolgauge.generation.occasions import Occasion, fits, fitting_examples, items_in, occasion_of
from toolgauge.generation.sampling import SHAPES
from toolgauge.generation.state import DialogueState, StepRecord

SEARCH = {"type": "object", "properties": {"query": {"type": "string"}, "page_number": {"type": "integer"}}}
TOOLS = (Tool("search", "", SEARCH), Tool("send", "", {"type": "object", "properties": {"text": {"type": "string"}}}))


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("It rains.", 0),
        ("One thing:\n- tea", 0),
        ("Here:\n- tea\n- milk\n\nAnything else?", 2),
        ("1. **Rex**: 18:15\n   Two seats left.\n\n2. Paper Moon\n   - with subtitles\n   - in hall 3\n3. Nightjar", 3),
        ("**1. Rex**\n**2. Moon**", 2),
        ("**Rex**\n**Moon**\n*both* are on", 0),
        ("| film | time |\n|:---|---:|\n| Rex | 18:15 |\n| Moon | 20:00 |\n| Jar | 22:30 |", 3),
        ("A:\n- a\n- b\n\nB:\n- c\n- d\n- e", 3),
        ("-5 degrees\n-7 degrees", 0),
        ("共三家：\n1、石屏会馆\n2、雨林小院\n3、洱海人家", 3),
        ("一、先报名\n二、再缴费", 2),
        ("①报名\n②缴费\n③取证", 3),
        ("（1）报名\n（2）缴费", 2),
        ("•报名\n•缴费", 2),
        ("2024. That was the year.\nAnd it rained.", 0),
    ],
)
def test_items_of_the_longest_list_are_counted(reply: str, items: int) -> None:
    assert items_in(reply) == items


@pytest.mark.parametrize(
    ("reply", "has_name"),
    [
        ("In Bergen on Monday 4 May: rain, 7 °C.", False),
        ("Done.", False),
        ("Try the “Foundations of Clinical Laboratory Interpretation”.", True),
        ("Try *The Long Ferry* at 20:00.", True),
        ("It is St Columba's Regional Community Hospital.", True),
        ("The driver is Marta Nowak.", True),
        ("杭州 5 月 4 日多云转小雨。", False),
        ("离你最近的是“江州医科大学附属第二人民医院”。", True),
        ("1. 洱海人家（R-201）", True),
    ],
)
def test_names_that_can_be_shortened_are_seen(reply: str, has_name: bool) -> None:
    state = DialogueState(StepRecord("k"), "en", TOOLS, "list", random.Random(1), "2026-05-03 09:12:44 Sunday")
    state.tasks.append(PlannedTask("single"))
    state.say(Speaker.AGENT, reply)
    assert occasion_of(state).has_name == has_name


@pytest.mark.parametrize(("tool", "has_more"), [("search", True), ("send", False)])
def test_results_that_go_on_are_those_of_a_tool_with_pages(tool: str, has_more: bool) -> None:
    state = DialogueState(StepRecord("k"), "en", TOOLS, "list", random.Random(1), "2026-05-03 09:12:44 Sunday")
    state.tasks.append(PlannedTask("single"))
    state.say(Speaker.USER, "Do it.")
    state.say(Speaker.PLANNER, "", decision=Decision(False, "", "", (Action(tool, {}),)))
    state.say(Speaker.AGENT, "- tea\n- milk " + "and " * 60)
    occasion = occasion_of(state)
    assert (occasion.items, occasion.is_long, occasion.has_more) == (2, True, has_more)
    assert fits("more", occasion, PlannedTask("single")) == has_more


SINGLE, CHAT, ASKED = PlannedTask("single"), PlannedTask("chat"), PlannedTask("clarify")
IN_TURN, AT_ONCE = PlannedTask("multi", shape="sequential_tools"), PlannedTask("multi", shape="parallel_tools")


@pytest.mark.parametrize(
    ("pattern", "last", "new", "can_be"),
    [
        ("repeat_with_change", CHAT, SINGLE, False),
        ("repeat_with_change", ASKED, SINGLE, True),
        ("repeat_with_change", SINGLE, AT_ONCE, True),
        ("repeat_with_change", SINGLE, IN_TURN, False),
        ("repeat_with_change", IN_TURN, IN_TURN, True),
        ("repeat_with_change", IN_TURN, AT_ONCE, False),
        ("repeat_with_change", IN_TURN, SINGLE, False),
        ("repeat_with_change", IN_TURN, ASKED, False),
        ("correct_a_part", SINGLE, AT_ONCE, False),
        ("correct_a_part", SINGLE, SINGLE, True),
        ("an_example", SINGLE, CHAT, False),
        ("an_example", CHAT, CHAT, True),
        ("more_detail", CHAT, SINGLE, False),
        ("personal_pronoun", CHAT, IN_TURN, True),
        ("abbreviation", CHAT, SINGLE, False),
        ("earlier_topic", CHAT, CHAT, False),
    ],
)
def test_a_pattern_fits_what_came_before(pattern: str, last: PlannedTask, new: PlannedTask, can_be: bool) -> None:
    assert fits(pattern, Occasion((last,)), new) == can_be
    if pattern == "earlier_topic":
        assert fits(pattern, Occasion((SINGLE, last)), new)


def test_a_users_own_examples_fit_where_nothing_is_known_of_them_and_where_none_fits() -> None:
    turns = (ExampleTurn("a", "b"), ExampleTurn("c", "d"))

    def own(pattern: str, group: str, subtype: Reference) -> WorkedExample:
        return WorkedExample(pattern, pattern, group, subtype, ("single",), turns, "e", "f")

    change = own("repeat_with_change", "change", Reference.PARTIAL_INFORMATION)
    far = own("earlier_topic", "topic", Reference.LONG_RANGE)
    sarcasm = own("sarcasm", "mood", Reference.COREFERENCE)
    after_talk = Occasion((CHAT,))
    assert fitting_examples((change, far, sarcasm), after_talk, SINGLE) == [sarcasm]
    assert fitting_examples((change, far), after_talk, SINGLE) == [change], "nothing is distant yet"
    assert fitting_examples((change,), after_talk, CHAT) == []


@given(st.text(st.sampled_from("-*|1.、）一 \n\tAb中“”《》（"), max_size=300))
def test_any_reply_can_be_looked_at(reply: str) -> None:
    assert 0 <= items_in(reply) <= len(reply.splitlines())
    assert items_in(reply) != 1


def test_replies_without_an_end_are_looked_at_soon() -> None:
    for piece in ("A-", "“a ", "中", "Ab ", "*a b", "1. a\n", "| a |\n", "《中"):
        state = DialogueState(StepRecord("k"), "en", TOOLS, "list", random.Random(1), "2026-05-03 09:12:44 Sunday")
        state.tasks.append(PlannedTask("single"))
        state.say(Speaker.AGENT, piece * 50_000)
        assert occasion_of(state).is_long


LANGUAGES = ("en", "zh")
SORTS = [PlannedTask(kind, shape=shape) for kind in KINDS for shape in (SHAPES if kind == "multi" else (None,))]
HISTORIES = [tasks for length in (1, 2, 3) for tasks in product(SORTS, repeat=length)]
LAST_REPLIES = (
    (0, False, False, False),
    (0, True, True, False),
    (2, False, False, True),
    (3, True, False, True),
    (5, True, True, False),
)
"""Items of its list; is it long; does it hold a name; has the last call more to give."""


def occasions() -> Iterator[Occasion]:
    for tasks, last in product(HISTORIES, LAST_REPLIES):
        yield Occasion(tasks, *last)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_occasion_has_an_example_of_every_reference_that_is_possible(language: str) -> None:
    for occasion in occasions():
        for sort in SORTS:
            examples = fitting_examples(bundled_patterns(language), occasion, sort)
            assert all(fits(one.pattern, occasion, sort) for one in examples), (occasion, sort)
            wanted = set(SUBTYPES) - ({Reference.LONG_RANGE} if len(occasion.tasks) == 1 else set())
            assert {one.subtype for one in examples} == wanted, (occasion, sort)
