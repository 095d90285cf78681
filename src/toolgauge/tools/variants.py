"""Variants of tool lists: the same sessions with other descriptions or names of tools, more tools or fewer.

A `ToolVariant` is data, and `varied` a pure function of a session and a variant: what a run on a variant was asked
follows from the data file and the variant alone. The annotation stays what it is, and its names follow the tools':

- descriptions are replaced, never schemas, so annotated arguments fit as before;
- a tool that the session needs is never taken away: one that is called in it, or that a question is about;
- a tool that is put in must not do what one of the session's does, or a call of it might be right. It is left out where
  its name is that of one of them, but for capitals and separators, or where they share more than `TOO_ALIKE` of the
  words of their names or of their descriptions (`ToolWords.alike`); and in a session with a task that no tool can do,
  where a word of its name is a word of that task.

Which tools and where is drawn by a hash of seed, session and name: more of them are the same ones and others.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from toolgauge.chat import Message, Tool
from toolgauge.data.session import ASK, Call, Session
from toolgauge.data.toolnames import name_words
from toolgauge.languages import WORD, text_words

TOO_ALIKE = 0.5
"""Share of words in common above which a tool may do what another one does."""
MOST_OFFERED = 1000
"""Tools of a session."""
MOST_POOL = 10_000
"""Tools that all sessions together get."""
SAME_WORDS = 0.9
"""Share of words that two descriptions have in common from which they say the same."""
MOST_COMPARED = 200
"""Tools of a list that are compared, each with each."""


class ToolWords(Struct, frozen=True):
    """The words of a tool's name and of its description."""

    name: frozenset[str]
    description: frozenset[str]

    @classmethod
    def of(cls, tool: Tool) -> ToolWords:
        return cls(frozenset(name_words(tool.name)), text_words(tool.description))

    def alike(self, other: ToolWords) -> float:
        """The share of words in common, from 0 to 1: of the names or of the descriptions, whichever is larger."""
        return max(_share(self.name, other.name), _share(self.description, other.description))


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / (len(first | second) or 1)


def alike(tools: Sequence[Tool]) -> Iterator[tuple[Tool, Tool, str]]:
    """Pairs of tools that a model cannot tell apart, with the reason: they take the same parameters and their
    descriptions share SAME_WORDS of their words, or their names differ in capitals and separators only."""
    described = [(tool, text_words(tool.description)) for tool in tools[:MOST_COMPARED]]
    for (first, words), (second, others) in combinations(described, 2):
        if plain_name(first.name) == plain_name(second.name):
            yield first, second, "the names differ only in case and separators"
        elif words and _share(words, others) >= SAME_WORDS and first.properties == second.properties:
            yield first, second, "same parameters, nearly the same description"


def plain_name(name: str) -> str:
    """A name without capitals and separators."""
    return "".join(WORD.findall(name)).lower() or name


class ToolVariant(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, dict=True):
    """What is changed of every session's tools.

    descriptions: by "tool" or "tool.parameter" (of nested ones "tool.parameter.part"), under the names that the data
    have. edited: definitions whose descriptions are taken by tools of that name with the same parameters. rename: new
    names by old ones. distractors: so many tools of the pool are put in at drawn places. offered: the tools that the
    session needs and others of its own, then of the pool, up to so many, in a drawn order. similar: tools of the pool
    that are most (True) or least (False) like the session's come first, else drawn ones. search: tools are not offered
    but found by a search.
    """

    name: str
    seed: int = 0
    descriptions: dict[str, str] = {}
    edited: tuple[Tool, ...] = ()
    rename: dict[str, str] = {}
    distractors: int = 0
    offered: int | None = None
    similar: bool | None = None
    pool: Annotated[tuple[Tool, ...], Meta(max_length=MOST_POOL)] = ()
    search: bool = False

    @cached_property
    def words(self) -> tuple[ToolWords, ...]:
        """Those of the pool's tools."""
        return tuple(map(ToolWords.of, self.pool))

    @cached_property
    def texts(self) -> dict[str, Tool]:
        """The edited definitions by name."""
        return {tool.name: tool for tool in self.edited}


