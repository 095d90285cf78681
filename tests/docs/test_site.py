"""The documentation as a site has every page, in both languages, with the same commands; `make docs` builds it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs_site.pages import DOCS, GENERATED, LANGUAGES, Language, heading, page, sections, source, written
from docs_site.reference import generated
from tests.docs.pages import blocks
from tests.rows import rows
from toolgauge.cli.main import app

NAMES = list(written())
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_every_page_stands_in_the_contents_once() -> None:
    assert sorted(NAMES) == sorted(file.stem for file in DOCS.glob("*.md"))


@rows("name", NAMES)
def test_a_page_has_its_chinese(name: str) -> None:
    """With the same headings in number and rank, and the same blocks: what is run in one is run in both."""
    english, chinese = source(name, "en"), source(name, "zh")
    assert CHINESE.search(heading(page(name, "zh"))) or name in UNTRANSLATED_HEADINGS, "its title is not Chinese"
    assert _ranks(name, "zh") == _ranks(name, "en")
    ours = [(block.language, block.info, block.text) for block in blocks(english)]
    theirs = [(block.language, block.info, block.text) for block in blocks(chinese)]
    for one, other in zip(ours, theirs, strict=True):
        assert one[:2] == other[:2], f"{chinese.name}: {other[2][:80]}"
        if one[0] not in SHOWN:
            assert one[2] == other[2], f"{chinese.name}: not the block of the English page"


UNTRANSLATED_HEADINGS = frozenset({"index", "acebench"})
"""Pages whose title is a name."""
SHOWN = frozenset({"text", "mermaid"})
"""Blocks that are read and not carried out may be translated."""


def _ranks(name: str, language: Language) -> list[int]:
    """How deep each heading is, in order."""
    text = re.sub(r"^```.*?^```[ ]*$", "", source(name, language).read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    return [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reference_has_every_command_and_function(language: Language) -> None:
    import toolgauge

    made = [name for section in sections() for name in section.pages if name.startswith(GENERATED)]
    text = "\n".join(generated(name, language) for name in made)
    verbs = {*(one.name for one in app.registered_commands), *(one.name for one in app.registered_groups)}
    for name in filter(None, verbs):
        assert f"## toolgauge {name}\n" in text
    for function in set(toolgauge.__all__) - {"__version__"}:
        assert f"## toolgauge.{function}\n" in text
    assert ("设为" in text or "默认" in text) == (language == "zh")


def test_the_built_site_needs_nothing_else(tmp_path: Path) -> None:
    """No page loads from elsewhere; the search is there without a server; the languages lead to one another's pages."""
    pytest.importorskip("zensical")
    from docs_site.build import SEARCH, build

    site = build(tmp_path / "docs")
    pages = {str(file.relative_to(site)): file.read_text(encoding="utf-8") for file in site.rglob("*.html")}
    assert len(pages) >= 2 * len(NAMES)
    for name, text in pages.items():
        loaded = re.findall(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", text)
        assert [one for one in loaded if "//" in one] == [], name
    assert (site / "search.js").is_file()
    assert 'href="../../reference/cli.html" hreflang="en"' in pages["zh/reference/cli.html"]
    assert 'href="zh/rules.html" hreflang="zh"' in pages["rules.html"].replace('"./', '"')
    assert 'id="判分口径"' in pages["zh/rules.html"]
    english, chinese = (next(site.glob(f"{root}assets/javascripts/bundle.*.js")).read_text() for root in ("", "zh/"))
    assert all(word in english and word not in chinese for word in SEARCH)
    assert "没有找到结果" in chinese
