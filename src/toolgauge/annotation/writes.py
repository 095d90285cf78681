"""Which call writes what a later one reads or uses (edges.py has the table of what speaks for an edge)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.grounding.context import is_plain
from toolgauge.annotation.grounding.sources import typed_leaves
from toolgauge.annotation.grounding.values import folded, is_short, leaves
from toolgauge.chat import Json
from toolgauge.data.toolnames import name_words

_READS = re.compile(
    "get|list|read|fetch|find|search|query|show|describe|count|open|view|check|lookup|look|is|has|download|calculate"
    "|estimate|track|browse|retrieve|inspect|preview|verify"
)
_CREATES = re.compile(
    "create|add|insert|new|make|register|upload|post|send|schedule|book|order|reserve|buy|issue|invite"
)
_CHANGES = re.compile(
    "update|edit|modify|set|put|patch|replace|rename|move|copy|delete|remove|clear|cancel|write|save|enable|disable"
    "|start|stop|transfer|pay|import|submit|upsert|append|assign|share|publish|change|reschedule|mark|archive|restore|lock"
    "|unlock|turn|record|log|apply|subscribe|close|merge|approve|reject|extend|renew|activate"
)
_QUALIFIER = re.compile("new|old|target|destination|dest|current|existing")
_IDENTITY = re.compile("id|name|title|path|file|filename|key|uri|url|slug|number|code|uuid|handle|username")


def writes(tool: str, read_only: bool | None = None) -> bool:
    """Whether a tool changes something: as its server says, else by the first verb of its name."""
    verb = _verb(tool)
    return not read_only if read_only is not None else bool(_CREATES.fullmatch(verb) or _CHANGES.fullmatch(verb))


def reads(tool: str, read_only: bool | None = None) -> bool:
    """Whether a tool surely only looks something up; of a tool that does neither by its name nobody knows."""
    return bool(read_only) if read_only is not None else bool(_READS.fullmatch(_verb(tool)))


def written_thing(written: tuple[str, Json, Json], used: tuple[str, Json, Json]) -> str | None:
    """Where among a call's arguments the thing stands that an earlier call wrote; "" for all things of its kind, None
    for no such thing.

    Both are a tool's name, the arguments, and the schema of them. A thing is known by an argument that identifies it
    (`name`, `path`, `id`, the word of the tool's own thing), equal in both calls.
    """
    writer, reader = _things(written[0]), _things(used[0])
    if used[0] == written[0]:
        return None
    if writer & reader and not any(is_plain(leaf) for _, leaf in leaves(used[1])) and _READS.fullmatch(_verb(used[0])):
        return ""
    ids = list(_identifying(written, writer | reader))
    for path, name, value, _ in typed_leaves(used[1], used[2]):
        if not is_plain(value) or is_short(str(value)):
            continue
        words = _plain_words(name)
        for key, other in ids:
            if folded(str(value)) == folded(other) and _is_same(key, words, writer, reader, used[0]):
                return path
    return None


def _identifying(call: tuple[str, Json, Json], things: frozenset[str]) -> Iterator[tuple[list[str], str]]:
    for _, name, value, _ in typed_leaves(call[1], call[2]):
        words = _plain_words(name)
        if is_plain(value) and words and (_IDENTITY.fullmatch(words[-1]) or things & set(words)):
            yield words, str(value)


def _is_same(key: list[str], words: list[str], writer: frozenset[str], reader: frozenset[str], tool: str) -> bool:
    """Whether two arguments of one value identify what was written. key: the writer's words, words: the reader's."""
    if not words:
        return False
    own = len(key) == 1 or bool(writer & set(key))
    if own and bool(writer & set(words)):
        return True
    if own and _IDENTITY.fullmatch(words[-1]) and not _CREATES.fullmatch(_verb(tool)):
        return len(words) == 1 or bool(reader & set(words))
    if _CREATES.fullmatch(_verb(tool)):
        return False
    return (key == words and bool(writer & reader)) or (bool(reader & set(key)) and words in (key, key[-1:]))


def _plain_words(parameter: str) -> list[str]:
    """The words of a parameter's name, `new_name` like `name`."""
    words = name_words(parameter)
    return [word for word in words if not _QUALIFIER.fullmatch(word)] or words


def _verb(tool: str) -> str:
    verbs = (word for word in name_words(tool) if any(kind.fullmatch(word) for kind in (_READS, _CREATES, _CHANGES)))
    return next(verbs, "")


def _things(tool: str) -> frozenset[str]:
    """The words of a tool's name without its verb."""
    words = name_words(tool)
    if (verb := _verb(tool)) in words:
        words.remove(verb)
    return frozenset(words)
