"""The options of a run, and what was said before a task: the gold history of each benchmark.

Source: docs/rules.md#what-the-model-is-sent; keys such as Q4: docs/rules.md#defect-by-defect.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, Any, Literal

from toolgauge.benchmarks.dialogues.data.mmtb import strip_role
from toolgauge.benchmarks.dialogues.judge.released import State, options
from toolgauge.benchmarks.dialogues.prompts import prompt
from toolgauge.benchmarks.options import BenchmarkOptions, option
from toolgauge.chat import Message, ToolCall
from toolgauge.data.session import ASK, FINAL, Call, Session, Task
from toolgauge.data.sessions import parse_clock
from toolgauge.judge.graph import CallGraph, bits
from toolgauge.languages import date_and_weekday, has_han

History = Literal["gold", "own", "plain", "none"]


class DialogueOptions(BenchmarkOptions, frozen=True):
    """history: of earlier tasks in a session, as annotated ("gold"), what the model said ("own"), the annotated texts
    without calls and results ("plain"), or nothing: later tasks alone ("none", MMTB's contain_context=False)."""

    history: Annotated[
        History,
        option("Earlier tasks: as annotated, the model's own, texts without calls, or none (later tasks only)."),
    ] = "gold"


class MmtbOptions(DialogueOptions, frozen=True):
    """remove_role: without the prefixes, such as `User:`, that stored texts may have."""

    remove_role: Annotated[bool, option("Stored texts without prefixes such as `User:`.", rare=True)] = True


ID_PREFIX = "toolu_bdrk_"
_ID_LETTERS = string.ascii_letters + string.digits
_TURNS = ("user", "assistant")
SEARCH_LIMIT = 20_000
"""Subsets looked at in one step of the search for the shortest path; beyond, all ready calls are made at once."""


def system_message(family: str, session: Session, task: Task) -> Message:
    """The date and time of the task, in the wording of the benchmark's family.

    WildToolBench sends the session's clock as its file writes it; MMTB reads the date and computes the weekday. So it
    is done with a clock in another language, as earlier files of WildToolBench have it in English sessions.
    """
    clock = task.clock or session.clock
    is_foreign = session.language == "en" and has_han(clock)
    moment = parse_clock(clock) if family == "mmtb" or is_foreign else None
    if moment is not None:
        clock = date_and_weekday(moment, session.language)
    return Message("system", prompt(family, session.language).replace("{clock}", clock))


def observation_text(call: Call) -> str:
    """A tool's result as message content: text as it is, everything else as JSON (Q4: encoded once, not twice)."""
    if isinstance(call.observation, str):
        return call.observation
    return json.dumps(call.observation, ensure_ascii=False)


def call_id(session: Session, task: Task, call: Call) -> str:
    """An id in the public layout - the prefix and 24 letters or digits - that is the same in every run."""
    digest = hashlib.sha256(f"{session.id}/{task.index}/{call.index}".encode(errors="surrogatepass")).digest()
    return ID_PREFIX + "".join(_ID_LETTERS[byte % len(_ID_LETTERS)] for byte in digest[:24])


def dialogue_before(family: str, session: Session, index: int, asked: DialogueOptions) -> tuple[Message, ...]:
    """What is sent before and with a task, by the history that was asked for (not "own")."""
    without = asked.history == "none"
    if family == "mmtb":
        keeps_role = isinstance(asked, MmtbOptions) and not asked.remove_role
        return plain_dialogue(session, index, earlier=not without, remove_role=not keeps_role)
    messages = gold_dialogue(session, index)
    if without:
        return (messages[0], messages[-1])
    if asked.history == "plain":
        return tuple(one for one in messages if not one.tool_calls and one.role != "tool")
    return messages


def gold_dialogue(session: Session, index: int) -> tuple[Message, ...]:
    """WildToolBench: date, the earlier tasks with their annotated calls and results, and the task's utterance."""
    messages = [system_message("wildtoolbench", session, session.tasks[index])]
    for task in session.tasks[:index]:
        messages += gold_task(session, task)
    messages.append(Message("user", session.tasks[index].utterance))
    return tuple(messages)


def gold_task(session: Session, task: Task) -> Iterator[Message]:
    """One task as it should have gone: along the first of the shortest released paths."""
    yield Message("user", task.utterance)
    for step in shortest_path(CallGraph([c.name for c in task.calls], [c.after for c in task.calls])):
        calls = [task.calls[index] for index in step]
        if calls[0].name == FINAL:
            yield Message("assistant", str(calls[0].observation or ""))
        elif calls[0].name == ASK:
            yield Message("assistant", str(calls[0].observation or ""))
            yield Message("user", calls[0].user_input or "")
        else:
            made = tuple(
                ToolCall(call_id(session, task, call), call.name, json.dumps(call.arguments, ensure_ascii=False))
                for call in calls
            )
            yield Message("assistant", "", made)
            for call, asked in zip(calls, made, strict=True):
                yield Message("tool", observation_text(call), tool_call_id=asked.id)


def plain_dialogue(session: Session, index: int, earlier: bool = True, remove_role: bool = True) -> tuple[Message, ...]:
    """MMTB: the stored plain messages of the earlier tasks, then those of this task up to its utterance.

    remove_role: without role prefixes such as `User:`. The conversation is complete even where its roles do not
    alternate; the public code sends a part of it then (M6), we say so (`out_of_turn`).
    """
    task = session.tasks[index]
    stored = [message for other in session.tasks[:index] for message in other.dialogue if earlier]
    stored += task.dialogue[: task.opening + 1]
    spoken = [
        Message(message.role, strip_role(text, session.language) if remove_role else text)
        for message in stored
        for text in (message.content or "",)
        if message.role in _TURNS
    ]
    if not spoken or spoken[-1].role != "user":
        spoken.append(Message("user", task.utterance))
    return (system_message("mmtb", session, task), *spoken)


def out_of_turn(session: Session) -> str | None:
    """Where the stored plain dialogue of a session does not alternate from the user on, in words; None if it does."""
    spoken = plain_dialogue(session, len(session.tasks) - 1)[1:]
    for position, message in enumerate(spoken):
        if message.role != _TURNS[position % 2]:
            return f"message {position} of the dialogue has the role {message.role} out of turn"
    return None


def shortest_path(graph: CallGraph) -> list[tuple[int, ...]]:
    """The first of the shortest paths in the released enumeration order, as ascending call positions per step."""
    height = _heights(graph)
    state, path = State(), []
    while state.done != graph.complete or state.chain:
        budget = _steps_left(height, state)
        step, state = next(
            (step, after)
            for step, after in _released_steps(graph, height, state, budget)
            if 1 + _steps_left(height, after) == budget
        )
        path.append(step)
    return path


def _heights(graph: CallGraph) -> list[int]:
    """For each call the length of the longest chain that begins with it."""
    height = [1] * len(graph.names)
    for layer in reversed(graph.layers):
        for index in bits(layer):
            for other in bits(graph.before[index]):
                height[other] = max(height[other], height[index] + 1)
    return height


def _steps_left(height: list[int], state: State) -> int:
    done = state.done
    for call in state.chain:
        done |= 1 << call
    return len(state.chain) + max((height[i] for i in range(len(height)) if not done >> i & 1), default=0)


def _released_steps(
    graph: CallGraph, height: list[int], state: State, budget: int
) -> Iterator[tuple[tuple[int, ...], State]]:
    """Admissible steps that hold every call on a longest chain, in the released order; last the whole ready set."""
    if state.chain:
        yield state.chain[:1], State(state.done | 1 << state.chain[0], state.chain[1:])
        return
    ready = list(bits(graph.ready(state.done)))
    needed = [index for index in ready if height[index] == budget]
    spare = [index for index in ready if height[index] != budget]
    for looked_at, subset in enumerate(_supersets(needed, spare)):
        if looked_at > SEARCH_LIMIT:
            break
        names: list[Any] = [graph.by_name[graph.names[index]] for index in subset]
        for choice in options(graph, state, names):
            if tuple(sorted(choice.assigned)) == subset:
                yield subset, choice.state
    yield tuple(ready), State(state.done | sum(1 << index for index in ready))


def _supersets(needed: list[int], spare: list[int]) -> Iterator[tuple[int, ...]]:
    for extra in range(len(spare) + 1):
        yield from sorted(tuple(sorted((*needed, *more))) for more in combinations(spare, extra))
