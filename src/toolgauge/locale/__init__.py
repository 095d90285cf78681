"""The words of pages in several languages: messages with their values, put into words where somebody reads them.

    text = _("session {id} has {count:,} turns", id=session.id, count=len(turns))
    str(text)               'session a has 3 turns'
    translated(text, "zh")  '会话 a 有 3 轮'

The site and the review speak every language that has a catalogue. The terminal, errors, logs and help speak English:
they are plain f-strings and do not come through here.

The English is the key of the catalogues (gettext; `<language>/LC_MESSAGES/toolgauge.po`), which pybabel fills from the
calls of `_`, `pgettext` and `ngettext`. A catalogue is opened when the first sentence of its language is due.

A message is not a subclass of str: the type checker finds the places that show English on a page of another language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path, PurePath
from typing import TypeAlias

FOLDER = Path(__file__).parent
DOMAIN = "toolgauge"
_PLAIN = "{text}"


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

    def filled(self, **values: Given) -> Text:
        """The same message with these values, too."""
        given = {name: _value(value) for name, value in values.items()}
        return replace(self, values={**self.values, **given})

    def __hash__(self) -> int:
        return hash((self.message, self.context, str(self)))


Value: TypeAlias = "str | int | float | Text | Sequence[Value]"
"""What a message is filled with; several are listed with commas, in the way of the language."""
Given: TypeAlias = "Value | PurePath | Sequence[Value | PurePath] | None"


def _(message: str, /, **values: Given) -> Text:
    """A message; pybabel collects it, so `message` is a literal."""
    return Text(message, _values(values))


def pgettext(context: str, message: str, /, **values: Given) -> Text:
    """A message whose English has more than one meaning; context: which."""
    return Text(message, _values(values), context)


def ngettext(singular: str, plural: str, /, **values: Given) -> Text:
    """A message about a number, the value `count`: what is said of one, and of any other number."""
    return Text(plural, _values(values), singular=singular)


def plain(text: object) -> Text:
    """What is the same in every language: content, words of others."""
    return text if isinstance(text, Text) else Text(_PLAIN, {"text": str(text)})


def translated(text: Text | str, language: str) -> str:
    """A message in a language; English where the catalogue has no translation. A str is what it is: words of others."""
    return text if isinstance(text, str) else rendered(text, catalogue(language))


def rendered(text: Text, words: NullTranslations) -> str:
    """A message in the words of a catalogue."""

    def shown(value: Value) -> str | int | float:
        if isinstance(value, Text):
            return rendered(value, words)
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


def _values(values: Mapping[str, Given]) -> dict[str, Value]:
    """What fills a message."""
    return {name: _value(value) for name, value in values.items()}


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
