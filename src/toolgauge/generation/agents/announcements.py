"""Who speaks from where on: speakers' names in front of what they say, in the shapes in which models write them.

"User:", "**User:**", "User (Anna):", "[User]", 【用户】, "### Human:", "User - ", a line that is "user" alone, and
marks of chat templates. A name inside code, or as one field among others ("Name: Anna" above "User: anna42"),
announces nobody.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toolgauge.annotation.dialogue import Speaker
from toolgauge.generation.agents.reasoning import CODE

NAMES: dict[Speaker, str] = {
    Speaker.USER: "user|human|用户",
    Speaker.AGENT: "agent assistant|ai assistant|virtual assistant|agent|assistant|chatbot"
    "|system|agent助手|ai助手|智能助手|助手|助理|系统",
    Speaker.PLANNER: "planner|规划者",
    Speaker.TOOL_CHECKER: "checker_tool",
    Speaker.PLANNER_CHECKER: "checker_planner|checker|检查者",
    Speaker.TOOL: "tools?|工具",
}
"""How speakers are announced; the papers' names, and those of chat templates."""
_STARS = r"\*{0,2}"
_BRACKETED = r"(?:\([^()\n]{1,60}\)|（[^（）\n]{1,60}）)"
_QUOTE = r"[\"“「]?"
_TEMPLATE = re.compile(
    r"<\|(?:im_start|start)\|>[ \t]*+(?P<chatml>\w+)(?:<\|channel\|>final<\|message\|>|<\|message\|>)?"
    r"|<\|start_header_id\|>[ \t]*+(?P<llama>\w+)<\|end_header_id\|>"
    r"|<start_of_turn>[ \t]*+(?P<gemma>\w+)|<\|(?P<phi>user|assistant|system)\|>|(?P<inst>\[INST\])"
    r"|<\|start_of_role\|>[ \t]*+(?P<granite>\w+)<\|end_of_role\|>"
    r"|<\|(?:channel\|>final<\|message|begin_of_solution|begin_of_text|message)\|>",
)
"""Marks of chat templates that begin a turn; the last line: of the one who speaks already."""
_ENDS = re.compile(
    r"<\|(?:im_end|end|eot_id|endoftext|end_of_text|end_of_turn|return|end_of_solution)\|>|<end_of_turn>|\[/INST\]"
    r"|</s>(?=\s*(?:\Z|<s>|\[INST\]))|<｜end▁of▁sentence｜>"
)
_LABEL = re.compile(r"[ \t]*+(?:[-*|>][ \t]+)?\*{0,2}(?P<label>[^\W\d][\w \t]{0,30}?)\*{0,2}[ \t]*+[:：]")
_SENTENCE_END = re.compile(r"[.?!。？！…:：][*\"”」)）]*$")
_LONGEST_FIELD = 60


class Announcement(NamedTuple):
    """Somebody is announced in text[start:end]."""

    start: int
    end: int
    speaker: Speaker


def _pattern(names: str, follows: str = "") -> str:
    """A name at the beginning of a line, as it stands in front of what is said."""
    closed = rf"{_QUOTE}(?:\[(?:role[:：][ \t]*+)?(?:{names})\]|【(?:{names})】)[ \t]*+[:：]?"
    plain = rf"{_STARS}(?:{names})[ \t]*+{_STARS}[ \t]*+{_BRACKETED}?{_STARS}[ \t]*+[:：]{_STARS}"
    heading = rf"\#{{1,6}}[ \t]*+(?:{names})[ \t]*+$"
    return rf"^[ \t]*+(?:{closed}|(?:\#{{1,6}}[ \t]*+)?{_QUOTE}{plain}|{heading})[ \t]*+{follows}"


_ANNOUNCED = {
    speaker: re.compile(_pattern(names, r"(?=\s*+(?:```|[{\[]))" if speaker is Speaker.TOOL else ""), re.I | re.M)
    for speaker, names in NAMES.items()
}
_FIRST = {
    speaker: re.compile(rf"[ \t]*+(?:{names})(?:[ \t]++[-–—][ \t]++|[ \t]*+\n)", re.I)
    for speaker, names in NAMES.items()
}
"""Shapes that count at the very beginning only: "Agent - ", and a name that is a line alone."""
_NEXT = {
    speaker: re.compile(rf"(?<=[.?!…。？！\"”」])(?:[ \t]{{2,}}|(?<=[\"”」])[ \t]*)(?:{names})[ \t]*+[:：]", re.I)
    for speaker, names in NAMES.items()
}
"""Who speaks next on the same line; of a text that begins with a name."""
_ANY_LABEL = re.compile("|".join(NAMES.values()), re.I)


def announcements(text: str, own: Speaker | None = None) -> list[Announcement]:
    """Where somebody is announced, in order. own: whose words are looked for; its name in front is no field."""
    code = [found.span() for found in CODE.finditer(text)]
    found = [
        Announcement(one.start(), one.end(), speaker)
        for speaker, pattern in _ANNOUNCED.items()
        for one in pattern.finditer(text)
        if not any(start <= one.start() < end for start, end in code)
        and not ((one.start() or speaker is not own) and _is_field(text, one))
    ]
    found += [
        Announcement(0, one.end(), speaker) for speaker, pattern in _FIRST.items() if (one := pattern.match(text))
    ]
    if any(not text[: one.start].strip() for one in found):
        found += [
            Announcement(one.start(), one.end(), speaker)
            for speaker, pattern in _NEXT.items()
            for one in pattern.finditer(text)
            if not any(start <= one.start() < end for start, end in code)
        ]
    return sorted(found)


def without_templates(text: str, speaker: Speaker) -> str:
    """A text without the marks of chat templates: up to the first that ends what is said, or begins another turn.

    Whoever speaks, a server calls it the assistant; words that begin as the user's are nobody else's.
    """
    begun = 0
    while (mark := _TEMPLATE.match(text, begun)) or (mark := _ENDS.match(text, begun)):
        if speaker is not Speaker.USER and "user" in mark.groupdict().values():
            return ""
        begun = mark.end()
        while text[begun : begun + 1].isspace():
            begun += 1
    ends = [found.start() for pattern in (_ENDS, _TEMPLATE) if (found := pattern.search(text, begun))]
    return text[begun : min(ends, default=len(text))]


def _is_field(text: str, found: re.Match[str]) -> bool:
    """Is it a field among others, with a value and not with what somebody says?"""
    line_end = text.find("\n", found.end())
    value = text[found.end() : line_end if line_end >= 0 else len(text)].strip()
    if not value or len(value) > _LONGEST_FIELD or _SENTENCE_END.search(value):
        return False
    before = text[: found.start()].rstrip().rpartition("\n")[2]
    after = text[line_end:].lstrip().partition("\n")[0] if line_end >= 0 else ""
    return any((label := _LABEL.match(line)) and not _ANY_LABEL.fullmatch(label["label"]) for line in (before, after))
