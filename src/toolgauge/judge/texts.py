"""What a text is that came where a call was due: a sub-class of `refusal` and `early_termination`.

A call written as text is found by its notation, a loop by its end, a question by its mark and a refusal by its first
words; nothing else is guessed. Source: docs/rules.md#text-where-a-call-was-due, with what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from toolgauge.judge.words import REFUSAL
from toolgauge.models.endings import repeats_itself
from toolgauge.reasons import N_, ReasonCode

LONGEST = 6000
"""Characters of a text that are looked at: the first two thirds and the last third of them."""
OPENING = 160
"""Characters in which a refusal begins."""

_THOUGHT = re.compile(r"\A.*</(?:think|thinking|reasoning)>|<(?:think|thinking|reasoning)>.*\Z", re.DOTALL)
"""Reasoning up to its last closing mark (its opening one may stand in the prompt), and reasoning that never ends."""
_QUESTION = re.compile(r"[?？][\W_]*\Z")
_COURTESY = re.compile(
    r"\banything else\b|\bhow (?:can|may) i (?:help|assist)\b|还有(?:什么|其他)|有什么可以", re.IGNORECASE
)

_NAME = r"[^\W\d][\w.\-]{0,63}"
_MARKUP = re.compile(
    r"<\|?(?:tool_call|function_call|tool_use|tool_calls|function_calls)\|?>\s{0,9}(?:`{3}\w{0,9}\s{0,3})?[\[{<]"
    rf"|<tool_call>\s{{0,3}}{_NAME}\s{{0,3}}[\n<(]"
    r"|<\|tool_call(?:s_section)?_?(?:begin|argument_begin)?\|>|<｜?\|?tool▁|<\|python_tag\|>|\[TOOL_CALLS\]|<invoke\b"
    r"|<function=|<parameter=|to=functions\.|<<function>>|｜DSML｜|<\|DSML\|",
    re.IGNORECASE,
)
"""Marks that model families write around calls, with the beginning of one."""
_NAMED = re.compile(
    rf"[\"']?\b(?:name|tool|tool_name|function|function_name|action|api|工具|函数)[\"'*]{{0,3}}\s{{0,3}}[:：=][\"'`*\s]{{0,6}}"
    rf"(?P<name>{_NAME})",
    re.IGNORECASE,
)
"""A key or label with a name: {"name": "book", Action: book."""
_ARGUMENTS = re.compile(
    r"\b(?:arguments|parameters|params|args|(?:action[ _]|tool_)?input|kwargs|参数|输入)"
    r"[\"'*]{0,3}\s{0,3}[:：=]\s{0,3}\S",
    re.IGNORECASE,
)
_SCHEMA = re.compile(
    r"[\"'](?:description|properties|required)[\"']\s{0,3}:|[\"']type[\"']\s{0,3}:\s{0,3}[\"']object[\"']"
)
"""What stands in the definition of a tool, which is no call."""
_NEAR = 300
"""Characters in which a name and its arguments stand together."""
_ALONE = re.compile(
    rf"^\W{{0,4}}(?:\w{{1,30}} ?= ?)?{_NAME}\(\w{{1,40}} ?= ?[^=\s].{{0,400}}\)\W{{0,4}}$", re.MULTILINE
)
"""A line that is nothing but a call with named arguments, of whatever tool."""
_APPLIED = re.compile(
    rf"(?<![\w.])(?:functions\.)?(?P<name>{_NAME})[`\"']?[>\s]{{0,2}}[:：]?\s{{0,2}}(?P<open>[({{（<])"
)
"""A name and what begins its arguments."""
_FILLED = re.compile(r"\s{0,9}(?:[\"'\[{\d]|\w{1,40}\s?[=:：)）>]|[)）]\W{0,9}(?:\n|\Z))")


class TextKind(ReasonCode):
    """What the text is; written as the parameter `kind` of the reason `text_for_calls`."""

    CALL_AS_TEXT = "call_as_text", N_("writes a call as text")
    REPEATS = "repeats_itself", N_("repeats itself")
    ASKS_BACK = "asks_back", N_("asks back")
    REFUSES = "refuses", N_("refuses")
    OTHER = "other", N_("some other text")


def kind_of_text(text: str, tools: Collection[str]) -> TextKind:
    """The first kind that holds. tools: names of the tools on offer. Takes time in proportion to `LONGEST` characters.

    A question at the end counts whatever stands before it, unless it is a courtesy. Reasoning between tags is left out.
    """
    excerpt = _THOUGHT.sub("", text if len(text) <= LONGEST else f"{text[: LONGEST * 2 // 3]}\n{text[-LONGEST // 3 :]}")
    if has_written_call(excerpt, tools):
        return TextKind.CALL_AS_TEXT
    if repeats_itself(excerpt):
        return TextKind.REPEATS
    if _QUESTION.search(excerpt) and not _COURTESY.search(excerpt[-OPENING:]):
        return TextKind.ASKS_BACK
    return TextKind.REFUSES if REFUSAL.search(excerpt[:OPENING].replace("’", "'")) else TextKind.OTHER


def has_written_call(text: str, tools: Collection[str]) -> bool:
    """Whether a text holds a call written out in whatever notation, complete or not, also of a tool that is not there.

    tools: names of the tools on offer. The definition of a tool (its name with a description or a schema) is no call,
    nor is a tool merely mentioned. Nothing is parsed to its end, and every gap in a pattern is bounded.
    """
    if _MARKUP.search(text) or _ALONE.search(text):
        return True
    for match in _NAMED.finditer(text):
        near = text[match.end() : match.end() + _NEAR]
        if not _SCHEMA.search(near) and (_ARGUMENTS.search(near) and ("{" in near or match["name"] in tools)):
            return True
    return any(
        match["name"] in tools
        and not text[max(0, match.start() - 6) : match.start()].rstrip().endswith(("def", "class"))
        and (match["open"] in "{<" or _FILLED.match(text, match.end()) is not None)
        for match in _APPLIED.finditer(text)
    )
