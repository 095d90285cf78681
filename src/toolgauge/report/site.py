"""The web site: pages in two languages, the data of its tasks, scripts and styles; a folder that needs no server.

`build_site` shows the whole path. The folder appears whole or not at all, and takes the place of an earlier site.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from toolgauge import __version__
from toolgauge.errors import StoreError, UsageError
from toolgauge.report.page import LANGUAGES, Page, Site, entries_of
from toolgauge.report.pages import board, comparison, overview, run, tasks
from toolgauge.report.rendering import render
from toolgauge.runs.scored import ScoredRun

MARK = "site.json"
"""Says that a folder is a site of ours and may be replaced by the next one."""
PAGES: tuple[Callable[[Site, str], Iterator[Page]], ...] = (
    overview.pages,
    board.pages,
    run.pages,
    comparison.pages,
    tasks.pages,
)
"""What makes the pages of each kind: from the site and a language of the interface."""
_ASSETS = Path(__file__).parent / "assets"
_CHARTS = "window.vegaEmbed = vegaEmbed;"
"""All that scripts of pages see of the charts' library."""


def build_site(runs: Sequence[ScoredRun], out: Path) -> int:
    """Write the site of these runs into a folder; returns the number of its pages.

    Raises UsageError without runs or where `out` holds something else, StoreError where it cannot be written.
    """
    if not runs:
        raise UsageError("report needs at least one run directory")
    _check_place(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as scratch:
            made = Path(scratch) / "site"
            count = _write(runs, made)
            if out.exists():
                out.rename(Path(scratch) / "earlier")
            made.rename(out)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written ({error.strerror}); free space or choose another --out") from error
    return count


def _check_place(out: Path) -> None:
    if out.exists() and not (out / MARK).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: is there already and is no site of toolgauge; choose another --out")


def _write(runs: Sequence[ScoredRun], folder: Path) -> int:
    entries = entries_of(runs)
    site = Site(entries, comparison.comparisons(entries))
    _write_assets(folder / "assets")
    tasks.write_data(site, folder / "data")
    count = 0
    for language in LANGUAGES:
        root = folder if language == "en" else folder / language
        for page in (page for pages in PAGES for page in pages(site, language)):
            path = root / page.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(render(page, language, site), encoding="utf-8")
            count += 1
    names = [{"slug": entry.slug, "label": entry.label, "board": entry.board} for entry in entries]
    (folder / MARK).write_bytes(msgspec.json.encode({"toolgauge": __version__, "runs": names}))
    return count


def _write_assets(folder: Path) -> None:
    """Scripts and styles of the package, the charts' library, and the colours of heat maps."""
    import vl_convert

    shutil.copytree(_ASSETS, folder)
    (folder / "vega.js").write_text(f"(() => {{{vl_convert.javascript_bundle(_CHARTS)}}})();", encoding="utf-8")
    shades = "".join(f".h{level} {{ --heat: {level}; }}\n" for level in range(101))
    (folder / "base.css").write_text((_ASSETS / "base.css").read_text(encoding="utf-8") + shades, encoding="utf-8")
