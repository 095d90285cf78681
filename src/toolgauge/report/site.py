"""The web site: pages in two languages, the data of its tasks, scripts and styles; a folder that needs no server.

`build_site` shows the whole path; site_folder.py says what becomes of an earlier site.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from toolgauge.errors import StoreError, UsageError
from toolgauge.report.frame import ASSETS
from toolgauge.report.page import LANGUAGES, Page, PairResult, Refused, Site, entries_of
from toolgauge.report.pages import board, comparison, overview, reference, run, tasks
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import SiteFolder, site_folder
from toolgauge.report.table_files import FOLDER, write_boards, write_runs
from toolgauge.runs.scored import ScoredRun

T = TypeVar("T")
PAGES: tuple[Callable[[Site, str], Iterator[Page]], ...] = (
    overview.pages,
    board.pages,
    run.pages,
    comparison.pages,
    tasks.pages,
    reference.pages,
)
"""What makes the pages of each kind: from the site and a language of the interface."""


def build_site(runs: Sequence[ScoredRun], out: Path, overwrite: bool = False) -> int:
    """Write the site of these runs into a folder; returns the number of its pages.

    overwrite: also into a folder with other files, of which those of the same names are replaced. Raises UsageError for
    such a folder otherwise, without runs and for a run without scored tasks, StoreError where it cannot be written.
    """
    if not runs:
        raise UsageError("report needs at least one run directory")
    for one in runs:
        if not one.metrics.scorings:
            raise UsageError(f"{one.folder}: no scored tasks, so there is nothing to show")
    entries = entries_of(runs)
    shown = [{"slug": entry.slug, "label": entry.label, "board": entry.board} for entry in entries]
    with site_folder(out, shown, overwrite) as folder:
        site = Site(entries)
        site.comparisons.update(beside(folder, lambda: _pairs(site, folder), lambda: _data(site, folder)))
        beside(folder, lambda: _pages(site, folder, LANGUAGES[1:]), lambda: _pages(site, folder, LANGUAGES[:1]))
        return sum(name.endswith(".html") for name in folder.names)


def beside(folder: SiteFolder, other: Callable[[], T], own: Callable[[], None]) -> T:
    """Do two halves of the work at once, the first in a process of its own where there is room for one; its result.

    Both write into the folder. A process with threads is not forked: one of them may hold a lock.
    """
    if (os.cpu_count() or 1) < 2 or threading.active_count() > 1:
        own()
        return other()
    forking = multiprocessing.get_context("fork")
    receiver, sender = forking.Pipe(duplex=False)

    def work() -> None:
        try:
            sender.send((other(), None, folder.names))
        except Exception as error:
            sender.send((None, error, set()))

    process = forking.Process(target=work, daemon=True)
    process.start()
    sender.close()
    try:
        own()
        found, error, names = receiver.recv()
    except BaseException as error:
        process.kill()
        if isinstance(error, EOFError):
            raise StoreError(f"{folder.folder}: the process that writes half of the site was stopped") from error
        raise
    finally:
        process.join()
    if error is not None:
        raise error
    folder.names |= names
    result: T = found
    return result


def _pairs(site: Site, folder: SiteFolder) -> dict[str, dict[tuple[str, str], dict[str, PairResult] | Refused]]:
    comparison.write_pairs(site, folder)
    return site.comparisons


def _data(site: Site, folder: SiteFolder) -> None:
    """What pages load and link: assets, the data of tasks, the numbers of runs."""
    for asset in ASSETS.iterdir():
        if asset.is_file():
            folder.write(f"assets/{asset.name}", asset.read_bytes())
    shades = "".join(f".h{level} {{ --heat: {level}; }}\n" for level in range(101))  # colours of heat maps
    folder.write("assets/base.css", (ASSETS / "base.css").read_bytes() + shades.encode())
    tasks.write_data(site, folder)
    write_runs(site, folder)
    cited = "\n".join(one.bibtex for one in reference.citations_of(site.entries))
    folder.write(f"{FOLDER}/{reference.FILE}", cited.encode())


def _pages(site: Site, folder: SiteFolder, languages: Sequence[str]) -> None:
    if LANGUAGES[0] in languages:
        write_boards(site, folder)
    for language in languages:
        for page in (page for pages in PAGES for page in pages(site, language)):
            folder.write(page.place(language), render(page, language, site).encode())
