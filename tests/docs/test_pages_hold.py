"""What the pages say about names, fields, files and each other is so."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pages import PAGES, ROOT
from tests.rows import rows

EVERY_PAGE = sorted(
    {*PAGES, ROOT / "CHANGELOG.md", *(page for room in ("src", "tests", "perf", "authoring", "docs/zh")
                                      for page in (ROOT / room).rglob("*.md"))}
)  # fmt: skip
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "")).lower().replace(" ", "-") for heading in headings}


@rows("page", EVERY_PAGE, ids=[str(page.relative_to(ROOT)) for page in EVERY_PAGE])
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: {link}"
