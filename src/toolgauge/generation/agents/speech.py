"""What the user and the assistant say: the words of the one who speaks, cleaned of what models write around them.

    reply -> without reasoning -> template marks -> [wrapping -> lead-in -> names -> remarks] until nothing changes

Each step takes away only what is surely not said. What is left and nobody says (leftovers.py) refuses the reply.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.announcements import announcements, without_templates
from toolgauge.generation.agents.leftovers import leftover
from toolgauge.generation.agents.reading import Unreadable, objects_in, text_of
from toolgauge.generation.agents.reasoning import apart
from toolgauge.generation.agents.remarks import without_lead_in, without_remarks

MOST_SPOKEN = 40_000
"""Characters that nobody says at once; what the filters allow is much less."""
ROUNDS = 6
"""How often the steps are gone through."""
_TAGS = (
    "answer|output|response|reply|message|final_answer|final|decision|speech|user|agent|assistant|user_message|solution"
)
_TAGGED = re.compile(
    rf"<(?P<tag>{_TAGS})>\s*+(?P<inside>.*?)(?:</(?P=tag)>|\Z)|\[(?P<square>{_TAGS})\]\s*+(?P<within>.*?)\[/(?P=square)\]",
    re.DOTALL | re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:```|~~~)[ \t]*+(?P<markdown>markdown|md)?(?:text|txt|plain|plaintext)?[ \t]*+\n", re.IGNORECASE
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}
_LEFT_OVER_QUOTE = re.compile(r"[^\"“”]*[^\"“”\d\s][\"”]|[^「」]*[^「」\s]」")
"""A text whose only quotation mark closes it; behind a digit it may be inches."""
_EMPHASIS = re.compile(r"(?P<mark>\*{1,3}|_{1,2})(?P<inside>[^*_\n]+)(?P=mark)")
_QUOTED_LINES = re.compile(r"(?:>[^\n]*+(?:\n|\Z))+")
_RULE = re.compile(r"[ \t]*+(?:-{3,}|\*{3,}|_{3,})[ \t]*+")
_ABOUT_ROLE = re.compile(r"[:：]\W*\Z|\b(?:user|role|reply|message|turn)\b|用户|角色|回复", re.IGNORECASE)
"""What stands in prose before a reply and seldom in the reply."""
_TEXT_KEYS = ("content", "message", "next_message", "new_task", "reply", "response", "text", "output", "answer")
_SPEAKER_KEYS = (
    "final_answer",
    "user",
    "agent",
    "assistant",
    "用户",
    "助手",
    "agent助手",
    "回复",
    "回答",
    "消息",
    "内容",
)


def read_words(reply: Reply, speaker: Speaker) -> str:
    """What the user or the assistant says in a reply. Raises Unreadable for nothing, and for what nobody says."""
    from toolgauge.models.endings import Ending, ending_of  # scripted agents, which import this room, need no models

    text = text_of(reply)
    words = said_by(text, speaker)
    if ending_of(reply.finish_reason) is Ending.LIMIT and text.endswith(words[-20:]):
        raise Unreadable("cut_off")
    return accepted(words, speaker)


def accepted(words: str, speaker: Speaker) -> str:
    """The words themselves. Raises Unreadable where there are none, or something that nobody says."""
    if not words:
        raise Unreadable("empty")
    if found := leftover(words, speaker):
        raise Unreadable(found.code, found=found.found)
    return words


def said_by(text: str, speaker: Speaker) -> str:
    """The words of one speaker in a text; empty where it holds none. Raises Unreadable for far too many."""
    if len(text) > MOST_SPOKEN:
        raise Unreadable("too_long", count=len(text))
    words = without_templates(apart(text)[0].strip(), speaker).strip()
    for _ in range(ROUNDS):
        before = words
        for step in _STEPS:
            words = step(words, speaker).strip()
        if words == before:
            break
    return words


def _without_rules(text: str) -> str:
    """A text without the horizontal rules that begin or end it."""
    lines = deque(text.split("\n"))
    while len(lines) > 1 and _RULE.fullmatch(lines[0]):
        lines.popleft()
    while len(lines) > 1 and _RULE.fullmatch(lines[-1]):
        lines.pop()
    return "\n".join(lines)


def _unwrapped(text: str, speaker: Speaker) -> str:
    """A text without a tag, a fence, an object of JSON, quotation marks, or of a user emphasis around the whole."""
    if found := _TAGGED.match(text):
        return (found["inside"] or found["within"] or "").rstrip()
    text = unfenced(_without_rules(text))
    if text.startswith(("{", "```json")):
        return _value_alone(text)
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and not {text[0], text[-1]} & set(text[1:-1]):
        text = text[1:-1].strip()
    if _LEFT_OVER_QUOTE.fullmatch(text):
        text = text[:-1]
    if speaker is Speaker.USER and (found := _EMPHASIS.fullmatch(text)):
        return found["inside"]
    if speaker is Speaker.USER and _QUOTED_LINES.fullmatch(text):
        return "\n".join(line.removeprefix(">").strip() for line in text.splitlines())
    return text


def unfenced(text: str) -> str:
    """A text without a Markdown fence around the whole of it; fences inside it stay."""
    stripped = text.strip()
    opening = _OPENING.match(stripped)
    if not opening or not stripped.endswith(stripped[:3]) or len(stripped) < opening.end() + 3:
        return text
    inside = stripped[opening.end() : -3].strip()
    is_one = opening["markdown"] or stripped[:3] not in inside
    return inside if is_one else text


def _value_alone(text: str) -> str:
    """The text in an object that holds nothing else, {"message": "..."}; else the whole."""
    bare = text.removeprefix("```json").removesuffix("```").strip()
    try:
        (found,) = objects_in(bare)
    except (Unreadable, ValueError):
        return text
    rest = {key: value for key, value in found.value.items() if key.casefold() not in ("role", "speaker")}
    if found.source is None or found.source != bare or len(rest) != 1:
        return text
    ((key, value),) = rest.items()
    return (
        value if isinstance(value, str) and key.casefold().replace(" ", "_") in (*_TEXT_KEYS, *_SPEAKER_KEYS) else text
    )


def _own_part(text: str, speaker: Speaker) -> str:
    """From where the speaker is announced, or the beginning, to where anybody is announced next.

    What stands before the name is prose about the reply, unless a conversation goes on behind it: then it is the reply,
    and the rest is what a model made up.
    """
    found = announcements(text, speaker)
    begun, before = 0, text[: found[0].start].strip() if found else ""
    goes_on = len(found) > 1 and not _ABOUT_ROLE.search(without_remarks(before, speaker))
    if found and (not before or (found[0].speaker is speaker and not goes_on)):
        own = next((one for one in found if one.speaker is speaker), None)
        begun = own.end if own else len(text)
    own_part = text[begun : next((one.start for one in found if one.start >= begun), len(text))].strip()
    opened = text[:begun].lstrip()[:1]
    if opened in _QUOTES and own_part.endswith(_QUOTES[opened]) and opened not in own_part[:-1]:
        return own_part[:-1]  # the quotation marks stood around the name as well
    return own_part


_STEPS: tuple[Callable[[str, Speaker], str], ...] = (_unwrapped, without_lead_in, _own_part, without_remarks)
