"""What a dialogue gives a later task to lean on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from toolgauge.annotation.dialogue import PlannedTask
from toolgauge.data.session import KINDS, Reference
from toolgauge.generation.agents.patterns import SUBTYPES, bundled_patterns
from toolgauge.generation.occasions import Occasion, fits, fitting_examples
from toolgauge.generation.sampling import SHAPES

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
