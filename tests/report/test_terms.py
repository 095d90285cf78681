"""Terms on pages: a button, and one tip on the page for each of them."""

from __future__ import annotations

import re

from toolgauge.report.rendering import PageTerms


def terms(language: str = "en", root: str = "../") -> PageTerms:
    return PageTerms(language, root)


def test_a_term_opens_its_tip_which_stands_once() -> None:
    page = terms()
    buttons = [page.term("session"), page.term("session", "dialogue"), page.term("session", mark=True)]
    assert all('popovertarget="tip-session"' in button for button in buttons)
    assert buttons[1] == '<button type="button" class="term" popovertarget="tip-session">dialogue</button>'
    assert buttons[2].startswith("session&nbsp;<button")
    assert re.findall('id="([^"]+)" popover', page.tips()) == ["tip-session"]
    assert '<a href="../glossary.html#session">' in page.tips()
