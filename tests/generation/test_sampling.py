"""What is left to chance: it is drawn as often as it should be, never what cannot be, and again the same."""

from __future__ import annotations

import datetime
import random
from collections import Counter

import pytest
from msgspec.structs import replace

from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Tool
from toolgauge.data.session import KINDS, Reference
from toolgauge.errors import UsageError
from toolgauge.generation.agents.patterns import PATTERNS, ExampleTurn, WorkedExample, bundled_patterns
from toolgauge.generation.sampling import SHAPES, draw_clock, draw_task, draw_tool_list, require_tool_lists
from toolgauge.generation.setup import GenerationSetup, Scenario, Slot
from toolgauge.generation.state import DialogueState, StepRecord
from toolgauge.tools.toollist import ToolList

DRAWS = 2000


def tool(name: str, *required: str) -> Tool:
    properties = {key: {"type": "string"} for key in (*required, "unit")}
    return Tool(name, name, {"type": "object", "properties": properties, "required": list(required)})


TOOLS = (tool("ping"), tool("get_weather", "city"), tool("book_table", "place", "day"))
LIST = "Here:\n- one\n- two\n- three"
NO_LIST = "It rains."


def state(tasks: int, language: str = "en", reply: str = LIST, seed: int = 1) -> DialogueState:
    """A talk with some tasks behind it, the last of them answered with a reply."""
    made = DialogueState(StepRecord("k"), language, TOOLS, "list", random.Random(seed), "2024-05-03 09:12:44 Friday")
    for _ in range(tasks):
        made.tasks.append(PlannedTask("single"))
        made.say(Speaker.USER, "Hello.")
        made.say(Speaker.AGENT, reply)
    return made


def drawn(tasks: int, kind: str, setup: GenerationSetup | None = None, reply: str = LIST) -> list[PlannedTask]:
    one = state(tasks, reply=reply)
    return [draw_task(one, kind, setup or GenerationSetup()) for _ in range(DRAWS)]


def shares(tasks: list[PlannedTask]) -> dict[str, float]:
    counts = Counter(task.reference.value for task in tasks)
    return {name: count / len(tasks) for name, count in counts.items()}


@pytest.mark.parametrize(("language", "weekdays"), [("en", "Monday Tuesday Sunday"), ("zh", "星期一 星期二 星期日")])
@pytest.mark.parametrize("year", [2024, 2027])
def test_moments_are_of_the_year_with_their_weekday(year: int, language: str, weekdays: str) -> None:
    monday, tuesday, sunday = weekdays.split()
    named = {0: monday, 1: tuesday, 6: sunday}
    draw, days = random.Random(3), set()
    for _ in range(DRAWS):
        text, _, weekday = draw_clock(draw, language, year).rpartition(" ")
        moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
        assert moment.year == year
        assert named.get(moment.weekday(), weekday) == weekday
        days.add(moment.timetuple().tm_yday)
    assert len(days) > 330, "all over the year"


def test_the_last_and_first_second_of_the_year_can_be_drawn() -> None:
    class Ends(random.Random):
        def __init__(self, last: bool) -> None:
            super().__init__()
            self.last = last

        def randrange(self, stop: int) -> int:  # type: ignore[override]
            return stop - 1 if self.last else 0

    assert draw_clock(Ends(last=False), "en", 2024) == "2024-01-01 00:00:00 Monday"
    assert draw_clock(Ends(last=True), "en", 2024) == "2024-12-31 23:59:59 Tuesday"
    assert draw_clock(Ends(last=True), "en", 2026) == "2026-12-31 23:59:59 Thursday"


@pytest.mark.parametrize("kind", KINDS)
def test_references_have_their_shares_from_the_third_task_on(kind: str) -> None:
    found = shares(drawn(2, kind))
    assert found == pytest.approx({"partial_information": 0.45, "coreference": 0.31, "long_range": 0.24}, abs=0.04)


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_task_reaches_back_to_nothing_distant(kind: str) -> None:
    found = shares(drawn(1, kind))
    assert found == pytest.approx({"partial_information": 45 / 76, "coreference": 31 / 76}, abs=0.04)


def test_shares_can_be_set_and_what_is_impossible_gives_way() -> None:
    only_long = GenerationSetup(shares={"long_range": 1.0})
    assert shares(drawn(3, "single", only_long)) == {"long_range": 1.0}
    assert "long_range" not in shares(drawn(1, "single", only_long))
    mixed = GenerationSetup(shares={"long_range": 3, "coreference": 1})
    assert shares(drawn(2, "chat", mixed)) == pytest.approx({"long_range": 0.75, "coreference": 0.25}, abs=0.04)


@pytest.mark.parametrize("kind", KINDS)
def test_pattern_and_example_suit_the_kind_and_the_reference(kind: str) -> None:
    by_id = {example.id: example for example in bundled_patterns("en")}
    for task in drawn(2, kind):
        example = by_id[task.example or ""]
        assert (example.pattern, example.subtype) == (task.pattern, task.reference)
        assert kind in example.kinds


