"""Which calls need each other: one rule at a time (precision and recall: tests/generation/test_labelled.py)."""

from __future__ import annotations

import pytest

from tests.generation.dialogues import calls, closes, dialogue, results, tool, user
from toolgauge.annotation.dialogue import Action
from toolgauge.annotation.edges import EVIDENCE
from toolgauge.annotation.graph import annotate
from toolgauge.annotation.ordering import are_free, order_of, telling
from toolgauge.annotation.writes import written_thing
from toolgauge.chat import Json, ToolFacts, ToolHints


def test_a_value_that_was_known_before_does_not_hide_the_plan() -> None:
    """The doctor was named by the user, and stands in the result as well."""
    looked = [calls(Action("list_slots", {"doctor": "Dr Weiss"}), plan="Call list_slots, then book_slot sequentially.")]
    turns = [
        [*looked, results({"doctor": "Dr Weiss"})],
        [calls(Action("book_slot", {"doctor": "Dr Weiss"})), results({})],
    ]
    task = annotate(dialogue([user("a slot with Dr Weiss"), *turns, closes("Done.")])).tasks[0]
    assert task.calls[1].after == (0,)
    reasons = [(edge["why"], edge["kept"]) for edge in task.calls[1].extra[EVIDENCE]]
    assert reasons == [("value", False), ("plan", True)]


@pytest.mark.parametrize(("hint", "needs"), [(None, (0,)), (True, ()), (False, (0,))])
def test_the_server_knows_best_whether_a_tool_writes(hint: bool | None, needs: tuple[int, ...]) -> None:
    text = {"type": "string"}
    first = tool("set_page", path=text).noting(ToolFacts(annotations=ToolHints(read_only_hint=hint)))
    turns = [[calls(Action("set_page", {"path": "a/b.md"})), results({})]]
    turns += [[calls(Action("read_page", {"path": "a/b.md"})), results({})]]
    tools = (first, tool("read_page", path=text))
    assert annotate(dialogue([user("a/b.md"), *turns, closes(".")], tools=tools)).tasks[0].calls[1].after == needs


def test_words_of_any_length_are_read_in_time() -> None:
    for text in ("then " * 20_000, " " * 100_000, "first" * 20_000, "先" * 50_000, "after a, " * 10_000):
        order_of(telling([text], ["look_up", "book_it"]), "look_up", "book_it")
        are_free([text])


def test_two_calls_of_one_tool_do_not_follow_from_what_they_write() -> None:
    call: tuple[str, Json, Json] = ("add_guest", {"event_id": "EV-1", "name": "Ada"}, {})
    assert written_thing(call, call) is None
