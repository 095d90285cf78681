"""The catalogue of terms: in both languages, and what docs/glossary.md is made of."""

from __future__ import annotations

import re
import runpy

import pytest

from tests.docs.pages import ROOT
from toolgauge.analysis.glossary import GROUPS, TERMS, term_meaning, term_name
from toolgauge.benchmarks.registry import find_benchmark


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_of_the_docs_is_made_of_the_catalogue(language: str) -> None:
    made = runpy.run_path(str(ROOT / "authoring" / "glossary.py"))
    page = made["PAGES"][language].read_text(encoding="utf-8")
    assert page == made["glossary_page"](language), "run python authoring/glossary.py"


def test_a_term_stands_in_one_group_under_one_name() -> None:
    names = [name for _heading, terms in GROUPS for name in terms]
    assert len(names) == len(set(names))
    shown = [term_name(name).casefold() for name in names]
    assert len(shown) == len(set(shown))


@pytest.mark.parametrize("name", TERMS)
def test_terms_have_a_name_and_a_meaning_in_both_languages(name: str) -> None:
    find_benchmark("wildtoolbench").report()
    assert re.fullmatch(r"[A-Z1-9p].*[.?]", term_meaning(name))
    assert re.search("[\u4e00-\u9fff].*[。？]$", term_meaning(name, "zh"))
    assert re.search("[\u4e00-\u9fff]", term_name(name, "zh")) or term_name(name, "zh") == term_name(name)
