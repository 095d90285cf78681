"""Invented values are found, and others are let through: measured on labelled values, and published in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.value_corpus import INVENTED, Scene, scenes, table
from tests.generation.dialogues import calls, closes, dialogue, results, tool, user
from toolgauge.annotation.dialogue import Action
from toolgauge.annotation.graph import annotate
from toolgauge.chat import Json
from toolgauge.generation.filters.grounding import without_source

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"


def test_the_docs_say_how_well_inventions_are_found() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "one", [one for one in scenes() if not one.held_out], ids=lambda one: f"{one.language}-{one.about}-{one.parameter}"
)
def test_what_was_given_is_never_refused(one: Scene) -> None:
    """False alarms cost a whole try, so there are none among those that were looked at."""
    assert [value for value, label in one.labelled if label != INVENTED and one.found(value) == INVENTED] == []


@pytest.mark.parametrize(
    ("key", "other", "is_stale"),
    [("product_id", "C-77", True), ("product_id", "P-77", True), ("id", "P-77", True), ("id", "C-77", False)],
)
def test_another_tasks_id_may_have_other_letters(key: str, other: str, is_stale: bool) -> None:
    turns: list[tuple[str, object]] = [
        ("user", "List shoes"),
        ("result", {"items": [{key: "P-1001"}, {key: "P-1002"}]}),
        ("user", "List coats, and order the cheapest one"),
        ("result", {"items": [{key: other}]}),
    ]
    one = Scene("en", "other task", turns, "product_id", {"type": "string"})
    assert (one.found("P-1001") == INVENTED) is is_stale
    assert one.found(other) != INVENTED


MAIL: Json = {
    "to": {"type": "string", "format": "email"},
    "body": {"type": "string", "description": "Text of the mail."},
}


@pytest.mark.parametrize(
    ("body", "unsaid"),
    [
        ("Hi Bo, sadly we cannot meet on Friday.", None),
        (
            "Hi Bo, let us meet on 25 May instead, call 555-0199. Mr Kowalski, INC-2044",
            "'555-0199', '25 May', 'INC-2044', 'Kowalski'",
        ),
    ],
)
def test_what_a_composed_text_claims_is_named(body: str, unsaid: str | None) -> None:
    """The text itself is tolerated, and a reviewer sees that it was written for the call."""
    call = Action("send_email", {"to": "bo@example.org", "body": body})
    said = user("Tell bo@example.org that we cannot meet on Friday.")
    one = dialogue([said, calls(call), results({}), closes("Sent.")], tools=(tool("send_email", **MAIL),))
    (found,) = without_source(annotate(one), one)
    assert found["path"] == "body"
    assert found.get("tolerated", False) is (unsaid is None)
    assert found["value"] == unsaid or unsaid is None
