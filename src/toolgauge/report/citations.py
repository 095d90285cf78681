"""How to cite toolgauge and the benchmarks: BibTeX, on a page of the site and as a file of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from toolgauge.report.display import display_of
from toolgauge.version import __version__

FILE = "citations.bib"
OWN = "toolgauge"
_PUBLISHED = Path(__file__).parent / "published"
_ENTRY = """\
@software{toolgauge,
  title   = {toolgauge: how well language models use tools when people talk to them the way people do},
  author  = {{The toolgauge authors}},
  version = {VERSION}
}
"""


class Citation(NamedTuple):
    """id: an anchor; name: what is cited; bibtex: its entry."""

    id: str
    name: str
    bibtex: str


def citations(benchmarks: Sequence[str]) -> Iterator[Citation]:
    """Those of toolgauge and of the benchmarks that declare one, each once."""
    yield Citation(OWN, OWN, _ENTRY.replace("VERSION", __version__))
    for name in dict.fromkeys(benchmarks):
        display = display_of(name)
        if entry := getattr(display, "citation", ""):
            yield Citation(name, display.title, entry)


def printed(benchmark: str) -> str:
    """The entry of a paper in published/; "" of a benchmark without one."""
    file = _PUBLISHED / f"{benchmark}.bib"
    return file.read_text(encoding="utf-8") if file.is_file() else ""
