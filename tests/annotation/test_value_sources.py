"""Invented values are found, and others are let through: measured on labelled values, and published in the docs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.annotation.value_corpus import INVENTED, Scene, scenes, table
from tests.generation.dialogues import calls, closes, dialogue, results, tool, user
from toolgauge.annotation.dialogue import Action
from toolgauge.annotation.graph import annotate
from toolgauge.annotation.grounding.parameters import Parameter
from toolgauge.annotation.grounding.parameters import ParameterKind as K
from toolgauge.chat import Json
from toolgauge.generation.filters.grounding import without_source

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"


def test_the_corpus_is_what_it_should_be() -> None:
    labels = Counter((one.language, label) for one in scenes() for _, label in one.labelled)
    total, invented = labels.total(), sum(labels[language, INVENTED] for language in ("en", "zh"))
    assert total >= 400
    assert invented * 3 >= total
    assert sum(labels["zh", label] for label in ("grounded", "composed", INVENTED)) * 3 >= total
    held_out = sum(len(one.labelled) for one in scenes() if one.held_out)
    assert 0.15 * total < held_out < 0.25 * total


def test_the_docs_say_how_well_inventions_are_found() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "one", [one for one in scenes() if not one.held_out], ids=lambda one: f"{one.language}-{one.about}-{one.parameter}"
)
def test_what_was_given_is_never_refused(one: Scene) -> None:
    """False alarms cost a whole try, so there are none among those that were looked at."""
    assert [value for value, label in one.labelled if label != INVENTED and one.found(value) == INVENTED] == []


@pytest.mark.parametrize(
    ("words", "is_given"),
    [
        ("Order a coffee.", True),
        ("I want an umbrella, and fast.", True),
        ("A large pizza, please.", True),
        ("I've had a hell of a week, order beans.", False),
        ("I had a quarrel with my boss. Buy beans.", False),
    ],
)
def test_an_article_counts_where_something_is_asked_for(words: str, is_given: bool) -> None:
    one = Scene("en", "one", [("user", words)], "quantity", {"type": "integer"})
    assert (one.found(1) != INVENTED) is is_given


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


@pytest.mark.parametrize(
    ("name", "kind", "is_one"),
    [
        ("units", K.COUNT, True),
        ("unit", K.COUNT, False),
        ("room_number", K.COUNT, False),
        ("maxResults", K.COUNT, True),
        ("guestName", K.PERSON, True),
        ("zip_code", K.BODY, False),
        ("tracking_number", K.ID, True),
        ("message", K.BODY, True),
        ("message_id", K.BODY, False),
    ],
)
def test_names_say_what_a_parameter_is_for(name: str, kind: K, is_one: bool) -> None:
    assert (kind in Parameter(name).kinds) is is_one


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
