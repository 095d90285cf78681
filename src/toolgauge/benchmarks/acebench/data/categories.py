"""The 17 categories of ACEBench, their groups and the identifiers of their entries.

Source: docs/acebench.md#categories and docs/acebench.md#entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

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
