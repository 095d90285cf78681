"""What an Inspect model said, as our reply."""

from __future__ import annotations

import json

from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage
from inspect_ai.tool import ToolCall as InspectCall

from toolgauge.chat import Reply, ToolCall, Usage
from toolgauge.integrations.inspect_ai.conversation import ECHO
from toolgauge.integrations.inspect_ai.raw_calls import noted
from toolgauge.models.replies import tame

_BEFORE, _AFTER = "Error parsing the following tool call arguments:\n\n", "\n\nError details: "
"""Around the arguments in the message of Inspect's parser."""


def is_overflow(output: ModelOutput) -> bool:
    """Whether the model refused the conversation as longer than its context; Inspect makes an output of that error."""
    return output.stop_reason == "model_length" and (bool(output.error) or output.usage is None)


def failure_of(output: ModelOutput) -> str | None:
    """Why an output is no reply: its provider failed, and Inspect tells it in the output; None where it is one."""
    if is_overflow(output):
        return f"the conversation exceeds the model's context: {output.error or output.completion}"
    filtered = bool(output.choices) and output.stop_reason == "content_filter"
    if output.error and not filtered:
        return f"the output is an error: {output.error}"
    return None if output.choices else "the response has no message"


def reply_of(output: ModelOutput) -> Reply:
    """The first choice; `failure_of` says whether there is one."""
    message = output.message
    made, written = message.tool_calls or [], noted(output)
    calls = map(_as_written, made, written) if len(made) == len(written) else map(_call, made)
    parts = [part for part in message.content_list if part.type == "reasoning"]
    return Reply(
        content=_said(message),
        tool_calls=tuple(calls),
        reasoning="\n".join(part.summary or "" if part.redacted else part.reasoning for part in parts) or None,
        finish_reason=output.stop_reason,
        model=output.model or None,
        usage=usage_of(output.usage),
        latency=output.time or 0.0,
        echo={ECHO: message.model_dump(mode="json", exclude_none=True)},
    )


def _said(message: ChatMessageAssistant) -> str | None:
    parts = message.content_list
    text = "".join(part.text for part in parts if part.type == "text")
    return tame(text) or None


def _as_written(call: InspectCall, written: ToolCall) -> ToolCall:
    """Inspect's names (a provider may have had to change them on the way), the model's own arguments."""
    name = None if written.name is None else call.function
    return ToolCall(None if written.id is None else call.id, name, written.arguments)


def _call(call: InspectCall) -> ToolCall:
    """A call of which only Inspect's reading is left: arguments it could not parse are quoted in its message."""
    if call.parse_error is None:
        return ToolCall(call.id, call.function, json.dumps(tame(call.arguments), ensure_ascii=False, default=str))
    quoted = call.parse_error.removeprefix(_BEFORE).rpartition(_AFTER)[0]
    return ToolCall(call.id, call.function, quoted or call.parse_error)


def usage_of(usage: ModelUsage | None) -> Usage:
    """Inspect counts cached input apart, we count it in."""
    if usage is None:
        return Usage()
    read, wrote = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
    return Usage(usage.input_tokens + read + wrote, usage.output_tokens, read, usage.reasoning_tokens or 0)
