"""The page of a task: the answer first, the evidence beside it, two runs at once; and the search in replies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import Tab

pytestmark = pytest.mark.browser


def slug(site: Path, seed: int) -> str:
    found = sorted((site / "runs").glob(f"mini-en-builtin*seed_{seed}*-task.html"))
    return found[0].stem.removesuffix("-task")


def open_task(tab: Tab, place: str) -> Any:
    page = tab.open(place)
    page.reload()
    page.locator("#task:not([hidden])").wait_for()
    return page


def first_failing(tab: Tab, site: Path, mistake: str) -> Any:
    page = tab.open(f"runs/{slug(site, 1)}-tasks.html#scoring=exact&result=failed&mistake={mistake}")
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    return page


def test_the_first_lines_say_who_whether_and_why_with_the_value_that_differs(tab: Tab, site: Path) -> None:
    page = first_failing(tab, site, "wrong_type")
    assert "builtin/noisy?seed=1" in page.inner_text("h1")
    assert page.inner_text(".verdict").startswith("✗ failed scoring: exact")
    row = page.locator("table.diff tr.decisive").first
    path, actual, expected = (
        row.locator(cell).first for cell in ("th code", "td:nth-child(3) code", "td:nth-child(4) code")
    )
    told = page.inner_text(".cause")
    assert told.startswith("wrong type: ")
    assert f"{path.inner_text()} of " in told
    assert f"is {actual.inner_text()}, expected {expected.inner_text()}" in told
    box = page.locator(".cause").bounding_box()
    assert box["y"] < 400


def test_a_text_instead_of_a_call_is_quoted_and_the_expected_call_stands_below_it(tab: Tab, site: Path) -> None:
    page = first_failing(tab, site, "refusal")
    told = page.inner_text(".cause")
    said, due = re.search(r"said “(.+?)…?”, expected (\w+)", told).groups()  # type: ignore[union-attr]
    failing = page.locator(".line.failing")
    assert said in " ".join(failing.inner_text().split())
    assert due in failing.locator(".expected-here .call.due code").first.inner_text()


def test_earlier_turns_are_open_where_the_task_needs_them_and_say_whose_they_are(tab: Tab, site: Path) -> None:
    page = open_task(tab, f"runs/{slug(site, 1)}-task.html#mini_0/3")
    turns = page.locator(".earlier")
    assert turns.count() == 3
    assert [turn.locator("mark").count() > 0 for turn in turns.all()] == [
        turn.get_attribute("open") is not None for turn in turns.all()
    ]
    assert turns.locator(".badge").all_inner_texts() == ["as annotated"] * 3
    assert 0 < page.locator(".earlier[open]").count() < 3


def test_two_runs_at_one_task_share_what_was_said_before(tab: Tab, site: Path) -> None:
    one, two = slug(site, 1), slug(site, 2)
    page = open_task(tab, f"runs/{one}-task.html#mini_0/1")
    page.locator("#others summary").click()
    page.locator("#others a.beside").first.wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#others details[open]").count() == 0
    page = open_task(tab, f"runs/{one}-task.html#mini_0/1&with={two}")
    assert ["seed=1" in name for name in page.locator(".head .model").all_inner_texts()] == [True, False]
    assert page.locator(".history .earlier").count() == page.locator(".earlier").count() == 1
    assert page.locator(".body .transcript .spoken").count() >= 2
    bodies = [one.bounding_box() for one in page.locator(".body").all()]
    assert bodies[0]["x"] < bodies[1]["x"]
    page.locator("#next").click()
    page.wait_for_url(re.compile(rf"mini_0/2.*with={two}"))
    page.locator("a.beside", has_text="swap").click()
    page.wait_for_url(re.compile(rf"{two}-task\.html#mini_0/2.*with={one}"))
    page.locator("a.beside", has_text="show alone").click()
    page.wait_for_url(re.compile(r"#mini_0/2$"))
    assert page.locator(".head").count() == 1


def test_the_search_finds_words_of_replies_and_shows_where_they_stand(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{slug(site, 1)}-tasks.html")
    page.locator("#task-list:not([hidden])").wait_for()
    page.fill("#filter-text", "IC2231")
    page.locator("#task-none:not([hidden])").wait_for()
    page.check("#filter-in")
    page.locator("#task-rows .found mark").first.wait_for()
    assert set(page.locator("#task-rows .found mark").all_inner_texts()) == {"IC2231"}
    shown = page.locator("#task-rows tr").count()
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    assert f"1 of {shown}" in page.inner_text("#moves")
    assert "IC2231" in page.inner_text(".transcript")


def test_everything_else_is_in_the_drawer_and_stays_open_from_task_to_task(tab: Tab, site: Path) -> None:
    page = open_task(tab, f"runs/{slug(site, 1)}-task.html#mini_0/1")
    page.locator(".drawer > summary").click()
    page.locator(".drawer svg.graph").wait_for()
    headings = page.locator(".drawer h3").all_inner_texts()
    assert headings[:2] == ["Annotated calls and what they depend on", "The same replies by every scoring"]
    assert {"Available tools (6)", "Prompts", "Messages as they were sent and received"} <= set(headings)
    page.locator("#next").click()
    page.wait_for_url(re.compile("mini_0/2"))
    page.locator(".drawer[open] svg.graph").wait_for()


def test_paper_has_the_dialogue_and_the_drawer_only_where_it_is_open(tab: Tab, site: Path) -> None:
    page = open_task(tab, f"runs/{slug(site, 1)}-task.html#mini_0/3")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".earlier:not([open])").count() == 0
    assert not page.locator(".drawer").is_visible()
    assert not page.locator("#others").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.locator(".drawer").evaluate("drawer => (drawer.open = true)")
    page.locator(".drawer .tools details").first.wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".drawer .tools details:not([open])").count() == 0