def varied(session: Session, variant: ToolVariant) -> Session:
    """The session with its tools changed; itself where the variant changes nothing of it."""
    tools = tuple(_retold(tool, variant) for tool in session.tools)
    renamed = {old: new for old, new in variant.rename.items() if old in session.tools_by_name}
    tools = tuple(replace(tool, name=renamed.get(tool.name, tool.name)) for tool in tools)
    changed = _renamed(session, renamed) if renamed else session
    changed = replace(changed, tools=tools, searched=variant.search or session.searched)
    tools = tuple(_offered(changed, variant))
    if tools == session.tools and changed.searched == session.searched:
        return session
    return replace(changed, tools=tools, original_tools=tuple(tool.filed() for tool in tools))


def needed(session: Session) -> set[str]:
    """The names of the tools that a session's annotation needs: those called, and those that a question is about."""
    calls = [call for task in session.tasks for call in task.calls]
    names = {call.name for call in calls if call.is_tool}
    for call in calls:
        if call.name == ASK:
            names.update(text for text in _texts(call.arguments) if text in session.tools_by_name)
    return names


def _texts(value: object) -> Iterator[str]:
    """All texts inside a JSON value."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(part)


def candidates(session: Session, variant: ToolVariant) -> list[Tool]:
    """The tools of the pool that may be put into a session, those that come first in front."""
    offered = [ToolWords.of(tool) for tool in session.tools]
    names = {plain_name(tool.name) for tool in session.tools}
    called = {
        word for task in session.tasks if task.unservable for word in name_words(task.utterance) if not word.isdigit()
    }
    ranked: list[tuple[float, str, Tool]] = []
    for tool, words in zip(variant.pool, variant.words, strict=True):
        nearest = max((words.alike(other) for other in offered), default=0.0)
        if plain_name(tool.name) in names or nearest > TOO_ALIKE or words.name & called:
            continue
        rank = 0.0 if variant.similar is None else -nearest if variant.similar else nearest
        ranked.append((rank, _drawn(variant, session, "which", tool.name), tool))
    return [tool for _rank, _draw, tool in sorted(ranked, key=lambda entry: entry[:2])]


def shortage(session: Session, variant: ToolVariant) -> tuple[int, int] | None:
    """How many tools of the pool a session wants and how many there are for it, where these are fewer."""
    there = len(candidates(session, variant)) if variant.pool or variant.distractors or variant.offered else 0
    due = variant.distractors or max(0, (variant.offered or 0) - len(session.tools))
    return (due, there) if there < due else None


def described(session: Session, key: str) -> bool:
    """Is there a tool, or a parameter of one, that a key of `ToolVariant.descriptions` names?"""
    return any(_retext(tool, key, "") is not None for tool in session.tools)


def takes_text(session: Session, edited: Tool) -> bool:
    """Has the session the tool that an edited definition is of: with the same name and, but for texts, parameters?"""
    tool = session.tools_by_name.get(edited.name)
    return tool is not None and _bare(tool.parameters) == _bare(edited.parameters)


def _retold(tool: Tool, variant: ToolVariant) -> Tool:
    """The tool with the descriptions that the variant has for it."""
    edited = variant.texts.get(tool.name)
    if edited is not None and _bare(tool.parameters) == _bare(edited.parameters):
        tool = replace(tool, description=edited.description, parameters=edited.parameters)
    for key, text in variant.descriptions.items():
        tool = _retext(tool, key, text) or tool
    return tool


def _retext(tool: Tool, key: str, text: str) -> Tool | None:
    """The tool with another description of what a key names; None where it names nothing of this tool."""
    if key == tool.name:
        return replace(tool, description=text)
    if not key.startswith(f"{tool.name}."):
        return None
    parameters = _in_parameter(tool.parameters, key[len(tool.name) + 1 :].split("."), text)
    return None if parameters is None else replace(tool, parameters=parameters)


def _in_parameter(schema: object, steps: Sequence[str], text: str) -> dict[str, object] | None:
    """A schema with another description at a path of properties, through the items of arrays."""
    if not isinstance(schema, dict):
        return None
    if not steps:
        return schema | {"description": text}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        items = _in_parameter(schema.get("items"), steps, text)
        return None if items is None else schema | {"items": items}
    inner = _in_parameter(properties.get(steps[0]), steps[1:], text)
    return None if inner is None else schema | {"properties": properties | {steps[0]: inner}}


def _bare(schema: object) -> object:
    """A schema without its descriptions."""
    if isinstance(schema, dict):
        texts = ("description",) if isinstance(schema.get("description"), str) else ()
        return {key: _bare(part) for key, part in schema.items() if key not in texts}
    return [_bare(part) for part in schema] if isinstance(schema, list) else schema


def _offered(session: Session, variant: ToolVariant) -> Sequence[Tool]:
    """The session's tools with others put in, or as many as are to be offered; what is drawn stays drawn when more
    are."""

    def drawn(tool: Tool, what: str) -> str:
        return _drawn(variant, session, what, tool.name)

    if variant.distractors:
        places = [((place + 0.5) / len(session.tools), "", tool) for place, tool in enumerate(session.tools)]
        for tool in candidates(session, variant)[: variant.distractors]:
            where = drawn(tool, "where")
            places.append((int(where[:12], 16) / 16**12, where, tool))
        return [tool for _place, _draw, tool in sorted(places, key=lambda entry: entry[:2])]
    if variant.offered is None:
        return session.tools
    names = needed(session)
    called = [tool for tool in session.tools if tool.name in names]
    others = [tool for tool in session.tools if tool.name not in names]
    others.sort(key=lambda tool: drawn(tool, "which"))
    chosen = [*called, *others, *candidates(session, variant)][: max(variant.offered, len(called))]
    return sorted(chosen, key=lambda tool: drawn(tool, "where"))


def _drawn(variant: ToolVariant, session: Session, what: str, name: str) -> str:
    drawn = f"{variant.seed}/{session.id}/{what}/{name}"
    return hashlib.sha256(drawn.encode("utf-8", "surrogatepass")).hexdigest()


def _renamed(session: Session, names: dict[str, str]) -> Session:
    """The session with its annotation under the new names. In texts, only names that are no word of a language are
    replaced, `search_hotels` or `getWeather`."""
    coined = sorted((name for name in names if not (name.isalpha() and name[1:].islower())), key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, coined))})(?![A-Za-z0-9_])")

    def in_text(text: str) -> str:
        return pattern.sub(lambda match: names[match[0]], text) if coined else text

    def call(one: Call) -> Call:
        arguments = _mapped(one.arguments, lambda text: names.get(text, text)) if one.name == ASK else one.arguments
        assert isinstance(arguments, dict)
        observation = _mapped(one.observation, in_text)
        return replace(one, name=names.get(one.name, one.name), arguments=arguments, observation=observation)

    def message(one: Message) -> Message:
        calls = tuple(replace(made, name=names.get(made.name or "", made.name)) for made in one.tool_calls)
        content = one.content if one.content is None or one.role == "user" else in_text(one.content)
        return replace(one, content=content, tool_calls=calls)

    tasks = [
        replace(task, calls=tuple(map(call, task.calls)), dialogue=tuple(map(message, task.dialogue)))
        for task in session.tasks
    ]
    return replace(session, tasks=tuple(tasks))


def _mapped(value: object, change: Callable[[str], str]) -> object:
    """A JSON value with its texts changed, keys of objects apart."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(part, change) for key, part in value.items()}
    return [_mapped(part, change) for part in value] if isinstance(value, list) else value
