"""No call is made for nothing: neither again while nothing has changed, nor for a result that another call gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.graph import STATUS
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.annotation.writes import reads
from toolgauge.data.session import Call, Session, Task
from toolgauge.data.toolnames import name_words
from toolgauge.generation.filters.filter import TOLERATED, against

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


class Made(NamedTuple):
    """A call that was made, and how many calls that may have changed something were made before it."""

    task: Task
    call: Call
    changes: int


def redundant(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Calls made again although their result was still there and could not have changed, and calls whose result another
    call of the task gives."""
    seen: dict[bytes, Made] = {}
    changes = 0
    for task in session.tasks:
        for call in task.calls:
            if not call.is_tool:
                continue
            key, now = _key(call), Made(task, call, changes)
            before = seen.get(key)
            if before is not None and task.index >= dialogue.earlier and _is_needless(before, now, session):
                moving = AWAITED if before.task.index == task.index else MOVING
                doubtful = {TOLERATED: True} if moving & set(name_words(call.name)) else {}
                again = {"task": before.task.index, "call": before.call.index}
                yield against(task, call) | {"again": again} | doubtful
            seen[key] = now
            changes += not _is_read(call, session)
        if task.index >= dialogue.earlier:
            yield from _covered(task)


def is_lookup(name: str, read_only: bool | None = None) -> bool:
    """Does a tool surely only look something up? "Open" may be either. read_only: as its server says."""
    is_known = bool(_LOOKING_UP & set(name_words(name)[:1]))
    return not may_write(name) and (is_known or reads(name, read_only))


def is_write(name: str) -> bool:
    """Does a tool surely change something?"""
    return may_write(name) and not reads(name)


def _is_read(call: Call, session: Session) -> bool:
    tool = session.tools_by_name.get(call.name)
    return is_lookup(call.name, tool.read_only if tool else None)


def _key(call: Call) -> bytes:
    """A call apart from the order of its arguments, case and blanks."""
    arguments = sorted(
        (path, folded(value) if isinstance(value, str) else value) for path, value in leaves(call.arguments)
    )
    return msgspec.json.encode([call.name, arguments])


def _is_needless(before: Made, now: Made, session: Session) -> bool:
    """Was the result there already? Not after a failure, nor where the user wants it again.

    What changes something is made once in a task. What looks something up told the same (or has not told yet), and
    nothing can have changed it in between; of a tool that may do either the answer must be more than an "ok".
    """
    again = AGAIN
    if now.task.index == before.task.index:
        again = TWICE if _is_read(now.call, session) else SEVERAL
    status = before.call.extra.get(STATUS)  # a reviewer's file may hold anything
    has_failed = isinstance(status, int) and status >= 400
    if has_failed or any(map(again.search, _said(now.task))):
        return False
    if is_write(now.call.name):
        return now.task.index == before.task.index
    if now.call.observation not in (None, before.call.observation):
        return False
    if _is_read(now.call, session):
        return before.changes == now.changes
    return len(_facts(now.call)) > 1


def _said(task: Task) -> list[str]:
    """The user's words in a task."""
    return [task.utterance, *(call.user_input for call in task.calls if call.user_input)]


def _covered(task: Task) -> Iterator[dict[str, object]]:
    """Calls that no other uses, and that look up of the same thing what another call of the task tells as well."""
    calls = [call for call in task.calls if call.is_tool]
    needed = {before for call in calls for before in call.after}
    for call in calls:
        if may_write(call.name) or call.index in needed or _is_new(call, calls):
            continue
        own, asked = _facts(call), _given(call)
        for other in (one for one in calls if not may_write(one.name)):
            if other.index != call.index and len(own) > 1 and own < _facts(other) and asked <= _given(other):
                yield against(task, call, covered_by=other.index)
                break


def _given(call: Call) -> set[str]:
    return {folded(str(value)) for _, value in leaves(call.arguments)}


def _facts(call: Call) -> set[tuple[str, str]]:
    """What a result tells beyond the arguments, and where in it."""
    told = {
        (path, folded(str(value))) for path, value in leaves(call.observation) if not isinstance(value, bool | None)
    }
    return {(path, fact) for path, fact in told if fact not in _given(call) and len(fact) > 1}


def _is_new(call: Call, calls: Sequence[Call]) -> bool:
    """Does it look at what an earlier call changed?"""
    return any(other.index in call.after and may_write(other.name) for other in calls)
