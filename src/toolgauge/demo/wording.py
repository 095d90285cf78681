"""The words of scripted agents, per language: words.<language>.json, some variants for each."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files

import msgspec

_ENDS = re.compile(r"[.?!;:。？！；：…，][\"”’）)]*$")

_COMMON = re.compile(
    r"(?:And|What|Which|How|Is|Are|Will|Can|Could|Please|Where|When|Who|Do|Does|Now|Then|About|For|Something|In|The|These|Just"
    r"|Why|Should|Would|Has|Have|Did|My|Any|A|An|Get|Give|Tell|Show|Find|Book|Make|Put|Set|Add|Send|Take|Buy|Look|Keep|There"
    r"|Somebody|Same|Reply|Save|Alert|Compare|Check|List|Play|Turn|Switch|Cancel|Order|Reserve|Store|Pin|Start|Remind)\b"
)
"""Beginnings of English sentences that are no names."""


_WORD = re.compile(r"[a-z']+[ ,.?!]")
"""A word at the beginning, and no identifier ("retry_limit", "lamp-94")."""


@cache
def _all(language: str) -> dict[str, list[str]]:
    content = files(__name__.rpartition(".")[0]).joinpath(f"words.{language}.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, list[str]])


class Wording:
    """The sentences of one language. `draw` chooses among variants; without it, the first is taken."""

    def __init__(self, language: str, draw: random.Random | None = None) -> None:
        self.language, self._draw = language, draw

    def __call__(self, name: str, **values: str) -> str:
        variants = _all(self.language)[name]
        chosen = self._draw.choice(variants) if self._draw else variants[0]
        for key, value in values.items():
            chosen = chosen.replace(f"{{{key}}}", value)
        return chosen

    def other(self, name: str, said: Collection[str]) -> str:
        """A variant that has not been said, as long as there is one."""
        variants = [one for one in _all(self.language)[name] if one not in said] or _all(self.language)[name]
        return self._draw.choice(variants) if self._draw else variants[0]

    def every(self, name: str) -> list[str]:
        """All variants."""
        return _all(self.language)[name]

    def joined(self, sentences: Iterable[str]) -> str:
        """Sentences one after the other, each with an end."""
        said = [sentence for sentence in sentences if sentence]
        said = [said[0], *map(self.sentence, said[1:])] if said else []
        closed = [one if _ENDS.search(one) else one + self("stop") for one in said[:-1]]
        return self("joint").join([*closed, *said[-1:]])

    def inside(self, text: str) -> str:
        """A sentence as it goes on after a colon."""
        return text[:1].lower() + text[1:] if _COMMON.match(text) else text

    def sentence(self, text: str) -> str:
        """A text as it begins after a full stop: an English word with a capital, a name as it is."""
        return text[:1].upper() + text[1:] if _WORD.match(text) else text

    def listed(self, parts: Iterable[str]) -> str:
        """ "a, b and c" """
        items = list(parts)
        return self("list").join(items[:-1]) + (self("and") if len(items) > 1 else "") + "".join(items[-1:])
