"""Invented values are found, and others are let through: measured on labelled values, and published in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.value_corpus import INVENTED, Scene, scenes, table

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"


def test_the_docs_say_how_well_inventions_are_found() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "one", [one for one in scenes() if not one.held_out], ids=lambda one: f"{one.language}-{one.about}-{one.parameter}"
)
def test_what_was_given_is_never_refused(one: Scene) -> None:
    """False alarms cost a whole try, so there are none among those that were looked at."""
    assert [value for value, label in one.labelled if label != INVENTED and one.found(value) == INVENTED] == []
