"""Chinese for the English that the rooms below hand up: names in tables, errors, notes, why a run stopped.

English is what is raised, logged and written to files; the command line translates what it prints (`local`), out of the
catalogues beside this file, which are read when the first Chinese sentence is due. What is not there stays English.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from toolgauge.cli.chinese.catalogue import Catalogue
from toolgauge.cli.words import interface_language
from toolgauge.locale import Text, translated

FOLDER = Path(__file__).parent


def local(said: Text | str) -> str:
    """What a room below says, in the interface's language."""
    return in_chinese(said) if interface_language() == "zh" else str(said)


def in_chinese(said: Text | str) -> str:
    """A name of a table or a message in Chinese; what no catalogue knows comes back as it is."""
    if isinstance(said, Text):
        return translated(said, "zh")
    return names().whole(said) or messages().translated(said)


@cache
def names() -> Catalogue:
    """Names in tables: data sets, providers, titles, columns, rows. They are no part of messages."""
    return Catalogue(read("names.json"))


@cache
def messages() -> Catalogue:
    """Errors, problems, notes and reasons, a file for each part of the source."""
    return Catalogue(
        {english: text for path in sorted(FOLDER.glob("messages/*.json")) for english, text in read(path).items()}
    )


def read(name: str | Path) -> dict[str, Any]:
    """A catalogue's file."""
    content: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return content
