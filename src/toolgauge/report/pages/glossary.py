"""The page of all terms, each with an anchor that the tips lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.analysis.glossary import GROUPS, HEADING, OPENING, term_meaning, term_name
from toolgauge.locale import translated
from toolgauge.report.page import Page, Site


class Entry(NamedTuple):
    id: str
    name: str
    meaning: str


def pages(_site: Site, language: str) -> Iterator[Page]:
    groups = [
        (
            translated(heading, language),
            [Entry(name, term_name(name, language), term_meaning(name, language)) for name in terms],
        )
        for heading, terms in GROUPS
    ]
    values = {"groups": groups, "opening": translated(OPENING, language)}
    yield Page("glossary.html", "glossary.html", translated(HEADING, language), values)
