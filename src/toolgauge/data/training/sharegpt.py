"""Conversations in ShareGPT's format as LLaMA-Factory reads it: {"conversations", "system", "tools"}, one a line.

Its turns alternate: what comes in ("human", "observation") and what the model says ("gpt", "function_call"). Calls made
together are one turn, a JSON list; their results are one observation, a JSON list too. A text beside calls has no place
in the format and is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby

from toolgauge.chat import Message, ToolCall
from toolgauge.data.lines import as_json, within_depth
from toolgauge.data.training.conversation import TrainingConversation

HUMAN, GPT, CALLS, RESULTS, SYSTEM = "human", "gpt", "function_call", "observation", "system"
_INCOMING = (HUMAN, RESULTS)


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
    return as_json(texts) if role == RESULTS and len(texts) > 1 else "\n\n".join(texts)


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
