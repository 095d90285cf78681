"""Which tools only look something up, and words by which somebody asks for the same again."""

from __future__ import annotations

import re

from toolgauge.annotation.writes import reads
from toolgauge.data.toolnames import name_words

_WRITING = re.compile(
    r"^(?:add|apply|approve|arm|assign|block|book|buy|cancel|change|charge|claim|clear|close|configure|confirm|control|"
    r"convert_and|copy|create|customi[sz]e|decline|delete|deploy|disable|edit|enable|extend|file|flag|freeze|hold|import|"
    r"insert|invite|join|lock|log|make|mark|merge|modify|move|open|order|pause|pay|place|plan|play|post|print|publish|"
    r"purchase|put|record|refund|register|release|remove|rename|renew|repeat|reply|report|request|reschedule|reserve|"
    r"reset|restart|resume|run|save|schedule|send|set|share|skip|start|stop|submit|subscribe|switch|sync|toggle|track_new|"
    r"transfer|turn|unblock|unlock|update|upload|withdraw|write)(?=[A-Z_\-.]|$)",
)
"""Names of tools that change something; the first word tells, in snake_case and camelCase."""
AGAIN = re.compile(
    r"\b(?:again|once more|another|one more|re-?check|refresh|update|now|still|latest|any (?:change|news)|retry"
    r"|repeat|different)\b"
    r"|再|重新|又|刷新|更新|现在|最新|还是|重复|同样|换一",
    re.IGNORECASE,
)
"""Words by which a user asks in a later task for the same once more."""
TWICE = re.compile(r"\btwice\b|\btimes\b|[两二三四五几]次|重复", re.IGNORECASE)
SEVERAL = re.compile(
    r"\b(?:again|once more|another|one more|two|three|four|five|both|repeat)\b|再|两|各|" + TWICE.pattern,
    re.IGNORECASE,
)
"""Words by which a user asks for the same several times at once: of what is looked up, and of what is done or drawn."""
AWAITED = frozenset({"status", "track", "progress", "queue", "ping", "health"})
MOVING = AWAITED | {"price", "rate", "stock", "availability", "available", "level", "time", "score", "traffic"}
MOVING |= {"position", "location", "departure", "charge", "balance"}
"""Words in names of tools that look up what changes by itself: while one waits, or from task to task."""
_LOOKING_UP = frozenset(
    {
        "suggest",
        "recommend",
        "compare",
        "summarise",
        "summarize",
        "explain",
        "translate",
        "convert",
        "predict",
        "project",
    }
    | {"triage", "detect", "identify", "locate", "scale", "quote"}
)
"""Verbs that change nothing, besides those of annotation/writes.py."""


def may_write(name: str) -> bool:
    """Does a tool change something, as far as the first word of its name tells?

    Broader than `writes` of annotation/writes.py, which is about what a later call can use: there "play" and "run"
    write nothing, and "open" reads.
    """
    return bool(_WRITING.match(name[:1].lower() + name[1:]))


def is_lookup(name: str, read_only: bool | None = None) -> bool:
    """Does a tool surely only look something up? "Open" may be either. read_only: as its server says."""
    is_known = bool(_LOOKING_UP & set(name_words(name)[:1]))
    return not may_write(name) and (is_known or reads(name, read_only))


def is_write(name: str) -> bool:
    """Does a tool surely change something?"""
    return may_write(name) and not reads(name)
