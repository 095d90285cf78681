"""Calls as plain data, and replies made of them: what authors read of a reply, and write into `gold`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolgauge.chat import Reply, ToolCall
from toolgauge.episode import ASSISTANT, Step


def calls_made(reply: Reply) -> list[dict[str, object]]:
    """The calls of a reply as {"name", "arguments"}; arguments that are no JSON stay as they are."""
    return [{"name": call.name, "arguments": _read(call.arguments)} for call in reply.tool_calls]


def calling(calls: Iterable[Mapping[str, Any]], content: str | None = None) -> Reply:
    """A reply with these calls ({"name", "arguments"}), as `gold` has them."""
    made = [
        ToolCall(f"call_{number}", call["name"], json.dumps(call.get("arguments") or {}, ensure_ascii=False))
        for number, call in enumerate(calls)
    ]
    return Reply(content, tuple(made))


def replies_by_turn(steps: Sequence[Step]) -> list[list[Reply]]:
    """The model's replies in each turn of the user's, up to the last one that was begun."""
    said = [step for step in steps if step.role == ASSISTANT]
    turns: list[list[Reply]] = [[] for _ in range(1 + max((step.turn for step in said), default=-1))]
    for step in said:
        turns[step.turn].append(step.reply)
    return turns


def _read(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
