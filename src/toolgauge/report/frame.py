"""What every page of ours has, the site's and the review's: a policy, templates that escape, the words of scripts.

Templates and scripts call messages of the catalogues by their English: `_("...")` here, `t("...")`,
`pt("context", "...")` and `ngettext("one ...", "{count} ...", number)` there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import jinja2
import msgspec
from markupsafe import Markup

from toolgauge.locale import Text, catalogue, template
from toolgauge.report import marks
from toolgauge.visible import tell_unseen

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""The Content-Security-Policy of every page: nothing inline runs, nothing comes from elsewhere."""
TEMPLATES = Path(__file__).parent / "templates"
HTML_LANGUAGES = {"en": "en", "zh": "zh-Hans"}
_FORBIDDEN = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def templates_in(*folders: Path) -> jinja2.Environment:
    """The templates of some folders, the first wins; every value is escaped, what is unseen in it is told
    (toolgauge.visible), and a missing name is an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    made.filters["embed"] = embed
    made.globals["draw"] = marks
    return made


def _seen(value: object) -> object:
    """What a template prints, with everything in it to be seen; markup is made of what was printed before."""
    return tell_unseen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def embed(value: object) -> Markup:
    """A value as JSON inside a script element, where no character of it can end the element."""
    text = msgspec.json.encode(value).decode()
    return Markup(text.translate(_FORBIDDEN))  # noqa: S704 - every < of it is written as \u003c


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
