"""Texts of weak models that are no answer of any kind: echoes, loops, invented results, definitions of tools, code.

Only what can be told for certain has a name here; everything else is for text_kinds.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from toolgauge.judge.text_kinds import LONGEST, is_loop
from toolgauge.judge.written_calls import has_written_definition, has_written_result
from toolgauge.reasons import N_, ReasonCode

ECHO_LENGTH, ECHO_SHARE = 6, 0.8
"""A text is an echo if it says what the user said, of at least so many letters, and little (or no less) else."""
_CODE = re.compile(
    r"^```\s?(?:python|py|javascript|js|typescript|ts|java|c|cpp|c\+\+|csharp|go|rust|ruby|php|sql|bash|sh|shell|html|css)\b",
    re.IGNORECASE | re.MULTILINE,
)
_USER = re.compile(r"^\W{0,4}(?:user|human|customer|用户|人类)\W{0,4}[:：]\s{0,3}\S", re.IGNORECASE | re.MULTILINE)
_NO_LETTERS = re.compile(r"[\W_]+")


class OddText(ReasonCode):
    """What the text is instead of a `TextKind`; written as the parameter `kind` as well."""

    INVENTED_RESULT = "invented_result", N_("writes a tool’s result itself")
    TOOL_DEFINITIONS = "tool_definitions", N_("prints definitions of tools")
    CODE = "code", N_("writes a program")
    ECHO = "echo", N_("repeats what the user said")
    LOOP = "loop", N_("repeats itself over and over")
    USERS_WORDS = "users_words", N_("goes on in the user’s place")


def odd_text(text: str, tools: Collection[str], asked: str = "") -> OddText | None:
    """What a text is, in the order of `OddText`. tools: names of those on offer; asked: the user's message."""
    shown = text[:LONGEST]
    if has_written_result(shown):
        return OddText.INVENTED_RESULT
    if has_written_definition(shown, tools):
        return OddText.TOOL_DEFINITIONS
    if _CODE.search(shown):
        return OddText.CODE
    if _is_echo(shown, asked):
        return OddText.ECHO
    if is_loop(shown):
        return OddText.LOOP
    return OddText.USERS_WORDS if _USER.search(shown) else None


def _is_echo(text: str, asked: str) -> bool:
    said, heard = (_NO_LETTERS.sub("", one[:LONGEST]).lower() for one in (text, asked))
    if len(heard) < ECHO_LENGTH or not (said in heard or heard in said):
        return False
    return min(len(said), len(heard)) >= ECHO_SHARE * max(len(said), len(heard))
