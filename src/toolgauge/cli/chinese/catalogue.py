"""English sentences with gaps, and what they are in another language.

    "session {} has {#} turns"  ->  "会话 {0} 有 {1} 轮"

A gap is {} for text, which stays as it is, {#} for a number, or {*} for what is a message itself and is translated in
turn. The translation has the gaps by position. Texts come from anywhere, so nothing here backtracks: a template is
matched piece by piece from the left, each piece once, which finds a match wherever there is one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

LONGEST = 4000
"""Characters of a text that is looked up; longer ones stay as they are."""
DEEPEST = 8
"""Messages inside messages."""
MOST_STARTS = 12
"""Places ("file: line: ...") before a message that are tried."""
MOST_TRIALS = 1000
"""Templates that are laid on a text and its parts; a text that needs more is nobody's message."""
NESTED, NUMBER = "{*}", "{#}"
_GAP = re.compile(r"(\{[#*]?\})")
_SLOT = re.compile(r"\{(\d)\}")
_DIGITS = r"([\d.,]{1,40})"


class Template:
    """A sentence with gaps and its translation. weight: characters of its own, so that the most specific one wins."""

    def __init__(self, english: str, translation: str) -> None:
        self.translation = translation
        parts = _GAP.split(english)
        self._literals, self.gaps = parts[::2], parts[1::2]
        self.opening = self._literals[0]
        self.weight = sum(map(len, self._literals))
        self.telling = max(self._literals, key=len)

    @property
    def opens_nested(self) -> bool:
        """Does it begin with a message, which has places before it of its own?"""
        return not self.opening and self.gaps[0] == NESTED

    @cached_property
    def _pieces(self) -> list[re.Pattern[str]]:
        """What stands between gaps of text: literals and numbers."""
        pieces = [""]
        for literal, gap in zip(self._literals, [*self.gaps, None], strict=True):
            pieces[-1] += re.escape(literal)
            if gap == NUMBER:
                pieces[-1] += _DIGITS
            elif gap is not None:
                pieces.append("")
        pieces[-1] += r"\Z"
        return [re.compile(piece) for piece in pieces]

    def gaps_of(self, text: str) -> list[str] | None:
        """What fills the gaps where the text is an instance of this template; no gap is empty."""
        first, *others = self._pieces
        found = first.match(text)
        if found is None:
            return None
        filled, at = list(found.groups()), found.end()
        for piece in others:
            found = piece.search(text, at + 1) if at < len(text) else None
            if found is None:
                return None
            filled += [text[at : found.start()], *found.groups()]
            at = found.end()
        return filled

    def fill(self, parts: Sequence[str]) -> str:
        """The translation with its gaps filled."""
        return _SLOT.sub(lambda slot: parts[int(slot[1])], self.translation)


class Catalogue:
    """Sentences and templates with their translations, found by their first word."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._sentences: dict[str, str] = {}
        self._by_word: dict[str, list[Template]] = defaultdict(list)
        self._others: list[Template] = []
        for english, translation in entries.items():
            if not _GAP.search(english):
                self._sentences[english] = translation
                continue
            template = Template(english, translation)
            word, space, _ = template.opening.partition(" ")
            (self._by_word[word] if space else self._others).append(template)

    def whole(self, text: str) -> str | None:
        """The translation of a text that matches an entry as a whole; None if no entry matches."""
        return _Search(self).best(text, (0,), 0)[1]

    def translated(self, text: str) -> str:
        """A message in the other language; what stands before it ("file:3: path: ") is kept, the unknown comes back."""
        return _Search(self).message(text, 0)[1]

    def sentence(self, text: str) -> str | None:
        return self._sentences.get(text)

    def templates(self, text: str) -> Iterator[Template]:
        """Those that a text might be an instance of."""
        yield from self._by_word.get(text.partition(" ")[0], ())
        yield from self._others


class _Search:
    """One text is looked up, and the messages inside it. Weights say how many characters the catalogue knows."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue, self._left = catalogue, MOST_TRIALS

    def message(self, text: str, depth: int) -> tuple[int, str]:
        """How much of a message is known, and its translation: the text itself where nothing is."""
        if len(text) > LONGEST or depth > DEEPEST:
            return 0, text
        weight, said = self.best(text, _starts(text), depth)
        return weight, text if said is None else said

    def best(self, text: str, starts: Iterable[int], depth: int) -> tuple[int, str | None]:
        """What the text ends with, by the entry that knows most of it; of equals the one that begins last."""
        most, best = 0, None
        for start in starts:
            for weight, said, is_open in self._readings(text[start:], depth):
                known, place = self._place(text[:start], depth)
                if weight + known > most or (weight + known == most and not is_open):
                    most, best = weight + known, place + said
        return most, best

    def _readings(self, text: str, depth: int) -> Iterator[tuple[int, str, bool]]:
        """Weight and translation of each entry that the text is; whether it begins with a message of its own."""
        sentence = self._catalogue.sentence(text)
        if sentence is not None:
            yield len(text), sentence, False
        for template in self._catalogue.templates(text):
            if template.telling not in text:
                continue
            self._left -= 1
            gaps = template.gaps_of(text) if self._left >= 0 else None
            if gaps is not None:
                inner = [
                    self.message(gap, depth + 1) if kind == NESTED else (0, gap)
                    for kind, gap in zip(template.gaps, gaps, strict=True)
                ]
                weight = template.weight + sum(known for known, _ in inner)
                yield weight, template.fill([part for _, part in inner]), template.opens_nested

    def _place(self, text: str, depth: int) -> tuple[int, str]:
        """What stands before a message: a file and a line as they are, phrases of ours translated."""
        if " " not in text.removesuffix(" ") or depth >= DEEPEST:  # one word is the name of something
            return 0, text
        weight, said = self.best(text.removesuffix(": "), (0,), depth + 1)
        return (0, text) if said is None else (weight, f"{said}：")


def _starts(text: str) -> Iterator[int]:
    """Where a message may begin: at the front, and after each colon."""
    at = 0
    for _ in range(MOST_STARTS):
        yield at
        at = text.find(": ", at) + 2
        if at < 2 or at == len(text):
            return
