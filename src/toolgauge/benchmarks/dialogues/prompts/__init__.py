"""The few sentences that the benchmarks say themselves: one file per text and language, for people to read and edit."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str, language: str) -> str:
    """The text of `<name>.<language>.txt`, without its final line break."""
    return files(__name__).joinpath(f"{name}.{language}.txt").read_text(encoding="utf-8").rstrip("\n")
