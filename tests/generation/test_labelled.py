"""How well the filters judge what people labelled; docs/generation-checks.md publishes what this measures."""

from __future__ import annotations

from pathlib import Path

from tests.generation.labelled import table

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"


def test_the_docs_say_how_well_the_filters_judge() -> None:
    assert table() in DOCS.read_text(encoding="utf-8"), table()
