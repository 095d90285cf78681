"""`exact` over namesakes: which annotated call a wrong one is told to miss, and which calls may be exchanged."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from tests.judge.building import TEXT, Node, call, calls, judge, session, tool
from tests.rows import rows
from toolgauge.chat import Reply
from toolgauge.data.session import Acceptance, Session
from toolgauge.judge.exact import follow
from toolgauge.judge.replies import AnnotatedTask, MadeCall, annotated_task
from toolgauge.judge.values import exact_faults
from toolgauge.judge.wrong_arguments import wrong_arguments

TWO = session([("a", {"x": "one", "n": 1}, []), ("a", {"x": "two", "n": 2}, [])])


def missed(what: Session, *replies: Reply) -> list[tuple[str, str | None, str | None]]:
    found = wrong_arguments(AnnotatedTask(what, what.tasks[0]), exact_faults, replies)
    return [(one.path, one.made, one.expected) for one in found]


def test_a_wrong_call_misses_one_that_is_still_due() -> None:
    right = calls(call("a", x="one", n=1))
    assert missed(TWO, right, calls(call("a", x="one", n=2))) == [("x", '"one"', '"two"')]
    assert missed(TWO, calls(call("a", x="two", n=1), call("a", x="two", n=3))) == [
        ("x", '"two"', '"one"'),
        ("n", "3", "2"),
    ]


def test_each_call_right_by_itself_and_not_together() -> None:
    """What leads to the first b is the first a, what leads to the second is the second: only one of them was called."""
    nodes: list[Node] = [("a", {}, []), ("a", {}, []), *(("b", {"n": number}, [number % 2]) for number in range(4))]
    verdict = judge(session(nodes), calls(call("a")), calls(call("b", n=0), call("b", n=1)))["exact"]
    assert (verdict.mistake, verdict.code, verdict.progress) == ("wrong_value", "of_another_call", (1, 7))
    assert (verdict.parameters, verdict.wrong_arguments) == ({"tool": "b"}, UNSET)
    assert judge(session(nodes), calls(call("a")), calls(call("b", n=0), call("b", n=2)))["exact"].code == "run_ends"


@rows("node", [0, 1])
@rows("otherwise", [None, Acceptance({"/x": ("never",)})])
def test_calls_that_accept_other_values_are_no_twins(node: int, otherwise: Acceptance | None) -> None:
    what = session([("a", {"x": "one"}, []), ("a", {"x": "one"}, [])])
    task = what.tasks[0]
    taken = {node: Acceptance({"/x": ("else",)}), 1 - node: otherwise}
    accepting = tuple(replace(one, acceptance=taken.get(one.index)) for one in task.calls)
    one, other = call("a", x="one"), call("a", x="else")
    for step in (calls(one, other), calls(other, one)):
        assert judge(replace(what, tasks=(replace(task, calls=accepting),)), step, TEXT)["exact"].correct


def test_after_a_wrong_call_the_others_still_find_theirs() -> None:
    chain = session([("a", {"x": "one"}, []), ("b", {"n": 1}, [0]), ("c", {"n": 2}, [1])])
    run = [calls(call("a", x="none")), calls(call("c", n=2)), calls(call("b", n=7), call("z")), TEXT]
    what = follow(AnnotatedTask(chain, chain.tasks[0]), exact_faults, run)
    assert [(one.step, one.call, one.node, one.early) for one in what.made] == [
        (0, 0, 0, False), (1, 0, 2, True), (2, 0, 1, False), (2, 1, None, False), (3, None, 3, False),
    ]  # fmt: skip
    assert (what.failing, what.due) == (0, (0,))
    right = follow(AnnotatedTask(TWO, TWO.tasks[0]), exact_faults, [calls(call("a", x="two", n=2))])
    assert [one.node for one in right.made] == [1]
    assert (right.failing, right.due) == (1, (0,))


def test_an_early_text_stands_for_nothing() -> None:
    what = follow(AnnotatedTask(TWO, TWO.tasks[0]), exact_faults, [TEXT])
    assert [(one.made, one.node) for one in what.made] == [(None, None)]


def test_a_task_is_prepared_once() -> None:
    assert annotated_task(TWO, 0) is annotated_task(TWO, 0)


def test_a_tool_that_is_not_offered_has_no_parameters() -> None:
    task = AnnotatedTask(TWO, TWO.tasks[0])
    assert task.schema("nobody") == {}
    assert task.named(MadeCall("nobody", {})) == 0
    assert task.named(MadeCall("prepare_to_answer", {})) == 0
    assert task.gold_texts[:2] == ('{"x": "one", "n": 1}', '{"x": "two", "n": 2}')


@rows(
    ("raw", "text"),
    [
        ('{"x": 1}', '{"x": 1}'),
        ({"x": "城"}, '{"x": "城"}'),
        ({"x": {1}}, "<class 'dict'>"),
        ({(1,): 1}, "<class 'dict'>"),
    ],
)
def test_arguments_as_text(raw: object, text: str) -> None:
    assert MadeCall("a", raw).text == text


def test_calls_without_an_answer_in_the_graph() -> None:
    """A tool on offer that no annotated call names."""
    what = session([("a", {"n": 1}, [])], tool("a", n={"type": "integer"}), tool("b"))
    assert judge(what, calls(call("a", n=1), call("b")))["exact"].code == "not_in_answer"
