"""Candidate functions as an endpoint's own tool calling takes them: legal names and back, valid JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.data.acebench.entries import AceFunction
from toolgauge.data.acebench.schema import native_schema

MAX_NAME = 64
"""Characters that endpoints allow in the name of a tool."""
_LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")


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


def legal_names(names: Sequence[str]) -> tuple[str, ...]:
    """A legal tool name for every name, all different, always the same for the same names in the same order.

    Legal are a letter or "_" and up to 63 letters, digits, "_" and "-". A name that is legal keeps itself, unless it
    stands there twice; of any other, what is not legal becomes "_". Clashes are numbered: `tour_2`.
    """
    taken = {name for name in names if _LEGAL.fullmatch(name)}
    kept: set[str] = set()
    aliases = []
    for name in names:
        if name in taken and name not in kept:
            kept.add(name)
            aliases.append(name)
            continue
        alias = _free(_similar(name), taken)
        taken.add(alias)
        aliases.append(alias)
    return tuple(aliases)


def _similar(name: str) -> str:
    """The legal name that looks most like it; "function" where nothing legal is left of it."""
    plain = _ILLEGAL.sub("_", name)
    if not any(one.isalnum() for one in plain):
        return "function"
    return plain[:MAX_NAME] if _LEGAL.match(plain) else f"f_{plain}"[:MAX_NAME]


def _free(name: str, taken: set[str]) -> str:
    number = 1
    alias = name
    while alias in taken:
        number += 1
        end = f"_{number}"
        alias = name[: MAX_NAME - len(end)] + end
    return alias
