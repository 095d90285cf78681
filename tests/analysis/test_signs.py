"""What looks like a fault of the set-up is said with its numbers, and never of a run that is merely bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.analysis.replies import ReplyCounter, Sign, SignKind
from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply, Tool, ToolCall
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import EXACT, Score, Verdict

TOOLS = (Tool("book"), Tool("find"))
"""On offer."""


def call(name: str = "book", arguments: object = "{}") -> Reply:
    return Reply(tool_calls=(ToolCall("1", name, arguments),), finish_reason="tool_calls")


def said(text: str) -> Reply:
    return Reply(text, finish_reason="stop")


def found(replies: list[Reply], verdict: Verdict | None = None) -> list[Sign]:
    """What is found where each of these is the only reply in a task of its own."""
    counter = ReplyCounter()
    one_each = [
        Trajectory(f"s{number}/0", f"s{number}", (Step((), reply),), 0, tools=TOOLS)
        for number, reply in enumerate(replies)
    ]
    scores = [Score(one.task_id, one.session_id, 0, {EXACT: verdict}) for one in counter.watch(one_each) if verdict]
    return list(counter.signs(scores))


WRONG = Verdict("error", "error", False, (0, 3), "refusal")
AS_TEXT = Verdict("error", "error", False, (0, 3), "refusal", parameters={"kind": "call_as_text"})
LEFT_IN_TEXT = Verdict("error", "error", False, (0, 3), "refusal", parameters={"kind": "left_in_text"})
"""The server's fault: `ReplyCounter.interface` tells it."""
RIGHT = Verdict("correct", "correct", True, (1, 1))
ANSWERS = [said(f"Answer {number}.") for number in range(20)]
CALLS = [call(arguments=f'{{"number": {number}}}') for number in range(20)]


@pytest.mark.parametrize(
    ("replies", "verdict", "expected"),
    [
        (ANSWERS, RIGHT, []),
        (CALLS, WRONG, []),
        (ANSWERS, WRONG, [Sign(SignKind.NO_CALL, 20, 20)]),
        ([*ANSWERS, call()], WRONG, []),
        (ANSWERS, AS_TEXT, [Sign(SignKind.CALLS_AS_TEXT, 20, 20)]),
        (ANSWERS[:4], WRONG, []),
        ([said("Yes."), *[said("I do not know.")] * 9], RIGHT, [Sign(SignKind.ALIKE, 9, 10)]),
        ([said("I do not know.")] * 9, RIGHT, []),
        ([*ANSWERS[:15], *[said("")] * 5], RIGHT, [Sign(SignKind.EMPTY, 5, 20)]),
        ([Reply("", finish_reason="length")] * 20, WRONG, []),
        ([Reply(reasoning="Let me think.", finish_reason="stop")] * 9, WRONG, []),
        ([Reply("", finish_reason="content_filter")] * 20, None, []),
        ([said(""), *ANSWERS[:19]], RIGHT, []),
        ([said("")] * 20, WRONG, [Sign(SignKind.EMPTY, 20, 20)]),
        ([call("invented", f"[{number}]") for number in range(6)], WRONG, [Sign(SignKind.UNKNOWN_TOOLS, 6, 6)]),
        ([*CALLS, *[call("invented", str(number)) for number in range(6)]], WRONG, []),
        ([call(arguments=f'{{"a": {n}') for n in range(6)], WRONG, [Sign(SignKind.UNREAD_CALLS, 6, 6)]),
        (
            [Reply(f"<tool_call>{n}", problem=CallProblem.BROKEN_JSON) for n in range(6)],
            WRONG,
            [Sign(SignKind.UNREAD_CALLS, 6, 6)],
        ),
        ([Reply(f"<tool_call>{n}", problem=CallProblem.LEFT_IN_TEXT) for n in range(6)], LEFT_IN_TEXT, []),
        ([Reply(f"<think>{n}", problem=CallProblem.UNFINISHED_THINKING) for n in range(6)], RIGHT, []),
        (
            [Reply(f"<tool_call>{n}", problem=CallProblem.CUT_OFF, finish_reason="length") for n in range(6)],
            WRONG,
            [],
        ),
        ([*CALLS, *[call(arguments="{")] * 5], WRONG, []),
        (
            [*ANSWERS[:14], *[said(f"{n}<|im_end|>\n<|im_start|>user\nMore") for n in range(6)]],
            RIGHT,
            [Sign(SignKind.TEMPLATE_MARKS, 6, 20)],
        ),
        ([said(f"Answer {n}.<|im_end|>") for n in range(20)], RIGHT, []),
        ([*ANSWERS, *ANSWERS, said("<|im_start|>user\nhello")], RIGHT, []),
    ],
)
def test_signs(replies: list[Reply], verdict: Verdict | None, expected: list[Sign]) -> None:
    assert found(replies, verdict) == expected


@pytest.mark.parametrize("model", ["oracle", "noisy?rate=0.5", "noisy?rate=1&seed=3"])
def test_models_that_are_right_or_wrong_in_many_ways_are_not_suspected(model: str, tmp_path: Path) -> None:
    import toolgauge

    result = toolgauge.run("mini", f"builtin/{model}", out=tmp_path / "run")
    assert not result.metrics.signs
