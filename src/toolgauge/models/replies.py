"""From the bytes of a chat completion to a Reply. Whatever a server sends: a Reply, or why there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Json, Reply, Timings, ToolCall, Usage
from toolgauge.models.endings import Ending, ending_of
from toolgauge.models.failures import (
    Answered,
    AttemptFailure,
    error_beside,
    failed_ending,
    inner_error,
    unspoken,
)

DEEPEST = 64
"""Levels of nesting kept in arguments that come as objects; what lies deeper becomes null."""

REFUSAL = "refusal"
"""The finish reason of a reply that its API marks as a refusal, whatever it says otherwise."""

_decode = msgspec.json.Decoder().decode


def read_json(body: bytes) -> Any:
    """JSON as msgspec reads it, else as the more lenient standard module does; raises ValueError.

    Lenient means: NaN and infinities (null here), a byte order mark, bytes that are not UTF-8 and lone surrogates (both
    replaced by U+FFFD), so that what comes out can always be written again.
    """
    try:
        return _decode(body)
    except (ValueError, RecursionError):
        pass
    try:
        return tame(json.loads(body.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error


def tame(value: object, depth: int = DEEPEST) -> Any:
    """The value without what JSON cannot carry, and cut off below `depth` levels."""
    if isinstance(value, str):
        has_lone_surrogate = not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)
        return value.encode("utf-8", "replace").decode() if has_lone_surrogate else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (dict, list)):
        if depth <= 0:
            return None
        if isinstance(value, list):
            return [tame(item, depth - 1) for item in value]
        return {tame(key): tame(item, depth - 1) for key, item in value.items()}
    return value


def read_reply(body: bytes, keep: Callable[[object], dict[str, object] | None] | None = None) -> Answered:
    """The reply in the body of a 2xx answer, or why there is none (docs/models.md, "Failures inside an answer").

    keep: what of the message has to go back to the provider as it came.
    """
    completion = read_object(body, "the response is not a chat completion")
    if isinstance(completion, AttemptFailure):
        return completion
    wrapped = completion.get("data")
    if "choices" not in completion and isinstance(wrapped, dict) and "choices" in wrapped:  # by a gateway
        completion = wrapped
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return _nothing_chosen(completion)
    finish = choice.get("finish_reason")
    if error := choice.get("error") or completion.get("error"):
        return inner_error(error, begun=True)
    if failure := failed_ending(finish):
        return failure
    message, model, usage = choice.get("message"), completion.get("model"), read_usage(completion.get("usage"))
    model = model if isinstance(model, str) else None
    if not isinstance(message, dict) or not message:
        ending = ending_of(finish)
        if ending not in (Ending.FILTER, Ending.MISTAKE, Ending.LIMIT):  # which explain that there is none
            return AttemptFailure("the response has no message")
        finish = "content_filter" if ending is Ending.FILTER else finish
        return Reply(finish_reason=finish, model=model, usage=usage)
    if failure := _wrong_content(message.get("content")):
        return failure
    reply = message_reply(message, finish_reason=finish if isinstance(finish, str) else None, model=model, usage=usage)
    if not reply.tool_calls:
        reply = _with_left_calls(reply, message, choices)
    if not (reply.content or reply.tool_calls or reply.reasoning or reply.raw) and (failure := unspoken(finish, usage)):
        return failure
    if timings := read_timings(completion):
        reply = replace(reply, timings=timings)
    echo = keep(message) if keep else None
    return reply if echo is None else replace(reply, echo=tame(echo))


def _wrong_content(content: object) -> AttemptFailure | None:
    """Why a content is none that a chat completion may have: parts of kinds that nobody can read are the provider's."""
    parts = content if isinstance(content, list) else []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else type(part).__name__
        readable = isinstance(part, str) or (
            isinstance(part, dict) and bool({"text", "refusal", "thinking", "reasoning"} & part.keys())
        )
        if not readable:
            return AttemptFailure(f"the content of the reply holds a part of an unknown kind ({str(kind)[:60]})")
    return None


def _with_left_calls(reply: Reply, message: Json, choices: Any) -> Reply:
    """The reply with calls that its server put elsewhere, kept as text and told as what they are."""
    others = [choice.get("message") for choice in choices[1:] if isinstance(choice, dict)]
    in_choices = [call for other in others if isinstance(other, dict) for call in _calls(other.get("tool_calls"))]
    old = message.get("function_call")
    in_field = _calls({"function": old}) if isinstance(old, dict) and old.get("name") else ()
    if not (in_choices or in_field):
        return reply
    problem = CallProblem.LEFT_IN_FIELD if in_field else CallProblem.LEFT_IN_CHOICE
    lines = (json.dumps({"name": call.name, "arguments": call.arguments}) for call in in_field or in_choices)
    return replace(reply, problem=problem, raw="\n".join((*filter(None, [reply.content]), *lines)))


def _nothing_chosen(completion: Json) -> Answered:
    """The outcome of a body without a choice: an error, a prompt that was filtered, or nothing that says why."""
    if error := error_beside(completion):
        return inner_error(error)
    feedback = completion.get("prompt_feedback") or completion.get("promptFeedback")
    if isinstance(feedback, dict) and (feedback.get("block_reason") or feedback.get("blockReason")):
        return Reply(finish_reason="content_filter", usage=read_usage(completion.get("usage")))
    return AttemptFailure("the response is not a chat completion: choices missing")


