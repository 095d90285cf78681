"""Make docs/glossary.md and docs/zh/glossary.md of the catalogue of terms: `python authoring/glossary.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolgauge.analysis.glossary import GROUPS, HEADING, OPENING, term_meaning, term_name
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.locale import translated

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {"en": DOCS / "glossary.md", "zh": DOCS / "zh" / "glossary.md"}


def glossary_page(language: str = "en") -> str:
    """The page in a language. Every term has an anchor of its id, as on the site; Chinese pages have headings of their
    own, so only the page is linked there."""
    find_benchmark("wildtoolbench").report()  # which declares titles
    return "\n".join(_lines(language)) + "\n"


def _lines(language: str) -> Iterator[str]:
    yield f"# {translated(HEADING, language)}"
    yield ""
    yield "<!-- made by authoring/glossary.py -->"
    yield ""
    yield translated(OPENING, language)
    for heading, terms in GROUPS:
        yield from ("", f"## {translated(heading, language)}", "")
        for name, term in terms.items():
            words = term_name(name, language)
            page = term.page if language == "en" else term.page.partition("#")[0]
            shown = f"[{words}]({page})" if page else words
            colon = ": " if language == "en" else "："
            yield f'- <a id="{name}"></a>**{shown}**{colon}{term_meaning(name, language)}'


if __name__ == "__main__":
    for language, page in PAGES.items():
        page.write_text(glossary_page(language), encoding="utf-8")
