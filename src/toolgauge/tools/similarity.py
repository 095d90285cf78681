"""Tools that a model cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.data.toolnames import name_words
from toolgauge.languages import WORD, text_words

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


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


def alike(tools: Sequence[Tool]) -> Iterator[tuple[Tool, Tool, str]]:
    """Pairs of tools whose descriptions and parameters are nearly the same, with the reason.

    Alike are tools that take the same parameters and whose descriptions share SAME_WORDS of their words; and those
    whose names differ in capitals and separators only.
    """
    described = [(tool, text_words(tool.description), plain_name(tool.name)) for tool in tools[:MOST_COMPARED]]
    for (one, words, plain), (other, others, name) in combinations(described, 2):
        if plain == name:
            yield one, other, "the names differ only in case and separators"
        elif words and len(words & others) >= SAME_WORDS * len(words | others) and _same_parameters(one, other):
            yield one, other, "same parameters, nearly the same description"


def _same_parameters(one: Tool, other: Tool) -> bool:
    return bool(one.parameters.get("properties") == other.parameters.get("properties"))


def plain_name(name: str) -> str:
    """A name without capitals and separators."""
    return "".join(WORD.findall(name)).lower() or name
