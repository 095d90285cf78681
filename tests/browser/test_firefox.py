"""Every kind of page in another browser than Chromium: no complaint, nothing too wide, nothing for axe-core, and tips
open beside their terms."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest

from tests.browser.firefox import FIREFOX, Firefox, firefox
from tests.browser.page_kinds import DESK, PHONE, kinds

pytestmark = [pytest.mark.browser, pytest.mark.skipif(FIREFOX is None, reason="no Firefox here")]

_LOADED = """new Promise((done) => {
    const parts = ["#task", "#task-list", "#pair"];
    const look = () => {
        const shown = parts.map((one) => `${one}:not([hidden])`);
        const ready = !document.querySelector(parts) || document.querySelector(shown);
        return ready ? done("true") : requestAnimationFrame(look);
    };
    look();
})"""
_VIOLATIONS = """axe.run(document, {resultTypes: ["violations"], preload: false}).then((found) => JSON.stringify(
    found.violations.flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.html.slice(0, 160)}`))))"""
_TOO_WIDE = "JSON.stringify(document.documentElement.scrollWidth > innerWidth)"
_TIP = """(() => {
    const term = [...document.querySelectorAll("main button.term")].find((one) => one.checkVisibility());
    if (!term) return "true";
    term.click();
    const tip = document.querySelector(".tip:popover-open")?.getBoundingClientRect();
    const box = term.getBoundingClientRect();
    const near = tip && (Math.abs(tip.top - box.bottom) < 12 || Math.abs(box.top - tip.bottom) < 12);
    return JSON.stringify(Boolean(near && tip.left >= 0 && tip.right <= innerWidth));
})()"""


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_every_kind_of_page_in_firefox(site: Path, tmp_path: Path, size: tuple[int, int], language: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="install with .[browser]")
    with ThreadPoolExecutor(1) as own:  # in this thread the other browser's tests have left a loop running
        found, complaints = own.submit(asyncio.run, _look(site, language, tmp_path, size)).result()
    assert (found, complaints) == ({}, [])


async def _look(
    site: Path, language: str, profile: Path, size: tuple[int, int]
) -> tuple[dict[str, list[str]], list[str]]:
    found = {}
    async with firefox(profile, size) as tab:
        for kind, address in kinds(site).items():
            await tab.open(f"{site.as_uri()}/{language}{address}")
            await tab.evaluate(_LOADED)
            if wrong := [one async for one in _wrong(tab)]:
                found[kind] = wrong
        return found, tab.complaints


async def _wrong(tab: Firefox) -> AsyncIterator[str]:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    await tab.evaluate(f"{axe}; null")
    for one in await tab.evaluate(_VIOLATIONS):
        yield one
    if await tab.evaluate(_TOO_WIDE):
        yield "wider than the window"
    if not await tab.evaluate(_TIP):
        yield "the tip of the first term does not open beside it"
