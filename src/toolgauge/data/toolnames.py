"""Names of tools that every endpoint accepts, and the words of names."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_NAME = 64
"""Characters that endpoints allow in the name of a tool."""
_LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[^\W_]+")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")


def legal_names(names: Sequence[str]) -> tuple[str, ...]:
    """A legal tool name for every name, all different, always the same for the same names in the same order.

    Legal are a letter or "_" and up to 63 letters, digits, "_" and "-". A name that is legal keeps itself, unless it
    stands there twice; of any other, what is not legal becomes "_". Clashes are numbered: `tour_2`.
    """
    taken = {name for name in names if _LEGAL.fullmatch(name)}
    unchanged: set[str] = set()
    numbers: dict[str, int] = {}
    aliases = []
    for name in names:
        if name in taken and name not in unchanged:
            unchanged.add(name)
            aliases.append(name)
            continue
        alias = _free(_similar(name), taken, numbers)
        taken.add(alias)
        aliases.append(alias)
    return tuple(aliases)


def _similar(name: str) -> str:
    """The legal name that looks most like it; "function" where nothing legal is left of it."""
    plain = _ILLEGAL.sub("_", name)
    if not any(char.isalnum() for char in plain):
        return "function"
    return plain[:MAX_NAME] if _LEGAL.match(plain) else f"f_{plain}"[:MAX_NAME]


def _free(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    """The name, numbered where it is taken. numbers: how far each name has got, so that many clashes stay cheap."""
    number = numbers.get(name, 1)
    alias = name if number == 1 else _numbered(name, number)
    while alias in taken:
        number += 1
        alias = _numbered(name, number)
    numbers[name] = number
    return alias


def _numbered(name: str, number: int) -> str:
    end = f"_{number}"
    return name[: MAX_NAME - len(end)] + end


def name_words(name: str) -> list[str]:
    """The words of a tool's or parameter's name, each in the singular: `listEntities` is list, entity."""
    return [_singular(word.lower()) for word in _WORD.findall(name)]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is", "has")) and len(word) > 2
    return word[:-1] if plural else word
