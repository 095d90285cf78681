"""The web site: pages in two languages, the data of its tasks, scripts and styles; a folder that needs no server.

`build_site` shows the whole path. The folder appears whole or not at all, and takes the place of an earlier site
(site_folder.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolgauge.errors import UsageError
from toolgauge.files import make_folders, write_below
from toolgauge.locale import _
from toolgauge.report.citations import FILE, citations_of
from toolgauge.report.comparisons import write_comparisons
from toolgauge.report.page import LANGUAGES, Page, Site, entries_of
from toolgauge.report.pages import board, cite, comparison, glossary, overview, run, tasks
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import site_folder
from toolgauge.report.table_files import FOLDER, write_boards, write_runs
from toolgauge.runs.scored import ScoredRun
from toolgauge.version import __version__

PAGES: tuple[Callable[[Site, str], Iterator[Page]], ...] = (
    overview.pages,
    board.pages,
    run.pages,
    comparison.pages,
    tasks.pages,
    glossary.pages,
    cite.pages,
)
"""What makes the pages of each kind: from the site and a language of the interface."""
DATA = "data"
_ASSETS = Path(__file__).parent / "assets"


def build_site(runs: Sequence[ScoredRun], out: Path) -> int:
    """Write the site of these runs into a folder; returns the number of its pages.

    Raises UsageError without runs, for a run without scored tasks, and where `out` holds something else than an earlier
    site, just as it was made; StoreError where it cannot be written.
    """
    if not runs:
        raise UsageError(_("report needs at least one run directory"))
    for one in runs:
        if not one.metrics.readings:
            raise UsageError(
                _("{folder}: none of its tasks is scored yet, so there is nothing to show", folder=one.folder)
            )
    entries = entries_of(runs)
    shown = [{"slug": entry.slug, "label": entry.label, "board": entry.board} for entry in entries]
    with site_folder(out, __version__, shown) as folder:
        make_folders(folder / DATA)
        make_folders(folder / FOLDER)
        compared = write_comparisons(entries, folder / DATA, folder / FOLDER)
        return _write(Site(entries, compared), folder)


def _write(site: Site, folder: Path) -> int:
    _write_assets(folder)
    tables = folder / FOLDER
    tasks.write_data(site, folder / DATA, tables)
    write_runs(site, tables)
    write_boards(site, tables)
    cited = "\n".join(one.bibtex for one in citations_of(site.entries))
    write_below(tables, FILE, cited.encode())
    count = 0
    for language in LANGUAGES:
        root = "" if language == "en" else f"{language}/"
        for page in (page for pages in PAGES for page in pages(site, language)):
            write_below(folder, root + page.path, render(page, language, site).encode())
            count += 1
    return count


def _write_assets(folder: Path) -> None:
    """Scripts and styles of the package, and the colours of heat maps."""
    for asset in _ASSETS.iterdir():
        if asset.is_file():
            write_below(folder, f"assets/{asset.name}", asset.read_bytes())
    shades = "".join(f".h{level} {{ --heat: {level}; }}\n" for level in range(101))
    write_below(folder, "assets/base.css", (_ASSETS / "base.css").read_bytes() + shades.encode())
