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
    found: dict[str, str] = {}
    for file in (folder / f"{script}.js" for script in scripts):
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        for parts in _CALL.findall(text):
            context, english = (msgspec.json.decode(part, type=str) if part else "" for part in parts)
            found[f"{context}{IN_CONTEXT}{english}" if context else english] = message(language, context, english)
        for parts in _COUNTED.findall(text):
            one, many = (msgspec.json.decode(part, type=str) for part in parts)
            found[many] = catalogue(language).ngettext(one, many, 2)
    return dict(sorted(found.items()))


def message(language: str, context: str, english: str, **values: object) -> str:
    """A message in a language, its {names} filled in. context: which meaning of the English, "" where it has one."""
    text = _translation(language, context, english)
    return text.format(**values) if values else text


@cache
def _translation(language: str, context: str, english: str) -> str:
    return template(Text(english, context=context), catalogue(language))
