"""What people do on pages of runs and of comparisons: open a part, a cell, a scoring; choose two runs and swap them."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import NARROW, Tab
from tests.report.page_reading import read_chunk

pytestmark = pytest.mark.browser

COMPARE = "compare/mini-en.html"
PARTS = ("summary", "failures", "breakdown", "cost", "setup")


def first_run(site: Path) -> str:
    """The address of the first run of mini, without its ending."""
    found = sorted((site / "runs").glob("mini-en-builtin*seed_1*.html"))
    return next(path.stem for path in found if "task" not in path.stem and "-in-" not in path.stem)


def comparable(site: Path) -> tuple[str, str]:
    """Two runs of mini, as the page of comparisons names them."""
    files = sorted((site / "data/compare").glob("mini-en*.js"))
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


def test_an_earlier_address_of_a_scoring_leads_to_its_page(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html#scoring=released")
    page.wait_for_url(re.compile(r"-in-released\.html"))


def test_a_place_within_a_folded_part_is_shown(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    page.evaluate("document.querySelector('#breakdown details.more th').id = 'deep'")
    page.evaluate("location.hash = 'deep'")
    page.locator("#deep").wait_for(state="visible")
    assert shown_parts(page) == ["breakdown"]


def test_without_scripts_every_part_of_a_run_can_be_read(open_tab: Callable[..., Tab], site: Path) -> None:
    page = open_tab(java_script_enabled=False).open(f"runs/{first_run(site)}.html")
    assert shown_parts(page) == list(PARTS)
    assert page.locator("section.tab > h2:visible").count() == len(PARTS)


def test_print_has_every_part_of_a_run(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    page.emulate_media(media="print")
    assert shown_parts(page) == list(PARTS)


def test_tables_of_a_printed_run_stay_on_the_paper(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 less its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


def test_a_cell_of_the_map_opens_its_tasks(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html#failures")
    cell = page.locator("#failures td.heat a:visible").last
    told = re.search(r"(\d+) of \d+ tasks", cell.get_attribute("aria-label"))
    assert told
    cell.click()
    page.locator("#task-list:not([hidden])").wait_for()
    assert page.locator("#task-rows tr").count() == int(told[1])


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", ["", "zh/"])
def test_narrow_parts_do_not_scroll_sideways(
    open_tab: Callable[..., Tab], site: Path, part: str, language: str
) -> None:
    page = open_tab((360, 740)).open(f"{language}runs/{first_run(site)}.html#{part}")
    assert shown_parts(page) == [part]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def sides(page: Any) -> tuple[str, str]:
    return page.input_value("#run-a"), page.input_value("#run-b")


def test_two_runs_are_chosen_from_menus_and_swapped(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"{COMPARE}#a={a}&b={b}")
    page.locator("#pair:not([hidden])").wait_for()
    before = page.inner_text("#verdict")
    left, right = (page.locator(f"#kinds tbody tr td:nth-of-type({n})").all_inner_texts() for n in (1, 2))
    page.locator("#swap").click()
    page.wait_for_function("before => document.getElementById('verdict').textContent !== before", arg=before)
    assert sides(page) == (b, a)
    assert page.locator("#kinds tbody tr td:nth-of-type(1)").all_inner_texts() == right
    assert page.locator("#kinds tbody tr td:nth-of-type(2)").all_inner_texts() == left
    assert f"a={b}&b={a}" in page.url
    page.select_option("#run-a", a)  # what is B's
    page.wait_for_function("before => document.getElementById('verdict').textContent === before", arg=before)
    assert sides(page) == (a, b)


def percent(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.1f}".replace("-", "−")


def points(difference: float) -> str:
    shown = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if shown in ("+0.0", "−0.0") else shown


def test_every_row_shows_the_numbers_of_its_data_file(tab: Tab, site: Path) -> None:
    pairs = [file.stem.split("--") for file in sorted((site / "data/compare").glob("mini-en*.js"))]
    assert len(pairs) == len(list(combinations({slug for pair in pairs for slug in pair}, 2)))
    checked = 0
    for a, b in pairs:
        data: Any = read_chunk(site / f"data/compare/{a}--{b}.js")[1]
        for scoring, part in data["scorings"].items():
            page = tab.open(f"{COMPARE}#a={a}&b={b}&scoring={scoring}")
            page.reload()
            page.locator("#pair:not([hidden])").wait_for()
            texts = page.evaluate(
                "[...document.querySelectorAll('#pair tr[data-row]')].map((row) =>"
                " [row.dataset.table, row.dataset.row, ...[...row.cells].map((cell) => cell.textContent)])"
            )
            for table, name, _heading, *cells in texts:
                row = part["found"]["tables"][table][name]
                assert cells[:2] == [percent(row["a"]), percent(row["b"])], (a, b, scoring, table, name)
                bounds = f"[{', '.join(map(percent, row['ci95']))}]" if row["ci95"] else ""
                assert cells[2] == points(row["difference"]) + ("*" if row["few"] else "") + bounds
                checked += 1
            for name in ("fixed", "broken"):
                assert page.locator(f"[data-list={name}] .badge").inner_text() == str(len(part["found"][name]))
            main = part["found"]["tables"]["overall"]["task_accuracy"]
            assert (points(main["difference"]).strip("+−")) in page.inner_text("#verdict")
            starts = {"first": "A is better", "second": "B is better", "unclear": "A and B cannot be told apart"}
            assert page.inner_text("#verdict").startswith(starts[part["better"]])
    assert checked > 200


def test_numbers_are_rounded_as_on_the_other_pages(tab: Tab) -> None:
    page = tab.open(COMPARE)
    values = [0.5625, 0.40625, 0.15, 0.0005, 0.00049999, -0.0625, 1.0, 0.0, 1 / 3, 0.9995, 0.0015, -0.3125, 0.145]
    assert page.evaluate("all => all.map(toolgauge.numbers.percent)", values) == [percent(one) for one in values]
    assert page.evaluate("all => all.map((one) => toolgauge.numbers.points(one))", values) == [*map(points, values)]
    small = [0.0001, 0.00005, 0.04, 0.123456, 1.0, 0.00015]
    told = ["< 0.0001" if p < 0.0001 else f"{p:.4f}" for p in small]
    assert page.evaluate("all => all.map(toolgauge.numbers.probability)", small) == told


def test_a_fixed_task_opens_beside_the_run_that_has_it_right(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"{COMPARE}#a={a}&b={b}")
    page.locator("#pair:not([hidden])").wait_for()
    link = page.locator("[data-list=fixed] ul a").first
    assert f"with={b}" in link.get_attribute("href")
    link.click()
    page.wait_for_url(re.compile(rf"runs/{re.escape(a)}-task\.html#"))
    page.locator("#task:not([hidden])").wait_for()


def test_the_list_of_fixed_tasks_is_as_long_as_the_comparison_says(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    data: Any = read_chunk(site / f"data/compare/{a}--{b}.js")[1]
    fixed = len(data["scorings"]["exact"]["found"]["fixed"])
    page = tab.open(f"runs/{a}-tasks.html#result=failed&other=correct:{b}")
    page.locator("#task-list:not([hidden])").wait_for()
    assert 0 < page.locator("#task-rows tr").count() == fixed


def test_an_earlier_address_of_a_comparison_leads_on(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"compare/{a}--{b}.html#scoring=released")
    page.wait_for_url(re.compile(rf"mini-en\.html#a={re.escape(a)}&b={re.escape(b)}&scoring=released"))
    page.locator("#pair:not([hidden])").wait_for()
    assert page.locator("button[aria-pressed=true]").inner_text() == "official code"


@pytest.mark.parametrize("language", ["", "zh/"])
def test_a_narrow_comparison_does_not_scroll_sideways(open_tab: Callable[..., Tab], language: str) -> None:
    page = open_tab(NARROW).open(language + COMPARE)
    page.locator("#pair:not([hidden])").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_comparison_shows_hostile_names_as_text(tab: Tab, site: Path) -> None:
    file = next(file for file in sorted((site / "data/compare").glob("mini-en*.js")) if "pwned" in file.stem)
    a, b = file.stem.split("--")
    page = tab.open(f"{COMPARE}#a={a}&b={b}")
    page.locator("#pair:not([hidden])").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("window.pwned === undefined")
    assert page.locator("#pair img").count() == 0
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.inner_text("#pair"))
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
