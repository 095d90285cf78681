"""Make docs/glossary.md of the catalogue of terms (analysis/glossary.py): `python authoring/glossary.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolgauge.analysis.glossary import GROUPS, HEADING, OPENING, term_meaning, term_name
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.locale import translated

PAGE = Path(__file__).parent.parent / "docs" / "glossary.md"


def glossary_page(language: str = "en") -> str:
    """The page in a language. Every term has an anchor of its id, as on the site."""
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
            shown = f"[{words}]({term.page})" if term.page else words
            yield f'- <a id="{name}"></a>**{shown}**: {term_meaning(name, language)}'


if __name__ == "__main__":
    PAGE.write_text(glossary_page(), encoding="utf-8")
