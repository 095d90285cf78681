"""What is said to people, as data: a message with its values, put into words where somebody reads it.

    said = _("session {id} has {count:,} turns", id=session.id, count=len(turns))
    str(said)               'session a has 3 turns', as logs, files and Python's users get it
    translated(said, "zh")  '会话 a 有 3 轮'

The English is the key of the catalogues (gettext; `<language>/LC_MESSAGES/toolgauge.po`), which pybabel fills from the
calls of `_`, `pgettext` and `ngettext`. A catalogue is opened when the first sentence of its language is due.

A message is no subclass of str: the type checker finds the places that say something which nobody can translate, and
msgspec writes it (in answers between processes).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from gettext import GNUTranslations, NullTranslations
from pathlib import Path, PurePath
from typing import TypeAlias

FOLDER = Path(__file__).parent
DOMAIN = "toolgauge"
FIELD = "field"
"""The context of a message that is the name of a field; it stands in no catalogue."""
_PLAIN = "{text}"
_FIELD_SLOT = re.compile(r"\{(\w+)_field\}")


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence or a name. message: its English, with {names} of values, whose formats only our texts determine;
    values: what fills them, and is never read as a template; context: which meaning of the English, where it has more
    than one. singular: the English where the value `count` is 1, "" where that makes no difference."""

    message: str
    values: Mapping[str, Value] = field(default_factory=dict)
    context: str = ""
    singular: str = ""

    def __str__(self) -> str:
        return rendered(self, NullTranslations())

    def mapped(self, change: Callable[[str], str]) -> Text:
        """The same message with every text that fills it changed, those inside other messages too."""
        return replace(self, values={name: _changed(value, change) for name, value in self.values.items()})

    def filled(self, **values: Given) -> Text:
        """The same message with these values, too."""
        given = {name: _value(value) for name, value in values.items()}
        return replace(self, values={**self.values, **given})

    def fields(self) -> tuple[str, ...]:
        """The names of fields in it, in order."""
        if self.context == FIELD:
            return (self.message,)
        return tuple(name for value in self.values.values() if isinstance(value, Text) for name in value.fields())

    def shortened(self, most: int) -> Text:
        """The same message so that its English has at most so many characters: what others said loses its end."""
        text = self
        while (excess := len(str(text)) - most) > 0 and len(longest := max(_texts(text), key=len, default="")) > 1:
            cut = longest[: max(len(longest) - excess - 1, 0)] + "…"
            text = text.mapped(partial(_exchanged, longest, cut))
        return text

    def __hash__(self) -> int:
        return hash((self.message, self.context, str(self)))


Value: TypeAlias = "str | int | float | Text | Sequence[Value]"
"""What a message is filled with; several are listed with commas, in the way of the language."""
Given: TypeAlias = "Value | PurePath | Sequence[Value | PurePath] | None"
ShowField: TypeAlias = Callable[[str], str]
"""How the name of a field is shown: as it is in Python, as an option on the command line."""


def _(message: str, /, **values: Given) -> Text:
    """A message; pybabel collects it, so `message` is a literal. Its `{NAME_field}` is the field NAME, unless given."""
    return Text(message, _values(message, values))


def pgettext(context: str, message: str, /, **values: Given) -> Text:
    """A message whose English has more than one meaning; context: which."""
    return Text(message, _values(message, values), context)


def ngettext(singular: str, plural: str, /, **values: Given) -> Text:
    """A message about a number, the value `count`: what is said of one, and of any other number."""
    return Text(plural, _values(plural, values), singular=singular)


def named_field(name: str) -> Text:
    """The name of a field or parameter inside a message; the command line shows the option that sets it."""
    return Text(name, context=FIELD)


def plain(text: object) -> Text:
    """What is the same in every language: content, words of others."""
    return text if isinstance(text, Text) else Text(_PLAIN, {"text": str(text)})


def clauses(parts: Sequence[Given]) -> Text:
    """Parts of a sentence in a row, with the marks of the language between them."""
    text, *others = map(plain, parts) if parts else (plain(""),)
    for other in others:
        text = _("{clause}, {other}", clause=text, other=other)
    return text


def joined(parts: Sequence[Given], between: str = "; ") -> Text:
    """Messages in a row, with the same marks between them in every language."""
    names = [f"part{number}" for number in range(len(parts))]
    template = between.replace("{", "{{").replace("}", "}}").join(f"{{{name}}}" for name in names)
    return Text(template, {name: _value(part) for name, part in zip(names, parts, strict=True)})


def translated(text: Text | str, language: str, show_field: ShowField = str) -> str:
    """A message in a language; English where the catalogue has no translation. A str is what it is: words of others."""
    return text if isinstance(text, str) else rendered(text, catalogue(language), show_field)


def rendered(text: Text, words: NullTranslations, show_field: ShowField = str) -> str:
    """A message in the words of a catalogue."""
    if text.context == FIELD:
        return show_field(text.message)

    def shown(value: Value) -> str | int | float:
        if isinstance(value, Text):
            return rendered(value, words, show_field)
        if isinstance(value, str | int | float):
            return value
        between = words.pgettext(_BETWEEN.context, _BETWEEN.message)
        return between.join(str(shown(one)) for one in value)

    if not text.message:
        return ""  # gettext keeps a catalogue's own description under this key
    return template(text, words).format(**{name: shown(value) for name, value in text.values.items()})


def template(text: Text, words: NullTranslations) -> str:
    """A message in the words of a catalogue, its {names} not filled in."""
    if text.singular:
        count = text.values.get("count")
        return words.ngettext(text.singular, text.message, count if isinstance(count, int) else 0)
    return words.pgettext(text.context, text.message) if text.context else words.gettext(text.message)


@cache
def catalogue(language: str) -> NullTranslations:
    """The translations into a language; none for English, or for a language without a catalogue."""
    file = FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    if language not in languages():
        return NullTranslations()
    with file.open("rb") as stream:
        return GNUTranslations(stream)


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a catalogue, English left out."""
    return tuple(sorted(file.parent.parent.name for file in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")))


def _exchanged(old: str, new: str, text: str) -> str:
    return new if text == old else text


def _texts(value: Value) -> list[str]:
    """Every text of others that a message is filled with."""
    if isinstance(value, str):
        return [value]
    parts = value.values.values() if isinstance(value, Text) else value if isinstance(value, Sequence) else ()
    return [text for part in parts for text in _texts(part)]


def _changed(value: Value, change: Callable[[str], str]) -> Value:
    if isinstance(value, Text):
        return value.mapped(change)
    if isinstance(value, str):
        return change(value)
    return value if isinstance(value, int | float) else tuple(_changed(one, change) for one in value)


def _values(message: str, values: Mapping[str, Given]) -> dict[str, Value]:
    """What fills a message."""
    given = {name: _value(value) for name, value in values.items()}
    if "_field}" not in message:
        return given
    return {f"{name}_field": named_field(name) for name in _FIELD_SLOT.findall(message)} | given


def _value(value: Given) -> Value:
    """As messages keep it: nothing but texts, numbers, messages and tuples of them."""
    if isinstance(value, Text):
        return value
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_value(one) for one in value)
    return str(value)


_BETWEEN = pgettext("list", ", ")