def test_nothing_is_picked_from_a_list_that_was_not_there() -> None:
    picking = {name for name, pattern in PATTERNS.items() if pattern.items}
    assert not picking & {task.pattern for task in drawn(2, "single", reply=NO_LIST)}
    assert picking <= {task.pattern for task in drawn(2, "single")}


def test_first_tasks_have_a_tool_that_suits_and_lean_on_nothing() -> None:
    assert {task.chosen for task in drawn(0, "single")} == {"ping", "get_weather", "book_table"}
    assert {task.chosen for task in drawn(0, "clarify")} == {"get_weather", "book_table"}, "ping requires nothing"
    assert {(task.chosen, task.missing) for task in drawn(0, "clarify")} == {
        ("get_weather", ("city",)),
        ("book_table", ("place",)),
    }, "a day follows from the date, or is assumed"
    for kind in ("multi", "chat"):
        assert {task.chosen for task in drawn(0, kind)} == {None}
    assert {(task.reference, task.pattern) for kind in KINDS for task in drawn(0, kind)} == {
        (Reference.FIRST_TURN, None)
    }


@pytest.mark.parametrize("tasks", [0, 2])
def test_shapes_are_balanced_and_only_of_several_tools(tasks: int) -> None:
    found = Counter(task.shape for task in drawn(tasks, "multi"))
    assert {shape: count / DRAWS for shape, count in found.items()} == pytest.approx(
        dict.fromkeys(SHAPES, 1 / 3), abs=0.04
    )
    assert {task.shape for kind in ("single", "clarify", "chat") for task in drawn(tasks, kind)} == {None}


def test_the_same_numbers_draw_the_same() -> None:
    def all_of(seed: int) -> list[PlannedTask]:
        return [draw_task(state(tasks, seed=seed), kind, GenerationSetup()) for tasks in range(4) for kind in KINDS]

    assert all_of(5) == all_of(5)
    assert any(all_of(5) != all_of(seed) for seed in (6, 7))
    assert draw_clock(random.Random(9), "zh", 2024) == draw_clock(random.Random(9), "zh", 2024)


def test_examples_of_ones_own_take_the_place_of_ours() -> None:
    turns = (ExampleTurn("a", "b"), ExampleTurn("c", "d"))
    own = WorkedExample("x", "sarcasm", "mood", Reference.COREFERENCE, ("chat",), turns, "sure", "no")
    task = draw_task(state(1), "chat", GenerationSetup(examples=(own,)))
    assert (task.pattern, task.example, task.reference) == ("sarcasm", "x", Reference.COREFERENCE)
    with pytest.raises(UsageError, match="single"):
        draw_task(state(1), "single", GenerationSetup(examples=(own,)))


POOL = [ToolList(f"l{number}", TOOLS, name=f"name {number}") for number in range(4)] + [
    ToolList("bare", (tool("ping"),))
]


def lists(slot: Slot, tried: tuple[str, ...] = ()) -> set[str]:
    draw = random.Random(1)
    return {draw_tool_list(slot, POOL, draw, tried).id for _ in range(200)}


def test_tool_lists_are_drawn_from_those_that_can_be_used() -> None:
    assert lists(Slot("k", ("single",))) == {"l0", "l1", "l2", "l3", "bare"}
    assert lists(Slot("k", ("chat", "clarify"))) == {"l0", "l1", "l2", "l3"}, "bare has nothing to ask for"
    assert lists(Slot("k", ("single",)), ("l0", "bare")) == {"l1", "l2", "l3"}
    assert lists(Slot("k", ("single",)), tuple(one.id for one in POOL)) == {one.id for one in POOL}


def test_a_scenario_names_its_tool_lists() -> None:
    assert lists(Slot("k", ("single",), scenario=Scenario("s", tools=("l2", "name 3")))) == {"l2", "l3"}
    assert len(lists(Slot("k", ("single",), scenario=Scenario("s")))) == len(POOL)
    with pytest.raises(UsageError, match="the scenario s names"):
        lists(Slot("k", ("single",), scenario=Scenario("s", tools=("l9",))))
    with pytest.raises(UsageError, match="no tool list"):
        draw_tool_list(Slot("k", ("chat",)), [], random.Random(1))


def test_without_anything_to_ask_for_there_is_no_task_in_which_the_assistant_asks() -> None:
    bare, slot = [one for one in POOL if one.id == "bare"], Slot("k", ("single", "clarify"))
    require_tool_lists([Slot("j", ("single",))], bare)
    require_tool_lists([slot, Slot("j", ("clarify",))], POOL)
    for check in (
        lambda: draw_tool_list(slot, bare, random.Random(1)),
        lambda: require_tool_lists([Slot("j", ("single",)), slot], bare),
    ):
        with pytest.raises(UsageError, match=r"no tool list suits .* without clarify"):
            check()
    named = replace(slot, scenario=Scenario("s", tools=("bare",)))
    with pytest.raises(UsageError, match="scenario s: no tool list suits"):
        require_tool_lists([named], POOL)
