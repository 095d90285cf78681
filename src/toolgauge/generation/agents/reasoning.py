"""Reasoning that models write into their replies, told from what they say.

Known are the marks of DeepSeek, Qwen and GLM (<think>), Claude and its like (<thinking>, <scratchpad>), Magistral
([THINK]), Kimi, Seed, Sky-T1, and the channels of gpt-oss. A mark inside code, or in the middle of a sentence that
speaks of it, is a word like any other.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from toolgauge.chat import Reply

MOST_BLOCKS = 20
"""Blocks of reasoning in one reply."""
_NAME = (
    r"(?:seed:)?think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratch_?pad|analysis|inner_?(?:monologue|thoughts?)"
)
_OPENING = re.compile(
    rf"<(?P<tag>{_NAME})>|(?P<square>\[THINK\])|(?P<moon>◁think▷)|(?P<begin><\|begin_of_thought\|>)"
    r"|(?P<channel>(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]*<\|message\|>)",
    re.IGNORECASE,
)
_CLOSING = {
    "square": re.compile(r"\[/THINK\]", re.IGNORECASE),
    "moon": re.compile("◁/think▷"),
    "begin": re.compile(r"<\|end_of_thought\|>"),
    "channel": re.compile(r"<\|end\|>|(?=<\|start\|>)|(?=<\|channel\|>final)"),
}
_BARE_CLOSING = re.compile(
    r"(?:</(?:seed:)?think(?:ing)?>|\[/THINK\]|◁/think▷)(?=[ \t]*(?:\n|\Z))|^(?:</(?:seed:)?think(?:ing)?>|◁/think▷)",
    re.IGNORECASE | re.MULTILINE,
)
"""The end of reasoning whose beginning stood in the prompt: at the end or the beginning of a line."""
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
"""What stands as code in Markdown: marks in it are words like any other."""
_WORDS = re.compile(r"\w+")
_FEW_WORDS = 3
"""A pair of marks around so few words, in the middle of a line, is spoken of, not used."""
_HAN_PER_WORD = 2


def without_reasoning(reply: Reply) -> Reply:
    """The reply with the reasoning of its text in the field for it; the very same where there is none."""
    if not isinstance(reply.content, str):
        return reply
    said, thought = apart(reply.content)
    if not thought and said == reply.content:
        return reply
    reasoning = "\n".join(part for part in (reply.reasoning, thought) if part)
    return replace(reply, content=said, reasoning=reasoning or None)


def apart(text: str) -> tuple[str, str]:
    """What a text says, and the reasoning in it; reasoning without an end reaches to the end of the text."""
    thoughts: list[str] = []
    for _ in range(MOST_BLOCKS):
        block = _next_block(text)
        if block is None:
            break
        start, inside, end = block
        thoughts.append(text[slice(*inside)].strip())
        text = f"{text[:start]}{text[end:]}"
        if not start:
            text = text.lstrip()
    return text, "\n".join(part for part in thoughts if part)


def _next_block(text: str) -> tuple[int, tuple[int, int], int] | None:
    """The first block of reasoning: where it begins, its inside, where it ends."""
    code = [found.span() for found in CODE.finditer(text)]
    bare = next((one for one in _BARE_CLOSING.finditer(text) if not _within(one.start(), code)), None)
    unclosed: set[str] = set()
    for opening in _OPENING.finditer(text):
        if bare is not None and bare.start() < opening.start():
            break
        if _within(opening.start(), code):
            continue
        mark = opening[0].casefold()
        closing = None if mark in unclosed else _closing_of(opening).search(text, opening.end())
        if closing is None:
            unclosed.add(mark)
        inside = (opening.end(), closing.start() if closing else len(text))
        begins_line = not text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()].strip()
        if begins_line or (closing and _is_long(text[slice(*inside)])):
            return opening.start(), inside, closing.end() if closing else len(text)
    return None if bare is None else (0, (0, bare.start()), bare.end())


def _closing_of(opening: re.Match[str]) -> re.Pattern[str]:
    kind = opening.lastgroup or "tag"
    if kind != "tag":
        return _CLOSING[kind]
    return re.compile(rf"</{re.escape(opening['tag'])}>", re.IGNORECASE)


def _is_long(inside: str) -> bool:
    return len(_WORDS.findall(inside)) > _FEW_WORDS or len(inside) > _FEW_WORDS * _HAN_PER_WORD + 4


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)
