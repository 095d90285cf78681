"""What the site says. Templates and scripts call messages of the catalogues by their English: `_("...")` here,
`t("...")`, `pt("context", "...")` and `ngettext("one ...", "{count} ...", number)` there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from toolgauge.locale import Text, catalogue, template

ASSETS = Path(__file__).parent / "assets"
"""The scripts and styles of the site."""
_TEXT = r'"(?:[^"\\]|\\.)*"'
_CALL = re.compile(rf"\b(?:t\(|pt\(({_TEXT}), )({_TEXT})")
_COUNTED = re.compile(rf"\bngettext\(({_TEXT}), ({_TEXT})")
IN_CONTEXT = "\u0004"
"""Between the context of a message and its English, as gettext has it."""


def script_messages(scripts: Iterable[str], language: str, folder: Path = ASSETS) -> dict[str, str]:
    """The messages of some scripts of a folder: their English, its context before it where they name one -> the text in
    a language. Empty for English."""
    if language == "en":
        return {}
    scripts, words = list(scripts), catalogue(language)
    keys = sorted({key for script in scripts for key in messages_of(script, folder)})
    counted = {pair for script in scripts for pair in counted_messages_of(script, folder)}
    return {key: message(language, *key.rpartition(IN_CONTEXT)[::2]) for key in keys} | {
        many: words.ngettext(one, many, 2) for one, many in sorted(counted)
    }


def message(language: str, context: str, english: str, **values: object) -> str:
    """A message in a language, its {names} filled in. context: which meaning of the English, "" where it has one."""
    text = _translation(language, context, english)
    return text.format(**values) if values else text


@cache
def _translation(language: str, context: str, english: str) -> str:
    return template(Text(english, context=context), catalogue(language))


@cache
def messages_of(script: str, folder: Path = ASSETS) -> tuple[str, ...]:
    """What a script says, in the order in which it is written."""
    return tuple(_key(*found) for found in _CALL.findall(_text(script, folder)))


@cache
def counted_messages_of(script: str, folder: Path = ASSETS) -> tuple[tuple[str, str], ...]:
    """What a script says of one, and of many."""
    found = _COUNTED.findall(_text(script, folder))
    return tuple((msgspec.json.decode(one, type=str), msgspec.json.decode(many, type=str)) for one, many in found)


def _text(script: str, folder: Path) -> str:
    file = folder / f"{script}.js"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _key(context: str, message: str) -> str:
    parts = (part for part in (context, message) if part)
    return IN_CONTEXT.join(msgspec.json.decode(part, type=str) for part in parts)
