"""Single requests: a tool asked for in full, or without the parts that follow from what was said before."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from toolgauge.demo.fixture import Fixture, SpokenValue
from toolgauge.demo.plans import FromResult, KnownValue, PastCall, PlannedCall
from toolgauge.demo.pointing import pointed_at
from toolgauge.demo.templates import compose, speak
from toolgauge.demo.wording import Wording

_ID = re.compile(r"[A-Za-z]+-?\d{2,}[A-Za-z]*")
_DIGIT = re.compile(r"\d")
_ORDINAL = re.compile(r"\bfirst\b|第一")
WITH_OPTION = 0.3
"""How often a request mentions something optional."""


class Utterance(Struct, frozen=True):
    """A request in words and as a call. complete: the same in a wording that needs no earlier task; varied: the
    parameter that sets it apart from an earlier call, where that is all it says."""

    text: str
    call: PlannedCall
    complete: str
    varied: str = ""


class RequestBuilder:
    """Writes the requests of one task. past: calls of earlier tasks; facts: values that the dialogue offers."""

    def __init__(
        self, fixture: Fixture, draw: random.Random, past: Sequence[PastCall], facts: Sequence[KnownValue]
    ) -> None:
        self.fixture, self.draw, self.past, self.facts = fixture, draw, past, facts
        self.words = Wording(fixture.language, draw)
        self.used = {_key(value) for call in past for value in call.arguments.values()} | {
            _key(fact.value) for fact in facts
        }
        self._drawn: dict[str, SpokenValue] = {}

    def forget(self) -> None:
        """Begin a request anew: values drawn for an abandoned one are not kept."""
        self._drawn = {}

    def shuffled(self, names: Iterable[str]) -> list[str]:
        """Some names in random order."""
        found = list(names)
        self.draw.shuffle(found)
        return found

    def unused_first(self, names: Iterable[str]) -> list[str]:
        """Tools in random order, those that were not called in the dialogue before the others."""
        called = {past.tool for past in self.past}
        return sorted(self.shuffled(names), key=lambda name: name in called)

    def value(self, tool: str, parameter: str, fresh: bool = False, unlike: str = "") -> SpokenValue:
        """A value of a parameter: the one that this task has for it already, else one that was not spoken of so far.

        fresh: another one than the task has; unlike: a text that must not hold it by chance.
        """
        kept = self._drawn.get(parameter)
        if kept and not fresh and self.fixture.fits(tool, parameter, kept.value):
            return kept
        values = self.fixture.values(tool, parameter)
        values = [one for one in values if str(one.value).casefold() not in unlike.casefold()] or values
        taken = self.used | {_key(one.value) for one in self._drawn.values()}
        unused = [one for one in values if _key(one.value) not in taken]
        others = unused or [one for one in values if one != kept] or values
        chosen = self.draw.choice(others)
        if not unused and (minted := self._minted(chosen)) and self.fixture.fits(tool, parameter, minted.value):
            chosen = minted
        self._drawn.setdefault(parameter, chosen)
        return chosen

    def _minted(self, like: SpokenValue) -> SpokenValue | None:
        """Another id of the same make, for when all examples have been spoken of."""
        if not (isinstance(like.value, str) and like.words == like.value and _ID.fullmatch(like.value)):
            return None
        text = _DIGIT.sub(lambda _: self.draw.choice("123456789"), like.value)
        return SpokenValue(text, text)

    def has_unused(self, tool: str, parameter: str) -> bool:
        """Is there a value that was not spoken of so far?"""
        return any(_key(one.value) not in self.used for one in self.fixture.values(tool, parameter))

    def is_new(self, call: PlannedCall) -> bool:
        """Was it not made before in this dialogue, as far as its values are known?"""
        return bool(call.links) or not any(
            past.tool == call.tool and past.arguments == call.arguments for past in self.past
        )

    def full(self, tool: str, optional: bool = False) -> Utterance:
        """A request that says everything required, and perhaps something optional."""
        given = {name: self.value(tool, name) for name in self.fixture.required(tool)}
        phrase = self.draw.choice(self.fixture.templates[tool].say)
        text = speak(phrase, {name: spoken.words for name, spoken in given.items()})
        if optional and self.draw.random() < WITH_OPTION:
            text, given = self._with_option(tool, text, given)
        return Utterance(text, PlannedCall(tool, given), text)

    def _with_option(self, tool: str, text: str, given: dict[str, SpokenValue]) -> tuple[str, dict[str, SpokenValue]]:
        names = self.fixture.optional(tool)
        if not names:
            return text, given
        name = self.draw.choice(names)
        usual = self.fixture.schema(tool, name).get("default")
        values = [one for one in self.fixture.values(tool, name) if one.value != usual]
        if not values:
            return text, given
        chosen, mention = self.draw.choice(values), self.fixture.templates[tool].parameters[name].mention or ""
        spoken = speak(mention, {name: chosen.words})
        return compose(text, [spoken], self.fixture.language), {**given, name: chosen}

    def follow(
        self, tool: str, links: Mapping[str, FromResult], before: Mapping[str, SpokenValue], known: Iterable[str]
    ) -> Utterance:
        """A request after others. links: what results of this task give; before: values that were said before, those
        in earlier tasks being the `known` ones."""
        rest = {name: self.value(tool, name) for name in self.fixture.required(tool) if name not in (*links, *before)}
        text = speak(self.fixture.templates[tool].follow or "", {name: spoken.words for name, spoken in rest.items()})
        given = {**before, **rest}
        complete = text if links else self.complete(tool, given)
        return Utterance(text, PlannedCall(tool, given, dict(links), frozenset(known)), complete)

    def pointing(self, utterance: Utterance, parameter: str, fact: KnownValue) -> Utterance | None:
        """A request after others in which one value is only pointed at; None for values nobody points at."""
        tool, call = utterance.call.tool, utterance.call
        nature, follow = self.fixture.nature(tool, parameter), self.fixture.templates[tool].follow or ""
        if nature not in ("one", "day", "time", "month") or f"{{{parameter}}}" not in follow:
            return None
        given = {**call.given, parameter: SpokenValue(fact.value, fact.words)}
        said = {name: spoken.words for name, spoken in given.items()}
        text = speak(pointed_at(follow, parameter, self.words(f"the_{nature}"), self.fixture.language), said)
        known = msgspec.structs.replace(call, given=given, known=call.known | {parameter})
        return Utterance(text, known, speak(follow, said))

    def picks(self, tool: str) -> bool:
        """Does the request after others speak of the first of several?"""
        return bool(_ORDINAL.search(self.fixture.templates[tool].follow or ""))

    def mentioned(self, tool: str, parameter: str, fact: KnownValue) -> Utterance | None:
        """A full request in which one value is only pointed at; None for values nobody points at."""
        nature = self.fixture.nature(tool, parameter)
        if not nature:
            return None
        phrases = [one for one in self.fixture.templates[tool].say if nature != "text" or f"“{{{parameter}}}”" in one]
        phrases = [one for one in phrases if not one.startswith(f"{{{parameter}}} ")] or phrases
        if not phrases:
            return None
        required = self.fixture.required(tool)
        rest = {name: self.value(tool, name) for name in required if name != parameter}
        phrase = pointed_at(self.draw.choice(phrases), parameter, self.words(f"the_{nature}"), self.fixture.language)
        text = speak(phrase, {name: spoken.words for name, spoken in rest.items()})
        given = {**rest, parameter: SpokenValue(fact.value, fact.words)}
        call = PlannedCall(tool, given, {}, frozenset([parameter]))
        return Utterance(text, call, self.complete(tool, given))

    def changed(self, past: PastCall, parameter: str) -> Utterance:
        """An earlier request again, with another value for one parameter."""
        before = {name: self.fixture.spoken(past.tool, name, value) for name, value in past.arguments.items()}
        new = self.value(past.tool, parameter, fresh=True)
        given = {**before, parameter: new}
        known = frozenset(name for name in given if name != parameter)
        text = self.words("what_about", words=self.in_passing(past.tool, parameter, new))
        return Utterance(text, PlannedCall(past.tool, given, {}, known), self.complete(past.tool, given), parameter)

    def complete(self, tool: str, given: Mapping[str, SpokenValue]) -> str:
        """A self-contained request for these values, optional ones included."""
        said = {name: spoken.words for name, spoken in given.items()}
        templates, required = self.fixture.templates[tool], self.fixture.required(tool)
        mentions = [
            speak(mention, said)
            for name in given
            if name not in required and (mention := templates.parameters[name].mention)
        ]
        return compose(speak(templates.say[0], said), mentions, self.fixture.language)

    def other_value(self, call: PlannedCall) -> tuple[str, PlannedCall] | None:
        """The same call with another value for one parameter, and that parameter's name, or None."""
        for name in self.shuffled(name for name in self.fixture.required(call.tool) if name not in call.known):
            if name in call.given and self.is_short(call.tool, name):
                new = self.value(call.tool, name, fresh=True)
                if new.value != call.given[name].value:
                    return name, msgspec.structs.replace(call, given={**call.given, name: new})
        return None

    def in_passing(self, tool: str, parameter: str, spoken: SpokenValue) -> str:
        """The words of a value where nothing else is said: a number with what it counts, a text in quotation marks."""
        return self.fixture.in_passing(tool, parameter, spoken.words)

    def is_short(self, tool: str, parameter: str) -> bool:
        """Can its values be named in passing ("and Lisbon?")?"""
        schema = self.fixture.schema(tool, parameter)
        return schema.get("type") in ("string", "number", "integer") and all(
            len(one.words) <= 30 for one in self.fixture.values(tool, parameter)
        )


def _key(value: object) -> bytes:
    return msgspec.json.encode(value)
