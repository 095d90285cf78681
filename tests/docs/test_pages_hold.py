"""What the pages say about names, fields, files and each other is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import PAGES, ROOT

from toolgauge.analysis.details import OUR_COLUMNS, READING_COLUMNS
from toolgauge.chat import Reply, Usage
from toolgauge.data import mmtb, wildtoolbench
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.mistakes import MMTB_CLASSES, PAPER_COLUMNS, Mistake
from toolgauge.judge.verdict import Score, Verdict
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.models.players import PLAYERS
from toolgauge.models.providers import PROVIDERS
from toolgauge.runs.store import NOT_COMPARED, Failure, JournalLine

EVERY_PAGE = sorted(
    {*PAGES, ROOT / "CHANGELOG.md", *(page for room in ("src", "tests", "benchmarks", "authoring")
                                      for page in (ROOT / room).rglob("*.md"))}
)  # fmt: skip
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_NUMBERS = {"K": range(1, 6), "B": range(1, 10), "D": (1,), "Q": range(1, 9), "M": (1, 3, 5, 6, 7)}
KEYS = [f"{letter}{number}" for letter, numbers in _NUMBERS.items() for number in numbers]
"""The defects and quirks of the public evaluators, by the names that tests and comments use for them."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "")).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=[str(page.relative_to(ROOT)) for page in EVERY_PAGE])
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: {link}"


def test_rules_name_every_defect_once() -> None:
    rows = re.findall(r"^\| ([KBDQM]\d) \|", text_of("docs/rules.md"), re.MULTILINE)
    assert rows == KEYS


def test_rules_show_the_taxonomy_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \| `(\w+)` \|$", text_of("docs/rules.md"), re.MULTILINE)
    assert [(name, official.strip(), column) for name, official, column in rows] == [
        (mistake.value, MMTB_CLASSES[mistake], PAPER_COLUMNS[mistake]) for mistake in Mistake
    ]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("docs/files.md", sorted(NOT_COMPARED)),
        ("docs/files.md", (*OUR_COLUMNS, *READING_COLUMNS)),
        *(
            ("docs/files.md", struct.__struct_fields__)
            for struct in (Trajectory, Step, Reply, Usage, Score, Verdict, Failure, JournalLine)
        ),
        ("docs/models.md", (*PLAYERS, *PROVIDERS)),
        ("docs/models.md", [name for one in PROVIDERS.values() for name in (*one.key_variables, *one.url_variables)]),
        ("docs/api.md", Sampling.__struct_fields__),
        ("docs/api.md", ModelOptions.__struct_fields__),
        ("docs/data-format.md", wildtoolbench._KNOWN),
        ("docs/data-format.md", mmtb._KNOWN),
    ],
)
def test_names_are_documented(page: str, names: list[str]) -> None:
    text = text_of(page)
    assert [name for name in names if f"`{name}`" not in text] == []
