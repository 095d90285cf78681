"""Tools that a model cannot tell apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from toolgauge.chat import Tool
from toolgauge.languages import HAN
from toolgauge.locale import Text, _

SAME_WORDS = 0.9
"""Share of words that two descriptions have in common from which they say the same."""
MOST_COMPARED = 200
"""Tools of a list that are compared, each with each."""

_WORD = re.compile(r"[^\W_]+")


def alike(tools: Sequence[Tool]) -> Iterator[tuple[Tool, Tool, Text]]:
    """Pairs of tools whose descriptions and parameters are nearly the same, with the reason.

    Alike are tools that take the same parameters and whose descriptions share SAME_WORDS of their words; and those
    whose names differ in capitals and separators only.
    """
    described = [(tool, _words(tool.description), _plain(tool.name)) for tool in tools[:MOST_COMPARED]]
    for (one, words, plain), (other, others, name) in combinations(described, 2):
        if plain == name:
            yield one, other, _("the names differ only in capitals and separators")
        elif words and len(words & others) >= SAME_WORDS * len(words | others) and _same_parameters(one, other):
            yield one, other, _("the same parameters, and a description in nearly the same words")


def _same_parameters(one: Tool, other: Tool) -> bool:
    return bool(one.parameters.get("properties") == other.parameters.get("properties"))


def _words(text: str) -> frozenset[str]:
    """The words of a text; of Chinese, its pairs of characters."""
    chinese = HAN.findall(text)
    pairs = {first + second for first, second in pairwise(chinese)}
    return frozenset(word.lower() for word in _WORD.findall(HAN.sub(" ", text))) | pairs


def _plain(name: str) -> str:
    return "".join(_WORD.findall(name)).lower() or name
