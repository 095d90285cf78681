"""What people do on pages of runs and of comparisons: open a part, a cell, a scoring; choose two runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import Tab

pytestmark = pytest.mark.browser

COMPARE = "compare/mini-en.html"
PARTS = ("summary", "failures", "breakdown", "cost", "setup")


def first_run(site: Path) -> str:
    """The address of the first run of mini, without its ending."""
    found = sorted((site / "runs").glob("mini-en-builtin*seed_1*.html"))
    return next(path.stem for path in found if "task" not in path.stem and "-in-" not in path.stem)


def comparable(site: Path) -> tuple[str, str]:
    """Two runs of mini, as the page of comparisons names them."""
    files = sorted((site / "compare").glob("mini-en*--*.html"))
    a, b = next(file.stem for file in files if "pwned" not in file.stem).split("--")
    return a, b


def shown_parts(page: Any) -> list[str]:
    return [part.get_attribute("id") for part in page.locator("section.tab:visible").all()]


def test_one_part_of_a_run_is_shown_and_named_in_the_address(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    assert shown_parts(page) == ["summary"]
    page.locator(".parts-of-page a[href$='#failures']").click()
    assert shown_parts(page) == ["failures"]
    assert page.url.endswith("#failures")
    page.locator(".parts-of-page a[href$='#setup']").click()
    page.go_back()
    page.wait_for_function("!document.getElementById('failures').hidden")
    page.locator("#language").click()
    page.wait_for_url(re.compile("/zh/runs/.*#failures"))
    assert shown_parts(page) == ["failures"]
    assert page.evaluate("scrollY") == 0


def test_a_scoring_has_a_page_and_keeps_the_part(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html#breakdown")
    page.locator("a.choice[data-scoring=released]").click()
    page.wait_for_url(re.compile(r"-in-released\.html#breakdown"))
    assert shown_parts(page) == ["breakdown"]
    assert page.locator("a.choice[aria-current]").inner_text() == "official code"


def test_without_scripts_every_part_of_a_run_can_be_read(open_tab: Callable[..., Tab], site: Path) -> None:
    page = open_tab(java_script_enabled=False).open(f"runs/{first_run(site)}.html")
    assert shown_parts(page) == list(PARTS)
    assert page.locator("section.tab > h2:visible").count() == len(PARTS)


def test_print_has_every_part_of_a_run(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    page.emulate_media(media="print")
    assert shown_parts(page) == list(PARTS)


def test_a_cell_of_the_map_opens_its_tasks(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html#failures")
    cell = page.locator("#failures td.heat a:visible").last
    told = re.search(r"(\d+) of \d+ tasks", cell.get_attribute("aria-label"))
    assert told
    cell.click()
    page.locator("#task-list:not([hidden])").wait_for()
    assert page.locator("#task-rows tr").count() == int(told[1])


def sides(page: Any) -> tuple[str, str]:
    return page.input_value("#run-a"), page.input_value("#run-b")


def test_two_runs_are_chosen_from_menus(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"{COMPARE}#a={b}&b={a}&scoring=released")
    page.wait_for_url(re.compile(rf"compare/released/{re.escape(a)}--{re.escape(b)}\.html"))
    assert sides(page) == (a, b), "A is the run that comes first on the site"
    every = page.locator("#run-b option").evaluate_all("all => all.map((one) => one.value)")
    other = next(slug for slug in every if slug not in (a, b))
    page.select_option("#run-b", other)
    page.wait_for_url(re.compile(rf"compare/released/.*{re.escape(other)}.*\.html"))
    assert set(sides(page)) == {a, other}


def test_a_fixed_task_opens_beside_the_run_that_has_it_right(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"compare/{a}--{b}.html")
    link = page.locator("[data-list=fixed] ul a").first
    assert f"with={b}" in link.get_attribute("href")
    link.click()
    page.wait_for_url(re.compile(rf"runs/{re.escape(a)}-task\.html#"))
    page.locator("#task:not([hidden])").wait_for()


def test_a_comparison_shows_hostile_names_as_text(tab: Tab, site: Path) -> None:
    file = next(file for file in sorted((site / "compare").glob("mini-en*--*.html")) if "pwned" in file.stem)
    page = tab.open(f"compare/{file.name}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("window.pwned === undefined")
    assert page.locator("main img").count() == 0
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.inner_text("main"))
    assert "pwned" in page.inner_text("#settings")


@pytest.mark.parametrize("place", ["runs", COMPARE])
def test_nothing_moves_while_a_page_loads(tab: Tab, site: Path, place: str) -> None:
    tab.page.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => (moved += one.value)))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    page = tab.open(f"runs/{first_run(site)}.html#failures" if place == "runs" else place)
    page.wait_for_timeout(500)
    assert page.evaluate("moved") <= 0.05
