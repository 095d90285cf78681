"""(being written)"""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.report.page import Page, Site


def pages(site: Site, language: str) -> Iterator[Page]:
    yield from ()
