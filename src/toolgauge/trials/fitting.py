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
from toolgauge.locale import Text, _, ngettext
from toolgauge.tools.variants import MOST_POOL, ToolVariant, described, shortage, takes_text, varied


def fitted(variant: ToolVariant, sessions: Sequence[Session]) -> ToolVariant:
    """The variant with no more of the pool than these sessions get. Raises UsageError where it does not fit them."""
    for problem in _problems(variant, sessions):
        raise UsageError(_("variant {name}: {problem}", name=variant.name, problem=problem))
    changed = [varied(session, variant) for session in sessions]
    for session in changed:
        if session.searched and SEARCH in session.tools_by_name:
            text = _("variant {name}: a tool is named {tool}, which is the name of the search", name=variant.name)
            raise UsageError(text.filled(tool=SEARCH))
        for name, count in Counter(tool.name for tool in session.tools).items():
            if count > 1:
                twice = _("defines {name} {count} times", name=shown(name), count=count)
                text = _("variant {name}: session {session}: {problem}", name=variant.name, session=session.id)
                raise UsageError(text.filled(problem=twice))
    if all(one is other for one, other in zip(changed, sessions, strict=True)):
        raise UsageError(f"variant {variant.name}: changes nothing of these sessions")
    used = {tool.name for session in changed for tool in session.tools}
    pool = tuple(tool for tool in variant.pool if tool.name in used)
    if len(pool) > MOST_POOL:
        raise UsageError(f"variant {variant.name}: draws more than {MOST_POOL:,} tools")
    return replace(variant, pool=pool)


def _problems(variant: ToolVariant, sessions: Sequence[Session]) -> Iterator[Text]:
    """What of a variant cannot be done, by any session or by one."""
    for key in variant.descriptions:
        if not any(described(session, key) for session in sessions):
            yield _("no session has a tool or a parameter {key} to be described", key=shown(key))
    if variant.edited and not any(takes_text(session, tool) for session in sessions for tool in variant.edited):
        yield _("no session has one of the edited tools, with the same name and, but for descriptions, parameters")
    for old, new in variant.rename.items():
        if not any(old in session.tools_by_name for session in sessions):
            yield _("no session has a tool {name} to be renamed", name=shown(old))
        yield from _bad_names([new])
    yield from _bad_names(tool.name for tool in variant.pool)
    for session in sessions:
        if short := shortage(session, variant):
            wanted, there = short
            yield ngettext(
                "session {session} gets {count:,} more tool; unlike enough to its own: {there:,}. Name a smaller "
                "number, or a file with more",
                "session {session} gets {count:,} more tools; unlike enough to its own: {there:,}. Name a smaller "
                "number, or a file with more",
                session=session.id,
                count=wanted,
                there=there,
            )


def _bad_names(names: Iterator[str] | Collection[str]) -> Iterator[Text]:
    for name in names:
        if legal_names([name]) != (name,):
            yield _(
                "{name} is no name that every endpoint accepts (letters, digits, _ and -, at most 64)", name=shown(name)
            )
        elif name in (ASK, FINAL):
            yield _("{name} is a pseudo-action and cannot be a tool", name=shown(name))