def read_object(body: bytes, otherwise: str) -> Json | AttemptFailure:
    """The JSON object in the body of a 2xx answer; `otherwise` says what is wrong with other JSON."""
    try:
        read = read_json(body)
    except ValueError:
        return AttemptFailure(_unreadable(body))
    return read if isinstance(read, dict) else AttemptFailure(otherwise)


def error_of(body: bytes) -> object:
    """The error object in the body of an answer that is no 2xx, or what there is instead; None for no JSON at all."""
    try:
        content = read_json(body)
    except ValueError:
        return None  # a web page or nothing; the status says enough
    if isinstance(content, list) and content:  # Google's compatible endpoint wraps it once more
        content = content[0]
    return content.get("error", content) if isinstance(content, dict) else content


def _unreadable(body: bytes) -> str:
    start = body[:200].lstrip().lower()
    if not start:
        return "the response is empty"
    if start.startswith((b"<!doctype", b"<html", b"<")):
        return "the response is a web page, not JSON; check the base URL (it often ends in /v1)"
    return f"the response is cut off or not JSON (size: {len(body)} B)"


def message_reply(
    message: object, *, finish_reason: str | None = None, model: str | None = None, usage: Usage | None = None
) -> Reply:
    """A Reply from an OpenAI-style assistant message, however malformed; no message at all is an empty reply."""
    if not isinstance(message, dict):
        message = {}
    content, thought = _split_parts(message.get("content"))
    if refusal := refusal_in(message):
        content, finish_reason = refusal if content is None else content, REFUSAL
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning")) or thought
    return Reply(
        content=content,
        tool_calls=_calls(message.get("tool_calls")),
        reasoning=reasoning,
        finish_reason=finish_reason,
        model=model,
        usage=usage or Usage(),
    )


def refusal_in(message: Json) -> str:
    """What stands in the field that the API has for refusals, or in a part of the content; "" where nothing does."""
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [message.get("refusal"), *(part.get("refusal") for part in parts)]
    return next((text for text in texts if isinstance(text, str) and text), "")


def _split_parts(content: Any) -> tuple[str | None, str | None]:
    """Text and reasoning of a content that may be a list of parts; other JSON is kept as its text."""
    if content is None or isinstance(content, str):
        return content, None
    parts = content if isinstance(content, list) else [content]
    if not all(isinstance(part, (str, dict)) for part in parts):
        return _text(content), None
    texts: list[str] = []
    thought: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif "thinking" in part or part.get("type") in ("thinking", "reasoning"):
            thought.append(_text(part.get("thinking") or part.get("text")) or "")
        else:
            texts.append(_text(part.get("text", part.get("refusal"))) or "")
    return ("".join(texts) if texts else None), ("".join(thought) or None)


def _text(value: object) -> str | None:
    """A text as it is, nothing as None, any other JSON as its text."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(tame(value)).decode()


def _calls(calls: object) -> tuple[ToolCall, ...]:
    read = []
    for call in calls if isinstance(calls, list) else [calls] if calls else []:
        parts = call if isinstance(call, dict) else {}
        function, id_ = _object(parts, "function"), parts.get("id")
        id_ = str(id_) if type(id_) is int else id_
        read.append(tool_call(id_, function.get("name"), function.get("arguments")))
    return tuple(read)


def tool_call(id_: object, name: object, arguments: object) -> ToolCall:
    """A call of what a server gives as its parts; one that is missing or of no use is None."""
    return ToolCall(
        id=id_ if isinstance(id_, str) else None,
        name=name if isinstance(name, str) else None,
        arguments=arguments if isinstance(arguments, str) else tame(arguments),
    )


def read_usage(usage: object) -> Usage:
    """Tokens as counted by the server, under any of the names in use; 0 where it says nothing sensible."""
    if not isinstance(usage, dict):
        return Usage()
    prompt = _object(usage, "prompt_tokens_details") or _object(usage, "input_tokens_details")
    completion = _object(usage, "completion_tokens_details") or _object(usage, "output_tokens_details")
    return Usage(
        input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
        cached_tokens=_count(prompt, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens", "cached_tokens"),
        reasoning_tokens=_count(completion, "reasoning_tokens") or _count(usage, "reasoning_tokens"),
    )


def read_timings(completion: Json) -> Timings | None:
    """How long a server says that it worked: llama.cpp's always, vLLM's with `--enable-per-request-metrics`; None where
    it says nothing sensible."""
    fields = {"timings": ("prompt_ms", "predicted_ms"), "metrics": ("time_to_first_token_ms", "generation_time_ms")}
    for place, names in fields.items():
        prompt, reply = (_seconds(_object(completion, place).get(name)) for name in names)
        if prompt or reply:
            return Timings(prompt, reply)
    return None


def _seconds(milliseconds: object) -> float:
    if not isinstance(milliseconds, (int, float)) or not 0 < milliseconds < 1e9:
        return 0.0
    return round(milliseconds / 1000, 3)


def _object(of: Json, key: str) -> dict[str, object]:
    value = of.get(key)
    return value if isinstance(value, dict) else {}


def _count(of: Json, *keys: str) -> int:
    for key in keys:
        value = of.get(key)
        if isinstance(value, (int, float)) and 0 < value < 2**53:
            return int(value)
    return 0
