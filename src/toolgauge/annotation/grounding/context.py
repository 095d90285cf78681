"""What has been said and answered in a dialogue before a call is made, and where in it a value stands."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from toolgauge.annotation.grounding.counting import counted_in, counts
from toolgauge.annotation.grounding.dates import Means, days_in
from toolgauge.annotation.grounding.numbers import numbers_in, quantities_in
from toolgauge.annotation.grounding.parameters import Parameter
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.times import DAY, NAMED_TIME, clock_times, minutes_in
from toolgauge.annotation.grounding.units import MeasureUnit, measures_in, units_named
from toolgauge.annotation.grounding.values import ABBREVIATED, STEM, alike, folded, is_short, leaves, quote_of, words

LONGEST = 5000
"""Characters of a text that are searched for dates, times and numbers."""
MOST_MEASURES = 1000
"""Amounts of one text or result that are compared."""
MOST_LEAVES = 3000
"""Parts of one result that are looked at."""
LARGEST = 1e300
"""Numbers from here on are compared with nothing."""

Leaf = tuple[str, Any]


class ValueSource(Struct, frozen=True, omit_defaults=True, rename={"origin": "from"}):
    """Where a value comes from, as a call's `argument_sources` name it (docs/data-format.md).

    origin: the kind of a `ContextItem`, "clock", "knowledge" or "composed". path: in a result; days: from the clock's;
    reading: how the value follows from what stands there; note: what one has to know; unsaid: facts in a composed text
    that nobody gave.
    """

    origin: str
    task: int | None = None
    step: int | None = None
    path: str | None = None
    days: int | None = None
    quote: str | None = None
    reading: str | None = None
    note: str | None = None
    unsaid: tuple[str, ...] = ()


Sources = dict[str, list[ValueSource]]
"""Of a call's arguments by their paths, the likeliest first."""
Grounded = tuple[Mapping[str, object], Sources]
"""Arguments and their sources."""


