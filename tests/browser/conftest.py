"""The site in a real Chromium: headless, from file://, with everything noted that a page says or asks for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import WIDE, Tab
from tests.browser.hostile_run import hostile_run
from tests.browser.recorded_run import recorded_run
from tests.browser.reviewing import Enter, ReviewProcess, ReviewTab, Serve
from toolgauge.api import make_site, run
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE

CHROMIUM = os.environ.get("TOOLGAUGE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of the embedded benchmark in both languages, one partial, one hostile; an import that ends early."""
    folder = tmp_path_factory.mktemp("browser")
    runs: list[Path] = []
    for model, language, limit in (
        ("builtin/noisy?seed=1&rate=0.4", "en", None),
        ("builtin/noisy?seed=2&rate=0.2", "en", None),
        ("builtin/noisy", "zh", None),
    ):
        runs.append(run("mini", model, language=language, limit=limit, out=folder / f"run{len(runs)}").folder)
    runs += [hostile_run(folder / "hostile"), recorded_run(folder / "recorded")]
    make_site(runs, folder / "site")
    return folder / "site"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="install with .[browser] (make browser does)")
    if CHROMIUM is None:
        pytest.skip("no chromium here; make browser installs Debian's")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def open_tab(browser: Any, site: Path) -> Iterator[Callable[..., Tab]]:
    """Makes tabs of a size; every one of them is checked at the end."""
    tabs, contexts = [], []

    def make(size: tuple[int, int] = WIDE, **options: Any) -> Tab:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        contexts.append(context)
        tabs.append(Tab(context.new_page(), site))
        return tabs[-1]

    yield make
    for context in contexts:
        context.close()
    for tab in tabs:
        tab.check()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serves reviews, of the embedded benchmark unless another file is named, in folders of their own if none is."""
    started: list[ReviewProcess] = []

    def start(
        file: Path = MINI_FILE, language: str = "en", folder: Path | None = None, more: tuple[str, ...] = ()
    ) -> ReviewProcess:
        started.append(ReviewProcess(file, folder or tmp_path / f"review{len(started)}", language, more))
        return started[-1]

    yield start
    for one in started:
        one.kill()


@pytest.fixture
def enter(browser: Any, serve: Serve) -> Iterator[Enter]:
    """Opens browsers of people at a review, of the embedded benchmark unless another one is named; every one is checked
    at the end."""
    usual: list[ReviewProcess] = []
    tabs: list[ReviewTab] = []

    def opened(name: str = "Ada", review: ReviewProcess | None = None, **options: Any) -> ReviewTab:
        if review is None and not usual:
            usual.append(serve())
        tabs.append(ReviewTab(browser, review or usual[0], name, **options))
        return tabs[-1]

    yield opened
    for one in tabs:
        one.context.close()
    for one in tabs:
        one.check()


@pytest.fixture
def tab(open_tab: Callable[..., Tab]) -> Tab:
    return open_tab()
