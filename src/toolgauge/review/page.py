"""The page around everything, its scripts and styles: the site's own components and what only the review has."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import jinja2

from toolgauge.locale import translated
from toolgauge.report.frame import ASSETS as SITE_ASSETS
from toolgauge.report.frame import HTML_LANGUAGES, POLICY, TEMPLATES, message, script_messages, templates_in
from toolgauge.review.state import Person

ASSETS = Path(__file__).parent / "web"
SITE_SCRIPTS = ("theme", "page", "show", "graph")
"""Of the site, in the order in which they are loaded."""
SCRIPTS = [
    "desk",
    "shell",
    "pages",
    "queue",
    "dialogue",
    "session",
    "comments",
    "history",
    "parts",
    "edit",
    "team",
    "opinions",
    "rounds",
    "progress",
    "start",
]
"""Of the review, likewise."""
WHOLE = "application.js"
"""All of them but the first of the site in one file: a browser that asks for twenty waits for twenty."""
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@cache
def asset(name: str) -> tuple[bytes, str]:
    """A script or style by its name, and its media type, "" where there is none; one of the review goes before one of
    the site."""
    if name == WHOLE:
        return b"\n".join(asset(f"{script}.js")[0] for script in (*SITE_SCRIPTS[1:], *SCRIPTS)), _KINDS[".js"]
    for folder in (ASSETS, SITE_ASSETS):
        for path in folder.iterdir():
            if path.name == name and path.suffix in _KINDS:
                return path.read_bytes(), _KINDS[path.suffix]
    return b"", ""


def application(review: str, person: Person, proof: str, number: int, language: str) -> str:
    """The HTML of the application in a language of the interface. review: tells reviews in one browser apart; number:
    that of the last event, behind which the page listens."""
    words = partial(message, language, "")
    values = {
        "language": language,
        "other_language": f"/?ui={'zh' if language == 'en' else 'en'}",
        "root": "/",
        "assets": "/assets/",
        "html_lang": HTML_LANGUAGES[language],
        "review": f"{review[:12]}-{person.name}",
        "proof": proof,
        "number": number,
        "is_lead": person.is_lead,
        "whole": WHOLE,
        "messages": script_messages(SITE_SCRIPTS, language) | script_messages(SCRIPTS, language, ASSETS),
        "heading": words("Review"),
        "csp": f"{POLICY}; connect-src 'self'",
        "translated": partial(translated, language=language),
        "_": words,
    }
    return _environment().get_template("application.html").render(values)


def notice(words: str, language: str) -> str:
    """A page that says why somebody is not let in."""
    values = {"words": words, "html_lang": HTML_LANGUAGES[language], "heading": message(language, "", "Review")}
    return _environment().get_template("notice.html").render(values)


@cache
def _environment() -> jinja2.Environment:
    return templates_in(ASSETS, TEMPLATES)
