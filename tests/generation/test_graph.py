"""The graph of calls is what is stated, what the judge adds or takes out, and what values prove; nothing else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.generation.dialogues import asks, calls, closes, dialogue, results, tool, user
from tests.rows import rows
from toolgauge.data.meaning import Comparison
from toolgauge.data.session import Call, Reference, TaskType
from toolgauge.generation.dialogue import (
    Action,
    ArgumentVerdict,
    Dialogue,
    EdgeVerdict,
    Need,
    Proposal,
    Referral,
    Ruling,
    Verdict,
)
from toolgauge.generation.graph import EVIDENCE, JUDGED, Unfinished, annotate

TEXT = {"type": "string"}
TOOLS = (
    tool("create", "", ["who"], who=TEXT),
    tool("relate", "", ["one", "other"], one=TEXT, other=TEXT),
    tool("delete", "", ["who"], who=TEXT, kind={**TEXT, "default": "any"}),
)


def call(id_: str, name: str, *needs: Need, **arguments: object) -> Action:
    return Action(name, arguments, "", id_, needs)


def graph(one: Dialogue, verdict: Verdict | None = None, task: int = 0) -> tuple[Call, ...]:
    tasks = list(one.tasks)
    tasks[task] = replace(tasks[task], verdict=verdict)
    return annotate(replace(one, tasks=tuple(tasks))).tasks[task].calls


def made(*turns: object) -> Dialogue:
    return dialogue([user("Ana and Ben are friends; Cy is gone."), *turns, closes("Done.")], tools=TOOLS)


MIXED = made(
    calls(call("a1", "create", who="Ana"), call("a2", "create", who="Ben")),
    results({"id": "N-4711"}, {"id": "N-4712"}),
    calls(
        call("a3", "relate", Need("a1", "write"), Need("a2", "write"), one="Ana", other="Ben"),
        call("a4", "delete", who="Cy"),
    ),
    results("ok", "ok"),
)


def test_two_independent_calls_then_one_that_needs_both_are_mixed() -> None:
    (task,) = annotate(MIXED).tasks
    assert [one.after for one in task.calls] == [(), (), (0, 1), (), (2, 3)]
    assert task.type is TaskType.MIXED_TOOLS
    evidence = task.calls[2].extra[EVIDENCE]
    assert [(one["from"], one["why"], one["reason"]) for one in evidence] == [
        (0, "stated", "write"),
        (1, "stated", "write"),
    ]


def test_what_was_made_first_is_not_needed_for_that() -> None:
    """`delete` beside `create` has no edge, though it was called later."""
    assert annotate(MIXED).tasks[0].calls[3].after == ()


def test_a_value_that_stands_only_in_a_result_is_an_edge() -> None:
    one = made(
        calls(call("a1", "create", who="Ana")), results({"id": "N-4711"}),
        calls(call("a2", "delete", who="N-4711"), call("a3", "delete", who="Cy")), results("ok", "ok"),
    )  # fmt: skip
    found = graph(one)
    assert [two.after for two in found] == [(), (0,), (), (1, 2)]
    assert found[1].extra[EVIDENCE] == [
        {"from": 0, "to": 1, "why": "value", "certain": True, "kept": True, "path": "who"}
    ]
    assert found[1].sources == {"who": [{"from": "result", "task": 0, "step": 0, "path": "id"}]}


def test_a_value_that_was_said_too_proves_nothing() -> None:
    one = made(calls(call("a1", "create", who="Ana")), results({"id": "Ben"}), calls(call("a2", "delete", who="Ben")),
               results("ok"))  # fmt: skip
    assert [two.after for two in graph(one)] == [(), (), (0, 1)]


def test_the_judge_adds_edges_and_takes_out_what_no_value_proves() -> None:
    verdict = Verdict(True, missing=(EdgeVerdict(0, 3, "first things first"),), false=(EdgeVerdict(1, 2, "not so"),))
    found = graph(MIXED, verdict)
    assert [one.after for one in found] == [(), (), (0,), (0,), (1, 2, 3)]
    assert [one["kept"] for one in found[2].extra[EVIDENCE]] == [True, False]
    value = made(calls(call("a1", "create", who="Ana")), results({"id": "N-4711"}),
                 calls(call("a2", "delete", who="N-4711")), results("ok"))  # fmt: skip
    assert graph(value, Verdict(True, false=(EdgeVerdict(0, 1),)))[1].after == (0,)


def test_questions_wait_and_are_waited_for() -> None:
    one = dialogue(
        [
            user("delete it"),
            asks("What?", "Ana", "delete", "who"),
            calls(call("a1", "delete", who="Ana")),
            results("ok"),
            closes("Done."),
        ],
        tools=TOOLS,
    )
    (task,) = annotate(one).tasks
    assert [two.after for two in task.calls] == [(), (0,), (1,)]
    assert task.calls[1].sources == {"who": [{"from": "reply", "task": 0, "step": 0, "quote": "Ana"}]}
    assert task.type is TaskType.CLARIFY


def test_what_the_judge_accepts_is_annotated() -> None:
    one = made(calls(call("a1", "delete", who="Cy", kind="person")), results("ok"))
    ruled = ArgumentVerdict(0, "kind", "person", Ruling.IMPLIED, "Cy is one", ("human",))
    free = ArgumentVerdict(0, "who", "Cy", Ruling.STATED, compare="text")
    (found, _) = graph(one, Verdict(True, arguments=(ruled, free)))
    assert found.acceptance is not None
    assert (found.acceptance.accept, dict(found.acceptance.compare)) == ({"/kind": ("human",)}, {"/who": "text"})
    assert found.acceptance.defaults == {"/kind": "any"}
    open_ended = Verdict(True, arguments=(ArgumentVerdict(0, "who", "Cy", Ruling.IMPLIED, compare="any"),))
    (left_open, _) = graph(one, open_ended)
    assert left_open.acceptance is not None
    assert left_open.acceptance.compare == {"/who": "any"}
    assert found.sources["kind"] == [{"from": "knowledge", "note": "Cy is one"}]


def test_the_reference_is_the_judges_then_the_users_then_the_drawn_one() -> None:
    talk = [user("and?"), closes("So.", "chat")]
    one = dialogue(talk, talk, references=(Reference.FIRST_TURN, Reference.LONG_RANGE), tools=TOOLS)
    assert annotate(one).tasks[1].reference is Reference.LONG_RANGE
    intent = Proposal("and?", refers_to=Referral(Reference.COREFERENCE, 0))
    one = replace(one, tasks=(one.tasks[0], replace(one.tasks[1], intent=intent)))
    assert annotate(one).tasks[1].reference is Reference.COREFERENCE
    verdict = Verdict(True, reference=Reference.PARTIAL_INFORMATION, reason="leaves out who")
    one = replace(one, tasks=(one.tasks[0], replace(one.tasks[1], verdict=verdict)))
    session = annotate(one)
    assert session.tasks[1].reference is Reference.PARTIAL_INFORMATION
    assert session.extra["origin"][JUDGED][1]["reason"] == "leaves out who"


@rows(
    "turns",
    [
        [],
        [calls(call("a1", "create", who="Ana"))],
        [user("hi"), calls(call("a1", "create", who="Ana")), closes("Done.")],
        [user("hi"), closes("Done."), closes("Done.")],
    ],
)
def test_turns_that_make_no_whole_task(turns: list[object]) -> None:
    with pytest.raises(Unfinished):
        annotate(dialogue(turns, tools=TOOLS))


def test_what_a_judge_accepts_is_what_an_annotation_can_hold() -> None:
    """Other values of the right type, a few; a wording for texts alone."""
    one = made(calls(call("a1", "create", who="the gardener")), results({"id": "N-4711"}))
    values = ("the gardener", 7, None, *(f"name {number}" for number in range(30)))
    ruling = ArgumentVerdict(0, "who", "the gardener", Ruling.IMPLIED, "known", values, "text")
    acceptance = graph(one, Verdict(True, "", (ruling,)))[0].acceptance
    assert acceptance is not None
    assert acceptance.accept == {"/who": tuple(f"name {number}" for number in range(8))}
    assert acceptance.compare == {"/who": Comparison.TEXT}
