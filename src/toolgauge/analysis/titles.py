"""Headings of the tables for people, in the two languages of the benchmarks."""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.analysis.titles_en import ENGLISH
from toolgauge.analysis.titles_zh import CHINESE

__all__ = ["CHINESE", "ENGLISH", "TITLES", "note", "sentence", "title"]

TITLES = {"en": ENGLISH, "zh": CHINESE}


def title(key: str, language: str = "en") -> str:
    """The heading of a table, column or row; a key without one is its own heading, with blanks for underscores."""
    return TITLES.get(language, ENGLISH).get(key) or key.replace("_", " ")


def note(key: str, language: str = "en") -> str:
    """A sentence about what a table counts, "" where it needs none."""
    return TITLES.get(language, ENGLISH).get(f"note_{key}", "")


def sentence(key: str, language: str, values: Mapping[str, object]) -> str:
    """A sentence with its values filled in; whole numbers get thousands separators."""
    filled = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return title(key, language).format(**filled)
