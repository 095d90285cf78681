"""A made-up data set and made-up scores with the structure of the public ones: every sequence of kinds once."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import islice, product

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.dialogues.numbers.report import DialogueReport
from toolgauge.chat import Message, Reply, Tool, ToolCall, Usage
from toolgauge.data.session import ASK, FINAL, KINDS, Call, Dataset, Reference, Session, Task, TaskType
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict

SCORINGS = ("exact", "released", "tables")
MULTI = (TaskType.PARALLEL_TOOLS, TaskType.SEQUENTIAL_TOOLS, TaskType.MIXED_TOOLS)
HIDDEN = (Reference.COREFERENCE, Reference.PARTIAL_INFORMATION, Reference.LONG_RANGE)
GRAPHS: dict[TaskType, tuple[tuple[int, ...], ...]] = {
    TaskType.SINGLE_TOOL: ((),),
    TaskType.PARALLEL_TOOLS: ((), ()),
    TaskType.SEQUENTIAL_TOOLS: ((), (0,)),
    TaskType.MIXED_TOOLS: ((), (), (0, 1)),
    TaskType.CHAT: (),
}
"""Direct predecessors of each tool call."""


def task(index: int, kind: TaskType, reference: Reference = Reference.FIRST_TURN) -> Task:
    calls: list[Call] = []
    if kind is TaskType.CLARIFY:
        calls.append(Call(0, ASK, {}, observation="Where?", user_input="Paris"))
        calls.append(Call(1, "tool_0", {"city": "Paris"}, (0,), observation={"ok": True}))
    for number, after in enumerate(GRAPHS.get(kind, ())):
        calls.append(Call(number, f"tool_{number}", {"city": "Paris"}, after, observation={"ok": True}))
    calls.append(Call(len(calls), FINAL, {"answer_type": "tool"}, tuple(range(len(calls))), observation="Done."))
    return Task(index, f"task {index}", kind, reference, tuple(calls))


def session(number: int, kinds: tuple[TaskType, ...]) -> Session:
    tools = tuple(Tool(f"tool_{i}", "", {"type": "object", "properties": {}}) for i in range(3 + number % 3))
    tasks = [task(i, kind, HIDDEN[(number + i) % 3] if i else Reference.FIRST_TURN) for i, kind in enumerate(kinds)]
    return Session(f"made_up_{number}", "en", "2026-03-02 09:00:00 Monday", tools, tuple(tasks))


def dataset(sessions: int = 256) -> Dataset:
    """The first sessions of all 256 sequences of four kinds; multi tasks take the three shapes in turn."""
    names = {"single": TaskType.SINGLE_TOOL, "clarify": TaskType.CLARIFY, "chat": TaskType.CHAT}
    made, multi = [], 0
    for number, kinds in enumerate(islice(product(KINDS, repeat=4), sessions)):
        fine = []
        for kind in kinds:
            fine.append(names.get(kind) or MULTI[multi % 3])
            multi += kind == "multi"
        made.append(session(number, tuple(fine)))
    return Dataset("made up", "en", "0" * 64, tuple(made))


def verdict(right: bool, calls: int = 2, mistake: Mistake = Mistake.WRONG_TOOL, done: int | None = None) -> Verdict:
    progress = (calls if right else (done or 0), calls)
    if right:
        return Verdict(CORRECT, CORRECT, True, progress)
    action = CORRECT if mistake in (Mistake.WRONG_TYPE, Mistake.WRONG_VALUE) else ERROR
    return Verdict(ERROR, action, False, progress, mistake.value, "call 0: made up")


def score(of: Session, index: int, scorings: dict[str, Verdict], epoch: int = 0) -> Score:
    return Score(of.task_id(index, epoch), of.id, index, scorings)


def scores(data: Dataset, rate: float = 0.6, seed: int = 1, epochs: int = 1) -> list[Score]:
    """Random scores: every session has its own difficulty, scorings differ in a few labels."""
    draw, made = random.Random(seed), []
    for of in data.sessions:
        ease = min(1.0, max(0.0, draw.gauss(rate, 0.2)))
        for epoch in range(epochs):
            for one in of.tasks:
                right, mistake = draw.random() < ease, draw.choice(list(Mistake))
                scorings = {}
                for name in SCORINGS:
                    flipped = name != "exact" and draw.random() < 0.02
                    done = draw.randrange(len(one.calls))
                    scorings[name] = verdict(right != flipped, len(one.calls), mistake, done)
                made.append(score(of, one.index, scorings, epoch))
    return made


def trajectory(of: Session, index: int, content: str = "Done.", planted: str | None = None) -> Trajectory:
    """One call, then a closing text."""
    call = ToolCall("c1", "tool_0", '{"city": "Paris"}')
    opening = (Message("system", "Current Date: ..."), Message("user", of.tasks[index].utterance))
    first = Reply(None, (call,), usage=Usage(100, 10), latency=0.5, planted=planted)
    last = Reply(content, usage=Usage(120, 5), latency=0.25)
    steps = (Step(opening, first), Step((first.message(), Message("tool", "{}", tool_call_id="c1")), last))
    return Trajectory(of.task_id(index), of.id, steps, index)


def metrics(
    benchmark: str,
    data: Dataset,
    made: Sequence[Score],
    requested: Iterable[str] | None = None,
    trajectories: Iterable[Trajectory] = (),
) -> Metrics:
    """The numbers of a run of dialogues; all tasks were requested if nothing is said."""
    every = [session.task_id(task.index) for session in data.sessions for task in session.tasks]
    return DialogueReport().metrics(benchmark, data, made, list(requested or every), trajectories)


def opening(of: Session, index: int, messages: int = 1, tokens: int = 0) -> Trajectory:
    """A task whose first request has so many messages and tokens."""
    step = Step((Message("user", "please"),) * messages, Reply("Done.", usage=Usage(tokens)))
    return Trajectory(of.task_id(index), of.id, (step,), index)
