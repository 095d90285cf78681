"""What the assistant said, or did not: questions whose answer was known, errors nobody told of, silence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.grounding.context import is_plain
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.values import folded, is_short, leaves, quote_of
from toolgauge.conversations.asking import Wants, read_text
from toolgauge.conversations.checks.dialogue import LONGEST, MadeCall, RecordedDialogue
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place, brief

MOST_ASKED = 10
"""Questions in a row that are looked back on."""
_TOLD = re.compile(
    r"\b(?:no|not|none|never|nothing|unable|fail\w*|errors?|sorry|unfortunately|apolog\w+|but|however|issues?|problems?"
    r"|trouble|invalid|missing|unavailable|denied|refused|unknown|wrong|rejected|time[d]? out|instead|without|only"
    r"|unsuccessful|unauthori[sz]ed|limit\w*|cannot|exceed\w*|down|offline|already|expired|incorrect|blocked)\b|n['’]t\b"
    r"|[不没未无非]|失败|错误|抱歉|遗憾|但|出错|问题|异常|拒绝|超时|只|别的|已经|过期",
    re.IGNORECASE,
)
"""Words of which a text that tells of a failure has one."""
_BEFORE = re.compile(
    r"\b(?:already|just) (?:said|told|gave|mentioned|wrote)|(?:as|like) i said|说过|刚才说|刚说|已经(?:说|告诉|给)",
    re.IGNORECASE,
)
"""The user says that it was said before."""
_STRICT = {ParameterKind.CONTACT, ParameterKind.CREDENTIAL, ParameterKind.PERSON, ParameterKind.ID}
"""What people are asked for to prove who they are, also where it is on record."""


def unhandled_errors(dialogue: RecordedDialogue) -> Iterator[CallFinding]:
    """Failed calls behind which no other call was made for the request, and whose failure the reply does not tell."""
    for number in range(-1, len(dialogue.requests)):
        calls = dialogue.calls_of(number)
        failed = [call for call in calls if call.failed]
        if not failed or (reply := closing_reply(dialogue, number)) is None:
            continue
        text = dialogue.messages[reply].content or ""
        if _TOLD.search(text[:LONGEST]) or ends_asking(dialogue, number):
            continue
        last = max(call.message for call in calls)
        for call in failed:
            if call.message == last:
                at, other = Place(call.message, call.index), Place(reply, value=brief(text))
                yield CallFinding(dialogue.conversation.id, FindingCode.UNHANDLED_ERROR, at, call.name, other)


def unanswered(dialogue: RecordedDialogue) -> Iterator[CallFinding]:
    """Requests behind which the assistant says nothing, and those at whose answer the recording ends."""
    for number, request in enumerate(dialogue.requests):
        if closing_reply(dialogue, number) is not None:
            continue
        behind = dialogue.messages[request.at[-1] + 1 : request.end]
        is_last = number == len(dialogue.requests) - 1
        silent = bool(behind) and behind[-1].role == "assistant" and not behind[-1].tool_calls
        code = FindingCode.CUT_OFF if is_last and not silent else FindingCode.UNANSWERED
        at = Place(request.at[-1], value=brief(request.said))
        yield CallFinding(dialogue.conversation.id, code, at)


def closing_reply(dialogue: RecordedDialogue, request: int) -> int | None:
    """The message in which the assistant says something behind its last call for a request; None: there is none."""
    start = dialogue.requests[request].at[-1] if request >= 0 else -1
    end = dialogue.requests[request].end if request >= 0 else _first_request(dialogue)
    for position in range(end - 1, start, -1):
        message = dialogue.messages[position]
        if message.role == "assistant" and message.tool_calls:
            return None
        if message.role == "assistant" and (message.content or "").strip():
            return position
    return None


def ends_asking(dialogue: RecordedDialogue, request: int) -> bool:
    """Does the closing reply of a request ask the user for something?"""
    reply = closing_reply(dialogue, request)
    return reply is not None and read_text(dialogue.messages[reply].content or "").wants is Wants.ASKS


def _first_request(dialogue: RecordedDialogue) -> int:
    return dialogue.requests[0].at[0] if dialogue.requests else len(dialogue.messages)


def answered_questions(dialogue: RecordedDialogue) -> Iterator[CallFinding]:
    """Questions whose answer, which a call then used, the user had given before, or a result had told.

    The value does not stand in the question itself: whoever is asked to choose or to confirm repeats what he is told.
    """
    for number in range(1, len(dialogue.requests)):
        asked = closing_reply(dialogue, number - 1)
        if asked is None or not ends_asking(dialogue, number - 1):
            continue
        text = dialogue.messages[asked].content or ""
        request = dialogue.requests[number]
        if (known := _asked_before(number, text, dialogue)) is not None:
            yield CallFinding(
                dialogue.conversation.id, FindingCode.ANSWERED_QUESTION, Place(asked, value=known.value), other=known
            )
            continue
        for value, parameter in _used(dialogue, number):
            quote = quote_of(value, request.said[:LONGEST])
            if quote is None or quote_of(value, text[:LONGEST]) or not _is_all(quote, request.said):
                continue
            if known := _known_before(value, parameter, number, dialogue):
                at = Place(asked, value=brief(value))
                yield CallFinding(dialogue.conversation.id, FindingCode.ANSWERED_QUESTION, at, other=known)
                break


def _asked_before(number: int, question: str, dialogue: RecordedDialogue) -> Place | None:
    """Where the user gave the same answer to the same question just before."""
    for earlier in range(number - 1, _first_asked(number, dialogue), -1):
        asked, before = closing_reply(dialogue, earlier - 1), dialogue.requests[earlier]
        said = folded(before.said[:LONGEST])
        same = asked is not None and folded((dialogue.messages[asked].content or "")[:LONGEST]) == folded(
            question[:LONGEST]
        )
        if same and said and said in folded(dialogue.requests[number].said[:LONGEST]):
            return Place(before.at[-1], value=brief(before.said))
    return None


def _first_asked(number: int, dialogue: RecordedDialogue) -> int:
    """The request with which the questions began that the one of this number answers."""
    first = number - 1
    while first > max(0, number - MOST_ASKED) and ends_asking(dialogue, first - 1):
        first -= 1
    return first


def _used(dialogue: RecordedDialogue, request: int) -> Iterator[tuple[str, Parameter]]:
    """Texts, and numbers of several digits, that the calls of a request are given."""
    for call in dialogue.calls_of(request):
        for path, value in call.given:
            if not isinstance(value, bool | None) and not is_short(str(value)) and len(str(value)) <= 200:
                yield str(value), _parameter(call, path)


def _parameter(call: MadeCall, path: str) -> Parameter:
    name = re.split(r"[.\]]", path)[-1] or path
    schema = call.tool.properties.get(path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]) if call.tool else None
    return Parameter(name, schema if isinstance(schema, dict) else {}, call.name)


def _is_all(quote: str, answer: str) -> bool:
    """Is the value what the answer says, or does the user complain of having said it?"""
    return 2 * len(folded(quote)) >= len(folded(answer)) or _BEFORE.search(answer[:LONGEST]) is not None


def _known_before(value: str, parameter: Parameter, number: int, dialogue: RecordedDialogue) -> Place | None:
    """Where the user had said it for this, or a result had told it as the only thing of its kind.

    number: the request that answers. Only what was said since the assistant began to ask: of an earlier matter's
    values nobody knows whether they are meant again.
    """
    first = _first_asked(number, dialogue)
    for earlier in range(number - 1, first - 1, -1):
        for position in dialogue.requests[earlier].at:
            if quote := quote_of(value, (dialogue.messages[position].content or "")[:LONGEST]):
                return Place(position, value=brief(quote))
    if parameter.kinds & _STRICT:
        return None
    for earlier in range(number - 1, first - 1, -1):
        for call in dialogue.calls_of(earlier):
            for path, leaf in leaves(call.result) if call.answered and not call.failed else ():
                if "[" not in path and path and is_plain(leaf) and folded(str(leaf)) == folded(value):
                    return Place(call.result_at, path=path, value=brief(leaf))
    return None
