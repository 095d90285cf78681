"""Requests to the user agent that can be drawn do not contradict themselves, nor what was said before.

All histories of up to three tasks x what the last reply holds x kinds and shapes of the new task x patterns.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from tests.generation.prompt_claims import CLAIMS, contradictions, given, repeated
from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Tool
from toolgauge.data.session import KINDS, Reference
from toolgauge.generation.agents.patterns import PATTERNS, SUBTYPES, WorkedExample, bundled_patterns
from toolgauge.generation.agents.user import first_parts, first_task, later_parts, later_task
from toolgauge.generation.occasions import Occasion, fits, fitting_examples
from toolgauge.generation.prompts import prompt, texts
from toolgauge.generation.sampling import SHAPES, draw_task
from toolgauge.generation.setup import REFERENCE_SHARES, GenerationSetup, Scenario
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
PARTS = ("kind_", "shape_", "reference_", "pattern_", "background_", "length_", "difficulty_")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = (Tool("get_weather", "Weather.", CITY),)
SCENARIO = Scenario("s", "a night nurse")


def occasions() -> Iterator[Occasion]:
    for tasks, last in product(HISTORIES, LAST_REPLIES):
        yield Occasion(tasks, *last)


def planned(sort: PlannedTask, pattern: str) -> PlannedTask:
    return PlannedTask(sort.kind, PATTERNS[pattern].subtype, sort.shape, pattern)


def names_of(task: PlannedTask) -> list[str]:
    kind, reference, pattern = later_parts(task)
    return ["user_continue_question", *kind, reference, pattern, *(["askable"] if task.kind == "clarify" else [])]


def claims_of(names: list[str]) -> set[str]:
    return set().union(*(CLAIMS[name] for name in names))


def test_every_part_has_its_claims() -> None:
    parts = {name for name in texts("user_parts", "en") if name.startswith(PARTS)}
    assert parts <= CLAIMS.keys()
    assert {f"pattern_{name}" for name in PATTERNS} | {f"kind_{kind}" for kind in KINDS} <= parts


@pytest.mark.parametrize("scenario", [None, SCENARIO])
@pytest.mark.parametrize("sort", SORTS)
def test_a_request_for_a_first_task_does_not_contradict_itself(sort: PlannedTask, scenario: Scenario | None) -> None:
    names = ["user_first_task", *first_parts(sort, scenario), *(["scenario"] if scenario else [])]
    assert contradictions(claims_of(names)) == []
    for language in LANGUAGES:
        state = DialogueState(StepRecord("k"), language, TOOLS, "list", random.Random(1), "2026-05-03 09:12:44 Sunday")
        state.tasks.append(sort)
        text, words = first_task(state, scenario).messages[-1].content or "", texts("user_parts", language)
        assert prompt(names[1], language) in text
        said = {name for name in words if name.startswith(PARTS) and words[name] in text}
        assert said == {name for name in names if name in words and name.startswith(PARTS)}


def test_no_later_task_that_can_be_drawn_is_asked_for_in_contradictions() -> None:
    """Each pattern that fits an occasion fits what was said, the kind of task and how its calls hang together."""
    seen: set[tuple[str, str, str | None]] = set()
    for occasion in occasions():
        for sort, pattern in product(SORTS, PATTERNS):
            if not fits(pattern, occasion, sort):
                continue
            task = planned(sort, pattern)
            seen.add((pattern, sort.kind, sort.shape))
            claims = claims_of(names_of(task)) | given(occasion, task) | repeated(occasion, task)
            assert contradictions(claims) == [], (occasion, task)
    possible = {(name, kind) for name, one in PATTERNS.items() for kind in (*one.after_calls, *one.after_chat)}
    assert {(name, kind) for name, kind, _ in seen} == possible, "and none is out of reach"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_occasion_has_an_example_of_every_reference_that_is_possible(language: str) -> None:
    for occasion in occasions():
        for sort in SORTS:
            examples = fitting_examples(bundled_patterns(language), occasion, sort)
            assert all(fits(one.pattern, occasion, sort) for one in examples), (occasion, sort)
            wanted = set(SUBTYPES) - ({Reference.LONG_RANGE} if len(occasion.tasks) == 1 else set())
            assert {one.subtype for one in examples} == wanted, (occasion, sort)


@cache
def ids(language: str) -> dict[str, WorkedExample]:
    return {example.id: example for example in bundled_patterns(language)}


def drawn(history: tuple[PlannedTask, ...], sort: PlannedTask, reply: str, language: str, seed: int) -> PlannedTask:
    """The task that is drawn after a history, with what its dialogue really holds."""
    state = DialogueState(StepRecord("k"), language, TOOLS, "list", random.Random(seed), "2026-05-03 09:12:44 Sunday")
    for task in history:
        state.tasks.append(task)
        state.say(Speaker.USER, "Go on.")
        state.say(Speaker.AGENT, reply)
    return draw_task(state, sort.kind, GenerationSetup(language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("reply", "items"), [("Done.", 0), ("Paper Moon and Rex:\n- a\n- b", 2), (f"1. a\n2. b\n3. {'c' * 200}", 3)]
)
def test_what_is_drawn_fits_and_references_keep_their_shares(language: str, reply: str, items: int) -> None:
    found: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for seed, (history, sort) in enumerate(product(HISTORIES, SORTS)):
        task = drawn(history, sort, reply, language, seed)
        occasion = Occasion(history, items, len(reply) > 100, has_name="Rex" in reply)
        assert fits(task.pattern or "", occasion, task), (history, task)
        assert ids(language)[task.example or ""].kinds == (sort.kind,)
        found[len(history) > 1][task.reference.value] += 1
    for distant, counts in found.items():
        shares = {name: share for name, share in REFERENCE_SHARES.items() if distant or name != "long_range"}
        total = sum(shares.values())
        expected = {name: share / total for name, share in shares.items()}
        assert {name: count / counts.total() for name, count in counts.items()} == pytest.approx(
            expected, abs=0.04 if distant else 0.25
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_request_for_a_later_task_is_made_of_its_parts_and_no_others(language: str) -> None:
    words = texts("user_parts", language)
    for sort, pattern in product(SORTS, PATTERNS):
        task = planned(sort, pattern)
        state = DialogueState(StepRecord("k"), language, TOOLS, "list", random.Random(1), "2026-05-03 09:12:44 Sunday")
        state.tasks.append(task)
        demand = later_task(state, None).messages[-1].content or ""
        said = {name for name in words if name.startswith(PARTS) and words[name] in demand}
        assert said == set(names_of(task)) - {"user_continue_question", "askable"}
        assert ({"en": "get_weather (city)", "zh": "get_weather（city）"}[language] in demand) == (
            sort.kind == "clarify"
        )
