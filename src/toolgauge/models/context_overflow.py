"""Whether an error says that a conversation is longer than the endpoint's context, in any provider's words.

It is neither the model's mistake nor a failure that may pass (docs/models.md#a-conversation-that-is-too-long). Limits
of tokens per minute, and of what a reply may be asked for, speak of tokens too and are none.
"""

from __future__ import annotations

import re

from toolgauge.models.retry import error_codes, error_text

LONGEST = 4000
"""Characters of an error that are looked at."""
_OTHER_STATUSES = frozenset({401, 402, 403, 404, 408, 409, 425, 429, 529})
"""Errors of the key, the address or the hour, whatever they say."""
_CODES = frozenset({
    "context_length_exceeded", "context_window_exceeded", "model_context_window_exceeded", "exceed_context_size_error",
    "model_max_prompt_tokens_exceeded", "tokens_limit_reached", "prompt_too_long", "input_too_long",
})  # fmt: skip
"""OpenAI and many others; gateways; Z.ai; llama.cpp; GitHub."""

_NOT = re.compile(
    r"per (?:minute|min|second|sec|hour|day)\b|/min\b|\b[tr]p[mds]\b|rate[ _-]?limit|quota|throttl|too many requests"
    r"|每分钟|每秒|每天|频繁|频率|速率|配额|额度",
    re.IGNORECASE,
)
"""Limits of what may be asked in a time."""

_ROOM = r"(?:context|prompt|input|sequence|seq|model|message)s?"
_SIZE = r"(?:length|len|size|window|limit|tokens?)"
_MORE = r"(?:exceed\w*|overflow\w*|(?:too|is) long\w*|too (?:many|large)|(?:long|great|larg)er than|beyond)"
_TOLD = [
    # the limit by its name: "maximum context length", "max_seq_len", "maximum prompt length", "max message tokens"
    rf"max(?:imum)?[ _-](?:allowed[ _-])?(?:model[ _-])?{_ROOM}[ _-]{_SIZE}",
    # "exceeds the context window", "longer than the model's context length"; "the context window is exceeded"
    rf"{_MORE}.{{0,60}}?\bcontext[ _-]?{_SIZE}|\bcontext[ _-]?{_SIZE}.{{0,30}}?(?:{_MORE}|\bonly\b)",
    "context the overflows",  # LM Studio
    # "prompt is too long", "Input length (9 tokens) exceeds", "input token count of 9 exceeds", "prompt 超长"
    rf"\b(?:prompt|input|inputs|messages|conversation)\b(?: tokens?)?(?: length| count| size)?[^.:;]{{0,30}}?\b{_MORE}",
    r"\binput token count is \d+ but",
    r"\btoo many (?:input )?tokens\b.{0,80}(?:prompt|input|size limit)|\bmodel token limit\b",
    # Hugging Face: "`inputs` tokens + `max_new_tokens` must be <= 9", "`inputs` must have less than 9 tokens"
    r"`inputs`.{0,40} must (?:be|have)\b",
    # Alibaba: "Range of input length should be [1, 9]"; LM Studio: "n_keep (9) >= n_ctx (9)"; older vLLM: what is left
    r"\binput length should be\b|\bn_keep\b.{0,30}\bn_ctx\b|max_tokens must be at least 1, got -",
    r"reduce the length of (?:the|your) (?:messages|prompt|input)|reduce (?:the|your) input token",
    r"\btokens?\b.{0,60}\b(?:less than|cannot exceed|not exceed)\b.{0,40}(?:max_\w+_len|total tokens limit)",
    r"(?:输入|上下文|提示词?|对话|消息|prompt|tokens?|文本).{0,16}(?:超长|过长|太长|超过|超出|超限|达到上限)",
]
_OVERFLOW = re.compile("|".join(f"(?:{pattern})" for pattern in _TOLD), re.IGNORECASE | re.DOTALL)


def is_context_overflow(status: int | None, error: object) -> bool:
    """Whether an error object says so. status: the HTTP status it came with, None where that is not known."""
    if status in _OTHER_STATUSES or (status is not None and status in range(502, 505)):
        return False
    text = words(error)
    if _NOT.search(text):
        return False
    return bool(_CODES & {code.lower() for code in error_codes(error)}) or is_overflow_text(text)


def is_overflow_text(text: str) -> bool:
    """The same of the words alone."""
    text = text[:LONGEST]
    return _OVERFLOW.search(text) is not None and not _NOT.search(text)


def words(error: object) -> str:
    """What an error says, and what a router quotes of the provider behind it (OpenRouter)."""
    metadata = error.get("metadata") if isinstance(error, dict) else None
    quoted = metadata.get("raw") if isinstance(metadata, dict) else None
    return "\n".join(part[:LONGEST] for part in (error_text(error), quoted) if isinstance(part, str))
