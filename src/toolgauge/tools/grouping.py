"""A big set of tools as lists of 3 to 9 that belong together: by topic, by the path they share, and so that what a tool
needs is found by another one of its list: `list_channels` finds the `channel_id` of `read_channel`.

A required parameter refers to something if its name ends like `id`, `key` or `path`. A tool finds it if its declared
result holds a field of that name that it was not given itself, or if its name says that it lists such things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, TypeVar

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.data.toolnames import name_words

T = TypeVar("T")
FEWEST, MOST = 3, 9
"""Tools of a list, where there are enough."""

_VERBS = re.compile(
    "get|list|read|fetch|find|search|query|show|describe|count|create|add|new|insert|write|update|edit|modify|set|put|"
    "patch|replace|rename|move|copy|delete|remove|clear|drop|cancel|close|open|start|stop|run|check|is|has|send|"
    "upload|download|save|load|export|import|batch|bulk|all|by"
)
_REFERRING = re.compile("id|key|slug|uuid|guid|number|no|code|ref|sha|uri|path|file|handle|name|token")
_LISTING = re.compile("list|search|find|query|lookup|browse|discover|enumerate")
_PREPOSITION = re.compile("for|in|of|by|from|with|on|at|to")
_PASSES = 2
_FIELDS = 500
"""Fields of a declared result that are looked at."""

Route = tuple[str, ...]
"""Where something belongs, from the general to the particular: topic, then steps of a path."""


def split(items: Sequence[T], route: Callable[[T], Route]) -> list[list[T]]:
    """The items in groups of FEWEST to MOST, those with the longest common route together.

    The order of items and routes is that of their first appearance; the same items always make the same groups. Fewer
    than FEWEST items are one group. Topics of very few items share groups at the end.
    """
    groups: list[list[T]] = []
    rest: list[T] = []
    for topic in _by_step(items, route, 0):
        if len(topic) < FEWEST:
            rest += topic
        else:
            groups += _pieces(topic, route, 1)
    if len(rest) >= FEWEST or not groups:
        return groups + _evenly(rest)
    return groups[:-1] + _evenly(groups[-1] + rest)


def resource_route(name: str) -> Route:
    """What a tool is about, by its name alone: `list_pull_requests` and `createPullRequest` are about pull, request."""
    nouns = [word for word in name_words(name) if not _VERBS.fullmatch(word)]
    return ("", *nouns[:6])


def _pieces(items: list[T], route: Callable[[T], Route], depth: int) -> list[list[T]]:
    """The groups of items that share `depth` steps; neighbours stay together while one of them is too small."""
    if len(items) <= MOST:
        return [items] if items else []
    if all(len(route(item)) <= depth for item in items):
        return _evenly(items)
    joined: list[list[T]] = []
    for part in _by_step(items, route, depth):
        for piece in _pieces(part, route, depth + 1):
            if joined and min(len(piece), len(joined[-1])) < FEWEST:
                joined[-1:] = _evenly(joined[-1] + piece)
            else:
                joined.append(piece)
    return joined


def _evenly(items: list[T]) -> list[list[T]]:
    """As few groups of at most MOST as there can be, of about one size."""
    if not items:
        return []
    count = -(-len(items) // MOST)
    ends = [len(items) * number // count for number in range(count + 1)]
    return [items[start:end] for start, end in pairwise(ends)]


def _by_step(items: Sequence[T], route: Callable[[T], Route], depth: int) -> list[list[T]]:
    """The items by the step at a depth, in order of first appearance; those whose route ends there come first."""
    steps = [route(item)[depth : depth + 1] for item in items]
    order = {step: position for position, step in reversed(list(enumerate(steps)))}
    paired = sorted(zip(steps, items, strict=True), key=lambda pair: (len(pair[0]), order[pair[0]]))
    return [[item for _, item in group] for _, group in groupby(paired, key=lambda pair: pair[0])]


class Subject(Struct, frozen=True):
    """What a tool is about. head: what its name says it lists or treats; needs: parameters that refer to something, and
    to what; gives: fields of its result that nobody gave it; is_free: it requires nothing."""

    head: str
    lists: bool
    needs: tuple[tuple[str, str], ...]
    gives: frozenset[str]
    is_free: bool = False

    @classmethod
    def of(cls, tool: Tool) -> Subject:
        words = name_words(tool.name)
        ends = [number for number, word in enumerate(words) if number and _PREPOSITION.fullmatch(word)]
        nouns = [word for word in words[: min(ends, default=len(words))] if not _VERBS.fullmatch(word)]
        head = nouns[-1] if nouns else ""
        inputs = {_plain(name) for name in tool.properties}
        needs = [_reference(name, head) for name in tool.required]
        output = tool.facts.output_schema if tool.facts else None
        gives = frozenset(name for name in map(_plain, _fields(output)) if name not in inputs)
        lists = any(map(_LISTING.fullmatch, words))
        return cls(head, lists, tuple(need for need in needs if need), gives, not tool.required)

    def feeds(self, field: str, thing: str) -> bool:
        """Does the tool find a parameter of this plain name, which refers to a thing?"""
        if thing and self.head == thing:
            return self.lists or field.rpartition(" ")[2] in self.gives
        return " " in field and field in self.gives


def together(groups: Sequence[Sequence[T]], tool_of: Callable[[T], Tool]) -> list[list[T]]:
    """The groups after moves that bring tools to those that feed them, of FEWEST to MOST as before.

    A tool that nothing in its group feeds changes places with one of the feeder's group, or the feeder with one of its
    own, where that feeds more parameters in both groups together. The same groups always become the same.
    """
    items = [item for group in groups for item in group]
    subjects = [Subject.of(tool_of(item)) for item in items]
    places = iter(range(len(items)))
    members = [[next(places) for _ in group] for group in groups]
    feeders = [
        [
            {number for number, other in enumerate(subjects) if number != place and other.feeds(*need)}
            for need in subject.needs
        ]
        for place, subject in enumerate(subjects)
    ]

    def fed(*changed: Sequence[int]) -> int:
        return sum(not wanted.isdisjoint(group) for group in changed for place in group for wanted in feeders[place])

    for place, wanted in [(place, wanted) for place, wants in enumerate(feeders) for wanted in wants] * _PASSES:
        for source in sorted(wanted)[:MOST]:
            here = next(number for number, group in enumerate(members) if place in group)
            there = next(number for number, group in enumerate(members) if source in group)
            if not wanted.isdisjoint(members[here]):
                break
            options = [*_exchanges(members, here, there, source), *_exchanges(members, there, here, place)]
            best = max(options, key=lambda pair: fed(*pair.values()), default={})
            if best and fed(*best.values()) > fed(members[here], members[there]):
                members[here], members[there] = best[here], best[there]
    return [[items[place] for place in sorted(group)] for group in members if group]


def _exchanges(members: list[list[int]], to: int, away: int, moved: int) -> Iterator[dict[int, list[int]]]:
    """Both groups after one member moves to the other, where there is room, or in exchange for another one."""
    rest = [member for member in members[away] if member != moved]
    if len(rest) >= FEWEST and len(members[to]) < MOST:
        yield {to: [*members[to], moved], away: rest}
    for other in members[to]:
        yield {to: [*(member for member in members[to] if member != other), moved], away: [*rest, other]}


def findable(tools: Sequence[Tool]) -> list[frozenset[str]]:
    """Of each tool the required parameters whose values another one of these tools finds."""
    subjects = [Subject.of(tool) for tool in tools]
    return [
        frozenset(
            name
            for name in tool.required
            if any(_finds(other, name, subject.head) for other in subjects if other is not subject)
        )
        for tool, subject in zip(tools, subjects, strict=True)
    ]


def _finds(subject: Subject, name: str, head: str) -> bool:
    """Does a tool find this parameter of a tool about something? Also one whose declared result has a field of the
    name, if that is of several words, and one that needs nothing to say what such a thing is: `get_current_user`."""
    field, reference = _plain(name), _reference(name, head)
    if (" " in field and field in subject.gives) or (reference and subject.feeds(*reference)):
        return True
    return subject.is_free and subject.head in {*name_words(name), *(reference or ())[1:]} - {""}


def _reference(name: str, head: str) -> tuple[str, str] | None:
    """The parameter's plain name and what it refers to; None if it refers to nothing."""
    words = name_words(name)
    if not words or not _REFERRING.fullmatch(words[-1]) or words == ["name"]:
        return None
    return " ".join(words), words[-2] if len(words) > 1 else head


def _fields(schema: Any) -> list[str]:
    """The names of the fields that a result may have, at any depth."""
    names: list[str] = []
    waiting = [schema]
    while waiting and len(names) < _FIELDS:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        properties = part.get("properties")
        names += properties if isinstance(properties, dict) else ()
        waiting += properties.values() if isinstance(properties, dict) else ()
        waiting += [part.get(key) for key in ("items", "additionalProperties")]
        waiting += [schema for key in ("anyOf", "oneOf", "allOf") for schema in part.get(key) or ()]
    return names


def _plain(name: str) -> str:
    return " ".join(name_words(name))
