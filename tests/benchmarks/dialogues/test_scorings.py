"""The three scorings, defect by defect: each key of the specification's list has a test of that name here or beside."""

from __future__ import annotations

import json

from tests.judge.building import TEXT, call, calls, judge, judge_as_mmtb, labels, session, tool
from tests.rows import rows
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import ASK, FINAL
from toolgauge.judge.verdict import Verdict

ALL_CORRECT = {"exact": "correct", "released": "correct", "tables": "correct"}
ALL_ERROR = {"exact": "error", "released": "error", "tables": "error"}

PAPER = session(
    [("search", {"x": "s"}, []), ("create", {"x": "c"}, []), ("investigate", {"x": "i"}, [0]), ("finish", {}, [1, 2])]
)
"""The worked example of the paper's Figure 3: search -> investigate, create beside them, finish after both."""


def test_worked_example_optimal_path() -> None:
    verdicts = judge(
        PAPER,
        calls(call("create", x="c"), call("search", x="s")),
        calls(call("investigate", x="i")),
        calls(call("finish")),
        TEXT,
    )
    assert labels(verdicts) == ALL_CORRECT
    assert all(verdict.optimal and verdict.progress == (5, 5) for verdict in verdicts.values())


def test_worked_example_right_but_not_optimal() -> None:
    steps = [call("create", x="c"), call("search", x="s"), call("investigate", x="i"), call("finish")]
    verdicts = judge(PAPER, *map(calls, steps), TEXT)
    assert labels(verdicts) == ALL_CORRECT
    assert not any(verdict.optimal for verdict in verdicts.values())


def test_worked_example_progress_stops_at_the_first_failure() -> None:
    """Three of four calls, then a text: the paper's 75 % counts calls; with the closing reply it is 3 of 5."""
    verdicts = judge(
        PAPER, calls(call("create", x="c"), call("search", x="s")), calls(call("investigate", x="i")), TEXT
    )
    assert labels(verdicts) == ALL_ERROR
    assert {verdict.progress for verdict in verdicts.values()} == {(3, 5)}
    assert verdicts["exact"].mistake == "early_termination"


TWO = session([("A", {"x": "one"}, []), ("A", {"x": "two"}, [])])


def test_B1_namesakes_one_after_the_other_in_another_order() -> None:
    verdicts = judge(TWO, calls(call("A", x="two")), calls(call("A", x="one")), TEXT)
    assert labels(verdicts) == {"exact": "correct", "released": "error", "tables": "correct"}
    assert verdicts["released"].action_label == "correct"  # names agree; the first candidate's arguments do not


def test_B1_a_namesake_with_a_successor_of_its_own() -> None:
    graph = session([("A", {"x": "one"}, []), ("A", {"x": "two"}, []), ("C", {}, [1])])
    run = [calls(call("A", x="two")), calls(call("A", x="one"), call("C")), TEXT]
    assert labels(judge(graph, *run)) == {"exact": "correct", "released": "error", "tables": "error"}


def test_B2_pairing_by_text_order() -> None:
    """Another key order makes the texts sort otherwise: released pairs the wrong calls, exact does not care."""
    graph = session([("A", {"n": 1, "x": "bbbb"}, []), ("A", {"n": 2, "x": "aaaa"}, [])])
    step = calls(call("A", '{"x": "bbbb", "n": 1}'), call("A", '{"x": "aaaa", "n": 2}'))
    verdicts = judge(graph, step, TEXT)
    assert labels(verdicts) == {"exact": "correct", "released": "error", "tables": "correct"}


def test_B3_a_called_pseudo_action() -> None:
    question = {"tool_list": [{"tool_name": "A", "missing_required_parameters": ["x"]}]}
    graph = session([(ASK, question, []), ("A", {"x": "one"}, [0])])
    run = [calls(call(ASK, json.dumps(question))), calls(call("A", x="one")), TEXT]
    verdicts = judge(graph, *run)
    assert labels(verdicts) == {"exact": "error", "released": "correct", "tables": "error"}
    assert verdicts["exact"].mistake == "unknown_tool"


def test_B5_progress_counts_calls_not_requests() -> None:
    graph = session([("A", {}, []), ("B", {}, []), ("C", {}, [])])
    assert {v.progress for v in judge(graph, calls(call("A"), call("B"), call("C")), TEXT).values()} == {(4, 4)}
    assert {v.progress for v in judge(graph, calls(call("A")), calls(call("A"))).values()} == {(1, 4)}


def test_B7_a_clarification_beside_a_call_prunes() -> None:
    """A question that may be asked beside a call: after it, it is done in every scoring."""
    graph = session([(ASK, {"tool_list": []}, []), ("A", {}, [])])
    assert labels(judge(graph, Reply("which?"), calls(call("A")), TEXT)) == ALL_CORRECT
    assert labels(judge(graph, calls(call("A")), Reply("which?"), TEXT)) == ALL_CORRECT


def test_D1_a_legal_grouping_that_the_four_rules_reject() -> None:
    graph = session([("A", {"x": "one"}, []), ("A", {"x": "two"}, []), ("B", {}, [])])
    run = [calls(call("A", x="one"), call("B")), calls(call("A", x="two")), TEXT]
    assert labels(judge(graph, *run)) == {"exact": "correct", "released": "error", "tables": "error"}


@rows(
    "last",
    [Reply(), calls(ToolCall(None, "A", "{}")), calls(ToolCall("i", None, "{}")), calls(ToolCall("i", "A", None))],
    ids=["empty", "no id", "no name", "no arguments"],
)
def test_K1_runs_that_stopped_the_released_scorer(last: Reply) -> None:
    graph = session([("A", {}, [])])
    assert labels(judge(graph, last)) == ALL_ERROR


