"""The classes of mistakes: ours by cause, MMTB's by its decision procedure (docs/rules.md#mistakes)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.judge.building import TEXT, call, calls, judge, session, tool
from tests.rows import rows
from toolgauge.benchmarks.dialogues.judge.mmtb import official_action_class
from toolgauge.benchmarks.dialogues.judge.scorings import MMTB_CLASSES, PAPER_COLUMNS
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import ASK, FINAL, Session
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.replies import published_turns

TOOLS = (
    tool("A", x={"type": "string", "needed": True}, n={"type": "integer"}, o={"type": "string"}),
    tool("B"),
    tool("Z"),
)
CHAIN = session([("A", {"x": "one", "n": 1}, []), ("B", {}, [0])], *TOOLS)
ASKED = session([(ASK, {"tool_list": []}, []), ("A", {"x": "one", "n": 1}, [0])], *TOOLS)
CHAT = session([], *TOOLS)
RIGHT = calls(call("A", x="one", n=1))

CASES: list[tuple[Mistake, Session, list[Reply]]] = [
    (Mistake.TRUNCATED, CHAIN, [Reply("I will", finish_reason="length")]),
    (Mistake.FILTERED, CHAIN, [Reply(finish_reason="content_filter")]),
    (Mistake.ONLY_REASONING, CHAIN, [Reply(reasoning="Hm.", finish_reason="stop")]),
    (Mistake.EMPTY_OUTPUT, CHAIN, [Reply()]),
    (Mistake.MALFORMED_CALL, CHAIN, [calls(ToolCall(None, "A", "{}"))]),
    (Mistake.UNKNOWN_TOOL, CHAIN, [calls(call("nobody"))]),
    (Mistake.UNKNOWN_TOOL, ASKED, [calls(call("nobody"))]),
    (Mistake.REFUSAL, CHAIN, [TEXT]),
    (Mistake.NEEDLESS_TOOL, CHAT, [calls(call("Z"))]),
    (Mistake.MISSED_CLARIFICATION, ASKED, [RIGHT]),
    (Mistake.EARLY_TERMINATION, CHAIN, [RIGHT, TEXT]),
    (Mistake.ORDER_VIOLATION, CHAIN, [calls(call("B"))]),
    (Mistake.ORDER_VIOLATION, CHAIN, [calls(call("A", x="one", n=1), call("B"))]),
    (Mistake.WRONG_TOOL, CHAIN, [calls(call("Z"))]),
    (Mistake.WRONG_TOOL, CHAIN, [RIGHT, calls(call("B")), calls(call("Z"))]),
    (Mistake.REDUNDANT_CALL, CHAIN, [RIGHT, RIGHT]),
    (Mistake.REDUNDANT_CALL, CHAIN, [calls(call("A", x="one", n=1), call("A", x="one", n=1))]),
    (Mistake.BAD_JSON, CHAIN, [calls(call("A", "{")), TEXT]),
    (Mistake.MISSING_REQUIRED, CHAIN, [calls(call("A", n=1))]),
    (Mistake.UNDEFINED_PARAM, CHAIN, [calls(call("A", x="one", n=1, q=2))]),
    (Mistake.WRONG_TYPE, CHAIN, [calls(call("A", x=["one"], n=1))]),
    (Mistake.EXTRA_VALUE, CHAIN, [calls(call("A", x="one", n=1, o="more"))]),
    (Mistake.MISSING_VALUE, CHAIN, [calls(call("A", x="one"))]),
    (Mistake.WRONG_VALUE, CHAIN, [calls(call("A", x="one", n=2))]),
]


@rows(("mistake", "what", "run"), CASES)
def test_each_class_by_its_cause(mistake: Mistake, what: Session, run: list[Reply]) -> None:
    verdict = judge(what, *run)["exact"]
    assert verdict.mistake == mistake.value
    assert verdict.action_label == ("correct" if mistake in ARGUMENT_MISTAKES else "error")
    assert verdict.detail


@pytest.mark.parametrize(("unservable", "code"), [(False, "calls_for_reply"), (True, "calls_for_unservable")])
def test_a_request_that_no_tool_can_serve_is_told_as_one(unservable: bool, code: str) -> None:
    (task,) = CHAT.tasks
    reply = replace(task.calls[-1], unservable=unservable)
    what = replace(CHAT, tasks=(replace(task, calls=(*task.calls[:-1], reply)),))
    verdict = judge(what, calls(call("Z"), call("A", x="x")))["exact"]
    assert (verdict.mistake, verdict.code, verdict.parameters) == ("needless_tool", code, {"names": ("A", "Z")})


def test_every_class_has_a_case_and_a_column() -> None:
    assert {mistake for mistake, _, _ in CASES} == set(Mistake)
    assert set(MMTB_CLASSES) == set(PAPER_COLUMNS) == set(Mistake)
    assert len(set(MMTB_CLASSES.values())) == 12
    assert len(set(PAPER_COLUMNS.values())) == 9


WITHOUT_ID = calls(ToolCall(None, "A", "{}"))
OFFICIAL: list[tuple[str, list[str], list[Reply], Mistake]] = [
    ("one text where calls are due", ["A", FINAL], [TEXT], Mistake.REFUSAL),
    ("nothing at all, even in a chat", [FINAL], [Reply()], Mistake.REFUSAL),
    ("a call in a chat", [FINAL], [calls(call("A"))], Mistake.NEEDLESS_TOOL),
    ("a tool that is not there", ["A", FINAL], [calls(call("nobody"))], Mistake.UNKNOWN_TOOL),
    ("the first hit of a step", ["A", FINAL], [calls(call("nobody"), call("filter_by_prompt"))], Mistake.UNKNOWN_TOOL),
    ("a later step overrides", ["A", FINAL], [calls(call("nobody")), calls(call("filter_by_prompt"))], Mistake.REFUSAL),
    ("a call without an id is a call", ["A", "B", "C", FINAL], [WITHOUT_ID], Mistake.EARLY_TERMINATION),
    ("also in a chat", [FINAL], [WITHOUT_ID], Mistake.NEEDLESS_TOOL),
    ("a call without a name is none", ["A", FINAL], [calls(ToolCall("c1", None, "{}"))], Mistake.REFUSAL),
    ("no question noted", [ASK, "A", FINAL], [calls(call("A"))], Mistake.MISSED_CLARIFICATION),
    ("as many as annotated", ["A", FINAL], [calls(call("A"), call("B"))], Mistake.REDUNDANT_CALL),
    ("one question too few", [ASK, ASK, "A", FINAL], [TEXT, calls(call("A"))], Mistake.MISSED_CLARIFICATION),
    ("a stranger", ["A", "B", "C", FINAL], [calls(call("Z"))], Mistake.WRONG_TOOL),
    ("too many of one", ["A", "B", "C", FINAL], [calls(call("A"), call("A"))], Mistake.REDUNDANT_CALL),
    ("a premature text notes a question", ["A", "B", "C", FINAL], [calls(call("A")), TEXT], Mistake.WRONG_TOOL),
    ("wrong order", ["A", "B", "C", FINAL], [calls(call("B"))], Mistake.EARLY_TERMINATION),
]


@rows(("gold", "run", "mistake"), [case[1:] for case in OFFICIAL], ids=[c[0] for c in OFFICIAL])
def test_official_procedure(gold: list[str], run: list[Reply], mistake: Mistake) -> None:
    assert official_action_class(gold, published_turns(run), {"A", "B", "C", "Z"}) is mistake
