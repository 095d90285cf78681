"""Why something is wrong, as data: a code and its parameters. Words are made of them where somebody reads them.

A verdict carries both: `detail`, the English text (where a published evaluator has one for it, that one), and `code`
with `parameters`, so that nobody has to parse a sentence. Each owner of codes has an enum of them: the dialogues
(judge/reasons.py), ACEBench, its decoders; other people's benchmarks bring their own (`Benchmark.reason_texts`).

Three parameters mean the same for every code: `tool` and `path` say which argument it is about, `also` lists codes of
what is said behind it. So is `kind`, a code, where the text has no slot for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Self, TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.locale import catalogue

MAX_TEXT = 500
"""Characters of an argument's path, of an error text or of a parameter; what follows is cut off."""
GAP = "…"
"""In place of a value in the form of a reason."""

Parameter = str | int | tuple[str, ...]
"""A name, a number, or several names."""
Parameters: TypeAlias = Mapping[str, Parameter]

_SLOT = re.compile(r"\{(\w+)\}")


def N_(text: str) -> str:  # noqa: N802 - gettext's name for a text that is translated later
    """Marks a text for the catalogues."""
    return text


class Blame(StrEnum):
    """Who made something fail."""

    MODEL = "model"
    PROVIDER = "provider"
    HARNESS = "harness"
    SIMULATOR = "simulator"
    ENVIRONMENT = "environment"
    CONTEXT = "context"  # nobody: the conversation is longer than the endpoint's context


class ReasonCode(StrEnum):
    """The base of enums of codes: a member is its code and its English text, with {slots} for parameters.

    In a text {names} are joined by commas, other tuples stand in brackets, and {where} is " at '...'" with the
    parameter `at`, or nothing without one. meaning: of a text that is a published evaluator's own, and therefore the
    same in every language: what it means.
    """

    text: str
    meaning: str

    def __new__(cls, code: str, text: str, meaning: str = "") -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.text, member.meaning = text, meaning
        return member


class Frame(ReasonCode):
    """How a text is put together with what it is about, what it means, and what is said behind it."""

    PLACE = "_place", N_("{place}: {why}")
    MEANING = "_meaning", N_("{meaning} ({why})")
    KIND = "_kind", N_("{why} ({kind})")
    ALSO = "_also", N_("{why}: {also}")
    COUNTED = "_counted", N_("right; the published evaluator counts it as wrong: {why}")


class Reason(Struct, frozen=True):
    """Why something is wrong. parameters: as they are; what is written of them is bounded (`written`)."""

    code: ReasonCode
    parameters: dict[str, Parameter] = {}

    @property
    def text(self) -> str:
        """The English text, without the place and what is said behind it."""
        text = self.code.text
        return filled(text, slots(self.parameters)) if "{" in text else text

    def explained(self, place: str = "") -> Explanation:
        """Ready to be put into words. place: what it is about."""
        detail, place = printable(self.text), printable(place)
        return Explanation(f"{place}: {detail}" if place else detail, self.code.value, _shown(self.parameters), place)

    def written(self) -> dict[str, Parameter]:
        """The parameters that say something, as they can be written to a file."""
        bounded: dict[str, Parameter] = {}
        for name, value in self.parameters.items():
            if isinstance(value, tuple):
                bounded[name] = tuple(map(printable, value))
            elif value != "":
                bounded[name] = printable(value) if isinstance(value, str) else value
        return bounded


def reason(code: ReasonCode, **parameters: Parameter) -> Reason:
    return Reason(code, parameters)


class ReasonText(Struct, frozen=True, omit_defaults=True):
    """The text of a code in one language. meaning: as in `ReasonCode`, in that language."""

    text: str
    meaning: str = ""


ReasonTexts: TypeAlias = Mapping[str, ReasonText]
"""The texts of codes in one language."""


