"""The pages of all terms, each with an anchor that the tips lead to, and of how to cite what the site shows."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.glossary import GROUPS, HEADING, OPENING, term_meaning, term_name
from toolgauge.locale import _, translated
from toolgauge.report.citations import FILE, citations_of
from toolgauge.report.page import Page, Site


def pages(site: Site, language: str) -> Iterator[Page]:
    groups = [
        (
            translated(heading, language),
            [(name, term_name(name, language), term_meaning(name, language)) for name in terms],
        )
        for heading, terms in GROUPS
    ]
    values = {"groups": groups, "opening": translated(OPENING, language)}
    yield Page("glossary.html", "glossary.html", translated(HEADING, language), values)
    cited = {"citations": citations_of(site.entries), "file": FILE}
    yield Page("cite.html", "cite.html", translated(_("How to cite"), language), cited)
