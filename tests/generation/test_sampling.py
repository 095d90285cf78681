"""What is left to chance: it is drawn as often as it should be, never what cannot be, and again the same."""

from __future__ import annotations

import datetime
import random
from collections import Counter

import pytest

from tests.rows import rows
from toolgauge.chat import Tool
from toolgauge.data.session import KINDS
from toolgauge.generation.dialogue import PlannedTask, Speaker
from toolgauge.generation.paths import SHAPES
from toolgauge.generation.sampling import draw_clock, draw_task
from toolgauge.generation.setup import GenerationSetup
from toolgauge.generation.state import DialogueState, StepRecord

DRAWS = 1500


def tool(name: str, *required: str) -> Tool:
    properties = {key: {"type": "string"} for key in (*required, "unit")}
    return Tool(name, name, {"type": "object", "properties": properties, "required": list(required)})


TOOLS = (tool("ping"), tool("get_weather", "city"), tool("book_table", "place", "day"))
LIST = "Here:\n- one\n- two\n- three"


def state(tasks: int, language: str = "en", reply: str = LIST, seed: int = 1) -> DialogueState:
    """A talk with some tasks behind it, the last of them answered with a reply."""
    made = DialogueState(StepRecord("k"), language, TOOLS, "list", random.Random(seed), "2024-05-03 09:12:44 Friday")
    for _ in range(tasks):
        made.tasks.append(PlannedTask("single"))
        made.say(Speaker.USER, "Hello.")
        made.say(Speaker.AGENT, reply)
    return made


def drawn(tasks: int, kind: str, setup: GenerationSetup | None = None, reply: str = LIST) -> list[PlannedTask]:
    states = (state(tasks, reply=reply, seed=seed) for seed in range(DRAWS))
    return [draw_task(one, kind, setup or GenerationSetup()) for one in states]


def shares(tasks: list[PlannedTask]) -> dict[str, float]:
    counts = Counter(task.reference.value for task in tasks)
    return {name: count / len(tasks) for name, count in counts.items()}


@rows(("language", "weekdays"), [("en", "Monday Tuesday Sunday"), ("zh", "星期一 星期二 星期日")])
@rows("year", [2024, 2027])
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


@rows("kind", KINDS)
def test_references_have_their_shares_from_the_third_task_on(kind: str) -> None:
    found = shares(drawn(2, kind))
    assert found == pytest.approx({"partial_information": 0.45, "coreference": 0.31, "long_range": 0.24}, abs=0.04)


def test_shares_can_be_set_and_what_is_impossible_gives_way() -> None:
    only_long = GenerationSetup(shares={"long_range": 1.0})
    assert shares(drawn(3, "single", only_long)) == {"long_range": 1.0}
    assert "long_range" not in shares(drawn(1, "single", only_long))
    mixed = GenerationSetup(shares={"long_range": 3, "coreference": 1})
    assert shares(drawn(2, "chat", mixed)) == pytest.approx({"long_range": 0.75, "coreference": 0.25}, abs=0.04)


@pytest.mark.parametrize("tasks", [0, 2])
def test_shapes_are_balanced_and_only_of_several_tools(tasks: int) -> None:
    found = Counter(task.shape for task in drawn(tasks, "multi"))
    assert {shape: count / DRAWS for shape, count in found.items()} == pytest.approx(
        dict.fromkeys(SHAPES.values(), 1 / 3), abs=0.04
    )
    assert {task.shape for kind in ("single", "clarify", "chat") for task in drawn(tasks, kind)} == {None}
