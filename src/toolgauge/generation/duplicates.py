"""Near-duplicates among dialogues, and how diverse a set of dialogues is.

A dialogue's features are the word pairs of what the user says and its calls with their arguments. Two dialogues are
near-duplicates where the Jaccard similarity of their features reaches a threshold. Only dialogues are compared that
share several of their smallest features and have about as many, so that few pairs are looked at; nothing is random.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict
from itertools import pairwise

from msgspec import Struct

from toolgauge.data.leaves import folded, leaves, words
from toolgauge.data.session import Session
from toolgauge.generation.dialogue import Dialogue, Speaker, actions_of

ALIKE = 0.7
"""The Jaccard similarity from which on two dialogues are one too many."""
_QUARTILES = ("least", "lower_quartile", "median", "upper_quartile", "most")
SMALLEST, SHARED = 12, 4
"""Dialogues are compared that share so many of their smallest features, which are hashes: of those as similar as ALIKE
all but 0.2% do (bottom-k sketches, Broder 1997)."""


class Duplicate(Struct, frozen=True):
    """A dialogue that is too much like an earlier one. similarity: Jaccard, from ALIKE to 1."""

    id: str
    of: str
    similarity: float


def _features(dialogue: Dialogue) -> frozenset[int]:
    """What a dialogue is compared by, as numbers: pairs of the user's words, and calls value by value."""
    texts: list[str] = []
    for entry in dialogue.kept:
        if entry.speaker is Speaker.USER:
            said = words(entry.text)
            texts += [f"u {one} {two}" for one, two in pairwise(said)] or [f"u {one}" for one in said]
        for action in actions_of(entry):
            texts.append(f"c {action.name}")
            texts += [f"c {action.name} {path} {folded(str(value))}" for path, value in leaves(action.arguments)]
    digests = (hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).digest() for text in texts)
    return frozenset(int.from_bytes(digest, "big") for digest in digests)


class Duplicates:
    """Dialogues as they come, the earlier ones kept: `add` says whether a dialogue is a near-duplicate. found: how many
    have been."""

    def __init__(self) -> None:
        self.found = 0
        self._kept: list[tuple[str, array[int]]] = []
        self._by_feature: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, dialogue: Dialogue) -> Duplicate | None:
        """The earlier dialogue that this one is most like, or None, and then it is kept for those to come."""
        own = _features(dialogue)
        smallest = sorted(own)[:SMALLEST] or [0]
        shared = Counter(place for number in smallest for place in self._by_feature.get(number, ()))
        least = min(SHARED, len(smallest))
        near = (place for place, count in shared.items() if count >= least and self._may_be_alike(place, len(own)))
        found = max(((_jaccard(own, frozenset(self._kept[place][1])), -place) for place in near), default=(0.0, 0))
        if found[0] >= ALIKE:
            self.found += 1
            return Duplicate(dialogue.id, self._kept[-found[1]][0], round(found[0], 4))
        for number in smallest:
            self._by_feature[number].append(len(self._kept))
        self._kept.append((dialogue.id, array("I", sorted(own))))
        return None

    def _may_be_alike(self, place: int, size: int) -> bool:
        """Whether the sizes of two sets of features allow the similarity."""
        other = len(self._kept[place][1])
        return min(size, other) >= ALIKE * max(size, other)


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0


class Utterances(Struct, frozen=True):
    """characters: their smallest, quartiles and largest number; none without utterances."""

    count: int
    characters: dict[str, int]


class DiversityFigures(Struct, frozen=True, kw_only=True):
    """distinct: share of different n-grams among all of the user's words, from 0 to 1, by n; None without any.

    same_beginning: how many dialogues begin alike, at most.
    """

    dialogues: int
    utterances: Utterances
    distinct: dict[str, float | None]
    tools: dict[str, int]
    parameters: dict[str, int]
    same_beginning: int
    kinds: dict[str, int]
    types: dict[str, int]
    references: dict[str, int]


class Diversity:
    """Counts over dialogues as they come."""

    def __init__(self) -> None:
        self._grams: dict[int, set[tuple[str, ...]]] = {1: set(), 2: set(), 3: set()}
        self._totals: Counter[int] = Counter()
        self._lengths: list[int] = []
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in ("kinds", "types", "references")}
        self._openings: Counter[str] = Counter()
        self._offered: dict[str, set[tuple[str, str]]] = {"tools": set(), "parameters": set()}
        self._used: dict[str, set[tuple[str, str]]] = {"tools": set(), "parameters": set()}
        self._dialogues = 0

    def add(self, dialogue: Dialogue, session: Session) -> None:
        """Count a dialogue with its annotated session."""
        self._dialogues += 1
        for entry in dialogue.kept:
            if entry.speaker is Speaker.USER:
                said = words(entry.text)
                self._lengths.append(len(entry.text))
                for size, grams in self._grams.items():
                    found = list(zip(*(said[start:] for start in range(size)), strict=False))
                    grams.update(found)
                    self._totals[size] += len(found)
        for tool in session.tools:
            self._offered["tools"].add((dialogue.tool_list, tool.name))
            self._offered["parameters"].update((tool.name, name) for name in tool.properties)
        for task in session.tasks:
            self._counts["kinds"][task.type.kind] += 1
            self._counts["types"][task.type.value] += 1
            self._counts["references"][task.reference.value] += 1
            self._openings[" ".join(words(task.utterance)[:2])] += 1
            for call in task.calls:
                if call.is_tool:
                    self._used["tools"].add((dialogue.tool_list, call.name))
                    self._used["parameters"].update((call.name, name) for name in call.arguments)

    def figures(self) -> DiversityFigures:
        """What was counted so far."""
        lengths = sorted(self._lengths)
        quartiles = [lengths[round(part * (len(lengths) - 1) / 4)] for part in range(5)] if lengths else []
        used = self._used["parameters"] & self._offered["parameters"]
        return DiversityFigures(
            dialogues=self._dialogues,
            utterances=Utterances(len(lengths), dict(zip(_QUARTILES, quartiles, strict=False))),
            distinct={
                str(size): round(len(grams) / self._totals[size], 4) if self._totals[size] else None
                for size, grams in self._grams.items()
            },
            tools={"offered": len(self._offered["tools"]), "called": len(self._used["tools"])},
            parameters={"offered": len(self._offered["parameters"]), "used": len(used)},
            same_beginning=max(self._openings.values(), default=0),
            **{name: dict(sorted(counts.items())) for name, counts in self._counts.items()},
        )
