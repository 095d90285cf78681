"""What every page of ours has, whatever made it: a policy, and templates in which nothing can be smuggled."""

from __future__ import annotations

from pathlib import Path

import jinja2
import msgspec
from markupsafe import Markup

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
