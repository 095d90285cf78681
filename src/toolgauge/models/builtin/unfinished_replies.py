"""Fault injection: replies that are cut off, filtered or nothing but reasoning, as servers deliver them.

A reply is offered only where it is surely wrong: half a text is right where a text is due. The noisy model makes these
where it is asked for one of them (`only=truncated`), so that what it does otherwise stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import ASSISTANT
from toolgauge.models.builtin.argument_mutations import spoil
from toolgauge.models.builtin.fault_injection import Plan, is_chinese
from toolgauge.models.endings import Unfinished

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
