"""What comments, docstrings and READMEs of the source name can be opened: sections of the pages, defects, files."""

from __future__ import annotations

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.docs.test_pages_hold import anchors

SOURCE = ROOT / "src" / "toolgauge"
PAGES_OF_KEYS = {
    r"Q\d\d": "docs/acebench.md",
    r"[KBDQM]\d": "docs/rules.md",
}
"""Which page has the table of the defects with such keys."""
ROOMS_WITH_KEYS = ("judge", "benchmarks", "data", "analysis", "models/dialects/ace*")
_CITED = re.compile(r"(docs/[\w-]+\.md)(?:#([\w-]+))?")


@cache
def comments(file: Path) -> str:
    """The comments and texts of a Python file."""
    tokens = tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline)
    return "\n".join(token.string for token in tokens if token.type in (tokenize.COMMENT, tokenize.STRING))


def test_cited_sections_exist() -> None:
    missing = []
    for file in sorted(SOURCE.rglob("*.py")):
        for page, anchor in _CITED.findall(comments(file)):
            if not (ROOT / page).exists() or (anchor and anchor not in anchors(ROOT / page)):
                missing.append(f"{file.relative_to(ROOT)}: {page}#{anchor}")
    assert missing == []


@pytest.mark.parametrize("key", PAGES_OF_KEYS)
def test_cited_defects_are_described_where_the_file_says(key: str) -> None:
    page = PAGES_OF_KEYS[key]
    described = set(re.findall(rf"^\| ({key}) \|", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE))
    unknown, unexplained = [], []
    for room in ROOMS_WITH_KEYS:
        for file in sorted(
            found for place in SOURCE.glob(room) for found in (place.rglob("*.py") if place.is_dir() else [place])
        ):
            text = comments(file)
            cited = set(re.findall(rf"\b{key}\b", text))
            unknown += [f"{file.relative_to(ROOT)}: {one}" for one in sorted(cited - described)]
            if cited and page not in text:
                unexplained.append(str(file.relative_to(ROOT)))
    assert (unknown, unexplained) == ([], [])


def test_nothing_is_cited_that_is_not_here() -> None:
    """Sections of a specification that only its authors had."""
    cited = re.compile(
        r"\bspec,? (?:section )?\d|\bspec,? sections? |(?:environments|ACEBench|generation) spec\b|"
        r"(?:Source|see):? [\w -]+, sections? \d|of the spec\b"
    )
    found = [file for place in (SOURCE, ROOT / "perf", ROOT / "authoring") for file in place.rglob("*.py")]
    assert [str(file.relative_to(ROOT)) for file in found if cited.search(comments(file))] == []
