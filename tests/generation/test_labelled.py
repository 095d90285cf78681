"""How well the filters judge what people labelled; docs/generation-checks.md publishes what this measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generation.labelled import ANY, FILES, FORMS, cases, corpora, table

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"
FEWEST = 40
"""Cases of a filter in a language."""


def test_the_docs_say_how_well_the_filters_judge() -> None:
    assert table() in DOCS.read_text(encoding="utf-8"), table()


@pytest.mark.parametrize("name", corpora())
def test_a_corpus_is_large_enough_and_has_both_sides(name: str) -> None:
    rows = cases(name)
    languages = {one.language for one in rows} - {ANY} or {ANY}
    for language in languages:
        of_language = [one for one in rows if one.language in (language, ANY)]
        assert len(of_language) >= FEWEST
        for held_out in (False, True):
            faulty = [one.is_faulty(name) for one in of_language if one.held_out is held_out]
            assert any(faulty)
            assert not all(faulty)
        assert sum(one.held_out for one in of_language) >= 5


def test_every_corpus_has_a_form() -> None:
    assert {FILES.get(name, name) for name in corpora()} == set(FORMS)


@pytest.mark.parametrize("name", corpora())
def test_no_case_stands_there_twice(name: str) -> None:
    rows = cases(name)
    assert len({repr(one) for one in rows}) == len(rows), [one for one in rows if rows.count(one) > 1]
