"""No call is made for nothing: neither again while nothing has changed, nor for a result that another call gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.data.session import Call, Session, Task
from toolgauge.generation.filters.filter import against

_WRITING = re.compile(
    r"^(?:add|apply|approve|arm|assign|block|book|buy|cancel|change|charge|claim|clear|close|configure|confirm|control|"
    r"convert_and|copy|create|customi[sz]e|decline|delete|deploy|disable|edit|enable|extend|file|flag|freeze|hold|import|"
    r"insert|invite|join|lock|log|make|mark|merge|modify|move|open|order|pause|pay|place|plan|play|post|print|publish|"
    r"purchase|put|record|refund|register|release|remove|rename|renew|repeat|reply|report|request|reschedule|reserve|"
    r"reset|restart|resume|run|save|schedule|send|set|share|skip|start|stop|submit|subscribe|switch|sync|toggle|track_new|"
    r"transfer|turn|unblock|unlock|update|upload|withdraw|write)(?=[A-Z_\-.]|$)",
)
"""Names of tools that change something; the first word tells, in snake_case and camelCase."""
_AGAIN = re.compile(
    r"\b(?:again|once more|another|one more|re-?check|refresh|update|now|still|latest|any (?:change|news)|retry"
    r"|repeat)\b"
    r"|再|重新|又|刷新|更新|现在|最新|还是|重复",
    re.IGNORECASE,
)
"""Words by which a user asks for the same once more."""


def writes(name: str) -> bool:
    """Does a tool change something, as far as its name tells?"""
    return bool(_WRITING.match(name[:1].lower() + name[1:]))


def redundant(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Calls made again although nothing had changed, and calls whose result another call of the task gives."""
    seen: dict[bytes, tuple[Task, Call, int]] = {}
    changes = 0
    for task in session.tasks:
        for call in task.calls:
            if not call.is_tool:
                continue
            key = _key(call)
            before = seen.get(key)
            if before is not None and task.index >= dialogue.earlier and _is_needless(before, task, call, changes):
                yield against(task, call, again={"task": before[0].index, "call": before[1].index})
            seen[key] = (task, call, changes)
            changes += writes(call.name)
        if task.index >= dialogue.earlier:
            yield from _covered(task)


def _key(call: Call) -> bytes:
    """A call apart from the order of its arguments, case and blanks."""
    arguments = sorted(
        (path, folded(value) if isinstance(value, str) else value) for path, value in leaves(call.arguments)
    )
    return msgspec.json.encode([call.name, arguments])


def _is_needless(before: tuple[Task, Call, int], task: Task, call: Call, changes: int) -> bool:
    """Repeating is right after a failure or a change, and in a later task that does or asks for something again."""
    earlier_task, earlier, then = before
    failed = earlier.extra.get("status_code", 200) >= 400
    if failed or (changes > then and not writes(call.name)):
        return False
    if task.index == earlier_task.index:
        return True
    return not writes(call.name) and not _AGAIN.search(task.utterance)


def _covered(task: Task) -> Iterator[dict[str, object]]:
    """Calls that read what another call of the same task tells as well, with no other call using them."""
    calls = [call for call in task.calls if call.is_tool]
    needed = {before for call in calls for before in call.after}
    for call in calls:
        if writes(call.name) or call.index in needed:
            continue
        own = _facts(call)
        for other in calls:
            if other.index != call.index and len(own) >= 2 and own < _facts(other) and not _is_new(call, calls):
                yield against(task, call, covered_by=other.index)
                break


def _facts(call: Call) -> set[str]:
    """What a result tells beyond the arguments."""
    given = {folded(str(value)) for _, value in leaves(call.arguments)}
    told = {folded(str(value)) for _, value in leaves(call.observation) if not isinstance(value, bool | None)}
    return {fact for fact in told - given if len(fact) > 1}


def _is_new(call: Call, calls: Sequence[Call]) -> bool:
    """Does it look at what an earlier call changed?"""
    return any(other.index in call.after and writes(other.name) for other in calls)
