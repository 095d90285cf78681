"""A board of twelve runs: any two of them compare in every scoring, and the page names the one it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import Tab
from toolgauge.api import make_site, run

pytestmark = pytest.mark.browser
RUNS = 12
SCORINGS = ("exact", "official code", "paper tables")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(RUNS):
        run("mini", f"builtin/noisy?seed={number}&rate=0.5", limit=2, out=folder / f"run{number}")
    make_site(sorted(folder.iterdir()), folder / "site")
    return folder / "site"


def test_any_pair_keeps_all_scorings_and_names_the_one_it_shows(browser: Any, many: Path) -> None:
    tab = Tab(browser.new_page(), many)
    tab.open("compare/mini-en.html")
    slugs = tab.page.locator("#run-a option").evaluate_all("options => options.map((one) => one.value)")
    assert len(slugs) == RUNS
    for a, b in ((slugs[0], slugs[-1]), (slugs[7], slugs[3])):
        tab.page.select_option("#run-a", a)
        tab.page.select_option("#run-b", b)
        for scoring in SCORINGS:
            tab.page.get_by_role("button", name=scoring, exact=True).click()
            tab.page.locator("#verdict-counts", has_text=f"scoring “{scoring}”").wait_for()
            assert tab.page.locator("[aria-pressed=true]").all_inner_texts() == [scoring]
            assert tab.page.locator("#sections tr[data-table=overall]").count() > 0
    tab.check()
