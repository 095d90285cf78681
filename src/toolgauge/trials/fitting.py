"""Does a variant fit the sessions that are to be asked? Everything that is wrong is told before anything is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Session
from toolgauge.data.toolnames import legal_names
from toolgauge.errors import UsageError
from toolgauge.judge.searches import SEARCH
from toolgauge.tools.variants import MOST_POOL, ToolVariant, described, shortage, takes_text, varied


def fitted(variant: ToolVariant, sessions: Sequence[Session]) -> ToolVariant:
    """The variant with no more of the pool than these sessions get. Raises UsageError where it does not fit them."""
    for problem in _problems(variant, sessions):
        raise UsageError(f"variant {variant.name}: {problem}")
    changed = [varied(session, variant) for session in sessions]
    for session in changed:
        if session.searched and SEARCH in session.tools_by_name:
            raise UsageError(f"variant {variant.name}: a tool has the name of the search, {SEARCH}; rename it")
        for name, count in Counter(tool.name for tool in session.tools).items():
            if count > 1:
                raise UsageError(
                    f"variant {variant.name}: session {session.id}: tool {shown(name)} is defined {count} times"
                )
    if all(one is other for one, other in zip(changed, sessions, strict=True)):
        raise UsageError(f"variant {variant.name}: nothing differs, the tools of these sessions stay as they are")
    used = {tool.name for session in changed for tool in session.tools}
    pool = tuple(tool for tool in variant.pool if tool.name in used)
    if len(pool) > MOST_POOL:
        raise UsageError(f"variant {variant.name}: draws more than {MOST_POOL:,} different tools; name fewer")
    return replace(variant, pool=pool)


def _problems(variant: ToolVariant, sessions: Sequence[Session]) -> Iterator[str]:
    """What of a variant cannot be done, by any session or by one."""
    for key in variant.descriptions:
        if not any(described(session, key) for session in sessions):
            yield f"descriptions: no session has a tool or parameter {shown(key)}"
    if variant.edited and not any(takes_text(session, tool) for session in sessions for tool in variant.edited):
        yield "descriptions: no session has any of the edited tools with the same name and parameters"
    for old, new in variant.rename.items():
        if not any(old in session.tools_by_name for session in sessions):
            yield f"rename: no session has a tool {shown(old)}"
        yield from _bad_names([new])
    yield from _bad_names(tool.name for tool in variant.pool)
    for session in sessions:
        if short := shortage(session, variant):
            wanted, available = short
            yield (
                f"session {session.id} needs {wanted:,} more, but only {available:,} tools differ enough from its own; "
                "choose a smaller number, or a file with more tools"
            )


def _bad_names(names: Iterator[str] | Collection[str]) -> Iterator[str]:
    for name in names:
        if legal_names([name]) != (name,):
            yield f"invalid tool name {shown(name)}: use at most 64 letters, digits, _ and -"
        elif name in (ASK, FINAL):
            yield f"invalid tool name {shown(name)}: reserved for a pseudo-action"
