"""A call that may be left out, in a conversation: the task goes on, ends, and is worth as much without it."""

from __future__ import annotations

from msgspec.structs import replace

from tests.judge.building import call, calls, session
from tests.rows import rows
from toolgauge.benchmarks.dialogues.episodes import task_episode
from toolgauge.chat import Message, Reply
from toolgauge.data.session import Session
from toolgauge.episode import drive
from toolgauge.integrations.credit import run_credit
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.values import exact_faults


def with_optional() -> Session:
    """a, then b which may be left out."""
    made = session([("a", {"n": 0}, []), ("b", {"n": 1}, [0])])
    task = made.tasks[0]
    return replace(
        made, tasks=(replace(task, calls=(task.calls[0], replace(task.calls[1], optional=True), task.calls[2])),)
    )


@rows(
    ("replies", "credit"),
    [
        ((calls(call("a", n=0)), Reply("done")), 1.0),
        ((calls(call("a", n=0)), calls(call("b", n=1)), Reply("done")), 1.0),
        ((Reply("done"),), 0.0),
    ],
)
def test_the_conversation_ends_and_is_worth_as_much(replies: tuple[Reply, ...], credit: float) -> None:
    made = with_optional()
    task = AnnotatedTask(made, made.tasks[0])
    left = iter(replies)
    trajectory = drive(task_episode(made, task, exact_faults, (Message("user", "please"),)), lambda _: next(left))
    assert len(trajectory.steps) == len(replies)
    assert (trajectory.stopped == "answered") is (credit == 1.0)
    worth = run_credit(task, exact_faults, replies)
    assert worth.credit == credit
    assert worth.verdict.correct is (credit == 1.0)