class Explanation(Struct, frozen=True, omit_defaults=True):
    """Why something is wrong, ready to be put into words; what pages load is this.

    detail: the English text as it was recorded, place and all. code: "" where nothing but the text is known; values:
    of the text's slots; place: what it is about, "tool(path)" or one of the two; also: codes of what follows it;
    counted: a published evaluator says so of a task that is right (`detail` says that too).
    """

    detail: str
    code: str = ""
    values: dict[str, str] = {}
    place: str = ""
    also: tuple[str, ...] = ()
    counted: bool = False

    def in_words(self, texts: ReasonTexts) -> str:
        """For readers of the texts' language; the English text where there is none for the code (assets/show.js puts
        it into words by the same rules)."""
        if self.code not in texts:
            return self.detail
        text = texts[self.code]
        said = printable(filled(text.text, self.values))
        if text.meaning and text.meaning != text.text:
            said = filled(texts[Frame.MEANING].text, {"meaning": text.meaning, "why": said})
        if self.place:
            said = filled(texts[Frame.PLACE].text, {"place": self.place, "why": said})
        if (kind := self.kind(texts)) in texts:
            said = filled(texts[Frame.KIND].text, {"why": said, "kind": texts[kind].text})
        for code in self.also:
            if code in texts:
                said = filled(texts[Frame.ALSO].text, {"why": said, "also": texts[code].text})
        return filled(texts[Frame.COUNTED].text, {"why": said}) if self.counted else said

    def briefly(self, texts: ReasonTexts) -> str:
        """The same without the place, what follows, and a published evaluator's own words."""
        text = texts.get(self.code)
        return printable(filled(text.meaning or text.text, self.values)) if text else self.detail

    def kind(self, texts: ReasonTexts) -> str:
        """The parameter `kind` where it is a code of its own; "" where it is a value in the text, or missing."""
        text = texts.get(self.code)
        return "" if text is None or "{kind}" in text.text else self.values.get("kind", "")

    def form(self, texts: ReasonTexts) -> Explanation:
        """The same without the place, what follows, and the values; `detail` is the English text with gaps.

        texts: the English ones.
        """
        values = {name: GAP if value else "" for name, value in self.values.items()}
        if values.get("where"):
            values["where"] = f" at {GAP}"
        if kind := self.kind(texts):
            values["kind"] = kind
        text = texts.get(self.code)
        return Explanation(filled(text.text, values) if text else self.detail, self.code, values, counted=self.counted)

    def cut(self, limit: int) -> Explanation:
        """With at most so many characters of the detail, the place and each value, "…" for the rest."""
        if max(map(len, (self.detail, self.place, *self.values.values()))) <= limit:
            return self
        values = {name: _cut(value, limit) for name, value in self.values.items()}
        return replace(self, detail=_cut(self.detail, limit), values=values, place=_cut(self.place, limit))

    def as_counted(self) -> Explanation:
        """What a published evaluator finds in a task that is right."""
        return replace(self, detail=filled(Frame.COUNTED.text, {"why": self.detail}), counted=True)


def explain(
    detail: str | None, code: str | UnsetType = UNSET, parameters: Parameters | UnsetType = UNSET
) -> Explanation | None:
    """What a verdict says, ready to be put into words; None for one that says nothing. The parameters may come from a
    file that anybody wrote."""
    if not detail and not code:
        return None
    if not code:
        return Explanation(detail or "")
    given = {} if parameters is UNSET else dict(parameters)
    tool, path, also = (given.pop(name, "") for name in ("tool", "path", "also"))
    place = printable(f"{tool}({path})" if tool and path else f"{tool or path}")
    return Explanation(detail or "", code, _shown(given), place, also if isinstance(also, tuple) else ())


def slots(parameters: Parameters) -> dict[str, str]:
    """Parameters as they stand in texts."""
    texts = {name: str(list(value) if isinstance(value, tuple) else value) for name, value in parameters.items()}
    if isinstance(names := parameters.get("names"), tuple):
        texts["names"] = ", ".join(names)
    texts["where"] = f" at '{texts['at']}'" if texts.get("at") else ""
    return texts


def _shown(parameters: Parameters) -> dict[str, str]:
    return {name: printable(value) for name, value in slots(parameters).items()}


def filled(text: str, values: Mapping[str, str]) -> str:
    """The values in their slots; what looks like a slot in a value is text, a slot without a value stays."""
    return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), text)


def texts_of(codes: Iterable[ReasonCode], language: str) -> dict[str, ReasonText]:
    """The texts of our own codes in a language; a published evaluator's own text is English in every language."""
    say = catalogue(language).gettext
    return {
        code.value: ReasonText(code.text, say(code.meaning)) if code.meaning else ReasonText(say(code.text))
        for code in codes
    }


def printable(text: str) -> str:
    """Of bounded length, and free of lone surrogates."""
    text = _cut(text, MAX_TEXT)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}{GAP}"
