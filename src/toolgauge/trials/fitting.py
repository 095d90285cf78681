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
            raise UsageError(f"variant {variant.name}: a tool is named {SEARCH}, which is the name of the search")
        for name, count in Counter(tool.name for tool in session.tools).items():
            if count > 1:
                twice = f"defines {shown(name)} {count} times"
                raise UsageError(f"variant {variant.name}: session {session.id}: {twice}")
    if all(one is other for one, other in zip(changed, sessions, strict=True)):
        raise UsageError(f"variant {variant.name}: changes nothing of these sessions")
    used = {tool.name for session in changed for tool in session.tools}
    pool = tuple(tool for tool in variant.pool if tool.name in used)
    if len(pool) > MOST_POOL:
        raise UsageError(f"variant {variant.name}: draws more than {MOST_POOL:,} tools")
    return replace(variant, pool=pool)


def _problems(variant: ToolVariant, sessions: Sequence[Session]) -> Iterator[str]:
    """What of a variant cannot be done, by any session or by one."""
    for key in variant.descriptions:
        if not any(described(session, key) for session in sessions):
            yield f"no session has a tool or a parameter {shown(key)} to be described"
    if variant.edited and not any(takes_text(session, tool) for session in sessions for tool in variant.edited):
        yield "no session has one of the edited tools, with the same name and, but for descriptions, parameters"
    for old, new in variant.rename.items():
        if not any(old in session.tools_by_name for session in sessions):
            yield f"no session has a tool {shown(old)} to be renamed"
        yield from _bad_names([new])
    yield from _bad_names(tool.name for tool in variant.pool)
    for session in sessions:
        if short := shortage(session, variant):
            wanted, there = short
            yield (
                f"session {session.id} gets {wanted:,} more tool{'' if wanted == 1 else 's'}; unlike enough to "
                f"its own: {there:,}. Name a smaller number, or a file with more"
            )


def _bad_names(names: Iterator[str] | Collection[str]) -> Iterator[str]:
    for name in names:
        if legal_names([name]) != (name,):
            yield f"{shown(name)} is no name that every endpoint accepts (letters, digits, _ and -, at most 64)"
        elif name in (ASK, FINAL):
            yield f"{shown(name)} is a pseudo-action and cannot be a tool"
