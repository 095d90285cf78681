"""The site's own strings: words/<page>.<language>.json, a flat object of texts with {names} for values."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

_FOLDER = Path(__file__).parent / "words"


@cache
def _file(page: str, language: str) -> dict[str, str]:
    return msgspec.json.decode((_FOLDER / f"{page}.{language}.json").read_bytes(), type=dict[str, str])


def words(pages: Iterable[str], language: str) -> dict[str, str]:
    """All strings of some pages in a language ("en", "zh")."""
    return {key: text for page in pages for key, text in _file(page, language).items()}
