"""Which tools find what others need: `list_channels` feeds the `channel_id` of `read_channel`; and lists of tools in
which they stand together.

A required parameter refers to something if its name ends like `id`, `key` or `path`. A tool feeds it if its declared
result holds a field of that name that it was not given itself, or if its name says that it lists such things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.data.toolnames import name_words
from toolgauge.tools.splitting import FEWEST, MOST, is_verb

T = TypeVar("T")

_REFERRING = re.compile("id|key|slug|uuid|guid|number|no|code|ref|sha|uri|path|file|handle|name|token")
_LISTING = re.compile("list|search|find|query|lookup|browse|discover|enumerate")
_PREPOSITION = re.compile("for|in|of|by|from|with|on|at|to")
_PASSES = 3
_FEEDERS = 8
"""Tools that are tried as the source of one parameter."""
_FIELDS = 500
"""Fields of a declared result that are looked at."""


class _Subject(Struct, frozen=True):
    """What a tool is about. head: what its name says it lists or treats; needs: parameters that refer to something, and
    to what; gives: fields of its result that nobody gave it; is_free: it requires nothing."""

    head: str
    lists: bool
    needs: tuple[tuple[str, str], ...]
    gives: frozenset[str]
    is_free: bool = False

    def feeds(self, field: str, thing: str) -> bool:
        if thing and self.head == thing:
            return self.lists or field.rpartition(" ")[2] in self.gives
        return " " in field and field in self.gives


def together(groups: Sequence[Sequence[T]], tool_of: Callable[[T], Tool]) -> list[list[T]]:
    """The groups after as few moves and exchanges as bring tools to those that feed them; of FEWEST to MOST as before.

    What was fed in its group stays so unless more is gained elsewhere; the same groups always become the same.
    """
    items = [item for group in groups for item in group]
    subjects = [_subject(tool_of(item)) for item in items]
    places = iter(range(len(items)))
    members = [{next(places) for _ in group} for group in groups]
    home = {place: number for number, group in enumerate(members) for place in group}
    wanting = [(place, sources) for place in home for sources in _sources(place, subjects)]
    needs: dict[int, list[frozenset[int]]] = {}
    for place, sources in wanting:
        needs.setdefault(place, []).append(sources)
    for _ in range(_PASSES):
        moved = False
        for place, sources in wanting:
            if not sources & members[home[place]]:
                moved |= _bring(place, sources, members, home, needs)
        if not moved:
            break
    return [[items[place] for place in sorted(group)] for group in members if group]


def findable(tools: Sequence[Tool]) -> list[frozenset[str]]:
    """Of each tool the required parameters whose values another one of these tools finds."""
    subjects = [_subject(tool) for tool in tools]
    found = []
    for tool, subject in zip(tools, subjects, strict=True):
        others = [one for one in subjects if one is not subject]
        found.append(
            frozenset(name for name in tool.required if any(_finds(one, name, subject.head) for one in others))
        )
    return found


def _finds(one: _Subject, name: str, head: str) -> bool:
    """Does a tool find this parameter of a tool about something? Also one whose declared result has a field of the
    name, if that is of several words, and one that needs nothing to say what such a thing is: `get_current_user`."""
    field, reference = _plain(name), _reference(name, head)
    if (" " in field and field in one.gives) or (reference and one.feeds(*reference)):
        return True
    return one.is_free and one.head in {*name_words(name), *(reference or ())[1:]} - {""}


def _bring(
    place: int,
    sources: frozenset[int],
    members: list[set[int]],
    home: dict[int, int],
    needs: dict[int, list[frozenset[int]]],
) -> bool:
    """Carry out the change that feeds most, if one does. Whether one did."""
    best: tuple[int, list[tuple[int, int]]] = (0, [])
    for source in sorted(sources)[:_FEEDERS]:
        for moves in _moves(place, source, members, home):
            touched = {number for one, target in moves for number in (home[one], target)}
            before = sum(_fed(members[number], needs) for number in touched)
            after = sum(_fed(_after(members[number], number, moves), needs) for number in touched)
            if after - before > best[0]:
                best = after - before, moves
    for one, target in best[1]:
        members[home[one]].discard(one)
        members[target].add(one)
        home[one] = target
    return bool(best[1])


def _moves(place: int, source: int, members: list[set[int]], home: dict[int, int]) -> Iterator[list[tuple[int, int]]]:
    """(what, where to): one of both to the other, or in exchange for something."""
    here, there = home[place], home[source]
    for one, target in ((source, here), (place, there)):
        if len(members[home[one]]) > FEWEST and len(members[target]) < MOST:
            yield [(one, target)]
    for one, target in ((source, here), (place, there)):
        for other in sorted(members[target] - {place, source}):
            yield [(one, target), (other, home[one])]


def _after(group: set[int], number: int, moves: Sequence[tuple[int, int]]) -> set[int]:
    return (group - {one for one, _ in moves}) | {one for one, target in moves if target == number}


def _fed(group: set[int], needs: dict[int, list[frozenset[int]]]) -> int:
    """How many parameters of a group's tools are fed in it."""
    return sum(bool(sources & group) for place in group for sources in needs.get(place, ()))


def _sources(place: int, subjects: Sequence[_Subject]) -> Iterator[frozenset[int]]:
    """For each parameter of a tool that others feed, which ones do."""
    for field, thing in subjects[place].needs:
        found = frozenset(number for number, one in enumerate(subjects) if number != place and one.feeds(field, thing))
        if found:
            yield found


def _subject(tool: Tool) -> _Subject:
    words = name_words(tool.name)
    head = _head(words)
    taken = {_plain(name) for name in tool.properties}
    needs = [_reference(name, head) for name in tool.required]
    output = tool.facts.output_schema if tool.facts else None
    gives = frozenset(name for name in map(_plain, _fields(output)) if name not in taken)
    lists = any(map(_LISTING.fullmatch, words))
    return _Subject(head, lists, tuple(one for one in needs if one), gives, not tool.required)


def _reference(name: str, head: str) -> tuple[str, str] | None:
    """The parameter's plain name and what it refers to; None if it refers to nothing."""
    words = name_words(name)
    if not words or not _REFERRING.fullmatch(words[-1]) or words == ["name"]:
        return None
    return " ".join(words), words[-2] if len(words) > 1 else head


def _head(words: Sequence[str]) -> str:
    """`list_channel_members_of_team` is about members."""
    ends = [number for number, word in enumerate(words) if number and _PREPOSITION.fullmatch(word)]
    nouns = [word for word in words[: min(ends, default=len(words))] if not is_verb(word)]
    return nouns[-1] if nouns else ""


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
        waiting += [one for key in ("anyOf", "oneOf", "allOf") for one in part.get(key) or ()]
    return names


def _plain(name: str) -> str:
    return " ".join(name_words(name))
