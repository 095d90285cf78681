"""What ACEBench's models and simulated users are told, in our own words: one file per text and language.

A gap such as {question} is filled with text as it is; nothing inside that text is a gap again.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_GAP = re.compile(r"\{(\w+)\}")


def prompt(name: str, language: str, **gaps: str) -> str:
    """The text of `<name>.<language>.txt` with its gaps filled."""
    return _GAP.sub(lambda gap: gaps[gap[1]], _text(name, language))


@cache
def _text(name: str, language: str) -> str:
    return files(__name__).joinpath(f"{name}.{language}.txt").read_text(encoding="utf-8").rstrip("\n")
