"""The pages of all terms, each with an anchor that the tips lead to, and of how to cite what the site shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolgauge.analysis.glossary import GROUPS, HEADING, OPENING, term_meaning, term_name
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.page import Page, RunEntry, Site
from toolgauge.version import __version__

FILE = "citations.bib"
OWN = "toolgauge"
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


def citations_of(entries: Sequence[RunEntry]) -> list[Citation]:
    """What the runs of a site are cited with: toolgauge, with the days on which they began where that is known, and
    the benchmarks that declare an entry, each once."""
    days = sorted({entry.run.manifest.started[:10] for entry in entries if entry.run.manifest.started})
    when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
    note = f",\n  note    = {{Runs of {when}}}" if when else ""
    found = [Citation(OWN, OWN, _ENTRY.replace("VERSION", __version__).replace("NOTE", note))]
    for name in dict.fromkeys(entry.benchmark for entry in entries):
        display = display_of(name)
        if cited := getattr(display, "citation", ""):
            found.append(Citation(name, display.title, cited))
    return found


def pages(site: Site, language: str) -> Iterator[Page]:
    groups = [
        (
            translated(heading, language),
            [(name, term_name(name, language), term_meaning(name, language)) for name in terms],
        )
        for heading, terms in GROUPS
    ]
    values = {"groups": groups, "opening": translated(OPENING, language)}
    yield Page("glossary.html", "glossary.html", translated(HEADING, language), values)
    cited = {"citations": citations_of(site.entries), "file": FILE}
    yield Page("cite.html", "cite.html", translated(_("How to cite"), language), cited)
