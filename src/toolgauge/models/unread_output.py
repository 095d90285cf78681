"""Refusals in which a server says that it cannot read the call that its model wrote: the model's mistake, no failure.

Asking again costs tokens and, at temperature 0, brings the same. The words are those of llama.cpp (issues 20532, 23838,
27025), Ollama (issues 12884, 17638) and Groq. Errors about earlier calls, which the request brings, sound alike and are
none of these.
"""

from __future__ import annotations

import re

from toolgauge.chat import Reply
from toolgauge.models.retry import error_text

TOOL_USE_FAILED = "tool_use_failed"
"""The finish reason of a reply whose call its provider could not read (Groq's error code)."""
_LONGEST = 2_000_000
"""Characters of an error that are looked at: it may quote all that was written."""
_TOLD = re.compile(
    r"The model produced output that does not match the expected [\w.-]{1,60} format"
    r"|(?:Failed to parse input at pos \d+: |error parsing tool call: raw=')(?P<written>.*)",
    re.DOTALL,
)
_OLLAMAS_REASON = re.compile(r"', err=.*\Z", re.DOTALL)


def unread_output(status: int, error: object) -> Reply | None:
    """The reply that a refusal tells of, with what the model wrote where it is quoted; None of any other refusal.

    error: the body's error object, or a text.
    """
    if status == 400 and isinstance(error, dict) and isinstance(error.get("failed_generation"), str):
        return Reply(content=error["failed_generation"], finish_reason=TOOL_USE_FAILED)
    found = _TOLD.search(error_text(error)[:_LONGEST]) if status == 500 else None
    if found is None:
        return None
    written = found["written"]
    if written is not None and found[0].startswith("error parsing"):
        written = _OLLAMAS_REASON.sub("", written)
    return Reply(content=written or None, finish_reason=TOOL_USE_FAILED)
