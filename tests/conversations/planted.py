"""Gold dialogues with one planted fault each: every way to plant one at every place where it goes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from toolgauge.chat import Message, ToolCall
from toolgauge.conversations.checks.dialogue import MadeCall, RecordedDialogue, read_dialogue
from toolgauge.conversations.checks.findings import FindingCode
from toolgauge.conversations.conversation import Conversation
from toolgauge.models.builtin.mistakes import spoil

Planted = Iterator[Conversation]
_ERROR = json.dumps({"error": "service temporarily unavailable"})
_SPOILED = {
    "bad_json": FindingCode.UNREADABLE_CALL,
    "undefined_param": FindingCode.UNKNOWN_ARGUMENT,
    "missing_required": FindingCode.MISSING_ARGUMENT,
    "wrong_type": FindingCode.WRONG_TYPE,
}


def planted(conversation: Conversation) -> Iterator[tuple[str, FindingCode, Conversation]]:
    """(what was done, the finding that is due, the conversation)."""
    dialogue = read_dialogue(conversation)
    for what, code, plant in _WAYS:
        yield from ((what, code, one) for one in plant(dialogue))
    for call in dialogue.calls:
        for mistake, text in spoil(call.raw, call.tool.parameters if call.tool else {}):
            if mistake in _SPOILED:
                yield mistake, _SPOILED[mistake], _with_call(dialogue, call, arguments=text)


def _put(dialogue: RecordedDialogue, start: int, end: int, *messages: Message) -> Conversation:
    said = dialogue.messages
    return replace(dialogue.conversation, messages=(*said[:start], *messages, *said[end:]))


def _with_call(dialogue: RecordedDialogue, call: MadeCall, **changes: str) -> Conversation:
    message = dialogue.messages[call.message]
    calls = list(message.tool_calls)
    calls[call.index] = replace(calls[call.index], **changes)
    return _put(dialogue, call.message, call.message + 1, replace(message, tool_calls=tuple(calls)))


def _renamed(dialogue: RecordedDialogue) -> Planted:
    for call in dialogue.calls:
        yield _with_call(dialogue, call, name=f"{call.name}_v2")


def _values(change: Callable[[object, random.Random], object]) -> Callable[[RecordedDialogue], Planted]:
    """One top argument of every call changed."""

    def plant(dialogue: RecordedDialogue) -> Planted:
        draw = random.Random(dialogue.conversation.id)
        for call in dialogue.calls:
            for key, value in (call.arguments or {}).items():
                changed = change(value, draw)
                if changed is not None and changed != value:
                    text = json.dumps({**(call.arguments or {}), key: changed}, ensure_ascii=False)
                    yield _with_call(dialogue, call, arguments=text)

    return plant


def _other_id(value: object, draw: random.Random) -> object:
    """Another digit in an id."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z]{1,4}-?[A-Za-z]?\d{2,8}[A-Za-z]?", value):
        return None
    place = draw.choice([at for at, char in enumerate(value) if char.isdigit()])
    return f"{value[:place]}{(int(value[place]) + draw.randint(2, 8)) % 10}{value[place + 1 :]}"


def _other_day(value: object, draw: random.Random) -> object:
    """A day of another month and year."""
    found = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(.*)", value) if isinstance(value, str) else None
    return f"{int(found[1]) + 3}-{(int(found[2]) + 4) % 12 + 1:02}-{draw.randint(10, 28)}{found[4]}" if found else None


def _other_number(value: object, draw: random.Random) -> object:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value * 7 + draw.randint(130, 160) if isinstance(value, int) and whole else None


