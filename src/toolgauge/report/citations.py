"""How to cite toolgauge and the benchmarks: BibTeX, on a page of the site and as a file of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UnsetType

from toolgauge.report.display import display_of
from toolgauge.report.page import RunEntry
from toolgauge.version import __version__

FILE = "citations.bib"
OWN = "toolgauge"
_PUBLISHED = Path(__file__).parent / "published"
_ENTRY = """\
@software{toolgauge,
  title   = {toolgauge: how well language models use tools when people talk to them the way people do},
  author  = {{The toolgauge authors}},
  version = {VERSION}NOTE
}
"""


class Citation(NamedTuple):
    """id: an anchor; name: what is cited; bibtex: its entry."""

    id: str
    name: str
    bibtex: str


def citations(benchmarks: Sequence[str], started: Iterable[str | UnsetType] = ()) -> Iterator[Citation]:
    """Those of toolgauge and of the benchmarks that declare one, each once. started: when the runs began that are
    cited, where that is known."""
    days = sorted({moment[:10] for moment in started if moment})
    when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
    note = f",\n  note    = {{Runs of {when}}}" if when else ""
    yield Citation(OWN, OWN, _ENTRY.replace("VERSION", __version__).replace("NOTE", note))
    for name in dict.fromkeys(benchmarks):
        display = display_of(name)
        if entry := getattr(display, "citation", ""):
            yield Citation(name, display.title, entry)


def citations_of(entries: Sequence[RunEntry]) -> list[Citation]:
    """What the runs of a site are cited with."""
    return list(citations([one.benchmark for one in entries], [one.run.manifest.started for one in entries]))


def printed(benchmark: str) -> str:
    """The entry of a paper in published/; "" of a benchmark without one."""
    file = _PUBLISHED / f"{benchmark}.bib"
    return file.read_text(encoding="utf-8") if file.is_file() else ""
