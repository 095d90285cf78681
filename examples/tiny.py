"""toolgauge in a hundred lines: data, an episode, a model, a score.

    python examples/tiny.py

Everything else in the package is this with more care. The labels are those of `toolgauge run mini`, scored by `exact`:
a test compares them. What is missing here: values that mean the same (`8:00` and `08:00`), why a task failed, the
benchmarks' own scorings, intervals, files, and models behind an endpoint.
"""

import json
from collections.abc import Callable, Iterator

from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import GoldHint, Message, Reply, Request, ToolCall
from toolgauge.data.rules import variants
from toolgauge.data.session import ASK, FINAL, Call, Session, Task
from toolgauge.episode import Episode, Step, Trajectory, drive
from toolgauge.models.builtin.models import noisy, oracle, silent

# --- 1. Data ----------------------------------------------------------------------------------------------------------
# A session is a dialogue of several tasks over one list of tools. The right answer to a task is a graph of calls: each
# names those that it needs the results of (`after`). Two kinds of call are no tools: ASK, a question to the user, and
# FINAL, the closing reply. What the user says, and what every call gives back, stands in the data.


def sessions(language: str = "en") -> list[Session]:
    mini = find_benchmark("mini")
    return list(mini.load(mini.embedded, language).sessions)


# --- 2. The episode ---------------------------------------------------------------------------------------------------
# One conversation, as a generator: it yields a request, is sent the reply, and returns what happened. It does no I/O:
# anything can run it, the loop in `drive`, asyncio, a batch, a cluster, a test.


def episode(session: Session, task: Task) -> Episode:
    messages = (*history(session, task), Message("user", task.utterance))
    steps: list[Step] = []
    done: set[int] = set()
    while True:
        hint = gold_hint(task, done)
        request = Request("assistant", messages, session.tools, session.task_id(task.index), len(steps), hint)
        reply = yield request
        steps.append(Step(messages, reply, task.index))
        # The conversation goes on while the names of the calls may be right; whether the values are, the score says.
        taken = next(assignments(task, done, reply), None) or next(
            assignments(task, done, reply, names_only=True), None
        )
        if taken is None or task.calls[taken[0]].name == FINAL:
            return Trajectory(session.task_id(task.index), session.id, tuple(steps), task.index)
        messages += (reply.message(), *answers(task, taken, reply))
        done.update(taken)


def history(session: Session, task: Task) -> tuple[Message, ...]:
    """The clock, and the tasks before this one as they should have gone."""
    messages = [Message("system", f"Current date: {session.clock}")]
    for earlier in session.tasks[: task.index]:
        messages.append(Message("user", earlier.utterance))
        for call in earlier.calls:
            said = Reply(tool_calls=(written(call),)) if call.is_tool else Reply(str(call.observation))
            messages += [said.message(), *answers(earlier, [call.index], said)]
    return tuple(messages)


def answers(task: Task, taken: list[int], reply: Reply) -> list[Message]:
    """What comes back: the result of every call, or what the user says to a question."""
    if not reply.tool_calls:
        return [Message("user", task.calls[place].user_input) for place in taken if task.calls[place].name == ASK]
    results = [json.dumps(task.calls[place].observation, ensure_ascii=False) for place in taken]
    return [Message("tool", text, tool_call_id=call.id) for text, call in zip(results, reply.tool_calls, strict=True)]


# --- 3. The model -----------------------------------------------------------------------------------------------------
# Any function from a request to a reply: a call of your endpoint, a local model, a script. The built-in ones need no
# network; the oracle says what the annotation says, which travels beside the request and is never sent anywhere.

Model = Callable[[Request], Reply]


def gold_hint(task: Task, done: set[int]) -> GoldHint:
    due, depth = ready(task, done), [0] * len(task.calls)
    for call in task.calls:
        depth[call.index] = 1 + max((depth[before] for before in call.after), default=0)
    later = [call for call in task.calls if call.is_tool and call not in due and call.index not in done]
    made = tuple(written(task.calls[place]) for place in sorted(done) if task.calls[place].is_tool)
    calls = tuple(written(call) for call in due if call.is_tool)
    kind = "calls" if calls else "ask" if due[0].name == ASK else "final"
    reply = Reply(tool_calls=calls) if calls else Reply(str(due[0].observation) or "…")
    return GoldHint(kind, reply, made, tuple(map(written, later)), max(depth))


def written(call: Call) -> ToolCall:
    return ToolCall(f"call_{call.index}", call.name, json.dumps(call.arguments, ensure_ascii=False))


# --- 4. The score -----------------------------------------------------------------------------------------------------
# It reads what was said and needs no model. Calls may be made in every order and grouping that the graph admits, and it
# is enough that one way to assign them to annotated calls has every value right: so all ways are followed at once.


def score(task: Task, replies: tuple[Reply, ...]) -> bool:
    states = [frozenset[int]()]
    for reply in replies:
        states = [done.union(taken) for done in states for taken in assignments(task, done, reply)]
    return any(call.index in done for done in states for call in task.calls if call.name == FINAL)


def ready(task: Task, done: set[int] | frozenset[int], skipping: bool = False) -> list[Call]:
    """The calls that may come now. skipping: what is optional need not have been made before."""
    settled = set(done).union(call.index for call in task.calls if skipping and call.optional)
    return [call for call in task.calls if call.index not in done and settled.issuperset(call.after)]


def assignments(
    task: Task, done: set[int] | frozenset[int], reply: Reply, names_only: bool = False
) -> Iterator[list[int]]:
    """Every way to take what was said for annotated calls that may come now, in the order of the calls made."""
    due = ready(task, done, skipping=True)
    if not reply.tool_calls:  # words are a question, or the closing reply
        yield from ([call.index] for call in due if not call.is_tool and (reply.content or "").strip())
        return
    ways: list[list[int]] = [[]]
    for made in reply.tool_calls:
        fitting = [call.index for call in due if call.name == made.name and (names_only or is_right(call, made))]
        ways = [[*way, place] for way in ways for place in fitting if place not in way]
    yield from ways


def is_right(call: Call, made: ToolCall) -> bool:
    """The annotated arguments, or another form of them that the annotation accepts, under an id of its own."""
    accepted = [call.arguments, *(other for _, other in variants(call))]
    try:
        arguments = json.dumps(json.loads(str(made.arguments)), sort_keys=True)
    except ValueError:
        return False
    return bool(made.id) and arguments in [json.dumps(right, sort_keys=True) for right in accepted]


def labels(model: Model, language: str = "en") -> dict[str, bool]:
    """Task id -> was it right?"""
    tasks = ((session, task) for session in sessions(language) for task in session.tasks)
    runs = ((task, drive(episode(session, task), model)) for session, task in tasks)
    return {run.task_id: score(task, run.replies) for task, run in runs}


if __name__ == "__main__":
    for name, model in {"oracle": oracle, "silent": silent, "noisy": noisy(seed=0, rate=0.3)}.items():
        right = labels(model)
        print(f"{name:8} {sum(right.values()):3} of {len(right)} tasks right")
