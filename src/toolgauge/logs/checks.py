"""What code can know of recorded calls without gold: those that break their definition, unknown tools, repetitions, and
failed calls that the user was told of as if they had worked. None of it says whether an answer was right.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from enum import StrEnum

import msgspec
from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.data.record import shown, step
from toolgauge.data.validation import Misfit, argument_validator
from toolgauge.judge.words import NEGATION, REFUSAL
from toolgauge.logs.conversation import Conversation, LogMessage
from toolgauge.logs.joining import canonical
from toolgauge.logs.tasks import arguments_of

MOST_ERRORS = 20
"""Of one call that are told."""
MOST_LISTED = 1000
"""Names of tools that are compared."""
LONGEST_NAME = 200
_ADMITS = re.compile(
    r"\b(?:error|fail\w*|problem|issue|trouble|wrong|timed? ?out)\b|错误|失败|问题|出错|超时|[?？]\s*\Z", re.IGNORECASE
)
"""In a reply: the user may have been told of a failure, or is asked."""


class FindingCode(StrEnum):
    """Everything that is looked for."""

    UNREADABLE_CALL = "unreadable_call"
    UNKNOWN_TOOL = "unknown_tool"
    MISSING_ARGUMENT = "missing_argument"
    UNKNOWN_ARGUMENT = "unknown_argument"
    WRONG_TYPE = "wrong_type"
    REFUSED_VALUE = "refused_value"
    REPEATED_CALL = "repeated_call"
    ERROR_AS_SUCCESS = "error_as_success"


TITLES = {
    FindingCode.UNREADABLE_CALL: "arguments that are not a JSON object",
    FindingCode.UNKNOWN_TOOL: "a tool that was not offered",
    FindingCode.MISSING_ARGUMENT: "a required argument is missing",
    FindingCode.UNKNOWN_ARGUMENT: "an argument that the tool does not have",
    FindingCode.WRONG_TYPE: "a value of the wrong type",
    FindingCode.REFUSED_VALUE: "a value that the definition does not allow",
    FindingCode.REPEATED_CALL: "the same call again, with the same result",
    FindingCode.ERROR_AS_SUCCESS: "a failed call told as success",
}
SCHEMA = (FindingCode.MISSING_ARGUMENT, FindingCode.UNKNOWN_ARGUMENT, FindingCode.WRONG_TYPE, FindingCode.REFUSED_VALUE)
"""What a JSON Schema tells."""
_BY_KEYWORD = {
    "required": FindingCode.MISSING_ARGUMENT,
    "dependentRequired": FindingCode.MISSING_ARGUMENT,
    "additionalProperties": FindingCode.UNKNOWN_ARGUMENT,
    "unevaluatedProperties": FindingCode.UNKNOWN_ARGUMENT,
    "type": FindingCode.WRONG_TYPE,
}


class Finding(Struct, frozen=True, omit_defaults=True):
    """Something found in a conversation; a line of checks.jsonl.

    message, call: where the call stands, both from 0. path: of the argument. value: what stands there, of bounded
    length. rule: JSON Schema's keyword that does not hold. other: the message of the earlier call, or of the reply.
    near: the tool whose name is nearest.
    """

    conversation: str
    code: FindingCode
    message: int
    call: int
    tool: str = ""
    path: str | None = None
    value: str | None = None
    rule: str | None = None
    other: int | None = None
    near: str | None = None


class CheckedCall(Struct):
    """A call with what was found. by_name, by_schema: could that be decided? failed: the log marks its result so."""

    message: int
    index: int
    tool: str
    arguments: object
    definition: Tool | None
    request: int
    result: str | None = None
    failed: bool = False
    by_name: bool = False
    by_schema: bool = False
    findings: list[Finding] = []


def check_conversation(conversation: Conversation) -> list[CheckedCall]:
    """Every call of a conversation with what was found of it. Never raises: a log may hold anything."""
    calls = _calls(conversation)
    for call in calls:
        call.findings += _by_definition(call, conversation)
    for call, before in _repetitions(calls):
        call.findings.append(_finding(call, conversation, FindingCode.REPEATED_CALL, other=before.message))
    for call, reply in _untold(calls, conversation.messages):
        call.findings.append(_finding(call, conversation, FindingCode.ERROR_AS_SUCCESS, other=reply))
    return calls


def _finding(call: CheckedCall, conversation: Conversation, code: FindingCode, **more: object) -> Finding:
    base = Finding(conversation.id, code, call.message, call.index, call.tool[:LONGEST_NAME])
    return msgspec.structs.replace(base, **more)


def _calls(conversation: Conversation) -> list[CheckedCall]:
    tools = {tool.name: tool for tool in conversation.tools}
    calls: list[CheckedCall] = []
    waiting: dict[str, deque[CheckedCall]] = {}
    request = 0
    for place, message in enumerate(conversation.messages):
        if message.role == "user" and not message.injected:
            request += 1
        for index, call in enumerate(message.tool_calls):
            name = call.name or ""
            checked = CheckedCall(place, index, name, call.arguments, tools.get(name), request)
            calls.append(checked)
            waiting.setdefault(call.id or "", deque()).append(checked)
        unanswered = waiting.get(message.tool_call_id or "") if message.role == "tool" else None
        if unanswered:
            answered = unanswered.popleft()
            answered.result, answered.failed = message.content or "", bool(message.is_error)
    return calls


def _by_definition(call: CheckedCall, conversation: Conversation) -> Iterator[Finding]:
    """What the name and the arguments break; nothing is said where the log has no tools."""
    arguments = arguments_of(call.arguments)
    if arguments is None:
        yield _finding(call, conversation, FindingCode.UNREADABLE_CALL, value=shown(call.arguments))
    call.by_name = bool(conversation.tools)
    if call.definition is None:
        if conversation.tools:
            names = [tool.name for tool in conversation.tools[:MOST_LISTED] if len(tool.name) <= LONGEST_NAME]
            near = get_close_matches(call.tool[:LONGEST_NAME], names, 1)
            yield _finding(call, conversation, FindingCode.UNKNOWN_TOOL, near=near[0] if near else None)
        return
    validator = argument_validator(msgspec.json.encode(call.definition.parameters)) if arguments is not None else None
    if validator is None:
        return
    outcome = validator.check(arguments, MOST_ERRORS)
    call.by_schema = bool(outcome.errors) or outcome.undecided is None
    for error in outcome.errors:
        yield from _misfits(error, call, conversation)


def _misfits(error: Misfit, call: CheckedCall, conversation: Conversation) -> Iterator[Finding]:
    """A finding for each unknown argument, and one for anything else that does not fit."""
    code = _BY_KEYWORD.get(error.keyword, FindingCode.REFUSED_VALUE)
    path = error.place.lstrip(".")
    places: list[tuple[str, object]] = [
        (path, error.expected if code is FindingCode.MISSING_ARGUMENT else error.instance)
    ]
    if code is FindingCode.UNKNOWN_ARGUMENT and isinstance(error.instance, dict):
        extra = [name for name in error.expected[:MOST_ERRORS] if name in error.instance]
        places = [(f"{path}{step(key)}".lstrip("."), error.instance[key]) for key in extra] or places
    for place, value in places:
        yield _finding(call, conversation, code, path=place or None, value=shown(value), rule=error.keyword)


def _repetitions(calls: Sequence[CheckedCall]) -> Iterator[tuple[CheckedCall, CheckedCall]]:
    """Calls that were made before for the same request, with the same result. A failed call may be tried again."""
    seen: dict[tuple[int, str, str], CheckedCall] = {}
    for call in calls:
        key = (call.request, call.tool, canonical(call.arguments))
        before = seen.get(key)
        if before is not None and not before.failed and before.result is not None and call.result == before.result:
            yield call, before
        seen[key] = call


def _untold(calls: Sequence[CheckedCall], messages: Sequence[LogMessage]) -> Iterator[tuple[CheckedCall, int]]:
    """Calls whose result the log marks as failed, behind which no call worked, and whose request ends with a reply that
    admits nothing; with the message of that reply."""
    last_worked = {call.request: call.message for call in calls if not call.failed and call.result is not None}
    replies: dict[int, int] = {}
    request = 0
    for place, message in enumerate(messages):
        if message.role == "user" and not message.injected:
            request += 1
        elif message.role == "assistant" and not message.tool_calls and (message.content or "").strip():
            replies[request] = place
    for call in calls:
        reply = replies.get(call.request, -1)
        if not call.failed or last_worked.get(call.request, -1) > call.message or reply < call.message:
            continue
        text = messages[reply].content or ""
        if not any(pattern.search(text) for pattern in (_ADMITS, NEGATION, REFUSAL)):
            yield call, reply