def _other_name(value: object, _draw: random.Random) -> object:
    """Another name of a person or a place."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}", value):
        return None
    return "Bartholomew Quirke" if " " in value else "Ouagadougou"


def _other_mail(value: object, _draw: random.Random) -> object:
    return f"x{value}" if isinstance(value, str) and "@" in value and " " not in value else None


def _repeated(dialogue: RecordedDialogue) -> Planted:
    """The same calls once more, with the same results, behind these."""
    for position, calls in dialogue.by_message.items():
        end = max(call.result_at for call in calls) + 1
        if end > position + 1:
            yield _put(dialogue, end, end, *_again(dialogue, position, end))


def _again(dialogue: RecordedDialogue, start: int, end: int) -> Iterator[Message]:
    for message in dialogue.messages[start:end]:
        calls = tuple(ToolCall(f"{call.id}_again", call.name, call.arguments) for call in message.tool_calls)
        again = f"{message.tool_call_id}_again" if message.tool_call_id else None
        yield replace(message, tool_calls=calls, tool_call_id=again)


def _retried(dialogue: RecordedDialogue) -> Planted:
    """Before its result each call of a step fails."""
    for position, calls in dialogue.by_message.items():
        end = max(call.result_at for call in calls) + 1
        if end > position + 1:
            failing = [
                replace(one, content=_ERROR) if one.tool_call_id else one for one in _again(dialogue, position, end)
            ]
            yield _put(dialogue, position, position, *failing)


def _asked_again(dialogue: RecordedDialogue) -> Planted:
    """Behind the answer to a question the same question and answer."""
    for request in dialogue.requests:
        at = request.at[0]
        asked = dialogue.messages[at - 1] if at else None
        if asked is not None and asked.role == "assistant" and (asked.content or "").rstrip().endswith(("?", "？")):
            yield _put(dialogue, at, at, dialogue.messages[at], asked)


def _failing(dialogue: RecordedDialogue) -> Planted:
    """The last result before a closing reply is an error; the reply stays."""
    for call in dialogue.calls:
        behind = dialogue.messages[call.result_at + 1] if 0 <= call.result_at < len(dialogue.messages) - 1 else None
        if behind is not None and behind.role == "assistant" and not behind.tool_calls:
            failed = replace(dialogue.messages[call.result_at], content=_ERROR)
            yield _put(dialogue, call.result_at, call.result_at + 1, failed)


def _silent(dialogue: RecordedDialogue) -> Planted:
    """No closing reply behind calls, and an empty one to a request that needed none."""
    for number, request in enumerate(dialogue.requests[:-1]):
        last = dialogue.messages[request.end - 1]
        empty = () if dialogue.calls_of(number) else (replace(last, content=""),)
        yield _put(dialogue, request.end - 1, request.end, *empty)


def _looked_up_twice(dialogue: RecordedDialogue) -> Planted:
    """Behind a lookup another tool's, which tells a part of the same."""
    for position, calls in dialogue.by_message.items():
        call, end = calls[0], calls[0].result_at + 1
        if len(calls) > 1 or not call.reads or not isinstance(call.result, dict) or call.tool is None:
            continue
        first, result = _again(dialogue, position, end)
        other = replace(call.tool, name="get_summary")
        made = replace(first, tool_calls=(replace(first.tool_calls[0], name=other.name),))
        with_tool = replace(dialogue.conversation, tools=(*dialogue.conversation.tools, other))
        yield _put(replace(dialogue, conversation=with_tool), end, end, made, result)


_WAYS: tuple[tuple[str, FindingCode, Callable[[RecordedDialogue], Planted]], ...] = (
    ("another tool's name", FindingCode.UNKNOWN_TOOL, _renamed),
    ("another id", FindingCode.INVENTED_VALUE, _values(_other_id)),
    ("another day", FindingCode.INVENTED_VALUE, _values(_other_day)),
    ("another number", FindingCode.INVENTED_VALUE, _values(_other_number)),
    ("another name", FindingCode.INVENTED_VALUE, _values(_other_name)),
    ("another mail address", FindingCode.INVENTED_VALUE, _values(_other_mail)),
    ("called again", FindingCode.REPEATED_CALL, _repeated),
    ("failed before", FindingCode.RETRIED_CALL, _retried),
    ("looked up twice", FindingCode.KNOWN_RESULT, _looked_up_twice),
    ("asked again", FindingCode.ANSWERED_QUESTION, _asked_again),
    ("failed, untold", FindingCode.UNHANDLED_ERROR, _failing),
    ("no reply", FindingCode.UNANSWERED, _silent),
)
