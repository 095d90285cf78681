"""Near-duplicates are found whatever their number, nothing else is; diversity is counted right."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise

from tests.generation.dialogues import calls, closes, dialogue, results, user
from toolgauge.data.session import Reference
from toolgauge.generation.dialogue import Action, Dialogue
from toolgauge.generation.duplicates import ALIKE, Diversity, Duplicate, Duplicates, Utterances
from toolgauge.generation.graph import annotate


def find_duplicates(dialogues: Iterable[Dialogue]) -> list[Duplicate]:
    """Every dialogue that is a near-duplicate of an earlier one that stays."""
    seen = Duplicates()
    return [found for dialogue in dialogues if (found := seen.add(dialogue)) is not None]


def made(name: str, words: list[str], city: str = "Oslo") -> Dialogue:
    said = " ".join(words)
    return dialogue([user(said), calls(Action("get_weather", {"city": city})), results({}), closes("So.")], name=name)


def vocabulary(draw: random.Random, count: int = 40) -> list[str]:
    return [f"w{draw.randrange(400)}" for _ in range(count)]


def test_pairs_are_those_of_a_comparison_of_all_with_all() -> None:
    """300 dialogues, some of them others with so many words changed; the reference looks at every pair."""
    draw = random.Random(7)
    dialogues: list[Dialogue] = []
    for number in range(150):
        words = vocabulary(draw)
        dialogues.append(made(f"a{number}", words))
        for place in draw.sample(range(len(words)), draw.choice([0, 1, 2, 3, 6, 12])):
            words[place] = f"x{draw.randrange(400)}"
        dialogues.append(made(f"b{number}", words))
    draw.shuffle(dialogues)
    expected: list[tuple[str, str]] = []
    kept: list[Dialogue] = []
    for one in dialogues:
        likeness = [(similarity(one, other), other.id) for other in kept]
        best = max(likeness, default=(0.0, ""), key=lambda pair: pair[0])
        if best[0] >= ALIKE:
            expected.append((one.id, best[1]))
        else:
            kept.append(one)
    found = [(duplicate.id, duplicate.of) for duplicate in find_duplicates(dialogues)]
    assert found == expected
    assert 50 < len(found) < 145


def similarity(one: Dialogue, other: Dialogue) -> float:
    left, right = text_features(one), text_features(other)
    return len(left & right) / len(left | right)


def text_features(one: Dialogue) -> set[tuple[str, ...]]:
    """The same features as texts, from the dialogues' words as they were made here."""
    said = one.entries[0].text.split()
    return {*pairwise(said), ("get_weather",), ("get_weather", "city", "oslo")}


def test_diversity_is_counted() -> None:
    first = dialogue(
        [user("rain in Oslo"), calls(Action("get_weather", {"city": "Oslo"})), results({}), closes("Yes.")],
        [user("rain in Rome"), calls(Action("get_weather", {"city": "Rome"})), results({}), closes("No.")],
        references=[Reference.FIRST_TURN, Reference.COREFERENCE],
    )
    second = dialogue([user("why rain"), closes("So.", "chat")], name="d1")
    diversity = Diversity()
    for one in (first, second):
        diversity.add(one, annotate(one))
    figures = diversity.figures()
    # words without the filling "in": rain oslo, rain rome, why rain: 4 different of 6; 3 different pairs of 3
    assert figures.distinct == {"1": round(4 / 6, 4), "2": 1.0, "3": None}
    assert figures.utterances == Utterances(
        3, {"least": 8, "lower_quartile": 8, "median": 12, "upper_quartile": 12, "most": 12}
    )
    assert figures.tools == {"offered": 4, "called": 1}
    assert figures.parameters == {"offered": 9, "used": 1}
    assert figures.kinds == {"chat": 1, "single": 2}
    assert figures.references == {"coreference": 1, "first_turn": 2}
    assert figures.dialogues == 2
