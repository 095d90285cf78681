"""How well reference labels and true multi-turn are told, on labelled messages; docs/generation-checks.md has what this
measures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.annotation.labelled_references import LABELS, Found, Measured, measured, reference_cases
from tests.generation.dialogues import calls, closes, dialogue, rebuilt, results, user
from toolgauge.annotation.dialogue import Action
from toolgauge.annotation.graph import REFERENCES, annotate
from toolgauge.annotation.leaning import cues_in
from toolgauge.annotation.references import VerifiedReference, reference_of
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.session import Reference, Session
from toolgauge.generation.agents.patterns import bundled_patterns

PAGE = Path(__file__).parents[2] / "docs" / "generation-checks.md"
MINI = Path(__file__).parents[2] / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
NAMES = {"en": "English", "zh": "Chinese"}


@cache
def of(language: str, part: str | None = None) -> Measured:
    return measured([one for one in reference_cases(part) if one.language == language])


def row(language: str, name: str, whole: Found, held_out: Found) -> str:
    rates = " | ".join(f"{one.labelled} | {one.precision:.3f} | {one.recall:.3f}" for one in (whole, held_out))
    return f"| {NAMES[language]} | {name} | {rates} |"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_published_numbers_are_the_measured_ones(language: str) -> None:
    page = PAGE.read_text("utf-8")
    whole, held_out = of(language), of(language, "held_out")
    assert row(language, "true multi-turn", whole.multi_turn, held_out.multi_turn) in page
    for label in LABELS:
        name = label.value.replace("_", " ")
        assert row(language, name, whole.references[label], held_out.references[label]) in page


def test_the_corpus_is_as_large_and_as_mixed_as_it_is_said_to_be() -> None:
    messages = [(one.part, later) for one in reference_cases() for later in one.later]
    assert len(messages) >= 300
    assert sum(later.reference is None for _, later in messages) * 3 >= len(messages)
    assert sum(part == "held_out" for part, _ in messages) * 5 >= len(messages)
    asked = {language: (of(language).requests, of(language).with_calls) for language in NAMES}
    page = PAGE.read_text("utf-8")
    took, all_of_them = sum(one for one, _ in asked.values()), sum(two for _, two in asked.values())
    assert f"{took} requests; asking the planner every time would have taken {all_of_them}." in page


def corrected(session: Session) -> tuple[int, int]:
    """Of the labels that people gave: those that would be corrected, and all."""
    one = annotate(rebuilt(session))
    pairs = list(zip(session.tasks[1:], one.tasks[1:], strict=True))
    return sum(people.reference is not found.reference for people, found in pairs), len(pairs)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_labels_by_the_authors_of_the_embedded_benchmark_stay(language: str) -> None:
    found = [corrected(session) for session in load_dataset(MINI, language=language).sessions]
    assert sum(wrong for wrong, _ in found) <= 2
    assert sum(every for _, every in found) == 96


def test_labels_by_the_authors_of_the_public_sessions_stay(shared: Path) -> None:
    sessions = load_dataset(shared / "data/wildtoolbench/sample_sessions.jsonl", language="en").sessions
    assert [corrected(session) for session in sessions] == [(0, 3)] * 5


@pytest.mark.parametrize("language", ["en", "zh"])
def test_wrong_labels_of_those_sessions_are_corrected_more_often_than_spoilt(language: str) -> None:
    righted = spoilt = 0
    for session in load_dataset(MINI, language=language).sessions:
        tasks = annotate(rebuilt(session)).tasks
        for people, task in zip(session.tasks[1:], tasks[1:], strict=True):
            for drawn in set(LABELS) - {people.reference}:
                found = reference_of(task, tasks[: task.index], language, drawn).label
                righted += found is people.reference
                spoilt += found not in (people.reference, drawn)
    assert (righted > 90, spoilt <= 5) == (True, True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_whole_messages_have_no_cue(language: str) -> None:
    """First messages, and the full meaning of later ones, lean on nothing."""
    whole = [session.tasks[0].utterance for session in load_dataset(MINI, language=language).sessions]
    whole += [turn.task for one in bundled_patterns(language) for turn in one.earlier[:1]]
    whole += [one.meaning for one in bundled_patterns(language)]
    sure = {text: cues for text in whole if (cues := [cue for cue in cues_in(text, language) if cue.sure])}
    assert len(sure) <= 2, sure


def verified(*, words: str, city: str, drawn: Reference, far: bool = False) -> VerifiedReference:
    """A message behind a question about the weather in Oslo, and small talk where that is far."""

    def weather(said: str, place: str) -> list[object]:
        return [user(said), calls(Action("get_weather", {"city": place})), results({"sky": "grey"}), closes("Grey.")]

    talk = [[user("how do frogs sleep?"), *closes("With open eyes.", "chat")]] if far else []
    one = dialogue(weather("weather in Oslo?", "Oslo"), *talk, weather(words, city),
                   references=[Reference.FIRST_TURN, *[drawn] * (1 + far)])  # fmt: skip
    session = annotate(one)
    origin = session.extra["origin"]
    assert isinstance(origin, dict)
    assert session.tasks[-1].reference.value == origin[REFERENCES][-1]["label"]
    return reference_of(session.tasks[-1], session.tasks[:-1], "en", drawn)


def test_a_label_that_was_drawn_is_corrected_with_its_evidence() -> None:
    found = verified(words="is it still grey there?", city="Oslo", drawn=Reference.PARTIAL_INFORMATION)
    assert found.label is Reference.COREFERENCE
    assert [(one.why.value, one.quote, one.task) for one in found.evidence] == [
        ("points", "there", None), ("value", "Oslo", 0),
    ]  # fmt: skip
    found = verified(words="and now?", city="Oslo", drawn=Reference.COREFERENCE)
    assert found.label is Reference.PARTIAL_INFORMATION
    found = verified(words="tell me if I need an umbrella", city="Oslo", drawn=Reference.COREFERENCE, far=True)
    assert found.label is Reference.LONG_RANGE


def test_in_doubt_the_label_that_was_drawn_stays() -> None:
    for drawn in (Reference.COREFERENCE, Reference.PARTIAL_INFORMATION):
        assert verified(words="what's the weather in Rome?", city="Rome", drawn=drawn).label is drawn
        assert verified(words="is it wet outside?", city="Oslo", drawn=drawn).label is drawn


def test_messages_of_any_length_are_read_in_time() -> None:
    for text in ("it " * 50_000, "那个" * 50_000, "the one " * 20_000, "and " * 50_000, "第一" * 50_000, '"' * 50_000):
        for language in NAMES:
            cues_in(text, language)
