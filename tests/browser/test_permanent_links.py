"""Every table and section of every kind of page has an id of its own and a link to itself, by pointer and keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.browsing import Tab
from tests.browser.page_kinds import kinds, settled

pytestmark = pytest.mark.browser
UNNAMED = """() => {
  const linked = new Set([...document.querySelectorAll("main a.anchor")].map((one) => one.dataset.to));
  const named = (part) => part.closest("[id]").id.replace(/-heading$/, "");
  return [...document.querySelectorAll("main :is(h2:not(.unseen), h3, table, section)")]
    .filter((part) => !part.closest("dialog, .history") && part.checkVisibility())
    .filter((part) => !(part.tagName === "SECTION" && part.querySelector("a.anchor")))
    .map(named).filter((id) => id !== "task-table" && (id === "content" || !linked.has(id)));
}"""
"""Names of visible parts without a link; "content" is that of a part without an id."""
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place);
}"""


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_every_part_of_every_kind_of_page_has_a_link(tab: Tab, site: Path, language: str) -> None:
    unnamed, twice = {}, {}
    for kind, address in kinds(site).items():
        tab.page.goto("about:blank")  # else only the hash changes
        page = tab.open(language + address)
        settled(page)
        for drawer in page.locator("details.drawer > summary").all():
            drawer.click()
        unnamed[kind], twice[kind] = page.evaluate(UNNAMED), page.evaluate(TWICE)
    assert {kind: some for kind, some in unnamed.items() if some} == {}
    assert {kind: some for kind, some in twice.items() if some} == {}


@pytest.mark.parametrize(
    ("kind", "place"), [("comparison", "moves"), ("task", "scorings"), ("run-breakdown", "by-route")]
)
def test_a_link_is_made_by_keyboard_and_leads_to_its_place(tab: Tab, site: Path, kind: str, place: str) -> None:
    page = tab.open(kinds(site)[kind])
    settled(page)
    if kind == "task":
        page.locator("details.drawer > summary").click()
    link = page.locator(f"a.anchor[data-to='{place}']")
    link.focus()
    page.keyboard.press("Enter")
    address = page.url
    assert address.endswith(f"&at={place}" if kind == "task" else f"#{place}")
    page.goto("about:blank")
    page.goto(address)
    settled(page)
    page.wait_for_function("(id) => document.getElementById(id)?.checkVisibility()", arg=place)
    page.wait_for_function("(id) => document.getElementById(id).getBoundingClientRect().top < innerHeight", arg=place)
    assert page.locator(f"#{place}").evaluate("one => one.closest('details')?.open ?? true")
    tab.check()
