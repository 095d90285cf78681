"""From a page's content to its HTML: the Jinja environment and its filters."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import NamedTuple

import jinja2
from markupsafe import Markup, escape

from toolgauge.analysis.glossary import TERMS, scoring_name, term_meaning, term_name
from toolgauge.analysis.notes import notes
from toolgauge.analysis.titles import title
from toolgauge.locale import ngettext, translated
from toolgauge.report.frame import HTML_LANGUAGES, POLICY, TEMPLATES, message, script_messages, templates_in
from toolgauge.report.page import Page, Site, board_heading
from toolgauge.version import __version__
from toolgauge.visible import tell_unseen


class Look(NamedTuple):
    """What a template of a page loads behind what all pages load. style: "" for nothing; body: its class."""

    style: str = ""
    body: str = ""
    scripts: tuple[str, ...] = ()


FRAME_SCRIPTS = ("theme", "page", "terms", "anchors")
"""Of every page."""
LOOKS = {
    "overview.html": Look("board", "front-page", ("tables",)),
    "board.html": Look("board", "board-page", ("cells", "tables", "board")),
    "run.html": Look("run", "in-parts", ("run",)),
    "comparison.html": Look("run", "", ("tables", "comparison")),
    "pair.html": Look("run", "comparing", ("tables", "comparison")),
    "tasks.html": Look("task", "tasks", ("load", "filter", "show", "cause", "tasks")),
    "task.html": Look(
        "task",
        "task",
        ("load", "filter", "show", "graph", "cause", "compare", "transcript", "drawer", "side", "task"),
    ),
    "glossary.html": Look(),
    "cite.html": Look(),
}
_TYPED = re.compile(r"`([^`\n]{1,100})`|(--[a-z][a-z-]*[a-z])")


def render(page: Page, language: str, site: Site) -> str:
    """The HTML of a page in a language of the interface."""
    root = "../" * page.path.count("/")
    to_site = root + ("../" if language != "en" else "")
    terms = PageTerms(language, root)
    html = (
        environment()
        .get_template(page.template)
        .render(
            {
                **page.values,
                "path": page.path,
                "heading": page.heading,
                "language": language,
                "root": root,
                "site_root": to_site,
                "assets": to_site + "assets/",
                "other_language": root + ("zh/" if language == "en" else "../") + page.path,
                "boards": [{"page": f"{name}.html", "heading": board_heading(name, language)} for name in site.boards],
                "look": LOOKS[page.template],
                "messages": _messages_of(page.template, language),
                "version": __version__,
                "csp": POLICY,
                "translated": partial(translated, language=language),
                "_": partial(_message, language),
                "ngettext": lambda one, many, **values: translated(ngettext(one, many, **values), language),
                "html_lang": HTML_LANGUAGES[language],
                "gap": "" if language == "zh" else " ",
                "title": lambda key: title(key, language),
                "scoring_name": partial(scoring_name, language=language),
                "term": terms.term,
                "term_of": terms.term_of,
                "terms": terms,
            }
        )
    )
    return html.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate of a model is no UTF-8


@cache
def environment() -> jinja2.Environment:
    """Templates of the package; every value is escaped, a name that is not there is an error."""
    made = templates_in(TEMPLATES)
    made.filters |= {"percent": percent, "unbroken": unbroken, "heat": heat, "score_notes": notes}
    made.filters |= {"options": options, "rich": rich, "slashed": slashed}
    return made


@cache
def _messages_of(template: str, language: str) -> dict[str, str]:
    """The messages of the scripts that a page of a template loads."""
    return script_messages((*FRAME_SCRIPTS, *LOOKS[template].scripts), language)


def percent(value: float | None) -> str:
    """A rate from 0 to 1 as metrics.json has it, in percent with one decimal; – for none."""
    return "–" if value is None else f"{100 * value:.1f}"


def unbroken(heading: str) -> str:
    """A heading of a row whose point, which says that it is a part of the row above, stays with its first word."""
    return heading.replace("· ", "·\u00a0", 1)


def rich(text: str, **values: object) -> Markup:
    """A message whose {names} are filled with values that may be markup; all else is escaped."""
    return Markup(escape(text)).format(**values)  # noqa: S704 - escaped


def slashed(name: str) -> Markup:
    """A model's name, to be broken behind its slashes before it is broken within a word."""
    return Markup("/<wbr>").join(tell_unseen(name).split("/"))


def options(text: str) -> Markup:
    """A sentence whose commands (in backticks) and options stand as code, and are not broken at their hyphens."""
    return Markup(_TYPED.sub(r"<code>\1\2</code>", str(escape(text))))  # noqa: S704 - escaped


def heat(value: float) -> str:
    """The class that colours a cell, h0 to h100."""
    return f"h{min(100, max(0, round(100 * value)))}"


def _message(language: str, english: str, **values: object) -> str:
    return message(language, "", english, **values)


@cache
def _term_macros(language: str) -> object:
    return environment().get_template("terms.html").make_module({"_": partial(message, language, "")})


class PageTerms:
    """The terms of one page; `tips` comes after all others. root: where the pages of the language begin."""

    def __init__(self, language: str, root: str) -> None:
        self._language, self._root = language, root
        self._used: dict[str, None] = {}

    def term(self, name: str, text: str | None = None, *, mark: bool = False) -> Markup:
        """A term of the glossary as a button.

        text: the words it stands under here, None for its name. mark: the words stand as text, and the button is a
        question mark behind them: for headings that sort, and beside links and labels. Raises KeyError for an unknown
        name.
        """
        self.use(name)
        called = term_name(name, self._language)
        words = called if text is None else text
        return self._made("mark", name, words, called) if mark else self._made("term", name, words)

    def term_of(self, key: str, text: str | None = None, *, mark: bool = False) -> str:
        """As `term`, where the glossary has a term of that name; else the text alone."""
        return self.term(key, text, mark=mark) if key in TERMS else text or ""

    def use(self, *names: str) -> str:
        """Have the tips of these terms on the page, for what scripts show (`toolgauge.term`); writes nothing."""
        self._used |= {name: None for name in names if TERMS[name]}
        return ""

    def tips(self) -> Markup:
        """The meanings of all terms so far, hidden until their buttons are pressed."""
        said = [(name, term_name(name, self._language), term_meaning(name, self._language)) for name in self._used]
        return self._made("tips", said, f"{self._root}glossary.html")

    def _made(self, macro: str, *values: object) -> Markup:
        made: Markup = getattr(_term_macros(self._language), macro)(*values)
        return made
