"""Terms on a page: each is a button that opens a tip with its meaning; a page has one tip for each of its terms."""

from __future__ import annotations

from functools import partial

import jinja2
from markupsafe import Markup

from toolgauge.analysis.glossary import TERMS, term_meaning, term_name
from toolgauge.report.wording import message

TEMPLATE = "terms.html"


class PageTerms:
    """The terms of one page; `tips` comes after all others. root: where the pages of the language begin."""

    def __init__(self, environment: jinja2.Environment, language: str, root: str) -> None:
        self._language, self._root = language, root
        self._macros = environment.get_template(TEMPLATE).make_module({"_": partial(message, language, "")})
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
        made: Markup = getattr(self._macros, macro)(*values)
        return made
