"""Conversations as training data, a JSON line each, in the formats that trainers read.

OpenAI's format for fine-tuning is {"messages": [...], "tools": [...]}: what a server left out and the format needs is
filled in, ids of calls and arguments as JSON text.

ShareGPT's is {"conversations", "system", "tools"} as LLaMA-Factory reads it. Its turns alternate: what comes in
("human", "observation") and what the model says ("gpt", "function_call"). Calls made together are one turn, a JSON
list; their results are one observation, a JSON list too. A text beside calls has no place in the format and is left
out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.data.lines import as_json, within_depth
from toolgauge.data.task_ids import split_epoch
from toolgauge.episode import ASSISTANT, Step, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.runs.scored import ScoredRun

HUMAN, GPT, CALLS, RESULTS, SYSTEM = "human", "gpt", "function_call", "observation", "system"
_INCOMING = (HUMAN, RESULTS)


class TrainingConversation(Struct, frozen=True):
    """The messages that a model saw, each once, and its last reply; the tools it was offered.

    right: all of its tasks are scored and correct.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    right: bool = True


def openai_line(conversation: TrainingConversation) -> dict[str, object] | None:
    """The line of a conversation; None without messages."""
    if not conversation.messages:
        return None
    line: dict[str, object] = {"messages": openai_messages(conversation.messages)}
    if conversation.tools:
        line["tools"] = [tool.wire() for tool in conversation.tools]
    return line


def openai_messages(messages: tuple[Message, ...]) -> list[dict[str, object]]:
    """Messages with an id for every call; results without one belong to the calls in their order."""
    made: list[dict[str, object]] = []
    waiting: dict[str, None] = {}
    count = 0
    for message in messages:
        wire = message.wire()
        if message.tool_calls:
            for call in wire["tool_calls"]:
                count += 1
                call["id"] = call["id"] or f"call_{count}"
                call["function"] = {"name": call["function"]["name"] or "", "arguments": _text(call["function"])}
            waiting = dict.fromkeys(call["id"] for call in wire["tool_calls"])
        elif message.role == "tool":
            wire["tool_call_id"] = message.tool_call_id or next(iter(waiting), "")
            waiting.pop(wire["tool_call_id"], None)
        made.append(wire)
    return made


def sharegpt_line(conversation: TrainingConversation) -> dict[str, object] | None:
    """The line of a conversation; None where the format cannot hold it."""
    system = [message.content or "" for message in conversation.messages if message.role == SYSTEM]
    turns: list[dict[str, object]] = []
    said = [message for message in conversation.messages if message.role != SYSTEM]
    for role, group in groupby(said, key=_turn):
        value = _value(role, list(group))
        if value is None:
            return None
        turns.append({"from": role, "value": value})
    if not turns or len(turns) % 2 or any((turn["from"] in _INCOMING) == bool(n % 2) for n, turn in enumerate(turns)):
        return None
    line: dict[str, object] = {"conversations": turns}
    if system:
        line["system"] = "\n\n".join(system)
    if conversation.tools:
        line["tools"] = as_json([_function(tool.wire()["function"]) for tool in conversation.tools])
    return line


def _turn(message: Message) -> str:
    if message.role == "assistant":
        return CALLS if message.tool_calls else GPT
    return RESULTS if message.role == "tool" else HUMAN


def _value(role: str, messages: Sequence[Message]) -> str | None:
    """The turn of messages of one kind that follow each other; None where it cannot be written."""
    if role in (CALLS, GPT) and len(messages) > 1:
        return None
    if role == CALLS:
        calls = [_call(call) for message in messages for call in message.tool_calls]
        made = [call for call in calls if call is not None]
        return as_json(made[0] if len(made) == 1 else made) if len(made) == len(calls) else None
    texts = [message.content or "" for message in messages]
    return as_json([_result(text) for text in texts]) if role == RESULTS and len(texts) > 1 else "\n\n".join(texts)


def _result(text: str) -> object:
    """A result as the JSON that it is, or the text."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if within_depth(value) else text


def _call(call: ToolCall) -> dict[str, object] | None:
    arguments: object = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    if not call.name or not isinstance(arguments, dict) or not within_depth(arguments):
        return None
    return {"name": call.name, "arguments": arguments}


def _function(function: Mapping[str, object]) -> dict[str, object]:
    """A tool's definition; templates of trainers go through its properties, so there always are some to go through."""
    parameters = function["parameters"] if isinstance(function["parameters"], dict) else {}
    return {**function, "parameters": {"type": "object", "properties": {}} | parameters}


def _text(function: Mapping[str, object]) -> str:
    arguments: object = function["arguments"]
    return arguments if isinstance(arguments, str) else "{}" if arguments is None else as_json(arguments)


def conversations(wanted: ExportRequest) -> Iterator[TrainingConversation]:
    """All conversations of the runs, in the order in which they ended; trajectories stream by."""
    for entry in wanted.entries:
        scoring = wanted.scoring_of(entry)
        for trajectory, scores in judged(entry.run):
            right = all_right(scores, scoring)
            yield TrainingConversation(messages_of(model_steps(trajectory)), trajectory.tools, right)


def judged(run: ScoredRun) -> Iterator[tuple[Trajectory, tuple[Score, ...]]]:
    """The conversations of a run with the scores of the tasks in them; none of one that is not scored."""
    tasks = {score.task_id: (score,) for score in run.scores}
    passes: dict[tuple[str, int], list[Score]] = {}
    for score in run.scores:
        passes.setdefault((score.session_id, split_epoch(score.task_id)[1]), []).append(score)
    for trajectory in run.trajectories():
        found: tuple[Score, ...] = tasks.get(trajectory.task_id, ())
        if not found and trajectory.task_index is None:
            found = tuple(passes.get((trajectory.session_id, trajectory.epoch), ()))
        yield trajectory, found


def all_right(scores: tuple[Score, ...], scoring: str) -> bool:
    """Are there scores, and is every one right?"""
    verdicts = [score.scorings.get(scoring) for score in scores]
    return bool(verdicts) and all(verdict is not None and verdict.correct for verdict in verdicts)


def model_steps(trajectory: Trajectory, last_task: int | None = None) -> list[Step]:
    """The steps of the measured model; last_task: up to the end of that task."""
    steps = [step for step in trajectory.steps if step.role == ASSISTANT]
    return steps if last_task is None else [step for step in steps if step.task_index <= last_task]


def messages_of(steps: list[Step]) -> tuple[Message, ...]:
    """The messages that the model was sent, each once, and its last reply."""
    said = [message for step in steps for message in step.messages]
    return (*said, steps[-1].reply.message()) if steps else ()
