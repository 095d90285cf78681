"""A call that was recognised and could not be read is a malformed call in `exact`, in all benchmarks, and the published
evaluators see what they always saw."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.judge.building import TEXT, call, calls, judge, judge_as_mmtb, session, tool
from tests.rows import rows
from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import ASK, Session, TaskType
from toolgauge.judge.causes import as_malformed
from toolgauge.judge.verdict import Verdict, success
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.text_calls import parse_reply

BOOK = tool("book", day={"type": "string", "needed": True})
TASK = session([("book", {"day": "Monday"}, [])], BOOK)
CHAT = session([], BOOK, kind=TaskType.CHAT)
CLARIFY = session([(ASK, {}, []), ("book", {"day": "Monday"}, [0])], BOOK)
FAILED = Verdict("error", "error", False, (1, 2), "refusal")
GOOD = '<tool_call>{"name": "book", "arguments": {"day": "Monday"}}</tool_call>'
BROKEN = '<tool_call>{"name": "book", "arguments": {"day": Monday}}</tool_call>'


def by_dialect(text: str, finish: str = "stop") -> Reply:
    return parse_reply(Reply(text, finish_reason=finish), DIALECTS["hermes"], (BOOK,))


@rows("what", [TASK, CHAT, CLARIFY], ids=["calls", "chat", "clarify"])
@rows("text", [BROKEN, f"Let me see.\n{BROKEN}", f"{GOOD}\n{BROKEN}"])
def test_it_is_wrong_wherever_it_comes(what: Session, text: str) -> None:
    found = judge(what, by_dialect(text), calls(call("book", day="Monday")), TEXT)["exact"]
    assert (found.label, found.mistake, found.code) == ("error", "malformed_call", "unread_call")
    assert found.parameters == {"kind": "broken_json"}


def test_the_published_evaluators_see_what_they_saw() -> None:
    reply = by_dialect(BROKEN)
    assert judge(CHAT, reply)["released"].correct
    assert judge(CHAT, reply)["tables"].correct
    assert judge_as_mmtb(CHAT, reply)["released"].correct
    for what in (TASK, CLARIFY):
        found, plain = judge(what, reply), judge(what, replace(reply, problem=None))
        assert [found[name] for name in ("released", "tables")] == [plain[name] for name in ("released", "tables")]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(finish_reason="function_call_filter: MALFORMED_FUNCTION_CALL"),
        Reply('<function=book{"day": ', finish_reason="tool_use_failed"),
    ],
)
def test_a_provider_that_could_not_read_a_call_says_so(reply: Reply) -> None:
    """As a dialect does: the same class natively."""
    for what in (TASK, CHAT, CLARIFY):
        found = judge(what, reply)["exact"]
        assert (found.mistake, found.parameters) == ("malformed_call", {"kind": "unread_by_provider"})


@pytest.mark.parametrize("problem", [CallProblem.LEFT_IN_TEXT, CallProblem.LEFT_IN_FIELD])
def test_a_call_that_its_server_did_not_hand_on_is_told_as_the_servers(problem: CallProblem) -> None:
    found = judge(TASK, Reply(GOOD, problem=problem))["exact"]
    assert (found.mistake, found.parameters) == ("refusal", {"names": ("book",), "kind": problem.value})


@pytest.mark.parametrize(("verdict", "progress"), [(success(True, 2), (0, 2)), (FAILED, (1, 2))])
def test_a_single_answer_with_a_call_that_cannot_be_read(verdict: Verdict, progress: tuple[int, int]) -> None:
    assert as_malformed(verdict, None) is verdict
    made = as_malformed(verdict, CallProblem.CUT_OFF)
    assert (made.label, made.mistake, made.progress) == ("error", "malformed_call", progress)
    assert (made.code, made.parameters) == ("unread_call", {"kind": "cut_off"})


MADE = ToolCall("call_0", "book", '{"day": "Monday"}')
HALF = ToolCall("call_0", "book", '{"day": "Mon')
BOTH_WAYS = [
    # what was generated, how it ended, and the same generation as a server with native calls gives it
    (GOOD, "stop", Reply(None, (MADE,), finish_reason="tool_calls")),
    (f"I look.\n{GOOD}", "stop", Reply("I look.", (MADE,), finish_reason="tool_calls")),
    (f"<think>\nHm.\n</think>\n{GOOD}", "stop", Reply(None, (MADE,), "Hm.", "tool_calls")),
    (f"{GOOD}\n{GOOD}", "stop", Reply(None, (MADE, replace(MADE, id="call_1")), finish_reason="tool_calls")),
    (f"{GOOD}<|im_end|>\n<|im_start|>user\nAnd?", "stop", Reply(None, (MADE,), finish_reason="tool_calls")),
    (GOOD.replace("book", "cook"), "stop", Reply(None, (replace(MADE, name="cook"),), finish_reason="tool_calls")),
    (GOOD.replace("Monday", "Friday"), "stop", Reply(None, (replace(MADE, arguments='{"day": "Friday"}'),))),
    ('<tool_call>{"name": "book", "arguments": {"day": "Mon', "length", Reply(None, (HALF,), finish_reason="length")),
    (BROKEN, "stop", Reply(BROKEN, finish_reason="tool_use_failed")),
    ("<think>\nThe user wants", "length", Reply(reasoning="The user wants", finish_reason="length")),
    # SmolLM2-135M on mini
    ("You're right, I'll make sure to make sure to avoid that.", "stop", None),
    ("Set: 350.50 for groceries in November.", "stop", None),
    (
        "你可以在 6:30 开始晚上，睡睡不沉，睡不沉，睡不沉，睡不沉，睡不沉，睡不沉",
        "length",
        None,
    ),
    (
        '```python\ndef get_temperature():\n    return {\n        "type": "function",\n        "function": {',
        "length",
        None,
    ),
    ("21.", "stop", None),
]


@rows("what", [TASK, CHAT, CLARIFY], ids=["calls", "chat", "clarify"])
@rows(("text", "finish", "native"), BOTH_WAYS)
def test_the_same_generation_has_the_same_class_natively_and_by_dialect(
    what: Session, text: str, finish: str, native: Reply | None
) -> None:
    natively = judge(what, native or Reply(text, finish_reason=finish), TEXT)["exact"]
    found = judge(what, by_dialect(text, finish), TEXT)["exact"]
    assert (found.label, found.mistake) == (natively.label, natively.mistake)
