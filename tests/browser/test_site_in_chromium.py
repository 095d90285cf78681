"""What people do on the site: sort, filter, hover, open a failing task, switch the language, use the keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.browser.browsing import Tab
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.reasons import Parameter, explain

pytestmark = pytest.mark.browser

BOARD = "mini-en.html"


def first_run(site: Path) -> str:
    return next(path.stem for path in (site / "runs").glob("mini-en-builtin*seed_1*-task.html")).removesuffix("-task")


def names(page: Any) -> list[str]:
    return [
        text.strip() for text in page.locator("section.panel:visible tbody tr:visible th.model .name").all_inner_texts()
    ]


def column(page: Any, key: str) -> list[float]:
    head = page.locator("section.panel:visible thead tr").last
    place = head.locator("th").evaluate_all(f"cells => cells.findIndex(cell => cell.dataset.column === '{key}')")
    rows = page.locator("section.panel:visible tbody tr:visible")
    values = rows.evaluate_all(f"rows => rows.map(row => row.cells[{place}].dataset.sort)")
    return [float(value) for value in values if value != ""]


def test_the_leaderboard_sorts_by_click_and_by_keyboard(tab: Tab) -> None:
    page = tab.open(BOARD)
    heading = page.locator("section.panel:visible th[data-column=task_accuracy] button.sort")
    ranked = sorted(column(page, "task_accuracy"), reverse=True)
    assert column(page, "task_accuracy") == ranked, "what ranks is sorted already"
    heading.click()
    assert column(page, "task_accuracy") == ranked[::-1]
    heading.focus()
    page.keyboard.press("Enter")
    assert column(page, "task_accuracy") == ranked
    assert len(column(page, "task_accuracy")) == 3


def test_the_leaderboard_filters_by_text_and_keeps_the_filter_over_the_language_switch(tab: Tab) -> None:
    page = tab.open(BOARD)
    everybody = names(page)
    page.locator("input[type=search]").fill("seed=2")
    page.wait_for_timeout(300)
    assert names(page) == [name for name in everybody if "seed=2" in name]
    page.locator("#language").click()
    page.wait_for_url(re.compile("/zh/mini-en.html#"))
    page.wait_for_timeout(300)
    assert len(names(page)) == 1


def test_cells_of_boards_tell_their_counts_by_keyboard(tab: Tab, site: Path) -> None:
    page = tab.open(f"{BOARD}#board=types")
    cells = page.locator("section.panel:visible td[title]")
    page.locator("section.panel:visible td[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#tip:not([hidden])").wait_for()
    told = page.inner_text("#tip")
    assert re.search(r"\d+", told)
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('td[title]')")
    assert cells.count() > 2
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_python_and_the_pages_read_reasons_alike(tab: Tab, site: Path) -> None:
    told: list[tuple[str, dict[str, Parameter]]] = [
        ("words_differ", {"tool": "search_trains", "path": "date", "at": "date", "score": "0.12"}),
        ("text_for_calls", {"names": ("a", "b")}),
        ("keys_differ", {"tool": "__proto__", "missing": ("a'b",), "extra": ("c",)}),
        ("not_offered", {"tool": "{names}", "names": ("{why}", "{names}")}),
        ("not_offered", {"names": ("x" * 3000,)}),
        ("step_does_not_fit", {"step": 2, "also": ("no_output", "__proto__")}),
        ("scored_not_json", {}),
        ("of_a_later_version", {"names": ("a",)}),
        ("__proto__", {}),
        ("not_offered", {"names": ("line\u2028one",)}),
    ]
    explanations = [explain("as it was recorded", *one) for one in told]
    for language, folder in (("en", ""), ("zh", "zh/")):
        page = tab.open(f"{folder}runs/{first_run(site)}-tasks.html")
        texts = reason_texts(find_benchmark("mini"), language)
        words = page.evaluate("all => all.map(toolgauge.because)", msgspec.to_builtins(explanations))
        assert words == [one.in_words(texts) for one in explanations if one]


def test_a_failing_task_opens_from_the_board_in_three_clicks(tab: Tab) -> None:
    page = tab.open(BOARD)
    page.locator("section.panel:visible a[href^='runs/'] >> text=seed=1").first.click()
    page.locator("main a[href*='result=failed']", has_text="Failed tasks").click()
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    assert "failed" in page.inner_text(".verdict")
    assert page.inner_text(".line.user >> nth=-1").strip()
    assert page.inner_text(".cause").strip()


def test_every_step_and_every_expected_call_of_a_task_can_be_read(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}-tasks.html#result=failed")
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    before = page.url
    page.keyboard.press("j")
    page.wait_for_function("before => location.href !== before", arg=before)
    page.locator("#task:not([hidden])").wait_for()
    assert "failed" in page.inner_text(".verdict")
    assert page.inner_text(".transcript").strip()
    page.locator(".drawer > summary").click()
    page.locator(".drawer [id^=node-]").first.wait_for()


def test_the_list_of_tasks_searches_and_filters(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}-tasks.html")
    page.locator("#task-list:not([hidden])").wait_for()
    rows = page.locator("#task-rows tr")
    everything = page.inner_text("#task-count")
    assert "128" in everything
    page.select_option("#filter-result", "failed")
    page.wait_for_timeout(200)
    assert rows.count() > 0
    assert all("failed" in text for text in rows.locator(".c-result").all_inner_texts())
    page.keyboard.press("/")
    page.keyboard.type("zzzz nobody says this")
    page.locator("#task-none").wait_for(state="visible")
    page.go_back()


def test_a_recording_that_ends_too_early_says_so(tab: Tab) -> None:
    page = tab.open("runs/wildtoolbench-en-recorded-tasks.html#scoring=exact&result=not_judgeable")
    page.locator("#task-list:not([hidden])").wait_for()
    rows = page.locator("#task-rows tr")
    assert rows.count() == page.locator("#task-rows .c-result .mark.not_judgeable").count() > 0
    assert f"{rows.count()} not judgeable" in page.inner_text("#task-count")
    assert "official code ✗" in rows.first.inner_text()
    rows.first.locator("a").click()
    page.locator("#task:not([hidden])").wait_for()
    assert "the recording ends before the task is done" in page.inner_text(".cause")
    assert "not judgeable" in page.inner_text(".verdict")
    page.locator(".drawer > summary").click()
    page.locator(".drawer >> text=the recording ends here").wait_for()
    page.locator(".verdict a", has_text="official code").click()
    page.wait_for_url(re.compile("scoring=released"))
    page.locator(".verdict > span.mark.failed").wait_for()


def test_the_language_switch_turns_every_page(tab: Tab, site: Path) -> None:
    for path in sorted(site.glob("*.html")) + sorted((site / "runs").glob("mini-en-builtin*seed_1*.html")):
        page = tab.open(str(path.relative_to(site)))
        page.locator("#language").click()
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.lang") == "zh-Hans"
        assert re.search(r"[\u4e00-\u9fff]", page.inner_text("header.top, main"))
        page.locator("#language").click()
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.lang") == "en"


def test_every_page_opens_without_a_complaint(tab: Tab, site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for path in pages:
        tab.open(str(path.relative_to(site)))
        tab.page.wait_for_timeout(60)
        assert tab.complaints == [], path


def test_the_theme_is_kept(tab: Tab) -> None:
    page = tab.open("index.html")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.open(BOARD)
    assert before != after == page.evaluate("getComputedStyle(document.body).backgroundColor")


def hostile_slug(site: Path) -> str:
    return next(path.stem for path in (site / "runs").glob("*pwned*-task.html")).removesuffix("-task")


@pytest.mark.parametrize("language", ["", "zh/"])
def test_hostile_content_stays_text(tab: Tab, site: Path, language: str) -> None:
    slug = hostile_slug(site)
    assert re.fullmatch(r"[\w.-]+", slug, re.ASCII)
    for place in ("index.html", BOARD, f"runs/{slug}.html", f"runs/{slug}-tasks.html"):
        page = tab.open(language + place)
        page.wait_for_timeout(200)
        assert page.evaluate("window.pwned === undefined"), place
        assert page.locator("img").count() == 0
    for task in ("mini_0/0", "mini_0/1", "mini_0/2", "mini_0/3", "mini_1/0", "mini_1/1", "mini_1/2", "mini_1/3",
                 "mini_2/0", "mini_2/1"):  # fmt: skip
        page = tab.open(f"{language}runs/{slug}-task.html#{task}")
        page.reload()
        page.locator("#task:not([hidden])").wait_for()
        assert page.evaluate("window.pwned === undefined"), task
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), task
        assert page.locator(".transcript").is_visible()


def test_print_shows_the_task_and_hides_the_switches(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}-task.html#mini_0/0")
    page.locator("#task:not([hidden])").wait_for()
    page.emulate_media(media="print")
    assert not page.locator(".switches").is_visible()
    assert page.locator(".transcript").is_visible()
