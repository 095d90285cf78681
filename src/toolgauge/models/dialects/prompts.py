"""The words with which tools are announced: files in prompts/, one per dialect and language, for people to edit.

The marks in them are the families' own, the sentences are ours.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).with_name("prompts")
LANGUAGES = ("en", "zh")


def prompt(name: str, language: str, **values: str) -> str:
    """A prompt with its places filled in; English for a language that is neither "en" nor "zh"."""
    return _template(name, language if language in LANGUAGES else "en").substitute(values)


@cache
def _template(name: str, language: str) -> Template:
    return Template((FOLDER / f"{name}.{language}.txt").read_text("utf-8").rstrip("\n"))
