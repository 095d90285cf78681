"""ACEBench in memory: functions, entries, a data set (docs/acebench.md#entries)."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from toolgauge.benchmarks.acebench.data.categories import CATEGORIES, AceCategory
from toolgauge.chat import Json, Tool
from toolgauge.data.toolnames import legal_names
from toolgauge.data.valid_schemas import native_schema


class AceFunction(Struct, frozen=True):
    """A candidate function.

    parameters: as the file has them, whether they stand under `parameters`, `arguments` or `_arguments`. extra: all
    further fields (`results`, `tags`). original: the whole record, for prompts that show it as it is.
    """

    name: str
    description: str = ""
    parameters: Json = {}
    extra: Json = {}
    original: Json = {}


class NativeTools(Struct, frozen=True):
    """The tools of one entry. names: alias -> the function's own name; an alias that is not there is nobody's."""

    tools: tuple[Tool, ...]
    names: dict[str, str]

    def original(self, alias: str) -> str:
        """The function that a model meant by a tool's name; the name itself where it is no tool's."""
        return self.names.get(alias, alias)


def native_tools(functions: Sequence[AceFunction]) -> NativeTools:
    """The functions as tools, in their order, each under a legal name of its own."""
    aliases = legal_names([function.name for function in functions])
    tools = tuple(
        Tool(alias, function.description, native_schema(function.parameters))
        for alias, function in zip(aliases, functions, strict=True)
    )
    return NativeTools(tools, {alias: one.name for alias, one in zip(aliases, functions, strict=True)})


class AceEntry(Struct, frozen=True, dict=True):
    """One entry: what is asked, over which functions, and what is right.

    answers: the accepted answers. Normal categories: alternatives, each from function key to arguments, in calling
    order; special: a single one (function or parameter to a list, or the fixed sentence). final_state (agents): one
    {class: {attribute: value}} per class; milestones (agents): alternatives, each the texts of calls in order.
    session, turn: of the turns of sessions, from 0. line, answer_line: in the two files, from 1.
    """

    id: str
    category: str
    language: str
    question: str
    functions: tuple[AceFunction, ...]
    time: str = ""
    profile: str = ""
    initial_config: Json = {}
    involved_classes: tuple[str, ...] = ()
    answers: tuple[Any, ...] = ()
    final_state: tuple[Json, ...] = ()
    milestones: tuple[tuple[str, ...], ...] = ()
    session: int | None = None
    turn: int | None = None
    line: int = 0
    answer_line: int = 0
    extra: Json = {}

    @property
    def kind(self) -> AceCategory:
        """What is known about the entry's category."""
        return CATEGORIES[self.category]

    @cached_property
    def native(self) -> NativeTools:
        """Its functions as an endpoint's own tool calling takes them: once, for all runs."""
        return native_tools(self.functions)

    @property
    def session_id(self) -> str:
        """The dialogue that the entry is a turn of; the entry itself where it stands alone."""
        return self.id if self.session is None else f"{self.category}_{self.session}"


class AceDataset(Struct, frozen=True, dict=True):
    """Entries of one language, category by category in the files' order.

    sha256: over the names and contents of all files that were read. folder: the `data_all` folder they lie in.
    """

    name: str
    language: str
    sha256: str
    entries: tuple[AceEntry, ...]
    folder: str

    @property
    def file(self) -> str:
        """Where the data lie, under the name that every data set has for it."""
        return self.folder

    @cached_property
    def by_id(self) -> dict[str, AceEntry]:
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The categories that have entries here, in the order of CATEGORIES."""
        present = {entry.category for entry in self.entries}
        return tuple(name for name in CATEGORIES if name in present)


_NUMBERED = re.compile(r"_[0-9]+\Z")


def unnumbered(key: str) -> str:
    """A key of an answer without its trailing number, as the public scorer reads it.

    Keys are names of functions, numbered where one is called twice (docs/acebench.md#entries).
    """
    return _NUMBERED.sub("", key)


def called_name(key: str, names: Container[str]) -> str:
    """The function that a key means: the number is cut unless the whole key is a candidate's name (Q09, Q10)."""
    return key if key in names else unnumbered(key)