def test_K2_a_text_beyond_the_table_is_only_this_task_s_error() -> None:
    graph = session([("A", {}, [])])
    verdicts = judge(graph, calls(call("A")), calls(call(FINAL, '{"answer_type": "tool"}')), TEXT)
    assert labels(verdicts) == ALL_ERROR


def test_K3_arguments_as_an_object_are_read() -> None:
    verdicts = judge(session([("A", {"x": "one"}, [])]), calls(ToolCall("i", "A", {"x": "one"})), TEXT)
    assert labels(verdicts) == ALL_CORRECT


def test_Q1_no_arguments_text_for_a_tool_without_parameters() -> None:
    graph = session([("A", {}, [])])
    assert labels(judge(graph, calls(call("A", "{}")), TEXT)) == ALL_CORRECT
    assert labels(judge(graph, calls(call("A", "")), TEXT)) == ALL_ERROR | {"exact": "correct"}


def test_Q2_an_integer_for_a_number() -> None:
    graph = session([("A", {"f": 200.0}, [])], tool("A", f={"type": "number"}))
    assert labels(judge(graph, calls(call("A", f=200)), TEXT)) == {
        "exact": "correct",
        "released": "error",
        "tables": "correct",
    }


def test_Q8_the_fault_is_that_of_the_paired_call() -> None:
    """The last candidate lacks nothing of `n`; the paired one, nearest by score, differs in `x` alone."""
    graph = session([("A", {"x": "alpha", "n": 1}, []), ("A", {"x": "beta", "n": 2}, [])])
    verdicts = judge_as_mmtb(graph, calls(call("A", x="gamma", n=1), call("A", x="beta", n=2)), TEXT)
    assert verdicts["released"].wrong_arguments == (("A", "x"),)
    assert verdicts["released"].mistake == "wrong_value"


def test_M1_bad_json_keeps_the_names_right() -> None:
    verdicts = judge_as_mmtb(session([("A", {"x": "one"}, [])]), calls(call("A", "{")), TEXT)
    assert {v.action_label for v in verdicts.values()} == {"correct"}
    assert {v.mistake for v in verdicts.values()} == {"bad_json"}


def test_M7_an_argument_failure_is_no_full_progress() -> None:
    graph = session([("A", {"x": "one"}, []), ("B", {"x": "two"}, [0])])
    verdicts = judge_as_mmtb(graph, calls(call("A", x="one")), calls(call("B", x="wrong")), TEXT)
    assert {v.progress for v in verdicts.values()} == {(1, 3)}


def test_the_earliest_error_decides() -> None:
    """Wrong arguments first, wrong names then: an argument error, but `tables` looks at the names first."""
    graph = session([("A", {"x": "one"}, []), ("B", {}, [0])])
    verdicts = judge(graph, calls(call("A", x="quite other")), calls(call("A", x="one")))
    assert (verdicts["exact"].action_label, verdicts["exact"].mistake) == ("correct", "wrong_value")
    assert (verdicts["released"].action_label, verdicts["released"].mistake) == ("correct", "wrong_value")
    assert verdicts["tables"].action_label == "error"


def test_what_follows_the_released_end_does_not_name_the_mistake() -> None:
    """A legal order goes on where the four rules ended; in the original's file the run stops there."""
    graph = session([("A", {"x": "one"}, []), ("A", {"x": "two"}, []), ("C", {}, [1])])
    run = [calls(call("A", x="two")), calls(call("C")), calls(call("A", x="one")), TEXT]
    whole, recorded = judge(graph, *run), judge(graph, *run[:2])
    assert whole["exact"].label == "correct"
    assert whole["tables"] == recorded["tables"]
    assert whole["tables"].mistake == "early_termination"


def test_a_recording_that_ends_early_is_an_error_without_a_class() -> None:
    verdicts = judge(TWO, calls(call("A", x="one")))
    assert labels(verdicts) == ALL_ERROR
    assert {verdict.mistake for verdict in verdicts.values()} == {None}


def test_best_assignment_reports_the_nearest_call() -> None:
    graph = session([("A", {"x": "one", "n": 1}, []), ("A", {"x": "two", "n": 2}, [])])
    verdict = judge(graph, calls(call("A", x="two", n=3), call("A", x="one", n=1)), TEXT)["exact"]
    assert verdict.mistake == "wrong_value"
    assert verdict.detail == "A(n): error_match: value mismatch at 'n'"


def test_identical_calls_in_different_places() -> None:
    """Two equal calls, one of which leads on: whichever was meant first, the run is right."""
    graph = session([("A", {"x": "same"}, []), ("A", {"x": "same"}, []), ("B", {}, [1])])
    verdicts = judge(graph, calls(call("A", x="same")), calls(call("B")), calls(call("A", x="same")), TEXT)
    assert verdicts["exact"] == Verdict("correct", "correct", False, (4, 4))


def test_a_single_blank_closes_a_task() -> None:
    assert labels(judge(session([]), Reply(" "))) == ALL_CORRECT
    assert labels(judge(session([]), Reply(""))) == ALL_ERROR


def test_asking_once_too_often_fails() -> None:
    graph = session([(ASK, {"tool_list": []}, []), ("A", {}, [0])])
    verdicts = judge(graph, Reply("which?"), Reply("really?"))
    assert labels(verdicts) == ALL_ERROR
    assert verdicts["exact"].mistake == "early_termination"