class ContextItem(Struct, frozen=True, dict=True):
    """One thing that was said or answered.

    kind: "user", "reply" (to a question), "agent" or "result"; step: the node in its task, of replies and results.
    """

    kind: str
    task: int
    content: object
    now: datetime.datetime
    step: int | None = None

    @property
    def is_result(self) -> bool:
        return self.kind == "result"

    def is_same(self, kind: str, task: int, content: object, step: int | None) -> bool:
        """Is it this that was said, and not only something alike?"""
        return self.content is content and (self.kind, self.task, self.step) == (kind, task, step)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The scalars of a result with their paths; of a text the text itself."""
        found = leaves(self.content)
        return tuple(leaf for leaf, _ in zip(found, range(MOST_LEAVES), strict=False))

    @cached_property
    def folded_leaves(self) -> tuple[tuple[str, object, str], ...]:
        """(path, value, folded text) of the leaves that are texts or numbers."""
        return tuple((path, leaf, folded(str(leaf))) for path, leaf in self.leaves if is_plain(leaf))

    @cached_property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "\n".join(str(leaf) for _, leaf in self.leaves)

    @cached_property
    def folded(self) -> str:
        return folded(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(words(self.text))

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """The words by their first letters: only those can be alike."""
        found: dict[str, list[str]] = {}
        for word in sorted(self.words):
            found.setdefault(word[:STEM], []).append(word)
        return found

    def has_word(self, word: str) -> bool:
        """Does it stand in the text, apart from its ending?"""
        if word in self.words or ABBREVIATED.get(word) in self.words:
            return True
        return any(alike(word, known) for known in self.stems.get(word[:STEM], ()))

    @cached_property
    def numbers(self) -> dict[float, str]:
        """Every number with the words that say it; a number as such with its path."""
        return self._numbers(numbers_in)

    @cached_property
    def quantities(self) -> dict[float, str]:
        """The same without small numbers that are only parts of dates, times and ids: none counts anything."""
        return self._numbers(quantities_in)

    @cached_property
    def _counted(self) -> dict[str, dict[float, str]]:
        return {}

    def counted(self, parameter: Parameter) -> dict[float, str]:
        """The numbers that may be a parameter's value; where it counts, no years, ordinals, house numbers and pages."""
        if not counts(parameter):
            return self.quantities
        known = self._counted.get(parameter.about)
        if known is None:
            known = self._counted[parameter.about] = self._numbers(lambda text: counted_in(text, parameter))
        return known

    def _numbers(self, reading: Callable[[str], Iterator[tuple[float, str]]]) -> dict[float, str]:
        found: dict[float, str] = {}
        for path, leaf in self.leaves:
            if isinstance(leaf, str):
                for number, quote in reading(leaf[:LONGEST]):
                    found.setdefault(number, path if self.is_result else quote)
            elif is_plain(leaf):
                found.setdefault(float(leaf), path)
        return found

    @cached_property
    def measures(self) -> tuple[tuple[float, MeasureUnit, str], ...]:
        """(number, unit, words) of what is measured; numbers of results whose names have a unit, with their paths."""
        return tuple(itertools.islice(self._measures(), MOST_MEASURES))

    def _measures(self) -> Iterator[tuple[float, MeasureUnit, str]]:
        for path, leaf in self.leaves:
            if isinstance(leaf, str):
                for number, unit, quote in measures_in(leaf[:LONGEST]):
                    yield number, unit, path if self.is_result else quote
            elif is_plain(leaf):
                for unit in units_named(Parameter(re.split(r"[.\]]", path)[-1]).title):
                    yield float(leaf), unit, path

    @cached_property
    def days(self) -> dict[datetime.date, Means]:
        """Every day that is meant; of a result only what is written as a date."""
        found: dict[datetime.date, Means] = {}
        for path, leaf in self.leaves:
            if not isinstance(leaf, str) or (self.is_result and not _has_digit(leaf[:LONGEST])):
                continue
            for means in days_in(leaf[:LONGEST], self.now):
                if not self.is_result:
                    found.setdefault(means.day, means)
                elif means.written and _has_digit(means.quote):
                    found.setdefault(means.day, Means(means.day, path, True))
        return found

    @cached_property
    def minutes(self) -> dict[int, str]:
        """Every time of day, in minutes; of results only values that are a time and nothing else."""
        if not self.is_result:
            return dict(reversed(list(minutes_in(self.text[:LONGEST]))))
        points = ((path, point_of(leaf)) for path, leaf in self.leaves)
        return {point.minutes: path for path, point in points if point and point.minutes is not None}

    @cached_property
    def names_hours(self) -> bool:
        """Does it name a time of day by its hour? Then "in the evening" is no time left open."""
        text = self.text[:LONGEST]
        return next(clock_times(text), None) is not None or NAMED_TIME.search(text.casefold()) is not None

    @cached_property
    def lengths(self) -> frozenset[float]:
        """Every length of time up to a day that is spoken of, in minutes."""
        minutes = (
            number * size / 60 for number, unit, _ in self.measures if unit.kind == "time" for size in unit.sizes
        )
        return frozenset(length for length in minutes if 0 < length < DAY)

    def holding(self, value: object) -> Iterator[tuple[str, bool]]:
        """(path, is it the whole) of the leaves that are this value, or texts of which it is a part."""
        if not is_plain(value):
            return
        wanted = folded(str(value))
        point = point_of(value)
        for path, leaf, known in self.folded_leaves:
            if (wanted and wanted == known) or value == leaf or (point is not None and point == point_of(leaf)):
                yield path, True
                continue
            is_part = isinstance(value, str) and wanted in known and not is_short(value)
            if is_part and quote_of(str(value), str(leaf)) is not None:
                yield path, False

    def source(self, place: str, derivation: str = "") -> ValueSource:
        """place: the path in a result, or the quote. derivation: how the value follows from what stands there."""
        path, quote = (place, None) if self.is_result else (None, place)
        return ValueSource(self.kind, self.task, self.step, path, quote=quote, reading=derivation or None)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def is_plain(value: object) -> bool:
    """A text, or a number of a reasonable size."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
    return number or isinstance(value, str)


class Context:
    """Everything said and answered so far, in order."""

    def __init__(self, now: datetime.datetime) -> None:
        self.now = now
        self.items: list[ContextItem] = []
        self._days: tuple[int, dict[datetime.date, tuple[ContextItem, Means]]] | None = None
        self._grounded: dict[tuple[int, int], Grounded] = {}
        self._before: Context | None = None

    def reread(self, task: int) -> Context:
        """The context before a task that is read again: as long as the same is said there, what was found is kept."""
        again, before = Context(self.now), Context(self.now)
        again.items = [one for one in self.items if one.task < task]
        again._before, before.items, before._grounded = before, self.items, self._grounded
        return again

    def add(self, kind: str, task: int, content: object, step: int | None = None) -> None:
        known = self._before.items[len(self.items) :][:1] if self._before else []
        if known and known[0].is_same(kind, task, content, step):
            self.items += known
        else:
            self._before = None
            self.items.append(ContextItem(kind, task, content, self.now, step))

    def grounded(self, arguments: Mapping[str, object], find: Callable[[], Sources]) -> Sources:
        """The sources of a call's arguments, which `find` finds unless the same was asked with the same behind it."""
        key = len(self.items), id(arguments)
        known = self._before._grounded.get(key) if self._before else None
        self._grounded[key] = known or (arguments, find())  # which keeps the arguments, so their id is nobody else's
        return self._grounded[key][1]

    @property
    def said(self) -> list[ContextItem]:
        """What the user said, the latest first."""
        return [one for one in reversed(self.items) if one.kind in ("user", "reply")]

    @property
    def last_said(self) -> str:
        """The user's last words; "" before the first."""
        return self.said[0].text if self.said else ""

    @property
    def results(self) -> list[ContextItem]:
        return [one for one in self.items if one.is_result]

    @property
    def agent(self) -> list[ContextItem]:
        return [one for one in reversed(self.items) if one.kind == "agent"]

    @property
    def by_weight(self) -> list[ContextItem]:
        """Everything: what the user said counts before results, and those before the agent's words."""
        return [*self.said, *self.results, *self.agent]

    def has_word(self, word: str) -> bool:
        """Does anything in it have a word, apart from its ending?"""
        return any(one.has_word(word) for one in self.items)

    def holds(self, text: str) -> bool:
        """Does a text stand anywhere in it, apart from case, blanks and punctuation?"""
        wanted = folded(text)
        return any(wanted in one.folded and quote_of(text, one.text) is not None for one in self.items)

    def days(self) -> dict[datetime.date, tuple[ContextItem, Means]]:
        """Every day that anything in it may mean; what the user says counts before results and the agent's words."""
        if self._days and self._days[0] == len(self.items):
            return self._days[1]
        found: dict[datetime.date, tuple[ContextItem, Means]] = {}
        for one in self.by_weight:
            for day, means in one.days.items():
                found.setdefault(day, (one, means))
        self._days = (len(self.items), found)
        return found
