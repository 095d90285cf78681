"""ACEBench in memory: its 17 categories, their groups and ids; functions, entries, a data set.

Source: docs/acebench.md#categories and docs/acebench.md#entries.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from toolgauge.chat import Json, Tool
from toolgauge.data.toolnames import legal_names
from toolgauge.data.valid_schemas import native_schema
from toolgauge.errors import UsageError
from toolgauge.options import guess


class AceCategory(Struct, frozen=True):
    """A category. group: "normal", "special" or "agent"; atom: one parameter type is tried; counts: published entries.

    multi_turn: the entries are turns of sessions (never so for agents, whose conversations are single entries).
    """

    name: str
    group: str
    counts: dict[str, int]
    atom: bool = False
    multi_turn: bool = False


class EntryId(Struct, frozen=True):
    """An entry's id taken apart. number: of the entry or, in a session, of its turn; both count from 0."""

    category: str
    session: int | None
    number: int


def _category(name: str, en: int, zh: int) -> AceCategory:
    atom, multi_turn = name.startswith("normal_atom_"), name.startswith(_TURNS)
    return AceCategory(name, name.partition("_")[0], {"en": en, "zh": zh}, atom, multi_turn)


_TURNS = "normal_multi_turn_"
_ID = re.compile(r"(?P<category>[a-z_]+?)(?:_(?P<session>0|[1-9][0-9]{0,8}))?_(?P<number>0|[1-9][0-9]{0,8})")

CATEGORIES: dict[str, AceCategory] = {
    one.name: one
    for one in (
        _category("normal_single_turn_single_function", 100, 100),
        _category("normal_single_turn_parallel_function", 100, 100),
        _category("normal_multi_turn_user_adjust", 123, 116),
        _category("normal_multi_turn_user_switch", 100, 101),
        _category("normal_similar_api", 50, 50),
        _category("normal_preference", 50, 50),
        _category("normal_atom_bool", 50, 50),
        _category("normal_atom_enum", 50, 50),
        _category("normal_atom_number", 50, 50),
        _category("normal_atom_list", 50, 50),
        _category("normal_atom_object_deep", 50, 50),
        _category("normal_atom_object_short", 50, 50),
        _category("special_incomplete", 50, 50),
        _category("special_error_param", 50, 50),
        _category("special_irrelevant", 50, 50),
        _category("agent_multi_step", 20, 20),
        _category("agent_multi_turn", 30, 30),
    )
}
"""All categories by name, in the order in which they are run and shown."""

GROUPS: dict[str, tuple[str, ...]] = {
    "normal": tuple(name for name, one in CATEGORIES.items() if one.group == "normal"),
    "special": tuple(name for name, one in CATEGORIES.items() if one.group == "special"),
    "agent": tuple(name for name, one in CATEGORIES.items() if one.group == "agent"),
    "atom": tuple(name for name, one in CATEGORIES.items() if one.atom),
    "multi_turn": tuple(name for name, one in CATEGORIES.items() if one.multi_turn),
    "test_all": tuple(CATEGORIES),
}
"""Names that stand for several categories."""


def select_categories(names: Iterable[str]) -> tuple[str, ...]:
    """The categories that some names of categories and groups mean, each once, in the order of CATEGORIES.

    Raises UsageError for a name that is neither.
    """
    chosen: set[str] = set()
    for name in names:
        if name not in CATEGORIES and name not in GROUPS:
            known = [*GROUPS, *CATEGORIES]
            raise UsageError(f"--category: unknown category {name!r}{guess(name, known)} (known: {', '.join(known)})")
        chosen.update(GROUPS.get(name, (name,)))
    return tuple(name for name in CATEGORIES if name in chosen)


def parse_id(entry_id: str) -> EntryId | None:
    """An id taken apart; None where it is none of any category."""
    match = _ID.fullmatch(entry_id)
    category = CATEGORIES.get(match["category"]) if match else None
    if match is None or category is None or category.multi_turn != (match["session"] is not None):
        return None
    session = int(match["session"]) if category.multi_turn else None
    return EntryId(category.name, session, int(match["number"]))


def category_of(entry_id: str) -> str | None:
    """The category of an id: what precedes its last number, in sessions its last two; None where there is none."""
    parsed = parse_id(entry_id)
    return parsed.category if parsed else None


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
