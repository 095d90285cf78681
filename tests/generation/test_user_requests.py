"""Requests to the user agent that can be drawn do not contradict themselves, nor what was said before.

All histories of up to three tasks x what the last reply holds x kinds and shapes of the new task x patterns.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Tool
from toolgauge.data.session import KINDS, Reference
from toolgauge.generation.agents.patterns import SUBTYPES, bundled_patterns
from toolgauge.generation.occasions import Occasion, fits, fitting_examples
from toolgauge.generation.sampling import SHAPES, draw_task
from toolgauge.generation.setup import GenerationSetup
from toolgauge.generation.state import DialogueState, StepRecord

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
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = (Tool("get_weather", "Weather.", CITY),)


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


def drawn(history: tuple[PlannedTask, ...], sort: PlannedTask, reply: str, language: str, seed: int) -> PlannedTask:
    """The task that is drawn after a history, with what its dialogue really holds."""
    state = DialogueState(StepRecord("k"), language, TOOLS, "list", random.Random(seed), "2026-05-03 09:12:44 Sunday")
    for task in history:
        state.tasks.append(task)
        state.say(Speaker.USER, "Go on.")
        state.say(Speaker.AGENT, reply)
    return draw_task(state, sort.kind, GenerationSetup(language))
