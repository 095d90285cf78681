"""How well reference labels and true multi-turn are told, on labelled messages; docs/generation-checks.md has what this
measures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.annotation.labelled_references import LABELS, Found, Measured, measured, reference_cases
from tests.generation.dialogues import rebuilt
from toolgauge.annotation.graph import annotate
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.session import Session

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
