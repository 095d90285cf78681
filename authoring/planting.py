"""Replies of which it is known how they are wrong, for tests of the judge and confusion.py: cut off, filtered,
nothing but reasoning, and texts of every kind where calls are due (docs/rules.md#text-where-a-call-was-due).

A reply is offered only where it is surely wrong: half a text is right where a text is due.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from msgspec.structs import replace

from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import ASSISTANT
from toolgauge.models.builtin.mistakes import Plan, is_chinese, spoil
from toolgauge.models.endings import Unfinished

_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "asks_back": ("Which one do you mean?", "Could you tell me a little more about it?"),
        "refuses": ("I am sorry, but I cannot do that.", "Unfortunately I am unable to help with this request."),
        "other": ("Let me look that up.", "Good morning to you!", "It is good to plan such things early."),
    },
    "zh": {
        "asks_back": ("请问您指的是哪一个？", "能再详细说明一下吗？"),
        "refuses": ("抱歉，我无法完成这件事。", "很遗憾，我不能帮您处理这个请求。"),
        "other": ("让我查一下。", "早上好！", "这种事情还是早点计划比较好。"),
    },
}
TEXT_KINDS = ("call_as_text", *_TEXTS["en"])


def plan_texts(request: Request) -> list[Plan]:
    """All plans for a request as (kind of the text, reply with `planted` set); none where no call is due."""
    hint = request.gold_hint
    if hint is None or hint.due != "calls" or not hint.reply.tool_calls:
        return []
    plans = [("call_as_text", text) for text in _written(hint.reply.tool_calls[0])]
    plans += [(kind, text) for kind, texts in _TEXTS["zh" if is_chinese(request) else "en"].items() for text in texts]
    return [(kind, Reply(text, finish_reason="stop", planted=kind)) for kind, text in plans]


def _written(call: ToolCall) -> Iterator[str]:
    """A call as models write it where no server reads it."""
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    text = f'{{"name": "{call.name}", "arguments": {arguments}}}'
    yield text
    yield f"<tool_call>\n{text}\n</tool_call>"


_WORDS = {
    "en": ("Let me see. The user wants", "I will look that up and", "I'm sorry, but I can't assist with that."),
    "zh": ("让我想想。用户想要", "我来查一下，然后", "抱歉，我无法协助处理这个请求。"),
}
"""What is thought, begun and refused."""
_WRITTEN_CALLS = re.compile(r"\[\w[\w.]*\(")
"""The beginning of calls in ACEBench's notation."""


def plan_unfinished(request: Request) -> list[Plan]:
    """All plans for a request to the measured model as (kind, reply with `planted` set); none without a gold hint."""
    hint = request.gold_hint
    if hint is None or request.role != ASSISTANT:
        return []
    thought, begun, refused = _WORDS["zh" if is_chinese(request) else "en"]
    plans = list(_anywhere(thought))
    if hint.reply.tool_calls:
        plans += _instead_of_calls(hint.reply.tool_calls, thought, begun, refused)
        plans += [(Unfinished.TRUNCATED, reply) for reply in _cut_calls(request, hint.reply.tool_calls)]
    elif _WRITTEN_CALLS.match(said := hint.reply.content or ""):
        plans.append((Unfinished.TRUNCATED, Reply(said[: len(said) // 2], finish_reason="length")))
    return [(kind.value, replace(reply, planted=kind.value)) for kind, reply in plans]


def _anywhere(thought: str) -> Iterator[tuple[Unfinished, Reply]]:
    yield Unfinished.TRUNCATED, Reply("", finish_reason="length")
    yield Unfinished.TRUNCATED, Reply(reasoning=thought, finish_reason="length")
    yield Unfinished.FILTERED, Reply(finish_reason="content_filter")
    yield Unfinished.ONLY_REASONING, Reply(reasoning=thought, finish_reason="stop")
    yield Unfinished.ONLY_REASONING, Reply("", reasoning=thought, finish_reason="stop")


def _instead_of_calls(
    due: tuple[ToolCall, ...], thought: str, begun: str, refused: str
) -> Iterator[tuple[Unfinished, Reply]]:
    """Texts, which are wrong where calls are due."""
    yield Unfinished.TRUNCATED, Reply(begun, finish_reason="length")
    yield Unfinished.TRUNCATED, Reply(f'<tool_call>\n{{"name": "{due[0].name}", "argum', finish_reason="length")
    yield Unfinished.FILTERED, Reply(refused, finish_reason="refusal")
    yield Unfinished.FILTERED, Reply(begun, finish_reason="content_filter")
    yield Unfinished.ONLY_REASONING, Reply(f"<think>\n{thought} ...\n</think>\n\n", finish_reason="stop")


def _cut_calls(request: Request, due: tuple[ToolCall, ...]) -> Iterator[Reply]:
    """The due calls up to a cut in the last one's arguments: half of their JSON, or what a server made of it."""
    *before, last = due
    if isinstance(last.arguments, str):
        half = last.arguments[: max(1, len(last.arguments) // 2)]
        yield Reply(None, (*before, replace(last, arguments=half)), finish_reason="length")
    for tool in request.tools:
        if tool.name == last.name:
            mended = (text for name, text in spoil(last.arguments, tool.parameters) if name == "missing_required")
            yield from (
                Reply(None, (*before, replace(last, arguments=text)), finish_reason="length") for text in mended
            )
