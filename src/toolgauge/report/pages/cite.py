"""The page that says how to cite what the site shows."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.locale import _, translated
from toolgauge.report.citations import FILE, citations_of
from toolgauge.report.page import Page, Site


def pages(site: Site, language: str) -> Iterator[Page]:
    values = {"citations": citations_of(site.entries), "file": FILE}
    yield Page("cite.html", "cite.html", translated(_("How to cite"), language), values)
