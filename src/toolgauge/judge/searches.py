"""Searches for tools, where a session's tools are not offered but found (`Session.searched`): what of a run is judged.

A search is a call to the harness, no part of the annotated graph: it is neither right nor wrong, and takes no step. Up
to `MOST_SEARCHES` of a task count as such; what is more is judged like a call of any tool that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import Session
from toolgauge.judge.replies import is_readable

SEARCH = "search_tools"
"""The name of the tool with which others are found."""
MOST_SEARCHES = 10


class JudgedReply(NamedTuple):
    """A reply without its searches. step: its place among all replies; calls: those of its calls among all of them."""

    reply: Reply
    step: int
    calls: tuple[int, ...]


def searches_in(session: Session, reply: Reply, left: int) -> tuple[int, ...]:
    """The places of a reply's calls that are searches, at most `left`; none in a reply that cannot be read whole."""
    if not session.searched or reply.problem or not all(map(is_readable, reply.tool_calls)):
        return ()
    return tuple(place for place, call in enumerate(reply.tool_calls) if call.name == SEARCH)[:left]


def without(reply: Reply, places: Iterable[int]) -> Reply:
    """The reply without some of its calls."""
    removed = set(places)
    calls: list[ToolCall] = [call for place, call in enumerate(reply.tool_calls) if place not in removed]
    return replace(reply, tool_calls=tuple(calls))


def judged(session: Session, replies: Iterable[Reply]) -> list[JudgedReply]:
    """The replies to one task without searches, and without those that only searched."""
    replies_judged: list[JudgedReply] = []
    left = MOST_SEARCHES
    for step, reply in enumerate(replies):
        searches = searches_in(session, reply, left)
        left -= len(searches)
        calls = tuple(place for place in range(len(reply.tool_calls)) if place not in searches)
        if calls or not searches:
            replies_judged.append(JudgedReply(without(reply, searches), step, calls))
    return replies_judged


def judged_replies(session: Session, replies: Iterable[Reply]) -> list[Reply]:
    """`judged`, the replies alone."""
    return [judged_reply.reply for judged_reply in judged(session, replies)] if session.searched else list(replies)
