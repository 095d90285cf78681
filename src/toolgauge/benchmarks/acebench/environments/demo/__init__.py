"""Initial tables of our own making, one file per language, for tests and for a demonstration without any download.

People, messages, menus and flights are invented; the form is that of the benchmark's tables.
"""

from __future__ import annotations

import json
from importlib.resources import files

from toolgauge.chat import Json


def demo_tables(language: str) -> dict[str, Json]:
    """The tables by section ("base", "message", "reminder", "food", "travel"), in "en" or "zh"."""
    tables: dict[str, Json] = json.loads(files(__name__).joinpath(f"{language}.json").read_text(encoding="utf-8"))
    return tables
