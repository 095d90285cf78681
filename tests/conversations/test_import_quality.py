"""How well tasks are found: a floor under every number, and the published numbers are the measured ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.conversations.import_quality import Quality, demo, mini, quality, quality_of_cases, row, row_of_cases
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.data.load import load_dataset

PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("import.md", "zh/import.md")]
LANGUAGES = ("en", "zh")
DEMONSTRATED = LANGUAGES[: sized(1, 2)]
"""In which a demonstration is made, which takes longest."""


@cache
def of_mini(language: str) -> Quality:
    return quality(mini(language))


@pytest.fixture(scope="module")
def of_demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Quality]:
    folder = tmp_path_factory.mktemp("demo")
    return {language: quality(demo(language, folder / language)) for language in DEMONSTRATED}


def floor(made: Quality) -> None:
    assert min(made.begins.precision, made.begins.recall) >= 0.95
    assert min(made.kinds.recall, made.types.recall) >= 0.95
    assert min(made.edges.precision, made.edges.recall) >= 0.95
    assert made.references.recall >= 0.75


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_embedded_benchmark_is_found_again(language: str) -> None:
    made = of_mini(language)
    floor(made)
    assert (made.begins.meant, made.sources.recall >= 0.7) == (96, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_public_sessions_are_found_again(language: str, shared: Path) -> None:
    sessions = load_dataset(shared / "data/wildtoolbench/sample_sessions.jsonl", language=language).sessions
    made = quality(sessions)
    floor(made)
    assert made.begins.meant == 15


@pytest.mark.parametrize("language", LANGUAGES)
def test_conversations_as_assistants_of_today_have_them(language: str) -> None:
    for part in ("before", "held_out"):
        count = quality_of_cases(language, part)
        assert min(count.precision, count.recall) >= 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_published_numbers_are_the_measured_ones(language: str) -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        assert row("mini", language, of_mini(language)) in text
        assert row_of_cases(language, "held_out") in text
