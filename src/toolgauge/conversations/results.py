"""What a tool answered, as a log has it: JSON where it is JSON, and whether it is an error."""

from __future__ import annotations

import re

import msgspec

from toolgauge.annotation.dialogue import Observation
from toolgauge.data.lines import within_depth
from toolgauge.limits import MAX_VALUES, holds_more_values

_OK, _NOT_OK, _HIGHEST = 200, 400, 599
_FAILED = re.compile(
    r"^\W{0,3}(?:[\w.]{0,40}(?:error|exception)\b|traceback\b|failed\b|failure\b|invalid\b"
    r"|unknown (?:tool|function|argument|parameter)|(?:tool|function) (?:not found|does not exist)"
    r"|错误|失败|异常|参数(?:错误|无效|缺失)|调用失败)",
    re.IGNORECASE,
)
_FLAGS = ("success", "ok", "succeeded")
_STATUS = ("status_code", "statusCode", "http_status", "status", "code")
_ERRORS = ("error", "errors", "exception", "错误")


def read_result(text: str) -> Observation:
    """An object or a list where the text is one in JSON, else the text; the status that it tells, else 200."""
    value: object = text
    if text.lstrip()[:1] in ("{", "[") and not holds_more_values(text.encode(errors="replace"), MAX_VALUES):
        try:
            value = msgspec.json.decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            value = text
        value = value if within_depth(value) else text
    return Observation(_told(value) or _OK, value)


def has_failed(result: Observation) -> bool:
    """Is it an error, as far as it says so itself: by its status, a field like `error`, or its first words?"""
    value = result.response
    if result.status_code >= _NOT_OK:
        return True
    if isinstance(value, str):
        return _FAILED.match(value) is not None
    if not isinstance(value, dict):
        return False
    flags = {str(key).casefold(): part for key, part in value.items()}
    if any(flags.get(name) is False for name in _FLAGS) or flags.get("iserror") is True:
        return True
    if str(flags.get("status", "")).casefold() in ("error", "failed", "failure"):
        return True
    return any(flags.get(name) for name in _ERRORS)


def _told(value: object) -> int | None:
    """The HTTP status that a result tells."""
    if not isinstance(value, dict):
        return None
    named = (value.get(name) for name in _STATUS)
    return next((one for one in named if type(one) is int and _NOT_OK <= one <= _HIGHEST), None)
