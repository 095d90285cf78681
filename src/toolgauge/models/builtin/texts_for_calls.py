"""Fault injection: texts of every kind where calls are due, named by what the judge tells them apart as
(docs/rules.md#text-where-a-call-was-due). The noisy model says them where it is asked for one (`only=refuses`)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.models.builtin.fault_injection import Plan, is_chinese

_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "asks_back": ("Which one do you mean?", "Could you tell me a little more about it?"),
        "refuses": ("I am sorry, but I cannot do that.", "Unfortunately I am unable to help with this request."),
        "other": ("I have booked it for you.", "Let me look that up.", "Good morning to you!"),
    },
    "zh": {
        "asks_back": ("请问您指的是哪一个？", "能再详细说明一下吗？"),
        "refuses": ("抱歉，我无法完成这件事。", "很遗憾，我不能帮您处理这个请求。"),
        "other": ("我已经为您办好了。", "让我查一下。", "早上好！", "这种事情还是早点计划比较好。"),
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
