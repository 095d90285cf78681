"""A big set of tools as lists of 3 to 9 that belong together: by topic, then by the path they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import TypeVar

from toolgauge.data.toolnames import name_words

T = TypeVar("T")
FEWEST, MOST = 3, 9
"""Tools of a list, where there are enough."""

_VERBS = re.compile(
    "get|list|read|fetch|find|search|query|show|describe|count|create|add|new|insert|write|update|edit|modify|set|put|"
    "patch|replace|rename|move|copy|delete|remove|clear|drop|cancel|close|open|start|stop|run|check|is|has|send|"
    "upload|download|save|load|export|import|batch|bulk|all|by"
)

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
    nouns = [word for word in name_words(name) if not is_verb(word)]
    return ("", *nouns[:6])


def is_verb(word: str) -> bool:
    """Whether a word of a tool's name says what is done and not to what."""
    return _VERBS.fullmatch(word) is not None


def _pieces(items: list[T], route: Callable[[T], Route], depth: int) -> list[list[T]]:
    """The groups of items that share `depth` steps."""
    if len(items) <= MOST:
        return [items] if items else []
    if all(len(route(item)) <= depth for item in items):
        return _evenly(items)
    parts = _by_step(items, route, depth)
    return _joined([piece for part in parts for piece in _pieces(part, route, depth + 1)])


def _joined(pieces: list[list[T]]) -> list[list[T]]:
    """Neighbours together while one of them is too small."""
    joined: list[list[T]] = []
    for piece in pieces:
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
    order = {one: position for position, one in reversed(list(enumerate(steps)))}
    paired = sorted(zip(steps, items, strict=True), key=lambda pair: (len(pair[0]), order[pair[0]]))
    return [[item for _, item in group] for _, group in groupby(paired, key=lambda pair: pair[0])]
