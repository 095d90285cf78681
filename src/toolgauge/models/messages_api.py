"""Anthropic's Messages API: requests and replies. Chosen over its OpenAI-compatible endpoint, which hoists system
messages, hides thinking and cannot take it back between calls (docs/models.md#providers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolgauge.chat import Json, Message, Reply, Request, ToolCall, Usage
from toolgauge.models.endings import Ending, ending_of
from toolgauge.models.failures import Answered, AttemptFailure, error_beside, failed_ending, inner_error, unspoken
from toolgauge.models.model import Sampling
from toolgauge.models.provider_adapter import BRIDGE, as_object, bounded, settings_of, to_json
from toolgauge.models.providers import Endpoint
from toolgauge.models.replies import read_object, read_usage, tame, tool_call

MAX_TOKENS = 16_000
"""The API wants a limit for every reply; this is sent where none is set."""
_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length"}
_FINISH |= {"refusal": "content_filter", "model_context_window_exceeded": "length"}
_THINKING = ("thinking", "redacted_thinking")


class MessagesFormat:
    """Requests to `/messages` and their answers."""

    path = "/messages"
    streams = False

    def __init__(self, model: str, endpoint: Endpoint, sampling: Sampling) -> None:
        settings = settings_of(sampling, endpoint.quirks)
        sent = dict(settings.sent)
        if "stop" in sent:
            stop = sent.pop("stop")
            sent["stop_sequences"] = [stop] if isinstance(stop, str) else stop
        if "reasoning_effort" in sent:
            sent["output_config"] = {"effort": sent.pop("reasoning_effort")}
        self._settings: dict[str, object] = {"model": model, "max_tokens": MAX_TOKENS, **sent}
        self._choice = tool_choice(settings.with_tools)
        self._extra = settings.extra

    def body(self, request: Request) -> bytes:
        """The JSON body, UTF-8."""
        settings = bounded(self._settings, "max_tokens", request.max_tokens)
        body = {**settings, "messages": wire_messages(request.messages)}
        system = [message.content for message in request.messages if message.role == "system" and message.content]
        if system:
            body["system"] = "\n\n".join(system)
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            body |= self._choice
        elif request.reply_schema is not None and "thinking" not in self._extra:
            name, schema = request.reply_schema.name, request.reply_schema.schema
            body["tools"] = [{"name": name, "description": "The reply.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": name}
        return to_json({**body, **self._extra})

    def reply(self, body: bytes) -> Answered:
        return read_message(body)

    def describe(self) -> Json:
        limit = self._extra.get("max_tokens", self._settings["max_tokens"])
        return {"api": "messages", "max_tokens": limit}


def tool_choice(chosen: Json) -> dict[str, object]:
    """`tool_choice` and `parallel_tool_calls` in the words of this API."""
    choice, parallel = chosen.get("tool_choice"), chosen.get("parallel_tool_calls")
    if isinstance(choice, dict):
        function = choice.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        wire: dict[str, object] = {"type": "tool", "name": name}
    else:
        wire = {"type": {"required": "any"}.get(str(choice), str(choice)) if choice else "auto"}
    if parallel is False and wire["type"] != "none":
        wire["disable_parallel_tool_use"] = True
    return {"tool_choice": wire} if choice or parallel is False else {}


def wire_messages(messages: Sequence[Message]) -> list[Json]:
    """The conversation without its system prompts: user and assistant in turns, results of tools in user messages."""
    wires: list[Json] = []
    for message in messages:
        if message.role == "system":
            continue
        role, words = ("assistant" if message.role == "assistant" else "user"), message.content or ""
        if role == "assistant":
            blocks = _assistant_blocks(message)
        elif message.role == "tool":
            blocks = [{"type": "tool_result", "tool_use_id": _id(message.tool_call_id), "content": words}]
        else:
            blocks = [_text(words)] if words.strip() else []
        if wires and wires[-1]["role"] == role:
            wires[-1]["content"] += blocks
        else:
            wires.append({"role": role, "content": blocks})
    for wire in wires:
        wire["content"] = wire["content"] or [_text(BRIDGE)]  # a message without content is refused
    return wires


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _assistant_blocks(message: Message) -> list[dict[str, object]]:
    """Thinking first, as it came, then words, then calls."""
    thinking = (message.echo or {}).get("thinking")
    blocks = list(thinking) if isinstance(thinking, list) else []
    if message.content and message.content.strip():
        blocks.append(_text(message.content))
    for call in message.tool_calls:
        blocks.append(
            {"type": "tool_use", "id": _id(call.id), "name": call.name or "", "input": as_object(call.arguments)}
        )
    return blocks


def _id(id_: str | None) -> str:
    """An id of a call in the letters that are allowed (a-z, A-Z, 0-9, _ and -)."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in id_ or "call")


def read_message(body: bytes) -> Answered:
    """The reply in the body of a 2xx answer, or why there is none."""
    message = read_object(body, "the response is not a message")
    if isinstance(message, AttemptFailure):
        return message
    reason, model, usage = message.get("stop_reason"), message.get("model"), _usage(message.get("usage"))
    model = model if isinstance(model, str) else None
    if message.get("error") or message.get("type") == "error":
        return inner_error(message.get("error") or message)
    if failure := failed_ending(reason):
        return failure
    content = message.get("content")
    if not isinstance(content, list):
        if ending_of(reason) is Ending.FILTER:  # which may leave none
            return Reply(finish_reason="content_filter", model=model, usage=usage)
        error = error_beside(message) if message.get("type") != "message" else None
        return inner_error(error) if error else AttemptFailure("the response is not a message: content missing")
    blocks = [block for block in content if isinstance(block, dict)]
    thinking = [tame(block) for block in blocks if block.get("type") in _THINKING]
    words = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    thoughts = [block["thinking"] for block in thinking if isinstance(block.get("thinking"), str)]
    if not blocks and (failure := unspoken(reason, usage)):
        return failure
    return Reply(
        content="".join(words) if words else None,
        tool_calls=tuple(_call(block) for block in blocks if block.get("type") == "tool_use"),
        reasoning="\n".join(thoughts) or None,
        finish_reason=_FINISH.get(reason, reason) if isinstance(reason, str) else None,
        model=model,
        usage=usage,
        echo={"thinking": thinking} if thinking else None,
    )


def _call(block: Mapping[str, object]) -> ToolCall:
    value = block.get("input")
    arguments = to_json(tame(value)).decode() if isinstance(value, dict) else value
    return tool_call(block.get("id"), block.get("name"), arguments)


def _usage(usage: object) -> Usage:
    """Here tokens read from or written to the cache are no part of `input_tokens`."""
    plain = read_usage(usage)
    if not isinstance(usage, dict):
        return plain
    cached = read_usage({"input_tokens": usage.get("cache_read_input_tokens")}).input_tokens
    written = read_usage({"input_tokens": usage.get("cache_creation_input_tokens")}).input_tokens
    return Usage(plain.input_tokens + cached + written, plain.output_tokens, cached, plain.reasoning_tokens)
